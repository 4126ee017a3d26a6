"""Estimate tokens with no tokenizer at hand, and make sure that a conversation fits into what a model can read.

Every model family cuts text in its own way, and their vocabularies are megabytes that would have to
be fetched. What is needed is only a bound to budget with: byte-level tokenizers never make more
tokens than bytes, words of common vocabularies take about four letters a token (counted as three and a half), kana one each,
kanji between one and two. So the estimate is never too low for Japanese and English.

What a model's own server counts corrects it (`calibration`), for each of the kinds of text that tokenizers treat unlike.

Some servers cut a prompt that is too long without a word, and from the front, where the persona stands. So the
last check is here, whoever composed it: whole exchanges are left out, oldest first; what cannot be left out and does
not fit is an error.
"""

import math
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from managers.mind import ChatTurn

MESSAGE_OVERHEAD = 8
"""Role markers and separators that a chat template adds to each message."""

IMAGE_TOKENS = 1_600
"""An upper bound for one picture at the sizes that providers scale to."""

ANSWER_SHARE = 0.16
ANSWER_FLOOR = 256
ANSWER_CEILING = 2048
"""Room that must stay free for the answer."""

Count = Callable[[str], int]

_KINDS = {
    "joined": r"\ (?=[A-Za-z!-/:-@\[-`{-~])",
    "word": r"[A-Za-z]+",
    "kana": r"[\u3000-\u30ff\uff00-\uffef]+",
    "kanji": r"[\u3400-\u9fff\uf900-\ufaff]+",
    "single": r"[\x00-\x7f]",
    "other": r"[^\x00-\x7f]",
}
"""What a text is made of; the first that fits counts."""
_PARTS = re.compile("|".join(f"(?P<{kind}>{pattern})" for kind, pattern in _KINDS.items()))
_KANJI = 1.5
_LETTERS_PER_TOKEN = 3.5
_RARE_WORD = 14
"""Longer runs of letters are seldom words, and cut into smaller tokens."""


SCHEMA = '{"type": "function"'
"""How the description of a tool begins: each model's template writes it in its own way."""


class Parts(NamedTuple):
    """The estimate for a text, by what stands in it: words of letters, Japanese and the like, signs; or a tool's description."""

    words: float = 0
    wide: float = 0
    signs: float = 0
    schema: float = 0


def parts_of(text: str) -> Parts:
    """Return an upper estimate of the tokens in a text, by kinds of text."""
    words, wide, signs = 0, 0.0, 0
    for match in _PARTS.finditer(text):
        part = match[0]
        match match.lastgroup:
            case "joined":  # a blank before a word is part of the word's token
                pass
            case "word":
                words += _word(part)
            case "kanji":
                wide += _KANJI * len(part)
            case "kana":
                wide += len(part)
            case "other":
                wide += len(part.encode("utf-8", "replace"))
            case _:
                signs += len(part)
    return Parts(schema=words + wide + signs) if text.startswith(SCHEMA) else Parts(words, wide, signs)


def count_tokens(text: str) -> int:
    """Return an upper estimate of the tokens in a text."""
    return math.ceil(sum(parts_of(text)))


def _word(word: str) -> int:
    if len(word) > _RARE_WORD or not (word.islower() or word.istitle() or len(word) == 1):
        return math.ceil(len(word) / 2)
    return math.ceil(len(word) / _LETTERS_PER_TOKEN)


def answer_room(context_tokens: int) -> int:
    """Return how many tokens must stay free for the answer."""
    return max(ANSWER_FLOOR, min(ANSWER_CEILING, int(context_tokens * ANSWER_SHARE)))


def fit(
    system: str, turns: Sequence[ChatTurn], tools_tokens: int, context_tokens: int, count: Count
) -> tuple[ChatTurn, ...] | None:
    """Return the newest turns that fit beside the system prompt; None if not even the last exchange does."""
    room = context_tokens - answer_room(context_tokens) - tools_tokens - count(system) - MESSAGE_OVERHEAD
    kept: tuple[ChatTurn, ...] | None = None
    start = len(turns)
    while start > 0:
        begin = _exchange_begin(turns, start)
        room -= sum(turn_tokens(turn, count) for turn in turns[begin:start])
        if room < 0:
            break
        kept, start = tuple(turns[begin:]), begin
    return kept if turns else ()


def turn_tokens(turn: ChatTurn, count: Count) -> int:
    """Return an upper estimate of what one turn takes."""
    calls = sum(count(call.name) + count(str(dict(call.arguments))) + MESSAGE_OVERHEAD for call in turn.tool_calls)
    quoted = count(turn.quoted) + 2 if turn.quoted else 0
    return count(turn.text) + quoted + calls + len(turn.images) * IMAGE_TOKENS + MESSAGE_OVERHEAD


def _exchange_begin(turns: Sequence[ChatTurn], end: int) -> int:
    """Return where the exchange that ends before `end` begins: at a user's turn, so that no tool answer is orphaned."""
    begin = end - 1
    while begin > 0 and turns[begin].role != "user":
        begin -= 1
    return begin
