"""Estimate tokens with no tokenizer at hand, never too low for Japanese and English.

Every model family cuts text in its own way, and their vocabularies are megabytes that would have to
be fetched. What is needed is only a bound to budget with: byte-level tokenizers never make more
tokens than bytes, words of common vocabularies take about four letters a token (counted as three and a half), kana one each,
kanji between one and two.
"""

from __future__ import annotations

import math
import re

MESSAGE_OVERHEAD = 8
"""Role markers and separators that a chat template adds to each message."""

IMAGE_TOKENS = 1_600
"""An upper bound for one picture at the sizes that providers scale to."""

_PARTS = re.compile(
    r"(?P<joined>\ (?=[A-Za-z!-/:-@\[-`{-~]))"
    r"|(?P<word>[A-Za-z]+)"
    r"|(?P<kana>[\u3000-\u30ff\uff00-\uffef]+)"
    r"|(?P<kanji>[\u3400-\u9fff\uf900-\ufaff]+)"
    r"|(?P<single>[\x00-\x7f])"
    r"|(?P<other>[^\x00-\x7f])"
)
_KANJI = 1.5
_LETTERS_PER_TOKEN = 3.5
_RARE_WORD = 14
"""Longer runs of letters are seldom words, and cut into smaller tokens."""


def count_tokens(text: str) -> int:
    """Return an upper estimate of the tokens in a text."""
    total = 0.0
    for match in _PARTS.finditer(text):
        part = match[0]
        match match.lastgroup:
            case "joined":  # a blank before a word is part of the word's token
                pass
            case "word":
                total += _word(part)
            case "kanji":
                total += _KANJI * len(part)
            case "other":
                total += len(part.encode("utf-8", "replace"))
            case _:
                total += len(part)
    return math.ceil(total)


def _word(word: str) -> int:
    if len(word) > _RARE_WORD or not (word.islower() or word.istitle() or len(word) == 1):
        return math.ceil(len(word) / 2)
    return math.ceil(len(word) / _LETTERS_PER_TOKEN)
