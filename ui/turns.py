"""One thing after the other in a room: what was read later is shown later, never the other way round."""

from __future__ import annotations

from contextlib import AbstractContextManager
from threading import Lock


class Turns:
    """The turns of one room, for each persona its own.

    Gradio runs handlers side by side. One that has just read the room and one that is about to change it
    could answer in either order, and the page would keep what was before the change.
    """

    def __init__(self) -> None:
        """Begin with nobody waiting."""
        self._locks: dict[str, Lock] = {}

    def of(self, persona: str) -> AbstractContextManager[bool]:
        """Return what to hold while one reads or changes what the room shows of a persona."""
        return self._locks.setdefault(persona, Lock())
