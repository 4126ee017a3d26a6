"""The keys of a lorebook: words that stand whole in Latin and like scripts, anywhere in Japanese; patterns within bounds."""

from __future__ import annotations

import time
import unicodedata
from dataclasses import dataclass
from typing import Final, Protocol

import regex

_SPELLED: Final = regex.compile(r"/(.+)/([a-zA-Z]{0,8})", regex.DOTALL)
_FLAGS: Final = {"i": regex.IGNORECASE, "m": regex.MULTILINE, "s": regex.DOTALL}
_UNSPACED: Final = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Hangul}ー々]")
"""Scripts that write no space between words, or whose words carry endings: a key may stand anywhere in them."""
_BEGINNING: Final = 3
"""So many letters of a word are enough to pass over most of a large book."""
MAX_PATTERN: Final = 1_000
_MAX_COPIES: Final = 100_000
_COUNTED: Final = regex.compile(r"\{\s*([0-9]+)")
_CALLS_ITSELF: Final = regex.compile(r"\(\?(?:R|[0-9+-]*[0-9]|&|P>)")
"""What other programs' patterns do not have, and ours could be kept busy and fed with."""
_SECONDS: Final = 0.1
"""For one pattern in one turn."""
_ALL_SECONDS: Final = 0.3
"""For all patterns of a turn together."""
_MOST_TIMEOUTS: Final = 3
"""A pattern that ran out of time so often is not tried again until the book changes."""


class Bounds:
    """How long the patterns of one turn may still take."""

    def __init__(self) -> None:
        self._end = time.monotonic() + _ALL_SECONDS

    @property
    def left(self) -> float:
        """Seconds for the next pattern; at most 0 where there are none left."""
        return min(_SECONDS, self._end - time.monotonic())


@dataclass(frozen=True, slots=True)
class Scanned:
    """Words in which keys are looked for, as they are and in the forms in which they are compared."""

    text: str
    cased: str
    folded: str

    @classmethod
    def of(cls, text: str) -> Scanned:
        cased = unicodedata.normalize("NFKC", text)
        return cls(text, cased, cased.casefold())

    def with_more(self, more: Scanned) -> Scanned:
        """Return these words and others behind them."""
        return Scanned(f"{self.text}\n{more.text}", f"{self.cased}\n{more.cased}", f"{self.folded}\n{more.folded}")

    def beginnings(self) -> set[str]:
        """Return how any word in them may begin (`WordKey.beginning`)."""
        text = self.folded
        return {text[at : at + size] for size in range(1, _BEGINNING + 1) for at in range(len(text))}


class Key(Protocol):
    """Something that comes up in words or not."""

    def is_in(self, scanned: Scanned, bounds: Bounds) -> bool: ...


@dataclass(frozen=True, slots=True)
class WordKey:
    """A word or a phrase."""

    word: str
    is_cased: bool
    is_whole_before: bool
    is_whole_after: bool

    @property
    def beginning(self) -> str:
        """How it begins, in the form in which capitals do not count."""
        return self.word.casefold()[:_BEGINNING]

    def is_in(self, scanned: Scanned, bounds: Bounds) -> bool:
        """Tell whether it stands in the words."""
        del bounds
        text, word = scanned.cased if self.is_cased else scanned.folded, self.word
        at = text.find(word)
        while at != -1:
            before, after = text[at - 1 : at], text[at + len(word) : at + len(word) + 1]
            if not (self.is_whole_before and _joins(before)) and not (self.is_whole_after and _joins(after)):
                return True
            at = text.find(word, at + 1)
        return False


class PatternKey:
    """A regular expression. One that takes too long is not found, and after some such turns not tried any more."""

    def __init__(self, text: str, pattern: regex.Pattern[str]) -> None:
        """Hold a pattern, and how it is written in the entry."""
        self.text = text
        self._pattern = pattern
        self.timeouts = 0

    @property
    def is_too_slow(self) -> bool:
        return self.timeouts >= _MOST_TIMEOUTS

    def is_in(self, scanned: Scanned, bounds: Bounds) -> bool:
        """Tell whether it is found in the words, as far as there is time."""
        left = bounds.left
        if self.is_too_slow or left <= 0:
            return False
        try:
            return self._pattern.search(scanned.text, timeout=left, concurrent=True) is not None
        except TimeoutError:
            self.timeouts += 1
            return False


def key_of(text: str, *, is_pattern: bool, is_cased: bool, whole_words: bool | None = None) -> Key | None:
    """Return a key as it is written in an entry; None for an empty one, or a pattern that cannot be read.

    Args:
        text: the key.
        is_pattern: the entry's keys are patterns.
        is_cased: capitals count.
        whole_words: whether a word must stand whole; None: where its script has spaces between words.
    """
    spelled = _SPELLED.fullmatch(text.strip())
    if spelled:
        return _pattern(text, spelled[1], spelled[2])
    if is_pattern:
        return _pattern(text, text, "")
    word = " ".join(unicodedata.normalize("NFKC", text).split())
    word = word if is_cased else word.casefold()
    if not word:
        return None
    is_whole = whole_words is not False
    return WordKey(word, is_cased, is_whole and _joins(word[0]), is_whole and _joins(word[-1]))


def _pattern(written: str, text: str, flags: str) -> PatternKey | None:
    """Return the pattern that a text is; None for one that cannot be read, or would be built without end."""
    if not text or len(text) > MAX_PATTERN or _CALLS_ITSELF.search(text) or _copies(text) > _MAX_COPIES:
        return None
    wanted = 0
    for flag in flags.lower():
        wanted |= _FLAGS.get(flag, 0)
    try:
        return PatternKey(written, regex.compile(text, wanted, cache_pattern=False))
    except (regex.error, ValueError, OverflowError, RecursionError, MemoryError):
        return None


def _copies(text: str) -> int:
    """Return how many copies of a part a pattern can ask for at most: the library makes each of them."""
    copies = 1
    for found in _COUNTED.findall(text):
        copies *= max(int(found[:9]), 1)
        if copies > _MAX_COPIES:
            break
    return copies


def _joins(letter: str) -> bool:
    """Tell whether a letter would make one word with a letter beside it."""
    return bool(letter) and letter.isalnum() and not _UNSPACED.match(letter)
