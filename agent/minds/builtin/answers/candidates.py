"""The sentences that may answer: what was recalled, noted, or said earlier in this conversation."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

from agent.minds.builtin.talk.quotation import marks, without_markup
from managers.language.reading.corrections import Correction, read_correction
from managers.language.reading.kinship import NAME_MARK
from managers.language.reading.reading import asks_anything
from managers.language.reading.rules import fits, fits_any, rule, search_any
from managers.language.words import content_words, detect_language, sentences, words
from managers.mind import ChatTurn, ReplyRequest, Sheet
from managers.recall.hits import Hit, MemoryType

Who = Literal["user", "persona", "nobody"]
MAX_HITS = 12
_MAX_SENTENCES_PER_HIT = 12
_MAX_AROUND = 400
_SHORTEST_NOTE = 4
_PAUSE = timedelta(hours=2)
"""After so long nothing goes on about what was said before."""
_TURNS = 40
BESIDE = 0.2
"""The rank of what was said beside a memory, which the search itself did not find."""
_WITNESS = 5000
MADE_OF = frozenset(["told", "episodic_memory", "diary", "dream_insight"])
"""Memories that are made of what was said: where that itself is at hand, they add nothing."""
_LOGGED = ("log_archive", "current_log")
_OWN_WORDS = ("said", "told", *_LOGGED)


@dataclass(frozen=True, slots=True)
class Candidate:
    """One sentence that may answer.

    Attributes:
        kind: where it is from: a memory's type, `said` for this conversation, `told` for words that a memory quotes.
        who: who said it.
        rank: how early the search found it, 1 (first) to 0.
        around: the passage that it stands in.
        goes_on: its subject stands in what is around it.
        original, amended: what was said first, and the words that put it right; `text` is how it reads since.
    """

    text: str
    kind: MemoryType | Literal["said", "told"]
    who: Who
    time: datetime | None
    rank: float
    heading: str = ""
    source: int = 0
    around: str = ""
    goes_on: bool = False
    original: str = ""
    amended: str = ""

    @property
    def is_own_word(self) -> bool:
        """The user said it in these words."""
        return self.who == "user" and self.kind in _OWN_WORDS


def last_told(found: Iterable[Candidate]) -> Candidate | None:
    """Return what was said last of some sentences; of one message its first."""
    return max(found, key=lambda c: (c.time is not None, c.time, -c.source), default=None)


def says_the_same(one: Candidate, other: Candidate) -> bool:
    """Tell whether one of two sentences holds nothing that the other does not."""
    first, second = set(content_words(one.text)), set(content_words(other.text))
    return first <= second or second <= first


def candidates_of(request: ReplyRequest) -> list[Candidate]:
    """Return every sentence that was recalled, noted, or said earlier in this conversation."""
    hits = enumerate(request.hits[:MAX_HITS])
    found = [_of_hit(sentence, hit, place, request) for place, hit in hits for sentence in sentences_of(hit)]
    witnessed = _ranked(
        found, [*_witnessed(request), *said_in_turn([(turn.text, turn.time) for turn in _earlier(request)])]
    )
    known = {_bare_end(text) for c in witnessed for text in (c.text, c.original, c.amended) if text}
    found = [c for c in found if not (c.who == "user" and c.kind in _LOGGED and _bare_end(c.text) in known)]
    logged = known | {_bare_end(c.text) for c in found if c.who == "user" and c.kind != "told"}
    # what this mind said itself when it gave something back or owned up answers nothing
    found = [c for c in found if not (c.who == "persona" and fits_any("candidates", "echo", c.text))]
    found = [c for c in found if not (c.kind in MADE_OF and any(text in c.text for text in logged))]
    notes = [
        one for one in noted_lines(request) if len(one) >= _SHORTEST_NOTE and not is_of_persona(one, request.sheet)
    ]
    noted = [Candidate(line, "note", "nobody", None, 0.5, source=-1 - at) for at, line in enumerate(notes)]
    earlier, now = ([c for c in witnessed if (c.kind == "said") == is_now] for is_now in (False, True))
    return [*found, *earlier, *noted, *now]


def _ranked(found: Sequence[Candidate], witnessed: Sequence[Candidate]) -> list[Candidate]:
    """Return the user's own sentences, each with the best rank of its message: what one message says stands together."""
    ranks = {_bare_end(c.text): c.rank for c in reversed(found) if c.who == "user"}
    by_source: dict[int, float] = {}
    for c in witnessed:
        rank = ranks.get(_bare_end(c.original or c.text), 0.0)
        by_source[c.source] = max(c.rank, by_source.get(c.source, 0.0), rank)
    return [replace(c, rank=by_source[c.source]) for c in witnessed]


def _bare_end(text: str) -> str:
    """Return a sentence without its full stop, which a memory that quotes it leaves out."""
    return text.strip().rstrip("。．.!！ ")


def _earlier(request: ReplyRequest) -> list[ChatTurn]:
    return [turn for turn in request.turns[:-1] if turn.role == "user" and turn.text.strip()][-_TURNS:]


def _witnessed(request: ReplyRequest) -> list[Candidate]:
    """Return what the user said when the hits were made, apart from what stands in this conversation."""
    in_turns = {(turn.text.strip(), turn.time) for turn in _earlier(request)}
    said = [m for m in request.witnesses() if (m.text.strip(), m.time) not in in_turns and m.id != request.message.id]
    made = said_in_turn([(message.text, message.time) for message in said], base=1)
    return [replace(c, kind="log_archive", rank=BESIDE, source=_WITNESS + c.source) for c in made]


def said_in_turn(said: Sequence[tuple[str, datetime | None]], *, base: int = -1000) -> list[Candidate]:
    """Return the sentences of the user's messages, oldest first, each with what it goes on about, put right where it was."""
    found: list[Candidate] = []
    before, named, last = "", "", None
    texts: list[str] = []
    long_before: list[str] = []
    for at, (text, time) in enumerate(said):
        if last is not None and time is not None and time - last > _PAUSE:
            long_before += texts
            before, named, texts = "", "", []  # a new day takes up no sentence of the one before
        last = time or last
        if put_right := read_correction(text, texts, long_before):
            found = _amended(found, put_right, text, time)
            texts, long_before = (
                [one.replace(put_right.original, put_right.corrected) for one in kept] for kept in (texts, long_before)
            )
            continue
        texts.append(text)
        told = [s for s in sentences(without_markup(text))[:_MAX_SENTENCES_PER_HIT] if not asks_anything(s)]
        for sentence in told:
            goes_on = fits_any("candidates", "goes_on", sentence) or _names_no_subject(sentence)
            around = before[-_MAX_AROUND:] if goes_on else " ".join(told)[:_MAX_AROUND]
            if not goes_on and named and fits("en", "candidates", "speaks_of_them", sentence):
                goes_on, around = True, f"{named} {around}"[:_MAX_AROUND]  # "I like Arthur, she likes Rohan"
            place = base - at if base < 0 else base + at
            found.append(Candidate(sentence, "said", "user", time, 0.3, source=place, around=around, goes_on=goes_on))
            before = f"{before} {sentence}" if goes_on else sentence
            named = sentence if fits("en", "candidates", "names_somebody", sentence) else named
    return found


def _amended(found: Sequence[Candidate], put_right: Correction, text: str, time: datetime | None) -> list[Candidate]:
    """Return the candidates with the last one that a correction means put right."""
    at = max((n for n, c in enumerate(found) if c.text == put_right.original), default=None)
    if at is None:
        return [*found]
    first = found[at].original or found[at].text
    fresh = replace(found[at], text=put_right.corrected, time=time, original=first, amended=text.strip())
    return [*found[:at], fresh, *found[at + 1 :]]


def _names_no_subject(sentence: str) -> bool:
    """Tell whether a sentence has the subject of the one before it (渋谷にあるの), in a language that may leave it out.

    What は stands behind is none where it is a time (今は3歳).
    """
    found = words(sentence) if marks(detect_language(sentence))["drops_subject"] else []
    places = (at for at, word in enumerate(found) if at and word.surface in ("は", "が", "も"))
    is_subject = (found[at].form in ("係助詞", "格助詞") and found[at - 1].form != "副詞可能" for at in places)
    return bool(found) and not any(is_subject)


def _of_hit(sentence: str, hit: Hit, place: int, request: ReplyRequest) -> Candidate:
    """Return a sentence of a hit; what a memory quotes stands for itself, with the one who said it."""
    rank = 1 - place / MAX_HITS
    if hit.type in ("entity_memory", "episodic_memory"):
        match = search_any("candidates", "recorded", sentence) or search_any("candidates", "recorded_plain", sentence)
        speaker = _speaker(match["who"], request) if match else "nobody"
        if match and speaker != "nobody":
            time = hit.time if hit.type == "episodic_memory" else None  # an entity's file is older than what is in it
            return Candidate(match["said"], "told", speaker, time, rank, headed(hit), place + 1, hit.text)
    return Candidate(sentence, hit.type, who_said(hit, request), hit.time, rank, headed(hit), place + 1, hit.text)


def _speaker(name: str, request: ReplyRequest) -> Who:
    plain = name.strip().removesuffix("さん").casefold()
    if plain in (request.sheet.persona.casefold(), "私", "i"):
        return "persona"
    return "user" if plain in ("あなた", "you", request.sheet.user_name.removesuffix("さん").casefold()) else "nobody"


def sentences_of(hit: Hit) -> list[str]:
    """Return the first sentences of a passage that say something."""
    said = sentences(without_markup(hit.text))[:_MAX_SENTENCES_PER_HIT]
    return [sentence for sentence in said if any(char.isalnum() for char in sentence)]


def who_said(hit: Hit, request: ReplyRequest) -> Who:
    """Return whose words a passage is; nobody's, where it was made of them."""
    if hit.type not in _LOGGED:
        return "nobody"
    return "persona" if hit.speaker == request.sheet.persona else "user"


def noted_lines(request: ReplyRequest) -> list[str]:
    """Return the lines of notes and profile that say something, without their list marks and days."""
    lines = [*request.notes.splitlines(), *request.sheet.user_profile.splitlines()]
    bare = [rule("ja", "candidates", "list_mark").sub("", line).strip() for line in lines]
    return [
        rule("ja", "candidates", "note_day").sub("", line)
        for line in bare
        if line and not line.startswith(("#", "---", "【"))
    ]


def is_of_persona(line: str, sheet: Sheet) -> bool:
    """Tell a line in which the persona speaks of itself from one about the user."""
    name = sheet.persona
    marked = NAME_MARK + line.removeprefix(name) if name and line.startswith(name) else line
    return fits_any("candidates", "of_persona", marked)


def headed(hit: Hit) -> str:
    """Return what a passage stands under; of shared documents with where they are from and of which day."""
    if not hit.origin:
        return hit.heading
    day = f"{hit.time:%Y-%m-%d}" if hit.time else ""
    return ", ".join(one for one in (hit.heading, hit.origin, day) if one)
