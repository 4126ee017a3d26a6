"""The sentences that may answer: what was recalled, noted, or said earlier in this conversation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

from agent.minds.builtin.talk.correction import Correction, read_correction
from managers.language.lexicons import word_list
from managers.language.words import detect_language, sentences, words
from managers.mind import ChatTurn, ReplyRequest, Sheet
from managers.recall.hits import Hit, MemoryType

Who = Literal["user", "persona", "nobody"]
MAX_HITS = 12
_MAX_SENTENCES_PER_HIT = 12


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


def candidates_of(request: ReplyRequest) -> list[Candidate]:
    """Return every sentence that was recalled, noted, or said earlier in this conversation."""
    found: list[Candidate] = []
    for place, hit in enumerate(request.hits[:MAX_HITS]):
        rank = 1 - place / MAX_HITS
        found += [_candidate(sentence, hit, rank, place, request) for sentence in sentences_of(hit)]
    now = said_in_turn([(turn.text, turn.time) for turn in _earlier(request)])
    witnessed = [*_witnessed(request), *now]
    ranks = {_bare_end(c.text): c.rank for c in reversed(found) if c.who == "user"}
    by_source: dict[int, float] = {}
    for c in witnessed:  # what one message says stands together
        by_source[c.source] = max(c.rank, by_source.get(c.source, 0.0), ranks.get(_bare_end(c.original or c.text), 0.0))
    witnessed = [replace(c, rank=by_source[c.source]) for c in witnessed]
    known = {_bare_end(text) for c in witnessed for text in (c.text, c.original, c.amended) if text}
    found = [
        c
        for c in found
        if not (c.who == "user" and c.kind in ("log_archive", "current_log") and _bare_end(c.text) in known)
    ]
    logged = known | {
        _bare_end(candidate.text) for candidate in found if candidate.who == "user" and candidate.kind != "told"
    }
    found = [c for c in found if not _is_echo(c) and not (c.kind in MADE_OF and any(text in c.text for text in logged))]
    notes = [line for line in noted_lines(request) if len(line) > 3 and not is_of_persona(line, request.sheet)]  # noqa: PLR2004  # shorter lines say nothing
    noted = [Candidate(line, "note", "nobody", None, 0.5, source=-1 - at) for at, line in enumerate(notes)]
    said = [c for c in witnessed if c.kind == "said"]
    return [*found, *(c for c in witnessed if c.kind != "said"), *noted, *said]


def _bare_end(text: str) -> str:
    """Return a sentence without its full stop, which a memory that quotes it leaves out."""
    return text.strip().rstrip("。．.!！ ")


_TURNS = 40


def _earlier(request: ReplyRequest) -> list[ChatTurn]:
    return [turn for turn in request.turns[:-1] if turn.role == "user" and turn.text.strip()][-_TURNS:]


def _witnessed(request: ReplyRequest) -> list[Candidate]:
    """Return what the user said when the hits were made, apart from what stands in this conversation."""
    in_turns = {(turn.text.strip(), turn.time) for turn in _earlier(request)}
    said = [m for m in request.witnesses() if (m.text.strip(), m.time) not in in_turns and m.id != request.message.id]
    made = said_in_turn([(message.text, message.time) for message in said], base=1)
    return [replace(c, kind="log_archive", rank=BESIDE, source=_WITNESS + c.source) for c in made]


BESIDE = 0.2
"""The rank of what was said beside a memory, which the search itself did not find."""
_WITNESS = 5000


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
            texts = [one.replace(put_right.original, put_right.corrected) for one in texts]
            long_before = [one.replace(put_right.original, put_right.corrected) for one in long_before]
            continue
        texts.append(text)
        told = [s for s in sentences(_bare(text))[:_MAX_SENTENCES_PER_HIT] if not is_question(s)]
        for sentence in told:
            goes_on = bool(_GOES_ON.search(sentence)) or _names_no_subject(sentence)
            around = before[-_MAX_AROUND:] if goes_on else " ".join(told)[:_MAX_AROUND]
            if not goes_on and named and _SPEAKS_OF_THEM.search(sentence):
                goes_on, around = True, f"{named} {around}"[:_MAX_AROUND]  # "I like Arthur, she likes Rohan"
            place = base - at if base < 0 else base + at
            found.append(Candidate(sentence, "said", "user", time, 0.3, source=place, around=around, goes_on=goes_on))
            before = f"{before} {sentence}" if goes_on else sentence
            named = sentence if _names_somebody(sentence) else named
    return found


def _amended(found: Sequence[Candidate], put_right: Correction, text: str, time: datetime | None) -> list[Candidate]:
    """Return the candidates with the last one that a correction means put right."""
    at = max((n for n, c in enumerate(found) if c.text == put_right.original), default=None)
    if at is None:
        return [*found]
    first = found[at].original or found[at].text
    fresh = replace(found[at], text=put_right.corrected, time=time, original=first, amended=text.strip())
    return [fresh if n == at else c for n, c in enumerate(found)]


MADE_OF = frozenset(["told", "episodic_memory", "diary", "dream_insight"])
"""Memories that are made of what was said: where that itself is at hand, they add nothing."""
_RECORDED = re.compile(
    r"^(?:[-・*] )?(?P<who>[^「」“”:：]{1,24}?)"
    r"(?:は?「(?P<ja>.+)」(?:と話した。?)?|[:：] (?:“(?P<quoted>.+)”|(?P<plain>[^“].*))|(?: said,) “(?P<en>.+)”)$"
)
"""How a memory writes down who said what: あなた「…」, あなた: …, あなたは「…」と話した。, You: “…”, You said, “…”."""


def _candidate(sentence: str, hit: Hit, rank: float, place: int, request: ReplyRequest) -> Candidate:
    """Return a sentence of a hit; what a memory quotes stands for itself, with the one who said it."""
    who = who_said(hit, request)
    if hit.type in ("entity_memory", "episodic_memory") and (match := _RECORDED.match(sentence)):
        speaker = _speaker(match.group("who"), request)
        said = next(group for group in match.groups()[1:] if group)
        if speaker != "nobody":
            time = hit.time if hit.type == "episodic_memory" else None  # an entity's file is older than what is in it
            return Candidate(said, "told", speaker, time, rank, hit.heading, place + 1, hit.text)
    return Candidate(sentence, hit.type, who, hit.time, rank, hit.heading, place + 1, hit.text)


def _speaker(name: str, request: ReplyRequest) -> Who:
    plain = name.strip().removesuffix("さん").casefold()
    if plain in (request.sheet.persona.casefold(), "私", "i"):
        return "persona"
    return "user" if plain in ("あなた", "you", request.sheet.user_name.removesuffix("さん").casefold()) else "nobody"


def _is_echo(candidate: Candidate) -> bool:
    """Tell what this mind said itself when it gave something back or owned up: that answers nothing."""
    return candidate.who == "persona" and bool(_ECHO.search(candidate.text))


_ECHO = re.compile(
    r"ん(?:です|だ)ね。?$|(?:見つから|覚えて(?:い)?(?:な|ませ)|思い出せな|記憶に(?:な|ありませ))|^\s*[-・] "
    r"|って(?:教えて|話して)くれ|と直してくれ|、(?:教えて|話して)くれ|聞いた(?:きり|のが最後|のは)"
    r"|\byou (?:once )?told me\b|\byou (?:corrected yourself|put it right)\b|\bi(?:'ve| have) heard nothing\b|\bthe last i heard\b|^so (?:you|your|it|he|she|they|my|[A-Z]\w+)\b|\b(?:found nothing|don't remember|nothing about)\b|: [“「]",
    re.IGNORECASE,
)


_MAX_AROUND = 400
_PAUSE = timedelta(hours=2)
_GOES_ON = re.compile(
    r"^(?:(?:and|but|so|well|oh)[, ]+)*(?:he|she|it|they|his|her|its|their|hes|shes|theyre)\b|^[0-9０-９一二三四五六七八九十]+(?:歳|才|人|匹|日|年|時|個|月|分)(?!.*[はが])|^(?:それ|その|あの|名前)",
    re.IGNORECASE,
)
"""Sentences whose subject stands in the one before."""


_SPEAKS_OF_THEM = re.compile(r"(?:[,;]|\b(?:and|but|while|so|because|that|when))\s+(?:he|she|they)\b", re.IGNORECASE)
"""A clause within a sentence whose subject was named before it."""
_NAMES_ONE = re.compile(r"\b(?:his|her|their) name(?:'s| is) [A-Z]")
_RELATION = re.compile(r"\b(?:my|our) (?P<who>[a-z]+)\b", re.IGNORECASE)


def _names_somebody(sentence: str) -> bool:
    """Tell whether a sentence brings in somebody of the user's, whom "she" then means."""
    named = any(match.group("who").lower() in word_list("en", "persons") for match in _RELATION.finditer(sentence))
    return named or bool(_NAMES_ONE.search(sentence))


def _names_no_subject(sentence: str) -> bool:
    """Tell whether a Japanese sentence has the subject of the one before it (渋谷にあるの): it names none of its own.

    What は stands behind is none where it is a time (今は3歳).
    """
    if detect_language(sentence) != "ja":
        return False
    found = words(sentence)
    return not any(
        word.surface in ("は", "が", "も") and word.form in ("係助詞", "格助詞") and found[at - 1].form != "副詞可能"
        for at, word in enumerate(found)
        if at
    )


_SHOWN = re.compile(r"\[(?:shares|shared|sends|sent)\b[^\]]*\]?")
"""A note on a picture in imported conversations: nobody said it."""


_TAG = re.compile(r"</?[A-Za-z!][^<>]{0,300}>")


def _bare(text: str) -> str:
    return _TAG.sub(" ", _SHOWN.sub(" ", text))


def sentences_of(hit: Hit) -> list[str]:
    """Return the first sentences of a passage that say something."""
    said = _bare(hit.text)
    return [sentence for sentence in sentences(said)[:_MAX_SENTENCES_PER_HIT] if any(c.isalnum() for c in sentence)]


def who_said(hit: Hit, request: ReplyRequest) -> Who:
    """Return whose words a passage is; nobody's, where it was made of them."""
    if hit.type not in ("log_archive", "current_log"):
        return "nobody"
    return "persona" if hit.speaker == request.sheet.persona else "user"


def noted_lines(request: ReplyRequest) -> list[str]:
    """Return the lines of notes and profile that say something, without their list marks."""
    lines = [*request.notes.splitlines(), *request.sheet.user_profile.splitlines()]
    stripped = [re.sub(r"^\s*(?:[-*・•]|\d+[.)])\s*", "", line).strip() for line in lines]
    return [
        re.sub(r"^\d{4}-\d{2}-\d{2}[: ]+", "", line)
        for line in stripped
        if line and not line.startswith(("#", "---", "【"))
    ]


def is_of_persona(line: str, sheet: Sheet) -> bool:
    """Tell a line in which the persona speaks of itself from one about the user."""
    own = "|".join([re.escape(sheet.persona), "わたし", "私", "僕", "ぼく", "俺", "わし", "うち", "あたし"])
    return bool(
        re.match(rf"(?:{own})(?:は|の|が|も|、)|(?:I|My|I'm|{re.escape(sheet.persona)})\b(?! (?:said|told))", line)
    )


def is_question(text: str) -> bool:
    """Tell a sentence that asks, with or without its mark."""
    bare = text.rstrip('」”" ')
    if bare.endswith(("?", "？")):
        return True
    if bare.endswith((".", "!", "。", "！")) and not bare.endswith("か。"):
        return False
    return bool(re.search(r"(?:(?:です|ます|した|でしょう|ません|だろう)か|っけ)。?$", bare) or _ASKS_EN.search(bare))


_ASKS_EN = re.compile(
    r"^(?:(?:and|so|but|hey|oh|ok|well|please|hmm)[, ]+)*(?:(?:what|when|where|who|whose|why|how)(?:'?s)?|which|(?:do|does|did|is|are|was|were|can|could|would|will|have|has|should) (?:i|you|we|he|she|it|they|my|your|the|there))\b",
    re.IGNORECASE,
)
