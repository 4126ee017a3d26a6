"""What is known: who somebody is and what was told of them, what was talked about, and what is known of the user."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from agent.minds.builtin.answers.candidates import (
    MAX_HITS,
    Candidate,
    candidates_of,
    is_of_persona,
    noted_lines,
    says_the_same,
)
from agent.minds.builtin.answers.citation import quote_told, reported, say_report
from agent.minds.builtin.dreams.statements import lasting_terms, phrase
from agent.minds.builtin.talk.quotation import marks, quoted
from agent.minds.builtin.talk.scene import Scene
from agent.minds.builtin.talk.voice import Voice
from managers.language.dates_in_words import say_when
from managers.language.emotion import read_emotion
from managers.language.lexicons import word_list
from managers.language.reading.introductions import name_noted
from managers.language.reading.kinship import is_person, kin_of, kin_words, naming, pets
from managers.language.reading.noun_phrases_ja import relatives
from managers.language.reading.reading import Sentence, asks_anything, read
from managers.language.reading.rules import fits, fits_any, rule
from managers.language.reading.slots import told_slot
from managers.language.reading.times import TimeSpan, find_times
from managers.language.words import content_words, detect_language, sentences, words
from managers.mind import ReplyRequest
from managers.storage.errors import Lang

_MOST_TOLD: Final = 3
_LONGEST: Final = 160
_MOST_KNOWN: Final = 6
_MOST_SUMMED: Final = 3
_TELLS: Final = 2
"""From this weight on a sentence says something."""
_NAME_NOTE: Final = 60
"""A note of fewer letters that gives a name tells nothing else."""
_OF_SOMEBODY, _TO_ME, _SOCIAL, _GIVEN_BACK = 2, 4, 5, 3
"""Words more or less that a sentence counts for: one of somebody, of the talking itself, of courtesy, of the persona."""


@dataclass(frozen=True, slots=True)
class Relation:
    """What somebody is to the user.

    Attributes:
        word: the relation in the user's word: `brother`, 弟.
        spoken: from the listener's side: `your little brother`, 弟さん.
        pronoun: he or she where the word tells; empty if not, and in Japanese.
    """

    word: str
    spoken: str
    pronoun: str = ""


def answer_who(scene: Scene, asked: Sequence[Sentence]) -> list[str]:
    """Say who somebody is and what was told of them; empty if nobody is asked for or nothing is known."""
    name = asked_name(asked)
    if not name:
        return []
    pool = [c for c in candidates_of(scene.request) if c.who == "user" or c.kind == "note"]
    about = _about(name, pool, scene)
    relation = relation_of(_bare(name), (c.text for c in about), scene.book.voice)
    told = _distinct([c for c in about if not _says_only_who(c, name, relation)])
    newest = sorted(told, key=lambda c: (c.time is not None, c.time, -c.source))[-_MOST_TOLD:]
    if relation is None and not newest:
        return []
    scene.used.extend([*(c for c in about if relation_of(_bare(name), [c.text], scene.book.voice)), *newest])
    said = [scene.book.say("fact", "relation", who=name, relation=relation.spoken)] if relation else []
    return said + _say_all(name, relation, newest, scene)


def answer_last_heard(scene: Scene, asked: Sequence[Sentence]) -> list[str]:
    """Say what was heard last of somebody whom the user wonders about (クロは元気かな); empty if nothing is known."""
    name = _named_by("wonders", asked)
    if not name:
        return []
    pool = [c for c in candidates_of(scene.request) if c.is_own_word]
    about = [c for c in _about(name, pool, scene) if c.text.strip() != scene.message.strip()]
    for candidate in reversed(about):
        told = reported(candidate, scene)
        if told and candidate.time is not None:
            scene.used.append(candidate)
            relation = relation_of(_bare(name), (c.text for c in about), scene.book.voice)
            told = _without_name(told, name, relation, scene)
            when = say_when(candidate.time, scene.request.now, scene.lang)
            who = spoken_kin(name, scene.book.voice)
            return [scene.book.say("fact", "last_heard", who=who, told=told, when=when)]
    return []


def asked_name(asked: Sequence[Sentence]) -> str:
    """Return whom a message asks about by name ("who is Neil?"), as it is written there; or empty."""
    return _named_by("who", asked)


def _named_by(asks: str, asked: Sequence[Sentence]) -> str:
    """Return the name, with its title, that a rule of `answers.toml` finds in a question."""
    for sentence in asked:
        match = rule(sentence.lang, "answers", asks).search(sentence.plain)
        name, *title = [group for group in match.groups() if group] if match else [""]
        if name and not fits(sentence.lang, "answers", "nobody", name):
            return _as_written(name, sentence.text) + "".join(title)
    return ""


def _as_written(name: str, text: str) -> str:
    """Return a name with the capitals that it has in a text; one in small letters gets its capital, a relation does not."""
    plain = unicodedata.normalize("NFKC", text).replace("’", "'")
    at = plain.lower().find(name)
    written = plain[at : at + len(name)] if at >= 0 else name
    is_name = written.isascii() and written.islower() and name not in kin_words("en") and " " not in name
    return written[:1].upper() + written[1:] if is_name else written


def _bare(name: str) -> str:
    title = next((one for one in word_list("ja", "honorific") if name.endswith(one)), "")
    return name.removesuffix(title)


def _about(name: str, pool: Sequence[Candidate], scene: Scene) -> list[Candidate]:
    """Return what tells of somebody, oldest first: it names them, or goes on about what names them."""
    named, drops_subject = naming([_bare(name)], scene.lang), scene.book.voice.marks["drops_subject"]
    told = [c for c in pool if not asks_anything(c.text)]
    sources = {c.source for c in told if named.search(c.text)}

    def goes_on(one: Candidate) -> bool:
        # A Japanese sentence without a subject is mostly of the speaker (さみしい): only in one breath it goes on.
        is_near = one.source in sources if drops_subject else fits(scene.lang, "answers", "pronoun", one.text)
        return one.goes_on and is_near and any(named.search(sentence) for sentence in sentences(one.around))

    found = [c for c in told if named.search(c.text) or goes_on(c)]
    return sorted(found, key=lambda c: (c.time is not None, c.time or scene.request.now, abs(c.source)))


def _distinct(found: Sequence[Candidate]) -> list[Candidate]:
    kept: list[Candidate] = []
    for candidate in found:
        terms = set(content_words(candidate.text))
        if terms and not any(terms <= set(content_words(other.text)) for other in kept):
            kept.append(candidate)
    return kept


def _says_only_who(candidate: Candidate, name: str, relation: Relation | None) -> bool:
    """Tell "My cat is called Biscuit", which the relation says already, from what tells more."""
    if relation is None:
        return False
    light = {"i", "have", "我々", *content_words("name called named 名前 いう 呼ぶ")}
    for text in (name, _bare(name), relation.word, relation.spoken):
        light.update(content_words(text))
    return not set(content_words(candidate.text)) - light


def _say_all(name: str, relation: Relation | None, told: Sequence[Candidate], scene: Scene) -> list[str]:
    """Say what was told of somebody, a sentence a day; quoted where none of it can be turned safely."""
    by_day: dict[str, list[tuple[str, Candidate]]] = {}
    quotes: list[str] = []
    for candidate in told:
        when = say_when(candidate.time, scene.request.now, scene.lang) if candidate.time else ""
        if text := reported(candidate, scene):
            by_day.setdefault(when, []).append((_without_name(text, name, relation, scene), candidate))
        elif not quotes and len(told) < _MOST_TOLD:
            quotes.append(quote_told(candidate, scene))
    said = [say_report([text for text, _ in day], day[0][1], scene) for day in by_day.values()]
    return said or quotes


def _without_name(text: str, name: str, relation: Relation | None, scene: Scene) -> str:
    """Leave out who it is about, where that was just said: "your brother Neil moved" → "he moved", 弟さんのニールが → ∅."""
    spoken, word = (re.escape(relation.spoken), re.escape(relation.word)) if relation else ("(?!)", "(?!)")
    if scene.lang == "en":
        kin = rf"(?:{spoken}(?: is called| named| called|,)? )?"
        pronoun = (relation.pronoun if relation else "") or name
        return re.sub(rf"^{kin}{re.escape(name)}\b(?!'|,? and\b)", pronoun, text, flags=re.IGNORECASE)
    kin = rf"(?:{spoken}の?|[^、]{{0,8}}{word}の)?"
    title = "|".join(word_list("ja", "honorific"))
    return re.sub(rf"^{kin}{re.escape(_bare(name))}(?:{title})?[はが、]、?", "", text)


def relation_of(name: str, texts: Iterable[str], voice: Voice) -> Relation | None:
    """Return what somebody is to the user, by the last sentence that says so."""
    told = [kin for text in texts if (kin := kin_of(name, text, voice.lang))]
    if not told:
        return None
    kin = told[-1]
    if voice.lang == "ja":
        return Relation(kin.word, spoken_kin(kin.word, voice))
    pronoun = next((one for one in ("he", "she") if kin.word in word_list("en", f"{one}_kin")), "")
    return Relation(kin.word, f"{'your' if kin.is_mine else 'a'} {kin.manner}{kin.word}", pronoun)


def spoken_kin(word: str, voice: Voice) -> str:
    """Return what a listener calls somebody's relative, or animal: 弟 → 弟さん, 猫 → ユウさんのところの猫, mum → your mum."""
    if voice.lang == "en":
        return f"your {word}" if word.lower() in kin_words("en") else word
    if word not in pets("ja"):
        return relatives().get(word, word)
    return f"{voice.you}のところの{word}" if voice.you and not word.startswith(("愛", "飼")) else f"飼っている{word}"


def tell_overview(scene: Scene) -> list[str]:
    """Say what was talked about: three things, each quoted; empty if nothing was."""
    spans = find_times(scene.read.text, scene.request.now)
    chosen = _overview(scene.request, scene.lang, spans[0] if spans else None)
    if not chosen:
        return []
    when = as_said(spans[0], scene) if spans else say_when(chosen[0].time, scene.request.now, scene.lang)
    scene.used.extend(chosen)
    quotes = [phrase(scene.lang, "brief", quote=quoted(c.text, scene.lang, _LONGEST)) for c in chosen]
    return [scene.book.say("memory", "overview", when=when, quotes=scene.book.voice.joint.join(quotes))]


def as_said(span: TimeSpan, scene: Scene) -> str:
    """Return a time in the words it was asked for in, with their capitals: "last Thursday"."""
    plain = unicodedata.normalize("NFKC", scene.read.text)
    said = plain[span.start : span.end].strip()
    return said if said.lower() == span.text else span.text


def _overview(request: ReplyRequest, lang: Lang, span: TimeSpan | None) -> list[Candidate]:
    """Return up to three sentences that tell what was talked about (on those days), in order of time, one a message."""
    best: dict[int, tuple[float, Candidate]] = {}
    for candidate in candidates_of(request):
        if request.hits and span is None and candidate.source <= 0:
            continue
        if candidate.kind == "note" or asks_anything(candidate.text):
            continue
        if span is not None and not (candidate.time and span.first <= candidate.time.date() <= span.last):
            continue
        weight = _weight_of_talk(candidate, request, lang)
        if weight >= _TELLS and weight > best.get(candidate.source, (0.0,))[0]:
            best[candidate.source] = weight, candidate
    chosen = sorted(best.values(), key=lambda one: -one[0])[:_MOST_SUMMED]
    return sorted((candidate for _, candidate in chosen), key=lambda c: c.time or request.now)


def _weight_of_talk(candidate: Candidate, request: ReplyRequest, lang: Lang) -> float:
    """Return how much a sentence tells of a talk: its words, of whom, with what feeling, and who said it."""
    text = candidate.text
    sentences = read(text, lang, persona=request.sheet.persona).sentences
    weight = len(set(content_words(text))) + candidate.rank + (read_emotion(text).emotion != "neutral")
    weight += _OF_SOMEBODY * any(is_person(word, lang) for word in words(text))
    weight -= _SOCIAL * bool(sentences and sentences[0].act) + _TO_ME * fits_any("answers", "of_talking", text)
    return weight - _GIVEN_BACK * (candidate.who == "persona")  # mostly it only took up what was told


def tell_what_is_known(scene: Scene) -> list[str]:
    """Say what is known of the user: their name, what is noted of them, and what they told of themselves."""
    persona, name = scene.request.sheet.persona, scene.book.voice.you
    lines = [line for line in noted_lines(scene.request) if not is_of_persona(line, scene.request.sheet)]
    about = [line for line in lines if name and name.removesuffix("さん") in line] or lines
    noted = [line for line in dict.fromkeys(about) if not (name_noted(line, persona) and len(line) < _NAME_NOTE)][-3:]
    known = [c for c in _known_of_user(scene.request, scene.lang) if not any(c.text in line for line in noted)]
    scene.used.extend(known)
    own = [scene.book.say("memory", "your_name")] if name else []
    if not (chosen := [*noted, *(c.text for c in known)]):
        return [*own, scene.book.say("memory", "known_nothing")]
    facts = phrase(scene.lang, "semicolon").join(quoted(line.rstrip("."), scene.lang, _LONGEST) for line in chosen)
    return [*own, scene.book.say("memory", "known", facts=facts)]


def _known_of_user(request: ReplyRequest, lang: Lang) -> list[Candidate]:
    """Return up to six sentences that tell most of the user, in the order in which they were told."""
    pool = [c for c in candidates_of(request) if _may_tell(c)]
    weighed = [(weight, at, c) for at, c in enumerate(pool) if (weight := _weight_of_user(c, request, lang)) >= _TELLS]
    chosen: list[tuple[int, Candidate]] = []
    for _, at, candidate in sorted(weighed, key=lambda entry: (-entry[0], entry[1])):
        if len(chosen) < _MOST_KNOWN and not any(says_the_same(candidate, other) for _, other in chosen):
            chosen.append((at, candidate))
    return [candidate for _, candidate in sorted(chosen, key=lambda pair: pair[0])]


def _may_tell(candidate: Candidate) -> bool:
    is_theirs = candidate.who == "user" or candidate.kind == "entity_memory"
    return is_theirs and candidate.kind != "note" and not asks_anything(candidate.text)


def _weight_of_user(candidate: Candidate, request: ReplyRequest, lang: Lang) -> float:
    """Return how much a sentence tells of who the user is: a lasting fact, their people, a time to come."""
    text = candidate.text
    lang = detect_language(text, lang)
    sentences = read(text, lang, persona=request.sheet.persona).sentences
    if not sentences or sentences[0].act or sentences[0].is_question or fits_any("answers", "weighed", text):
        return 0
    is_own = fits(lang, "answers", "own", text)
    is_kept = candidate.kind in ("told", "entity_memory")
    if not (is_own or is_kept or marks(lang)["drops_subject"]):
        return 0
    has_person = any(w.surface.lower() in word_list(lang, "persons") for w in sentences[0].words)
    is_named = any(word.entity == "person" for word in words(text))
    weight = 4.0 * (told_slot(text, lang) is not None) + 3.0 * fits(lang, "answers", "is_or_does", text)
    weight += 2.0 * (has_person and (is_own or is_named)) + is_named + 2.0 * is_kept
    weight += 1.5 * bool(set(content_words(text)) & lasting_terms(lang)) + 0.5 * is_own
    weight += 1.0 * any(span.last > request.now.date() for span in find_times(text, request.now))
    return weight + candidate.rank / MAX_HITS
