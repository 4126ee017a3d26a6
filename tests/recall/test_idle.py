"""What threads hold open of an index that nobody looks at is given back within a minute, and opened again when needed."""

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from types import SimpleNamespace

import pytest

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


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="only Linux lists what a process holds open")
def test_descriptors_of_closed_windows_are_given_back(own_home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(open_services(own_home)) as services, ThreadPoolExecutor(WINDOWS) as threads:
        companion = services.companion("Hazel")
        list(companion.say("My boat is green.").events())
        companion.settle()
        memories = companion.memories
        together = threading.Barrier(WINDOWS)

        def show(_: int) -> int:
            together.wait()  # each thread shows one
            memories.history.entries(5)
            return len(memories.recall.search("a green boat"))

        looked = [*threads.map(show, range(WINDOWS))]
        assert len(held(own_home.folder)) > 3 * WINDOWS
        idle.close_idle(3_600)
        assert len(held(own_home.folder)) > 3 * WINDOWS
        idle.close_idle(0)
        assert held(own_home.folder) == []
        assert [*threads.map(show, range(WINDOWS))] == looked
        assert looked[0] > 0
        assert any(thread.is_alive() for thread in idle._looking)  # what it does is told here without waiting for it
    slept: list[float] = []
    closed: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) > 2:
            raise InterruptedError

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
