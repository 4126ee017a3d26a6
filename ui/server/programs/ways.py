"""The ways in for other programs: which addresses they are, and whether they are open.

A way is opened by its switch in the settings at the next start (Gradio's engine and MCP's are not even loaded before), and
shut by it at once.
"""

from collections.abc import Callable
from importlib.util import find_spec
from typing import Final, Literal

from managers.storage.settings import ProgramsSettings

Way = Literal["api", "mcp"]
API: Final = "/gradio_api/"
CONFIG: Final = "/config"
MCP: Final = "/gradio_api/mcp"


def way_to(path: str) -> Way | None:
    """Return the way that an address belongs to; None for the page's own."""
    if path == MCP or path.startswith(f"{MCP}/"):
        return "mcp"
    return "api" if path.rstrip("/") == CONFIG or path.startswith(API) else None


def has_mcp() -> bool:
    """Tell whether the package for MCP, an extra, is installed; it is not loaded for that."""
    return find_spec("mcp") is not None


class Ways:
    """Which ways are open."""

    def __init__(self, now: Callable[[], ProgramsSettings]) -> None:
        """Open what is switched on as the server starts.

        Args:
            now: the switches as they stand.
        """
        self._now = now
        begun = now()
        self._begun: Final[dict[Way, bool]] = {"api": begun.api, "mcp": begun.mcp and has_mcp()}

    def has_begun(self, way: Way) -> bool:
        """Tell whether the server was started with it."""
        return self._begun[way]

    def is_on(self, way: Way) -> bool:
        """Tell whether its switch is on now."""
        switched: bool = getattr(self._now(), way)
        return switched

    def is_open(self, way: Way) -> bool:
        """Tell whether programs are answered."""
        return self._begun[way] and self.is_on(way)
