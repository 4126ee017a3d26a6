"""What the tools may touch."""

from __future__ import annotations

from dataclasses import dataclass

from agent.memories import Memories
from managers.mind import Mind, Sheet
from managers.storage.clock import Clock
from managers.storage.settings import Settings


@dataclass(frozen=True)
class ToolContext:
    """The memories of the persona whose mind calls, and who it is."""

    sheet: Sheet
    mind: Mind
    settings: Settings
    memories: Memories
    clock: Clock
    evidence: tuple[str, ...]
    """The message that is being answered: what a change to a memory rests on."""
