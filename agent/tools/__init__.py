"""The tools that a mind may call during a turn, one module per group."""

from functools import cache

from agent.tools import entities, notes, searching
from agent.tools.catalogue import Catalogue
from agent.tools.context import ToolContext


@cache
def all_tools() -> Catalogue[ToolContext]:
    """Return every tool; leaving a module out of this list takes its tools away."""
    return Catalogue([*searching.TOOLS, *notes.TOOLS, *entities.TOOLS])
