"""What a question says about the memories it wants: words, whose words, when."""

import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from managers.language.reading.preferences import asks_for_help
from managers.language.reading.rules import either, fits_any
from managers.language.reading.times import TimeSpan, find_times
from managers.memory.messages import Role
from managers.recall.index.related_words import marks_asked
from managers.recall.index.terms import Meaning, is_japanese, meanings
from managers.recall.question.stop_phrases import times_behind, without_asking, without_relative

_meanings = lru_cache(maxsize=64)(meanings)
"""One question is read several times in a turn, and a pasted page takes a tenth of a second."""

Speaker = tuple[str, str]
"""Name and role."""


@dataclass(frozen=True, slots=True)
class Cues:
    """What is looked for.

    Attributes:
        words: the content words, each once, names of the one asked about left out.
        meanings: which of them can be said in other words, or stand for others.
        text: what is compared by vector: the question without those names.
        speakers: whose words are wanted; empty: anybody's.
        asks_when: the answer is a time.
        asks_help: somebody wants advice, or something done: what they wish for in general bears on it.
        spans: the times that the question names.
        over: those of them that it looks back on.
    """

    words: tuple[str, ...]
    meanings: tuple[Meaning, ...]
    text: str
    speakers: frozenset[Speaker]
    asks_when: bool
    asks_help: bool
    spans: tuple[TimeSpan, ...]
    over: tuple[TimeSpan, ...] = ()


def read_cues(query: str, speakers: Collection[Speaker], now: datetime) -> Cues:
    """Read a question."""
    plain = unicodedata.normalize("NFKC", query)
    named = frozenset(speaker for speaker in speakers if _names(plain, speaker[0]))
    spans = find_times(query, now)
    over = times_behind(plain, spans)
    text = without_relative(plain, over)
    for name, _ in named:
        text = _without(text, name)
    wanted = named or _by_pronoun(plain, speakers)
    if {role for _, role in wanted} >= {"user", "persona"}:
        wanted = frozenset()  # it speaks of both, so either may have said it
    words, meant = _meanings(without_asking(either("recall", "address").sub(" ", text)))
    meant = [*meant, *(Meaning((word,), marks) for word in words if (marks := marks_asked(word)))]
    return Cues(
        words=tuple(dict.fromkeys(words)),
        meanings=tuple(dict.fromkeys(meant)),
        text=text.strip() or plain,
        speakers=wanted,
        asks_when=fits_any("questions", "when", plain.lower()),
        asks_help=asks_for_help(plain),
        spans=tuple(spans),
        over=over,
    )


def _names(text: str, name: str) -> bool:
    if not name:
        return False
    return name in text if is_japanese(name) and len(name) > 1 else _latin_name(name).search(text) is not None


def _latin_name(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![A-Za-z]){re.escape(name)}(?![A-Za-z])(?:['’]s)?", re.IGNORECASE)


def _without(text: str, name: str) -> str:
    if is_japanese(name):
        return re.sub(re.escape(name) + "(?:さん|ちゃん|くん|君|様)?", " ", text)
    return _latin_name(name).sub(" ", text)


def _by_pronoun(text: str, speakers: Collection[Speaker]) -> frozenset[Speaker]:
    """Read "I" and "you", 私 and あなた, as the user's and the persona's words."""
    rest = either("recall", "address").sub(" ", text)
    about: set[Role] = set()
    if fits_any("speakers", "speaker", rest):
        about.add("user")
    if fits_any("speakers", "listener", rest):
        about.add("persona")
    return frozenset(speaker for speaker in speakers if speaker[1] in about) if len(about) == 1 else frozenset()
