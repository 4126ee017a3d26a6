"""Answers from files that were sent: the sentence that answers a question, or what stands in the file at all."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from agent.minds.builtin.answers.candidates import MAX_HITS, Candidate
from agent.minds.builtin.answers.selection import Found, search_question
from agent.minds.builtin.talk.mood import take_up
from agent.minds.builtin.talk.quotation import for_quoting, quoted
from agent.minds.builtin.talk.scene import Scene
from agent.prompts.quoting import plain
from managers.language.reading.reading import Sentence, question_terms, read
from managers.language.reading.rules import fits, rule
from managers.language.words import content_words, sentences
from managers.mind import SentFile
from managers.recall.hits import Hit
from managers.recall.index.chunking import split

_PASSAGE = 400
_MOST_READ = 2_000_000
"""Characters of a file in which an answer is looked for."""
_MOST_WEIGHED = 8_000
"""Characters of which every sentence is weighed, to say what stands in a file."""
_SHORT = 160
"""A file of so many characters is quoted whole."""
_LEAST = 8
"""Shorter lines are headings, page numbers, names of columns."""
_MOST_FILES = 3
_QUOTED = 120


def answer_from_files(scene: Scene) -> list[str]:
    """Return what is said of files that were sent; empty where there are none, or nothing asks for them."""
    files = scene.request.files
    if not files:
        return []
    own = [file for file in files if not file.is_earlier]
    asked = [_without_file(sentence, scene) for sentence in scene.read.questions]
    if _asks_for_all(scene, is_there=bool(own)):
        return _told(own or files[:1], scene)
    if asked and (said := _answered(asked, files, scene)):
        return said
    if own and any(sentence.act for sentence in asked):
        return []  # "How are you? Here is my plan.": the question is none of the file's, and it has its answer
    if own:
        return [*(_nothing(asked, own, scene) if asked else []), *_told(own, scene)]
    return _nothing(asked, files[:1], scene) if asked and _asks(scene.read.questions, "names") else []


def _asks_for_all(scene: Scene, *, is_there: bool) -> bool:
    """Tell whether a message asks what stands in a file; of an earlier one only who really asks, or requests it."""
    said = [sentence for sentence in scene.read.questions or scene.read.sentences if _asks([sentence], "sums_up")]
    return any(is_there or sentence.is_question or _asks([sentence], "requests") for sentence in said)


def _answered(asked: Sequence[Sentence], files: Sequence[SentFile], scene: Scene) -> list[str]:
    """Return the sentence that answers; one of an earlier file only where no memory answers as well."""
    if any(sentence.act for sentence in asked):
        return []
    surfaces = [word.surface for sentence in asked for word in sentence.words if word.kind != "function"]
    hits = _passages(files, [*question_terms(asked, scene.lang), *surfaces])
    found = _search(asked, hits, scene)
    if not found.fits or not found.coverage:
        return []
    best = _file_of(found.best[0], hits, files)
    if best.is_earlier and not _asks(scene.read.questions, "names"):
        remembered = search_question(asked, scene.request, scene.lang)
        if remembered.fits and remembered.coverage >= found.coverage:
            return []
    return [_quote(candidate, _file_of(candidate, hits, files), scene) for candidate in found.best]


def _search(asked: Sequence[Sentence], hits: Sequence[Hit], scene: Scene) -> Found:
    """Look for the answer in passages alone: no memory, no note, nothing said."""
    alone = replace(
        scene.request, hits=hits, notes="", witnesses=tuple, sheet=replace(scene.request.sheet, user_profile="")
    )
    return search_question(asked, alone, scene.lang, with_now=False)


def _passages(files: Sequence[SentFile], terms: Sequence[str]) -> list[Hit]:
    """Return the passages that hold most of a question's words, the rarest counting most."""
    found = [Hit(piece, "knowledge", "semantic", str(at), (), 0.0, heading=heading) for at, file in enumerate(files) for heading, piece in _pieces(file)]  # fmt: skip
    folded = [f"{hit.heading} {hit.text}".casefold() for hit in found]
    wanted = {term.casefold() for term in terms if len(term) > 1 or not term.isascii()}
    counts = {term: sum(term in text for text in folded) for term in wanted}

    def weight(at: int) -> float:
        return sum(math.log(1 + len(found) / counts[term]) for term in wanted if term in folded[at])

    order = sorted(range(len(found)), key=lambda at: (-weight(at), at))
    return [found[at] for at in order[:MAX_HITS]]


def _pieces(file: SentFile) -> Iterator[tuple[str, str]]:
    left = _MOST_READ
    for heading, text in file.parts:
        read = _unwrapped(text[:left], heading)
        yield from ((heading, piece) for piece in split(read, _PASSAGE, 0))
        left -= len(text)
        if left <= 0:
            return


def _unwrapped(text: str, heading: str) -> str:
    """Return a text as it is read: sentences that go over several lines on one, a row of a table on one."""
    tidy = plain(text)
    if fits("en", "markup", "row", heading):
        return ", ".join(tidy.split("\n"))
    return rule("en", "markup", "wide_gap").sub("", rule("en", "markup", "wrapped").sub(" ", tidy))


def _file_of(candidate: Candidate, hits: Sequence[Hit], files: Sequence[SentFile]) -> SentFile:
    return files[int(hits[candidate.source - 1].path)]


def _quote(candidate: Candidate, file: SentFile, scene: Scene) -> str:
    quote = for_quoting(candidate.text, scene.lang)
    return scene.book.say("file", "says", file=_name(file, scene), quote=quote, place=_place(candidate.heading, scene))


def _place(heading: str, scene: Scene) -> str:
    shown = "" if fits("en", "markup", "row", heading) else for_quoting(heading, scene.lang, 60)
    return f"{scene.book.voice.joint}({shown})" if shown else ""


def _name(file: SentFile, scene: Scene) -> str:
    return for_quoting(plain(file.name), scene.lang, 60)


def _nothing(asked: Sequence[Sentence], files: Sequence[SentFile], scene: Scene) -> list[str]:
    topic = next((topic for sentence in asked if (topic := take_up(sentence, scene).topic)), "")
    return [scene.book.say("file", "nothing", file=_name(files[0], scene), topic=topic, bare="" if topic else "yes")]


def _told(files: Sequence[SentFile], scene: Scene) -> list[str]:
    """Say what stands in files: all of it where it is short, else the sentences that tell most."""
    said = []
    for file in files[:_MOST_FILES]:
        whole = "\n".join(_unwrapped(text, heading) for heading, text in file.parts)
        if len(whole.strip()) <= _SHORT:
            quote = for_quoting(whole, scene.lang)
            said.append(scene.book.say("file", "whole", file=_name(file, scene), quote=quote))
            continue
        quotes = scene.book.voice.joint.join(quoted(one, scene.lang, _QUOTED) for one in _telling(whole))
        count = f"{sum(len(text) for _, text in file.parts):,}"
        said.append(scene.book.say("file", "holds", file=_name(file, scene), count=count, quotes=quotes))
    return said


def _telling(text: str) -> list[str]:
    """Return how a text begins and the two sentences that hold most of what it speaks of, in their order."""
    found = [one.strip() for one in sentences(text[:_MOST_WEIGHED]) if len(one.strip()) >= _LEAST]
    if not found:
        return [text.strip()]
    terms = [set(content_words(one)) for one in found]
    counts = Counter(term for of_one in terms for term in of_one)

    def weight(at: int) -> float:
        return sum(min(counts[term], 5) for term in terms[at]) / math.sqrt(10 + len(found[at]))

    best = sorted(range(1, len(found)), key=lambda at: (-weight(at), at))[:2]
    return [found[at] for at in sorted({0, *best})]


def _without_file(sentence: Sentence, scene: Scene) -> Sentence:
    """Return a question without its words for the file itself: they stand in none."""
    bare = rule(sentence.lang, "sent_files", "words").sub(" ", sentence.text)
    asked = read(bare, sentence.lang, persona=scene.request.sheet.persona, keep=True).sentences
    return replace(asked[0], known_question=True) if asked else sentence


def _asks(said: Sequence[Sentence], what: str) -> bool:
    return any(fits(sentence.lang, "sent_files", what, sentence.plain) for sentence in said)
