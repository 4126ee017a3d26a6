"""The open windows of the page: what each shows now, however long ago what is being drawn for it was asked for."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

PAGE_OF_MESSAGES = 50
"""How many messages a window opens with, and adds each time one asks for older ones."""
_MOST = 1_000
"""More windows than anybody has open; those that are long closed make room."""


@dataclass
class Window:
    """One window, as it is now: what draws it over a while looks here before each time.

    Attributes:
        persona: whom it shows; empty where that is not known.
        depth: how many messages back.
        veiled: whether what is said in it is off the record.
    """

    persona: str = ""
    depth: int = PAGE_OF_MESSAGES
    veiled: bool = False
    _drawing: int = 0

    def shows(self, persona: str) -> bool:
        """Tell whether it shows a persona; one that nothing is known of shows anybody."""
        return self.persona in {"", persona}

    def draw(self, persona: str) -> Callable[[], bool]:
        """Begin to draw a persona over a while; return what tells whether that goes on.

        It ends when the window turns to somebody else, and when somebody else begins to draw the same:
        two that take turns at one window would each lay its own picture over the other's.
        """
        self._drawing += 1
        mine = self._drawing
        return lambda: self._drawing == mine and self.shows(persona)


class Windows:
    """The windows, by the names that Gradio gives them."""

    def __init__(self) -> None:
        """Begin with none open."""
        self._open: OrderedDict[str, Window] = OrderedDict()

    def of(self, name: str | None) -> Window:
        """Return a window; what is drawn elsewhere goes on, and is not shown there."""
        window = self._open.setdefault(name or "", Window())
        self._open.move_to_end(name or "")
        while len(self._open) > _MOST:
            self._open.popitem(last=False)
        return window
