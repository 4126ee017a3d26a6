"""Fitting what tools were given and gave into the request that goes on with an answer: a diary may be longer than a mind reads."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from agent.minds.protocol import Mind
from agent.minds.tokens import MESSAGE_OVERHEAD, answer_room
from agent.minds.tool_schemas import affordable, tools_tokens
from agent.prompt_parts import TURNS_SHARE, CountTokens, cut_to, tokens_of
from managers.mind import ChatTurn, ReplyRequest
from managers.storage.texts import Texts

_LONGEST_TOKEN: Final = 16
"""So many letters a token at most: more of a text need not be counted to be cut."""
_LEAST_OF_A_RESULT: Final = 160
"""Tokens. Where what a tool found would be cut below this, no further tools are offered beside it."""
_say = Texts("prompts/tools")


def with_exchange(
    request: ReplyRequest, since: Sequence[ChatTurn], exchange: Sequence[ChatTurn], mind: Mind
) -> ReplyRequest:
    """Return the request with what came after its turns, its long texts cut as far as they must be.

    The newest exchange before the message keeps its place where it can. Where there is too little room even so, no more tools
    are offered: their descriptions take most of it, and what was found is there to be told.
    """
    turns = [*request.turns, *since]
    if not exchange:
        return replace(request, turns=turns)
    count = mind.count_tokens
    found = sum(turn.role == "tool" for turn in exchange)
    room = _room(request, since, mind)
    if room < min(tokens_of(exchange, count), _LEAST_OF_A_RESULT * found):
        request = replace(request, tools=())
        room = _room(request, since, mind)
    before = min(tokens_of(request.turns[-3:-1], count), int(TURNS_SHARE * max(room, 0)))
    return replace(
        request, turns=[*turns, *_fitted(exchange, room - before, count, _say("cut", request.sheet.language))]
    )


def _room(request: ReplyRequest, since: Sequence[ChatTurn], mind: Mind) -> int:
    """Return the tokens that are left beside the prompt, the message and the answer."""
    count, context = mind.count_tokens, mind.context_tokens
    tools = tools_tokens(affordable(request.tools, context, count), count) if mind.takes_tools else 0
    asked = count(request.system) + MESSAGE_OVERHEAD + tokens_of([*request.turns[-1:], *since], count)
    return context - answer_room(context) - tools - asked


def _fitted(exchange: Sequence[ChatTurn], room: int, count: CountTokens, note: str) -> list[ChatTurn]:
    """Return the exchange within a room: each of its texts has the same share at most, short ones are whole."""
    over = tokens_of(exchange, count) - room
    if over <= 0:
        return list(exchange)
    texts = [text for turn in exchange for text in _texts(turn)]
    sizes = sorted(count(text) for text in texts)
    share, left = 0, sum(sizes) - over
    for at, size in enumerate(sizes):
        share = max(left, 0) // (len(sizes) - at)
        if size > share:
            break
        left -= size

    def cut(text: str, end: str = "") -> str:
        if count(text) <= share:
            return text
        kept = cut_to(text[: max(share, 1) * _LONGEST_TOKEN], share - count(end) - 2, count)
        return "\n".join(part for part in (kept, end) if part)

    return [_cut(turn, cut, note) for turn in exchange]


def _texts(turn: ChatTurn) -> list[str]:
    """Return what of a turn may be cut: what a tool gave, and what it was given."""
    return [turn.text] if turn.role == "tool" else [one for call in turn.tool_calls for one in _strings(call.arguments)]


def _strings(arguments: Any) -> list[str]:  # noqa: ANN401  # JSON
    return [one for one in arguments.values() if isinstance(one, str)]


def _cut(turn: ChatTurn, cut: Callable[..., str], note: str) -> ChatTurn:
    if turn.role == "tool":
        return replace(turn, text=cut(turn.text, note))
    calls = [
        replace(call, arguments={key: cut(one) if isinstance(one, str) else one for key, one in call.arguments.items()})
        for call in turn.tool_calls
    ]
    return replace(turn, tool_calls=tuple(calls))
