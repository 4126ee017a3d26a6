"""A home with sessions whose tiers a test walks through by the clock, and a real Redis."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from managers.sessions.records import AgendaItem, SessionRecord, SessionTurn
from managers.sessions.tiers import Sessions
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


class RedisServer:
    """A real Redis on a socket of its own, which a test may take away and bring back."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.url = f"unix://{folder / 'redis.sock'}"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        socket = self._folder / "redis.sock"
        command = ["redis-server", "--port", "0", "--unixsocket", str(socket), "--save", "", "--dir", str(self._folder)]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while not self._answers():
            assert time.monotonic() < deadline, "redis-server did not start"
            time.sleep(0.02)

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _answers(self) -> bool:
        import redis  # noqa: PLC0415

        with redis.Redis.from_url(self.url) as client:
            try:
                return bool(client.ping())
            except redis.RedisError:
                return False


@pytest.fixture
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    if shutil.which("redis-server") is None:
        pytest.skip("redis-server is not installed (apt-get install redis-server)")
    server = RedisServer(tmp_path_factory.mktemp("r"))
    server.start()
    yield server
    server.stop()
