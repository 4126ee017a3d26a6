"""What is known about a model from its own mouth, shared by all who speak through it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from agent.minds.errors import MindError
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
