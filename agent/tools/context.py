"""What the tools may touch."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from agent.memories import Memories
from agent.minds.protocol import Mind
from agent.provenance import ForeignWords
from agent.tools.catalogue import Arguments, Found, Tool
from agent.tools.writes import Write, Writer
from managers.language.masking.placeholders import mask
from managers.memory.audience import NOTHING_KEPT, Kept
from managers.mind import Sheet
from managers.recall.hits import Hit
from managers.storage.clock import Clock
from managers.storage.settings import Settings
from managers.storage.texts import entry


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
    withheld: Kept = NOTHING_KEPT
    """What the mind must not be given."""
    leaves: bool = True
    """Whether what it is given leaves this computer."""
    shown: frozenset[str] = frozenset()
    """The messages that it has before its eyes already, this one among them."""

    def origins_of(self, hits: Iterable[Hit]) -> tuple[str, ...]:
        """Return whose foreign words are in some memories."""
        foreign = ForeignWords(self.memories.provenance, self.sheet)
        foreign.of_hits(hits)
        return tuple(foreign.origins)

    def kept(self, text: str) -> str:
        """Return words as a memory may hold them: with placeholders, where the person wishes so."""
        return mask(text).text if self.settings.privacy.mask_memories else text

    @property
    def writer(self) -> Writer:
        """On whose behalf the tools write."""
        return Writer(self.memories, self.sheet, self.mind.name, self.evidence)


def tool(
    name: str,
    arguments: type[Arguments],
    run: Callable[[ToolContext, Any], str | Found | Write],
    *,
    writes: bool = False,
    is_private: bool = False,
) -> Tool[ToolContext]:
    """Return a tool whose description and announcement stand in `assets/prompts/tools.toml`."""
    describe, announce = (entry("prompts/tools", f"tool.{name}.{kind}") for kind in ("describe", "announce"))
    return Tool(name, describe, announce, arguments, run, writes, is_private)
