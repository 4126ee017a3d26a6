"""What is asked of a language model, and how patiently."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from managers.mind import ChatTurn, ToolSpec
from managers.storage.errors import Lang
from managers.usage.ledger import Purpose


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait and how often to try.

    Attributes:
        seconds: the time limit for each next piece of an answer.
        retries: how often to ask again on 429 and 5xx, before the first piece only.
        first_pause: seconds before the first of them; it doubles.
    """

    seconds: float = 60.0
    retries: int = 3
    first_pause: float = 1.0


@dataclass(frozen=True, slots=True)
class Prompt:
    """What is asked of the model, in terms that survive doing without a feature."""

    system: str
    turns: Sequence[ChatTurn]
    language: Lang
    tools: Sequence[ToolSpec] = ()
    answer: type[BaseModel] | None = None
    purpose: Purpose | None = None
    """What it is counted for, where that is not what the account says."""
