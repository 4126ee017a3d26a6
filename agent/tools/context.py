"""What the tools may touch."""

from __future__ import annotations

from dataclasses import dataclass

from agent.memories import Memories
from agent.minds.protocol import Mind
from agent.tools.writes import Writer
from managers.mind import Sheet
from managers.recall.hits import Hit
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
    handed: tuple[Hit, ...] = ()
    """The memories that the mind has before its eyes already."""
    shown: frozenset[str] = frozenset()
    """The messages that it has before its eyes already, this one among them."""

    @property
    def writer(self) -> Writer:
        """On whose behalf the tools write."""
        return Writer(self.memories, self.sheet, self.mind.name, self.evidence)
