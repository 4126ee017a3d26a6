"""Which persona each open window shows: what is said elsewhere goes on, and is not shown there."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

_MOST = 1_000
"""More windows than anybody has open; those that are long closed make room."""


class Windows:
    """The windows of the page, by the names that Gradio gives them."""

    def __init__(self) -> None:
        """Begin with none open."""
        self._shown: OrderedDict[str, str] = OrderedDict()

    def turn_to(self, window: str | None, persona: str) -> Callable[[], bool]:
        """Let a window show a persona; return what tells whether it still does."""
        self._shown[window or ""] = persona
        self._shown.move_to_end(window or "")
        while len(self._shown) > _MOST:
            self._shown.popitem(last=False)
        return self.shows(window, persona)

    def shows(self, window: str | None, persona: str) -> Callable[[], bool]:
        """Return what tells whether a window shows a persona; one that nothing is known of shows anybody."""
        return lambda: self._shown.get(window or "", persona) == persona
