"""Homes that tests make by hand."""

from managers.personas.door import Door
from managers.storage.clock import SystemClock
from managers.storage.paths import Home


def let_in(home: Home, *names: str, with_wishes: bool = True) -> None:
    """Let folders in that a test has put into `characters/`, as a person does: all of them, if none is named."""
    door = Door(home, SystemClock())
    for name in names or door.guests():
        question = door.question(name)
        door.admit(name, wishes=question.seen if question else "", grant=with_wishes or None)
