"""What is known about a model from its own mouth, shared by all who speak through it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from agent.minds.errors import AWAY, MindError, UnreachableError
from agent.minds.language_model.provider import Feature

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

_SIGNATURES_KEPT = 64


@dataclass
class Learned:
    """What was learned about one model."""

    context_tokens: int
    can_see: bool
    lacks: frozenset[Feature] = frozenset()
    """Replaced, never changed: other threads may be reading it."""
    starts_thinking: bool = False
    thinks: bool = False
    """It has thought before it spoke."""
    scale: float = 1.0
    """How much the estimate of tokens fell short at worst."""
    signatures: OrderedDict[str, str] = field(default_factory=OrderedDict)
    trouble: MindError | None = None
    has_answered: bool = False
    was_described: bool = False
    """Its server has said what it is; one that never does may answer all the same."""
    told_of_tools: bool = False
    model: BaseChatModel | None = None
    building: threading.Lock = field(default_factory=threading.Lock)

    def sign(self, call_id: str, signature: str) -> None:
        """Keep what a model wants back with a tool call that it made."""
        self.signatures[call_id] = signature
        while len(self.signatures) > _SIGNATURES_KEPT:
            self.signatures.popitem(last=False)

    def describe(self, context_tokens: int | None, can_see: bool | None) -> None:
        """Take in what the server said about the model."""
        self.context_tokens = context_tokens or self.context_tokens
        self.can_see = self.can_see if can_see is None else can_see
        self.was_described = True
        if isinstance(self.trouble, UnreachableError):
            self.trouble = None  # whoever says what it has is there again

    def is_answering(self, *, server_answered: bool) -> bool:
        """Tell whether it can be reached as far as is known, after what the last look at its server found."""
        is_silent = not server_answered and (self.was_described or not self.has_answered)
        return not is_silent and not isinstance(self.trouble, AWAY)
