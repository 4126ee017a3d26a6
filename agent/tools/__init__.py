"""The tools that a mind may call during a turn, one module per group."""

from collections.abc import Sequence
from functools import cache
from typing import Final

from agent.tools import entity_tools, forget_tool, note_tools, search_tools
from agent.tools.catalogue import Catalogue
from agent.tools.context import ToolContext

MOST_NEEDED: Final[Sequence[str]] = (
    "recall_memories",
    "forget_messages",
    "edit_notepad",
    "search_past_conversations",
    "write_entity_memory",
    "search_entity_memory",
    "search_knowledge_base",
    "edit_core_memory",
    "plan_main_memory_edit",
)
"""A mind that reads little is offered these first, as many as it can afford."""


@cache
def all_tools() -> Catalogue[ToolContext]:
    """Return every tool; leaving a module out of this list takes its tools away."""
    tools = [*search_tools.TOOLS, *note_tools.TOOLS, *entity_tools.TOOLS, *forget_tool.TOOLS]
    rank = {name: place for place, name in enumerate(MOST_NEEDED)}
    return Catalogue(sorted(tools, key=lambda tool: rank.get(tool.name, len(rank))))
