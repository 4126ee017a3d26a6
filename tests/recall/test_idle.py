"""What threads hold open of an index that nobody looks at is given back within a minute, and opened again when needed."""

import os
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from types import SimpleNamespace

import pytest

from agent.memories import Memories
from agent.services import open_services
from managers.recall.index.store import Store
from managers.storage import idle
from managers.storage.paths import Home

WINDOWS = 12


def held(folder: Path) -> list[str]:
    """Return the files below a folder that this process holds open."""
    found = []
    for descriptor in Path("/proc/self/fd").iterdir():
        with suppress(OSError):  # the listing's own
            found.append(os.fspath(descriptor.readlink()))
    return [name for name in found if name.startswith(os.fspath(folder))]


class Windows:
    """Threads of a server: each has shown a window once, and waits for the next."""

    def __init__(self, memories: Memories) -> None:
        self._memories = memories
        self._end = threading.Event()
        self.looked: list[int] = []
        self._shown = threading.Barrier(WINDOWS + 1)
        self._threads = [threading.Thread(target=self._serve) for _ in range(WINDOWS)]
        for thread in self._threads:
            thread.start()
        self.show()

    def show(self) -> None:
        """Have every thread show a window."""
        self._shown.wait(60)
        self._shown.wait(60)

    def _serve(self) -> None:
        while True:
            self._shown.wait(60)
            if self._end.is_set():
                return
            self.looked.append(len(self._memories.recall.search("a green boat")))
            self._memories.history.entries(5)
            self._shown.wait(60)

    def close(self) -> None:
        self._end.set()
        self._shown.wait(60)
        for thread in self._threads:
            thread.join(60)


@pytest.fixture
def memories(own_home: Home) -> Iterator[Memories]:
    with closing(open_services(own_home)) as services:
        companion = services.companion("Hazel")
        list(companion.say("My boat is green.").events())
        companion.settle()
        yield companion.memories


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="only Linux lists what a process holds open")
def test_descriptors_of_closed_windows_are_given_back(own_home: Home, memories: Memories) -> None:
    with closing(Windows(memories)) as windows:
        assert len(held(own_home.folder)) > 3 * WINDOWS
        idle.close_idle(3_600)
        assert len(held(own_home.folder)) > 3 * WINDOWS
        idle.close_idle(0)
        assert held(own_home.folder) == []
        windows.show()
        assert windows.looked == [windows.looked[0]] * 2 * WINDOWS
        assert windows.looked[0] > 0


def test_somebody_looks_often_enough(memories: Memories, monkeypatch: pytest.MonkeyPatch) -> None:
    """`memories` are open: the thread is there. What it does is told here without waiting for it."""
    assert any(thread.is_alive() for thread in idle._looking)
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) > 2:
            raise InterruptedError

    closed: list[float] = []
    monkeypatch.setattr(idle, "time", SimpleNamespace(sleep=sleep, monotonic=time.monotonic))
    monkeypatch.setattr(idle, "close_idle", lambda seconds=idle.IDLE_SECONDS: closed.append(seconds))
    with pytest.raises(InterruptedError):
        idle._look()
    assert len(closed) == 2
    assert slept[0] + closed[0] < 60


def test_what_is_in_the_middle_of_something_is_not_closed(tmp_path: Path) -> None:
    store = Store(tmp_path / "index" / "index.sqlite")
    store.set_meta("one", "1")
    rows = store.connection().execute("SELECT key FROM meta ORDER BY key")
    first = next(rows)
    idle.close_idle(0)
    assert [first, *rows] == [("epoch",), ("format",), ("one",), ("revision",)]
    del rows
    with store.transaction() as connection:
        connection.execute("INSERT INTO meta VALUES ('two', '2')")
        idle.close_idle(0)
    before = store.connection()
    idle.close_idle(0)
    assert store.meta("two") == "2"
    assert store.connection() is not before
    store.close()


def test_one_that_cannot_be_closed_leaves_the_others_to_be(tmp_path: Path) -> None:
    class Stuck:
        def close_idle(self, before: float) -> None:
            raise OSError(before)

    stuck, store = Stuck(), Store(tmp_path / "index" / "index.sqlite")
    idle.watch(stuck)
    before = store.connection()
    idle.close_idle(0)
    assert store.connection() is not before
    store.close()
    idle._watched.discard(stuck)
