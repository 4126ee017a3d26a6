"""Make sure that a conversation fits into what a model can read, whoever composed it.

Some servers cut a prompt that is too long without a word, and from the front, where the persona
stands. So the last check is here: whole exchanges are left out, oldest first; what cannot be left
out and does not fit is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from agent.minds.tokens import IMAGE_TOKENS, MESSAGE_OVERHEAD
from managers.mind import ChatTurn

ANSWER_SHARE = 0.16
ANSWER_FLOOR = 256
ANSWER_CEILING = 2048
"""Room that must stay free for the answer."""

Count = Callable[[str], int]


def answer_room(context_tokens: int) -> int:
    """Return how many tokens must stay free for the answer."""
    return max(ANSWER_FLOOR, min(ANSWER_CEILING, int(context_tokens * ANSWER_SHARE)))


def fit(
    system: str, turns: Sequence[ChatTurn], tools_tokens: int, context_tokens: int, count: Count
) -> tuple[ChatTurn, ...] | None:
    """Return the newest turns that fit beside the system prompt; None if not even the last exchange does.

    Args:
        system: the system prompt; it is never cut here.
        turns: the conversation, oldest first.
        tools_tokens: what the descriptions of the tools take.
        context_tokens: what the model can read and write at once.
        count: the mind's estimate of tokens.
    """
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
