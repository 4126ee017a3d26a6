"""The built-in mind: no model, no network, the same answer for the same seed, conversation and request."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Self

from agent.minds.builtin.dreams.dream_mind import BuiltInDreamMind
from agent.minds.builtin.dreams.statements import NAME
from agent.minds.builtin.talk.impulse import impulse
from agent.minds.builtin.talk.reply import compose_reply
from managers.language.words import words
from managers.mind import Cancel, Grounds, ReplyPiece, ReplyRequest, TextPiece, ToolCall
from managers.sleep.autonomy import Deed, Occasion
from managers.usage.meter import Account

_CONTEXT_TOKENS = 1_000_000
_PIECE = 6


class BuiltInMind:
    """A mind of dictionaries, grammar and memory. It is no language model, and says so when asked."""

    name = NAME
    context_tokens = _CONTEXT_TOKENS
    can_see = False

    def __init__(self, seed: int = 0) -> None:
        """`seed` fixes which of several ways to say a thing is chosen."""
        self._seed = seed

    endpoint = None
    trouble = None
    dreams = BuiltInDreamMind()

    def impulse(self, occasion: Occasion) -> Deed | None:
        """Say what moves the persona, and about what."""
        return impulse(occasion)

    def is_answering(self, *, server_answered: bool = True) -> bool:
        """Tell that it is: it needs nobody."""
        del server_answered
        return True

    def charged_to(self, account: Account) -> Self:
        """Return itself: its calls cost nothing."""
        del account
        return self

    def learn(self, *, context_tokens: int | None = None, can_see: bool | None = None) -> Self:
        """Return itself: it has no server."""
        del context_tokens, can_see
        return self

    def count_tokens(self, text: str) -> int:
        """Return the number of characters: never too low, and this mind has no limit to meet."""
        return len(text)

    def reply(self, request: ReplyRequest, cancel: Cancel) -> Iterator[ReplyPiece]:
        """Speak piece by piece, as words come; a tool call comes alone."""
        said = compose_reply(request, self._seed)
        if isinstance(said, ToolCall):
            yield said
            return
        yield Grounds(said.grounds)
        for piece in pieces(said.text):
            if cancel.is_set():
                return
            yield TextPiece(piece)


def pieces(text: str) -> Iterator[str]:
    """Cut a text where a speaker would breathe: between words, a few characters at a time."""
    start = 0
    for word in words(text):
        if word.end - start >= _PIECE:
            yield text[start : word.end]
            start = word.end
    if start < len(text):
        yield text[start:]
