"""A home with sessions whose tiers a test walks through by the clock."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from managers.sessions.records import AgendaItem, SessionRecord, SessionTurn
from managers.sessions.tiers import Moved, Sessions
from managers.storage.errors import Notice
from managers.storage.paths import Home
from managers.storage.settings import SessionSettings
from tests.fakes import HandClock


@dataclass
class Kept:
    """Sessions, the clock they go by, and what a person was told."""

    home: Home
    clock: HandClock = field(default_factory=HandClock)
    settings: SessionSettings = field(default_factory=SessionSettings)
    url: str = ""
    told: list[Notice] = field(default_factory=list)
    opened: list[Sessions] = field(default_factory=list)

    def open(self) -> Sessions:
        """Return the sessions as a process that has just started has them."""
        made = Sessions(self.home, self.clock, lambda: self.settings, lambda: self.url, self.told.append)
        self.opened.append(made)
        return made

    def later(self, sessions: Sessions, **time: float) -> Moved:
        """Let some time pass, and let what has become old move."""
        self.clock.move(**time)
        return sessions.move()

    def say(self, sessions: Sessions, session_id: str, *words: str, present: tuple[str, ...] = ("A", "B")) -> None:
        """Let some words be said in the running thread of a session."""

        def change(record: SessionRecord) -> None:
            for msg in words:
                name = f"{session_id}-{record.last_thread_id}-{len(record.history)}-{self.clock.now():%d%H%M%S}"
                turn = SessionTurn(
                    message_id=name, speaker="user", msg=msg, time=self.clock.now(),
                    thread_id=record.last_thread_id, present=list(present),
                )  # fmt: skip
                record.history.append(turn)
            record.agenda = [AgendaItem(thread_id=record.last_thread_id, text="the canoe", present=["A"])]
            record.targets, record.present = ["A"], list(present)

        sessions.change(session_id, change)


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Kept]:
    made = Kept(Home(tmp_path / "home"))
    yield made
    for one in made.opened:
        one.close()
