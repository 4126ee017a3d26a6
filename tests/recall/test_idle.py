"""What threads hold open of an index that nobody looks at is given back within a minute, and opened again when needed."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path

import pytest

from agent.services import open_services
from managers.storage import idle
from managers.storage.paths import Home

WINDOWS = 12


def held(folder: Path) -> list[str]:
    """Return the files below a folder that this process holds open."""
    found = []
    for descriptor in Path("/proc/self/fd").iterdir():
        with suppress(OSError):  # the listing's own
            found.append(str(descriptor.readlink()))
    return [name for name in found if name.startswith(str(folder))]


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="only Linux lists what a process holds open")
def test_descriptors_of_closed_windows_are_given_back(own_home: Home) -> None:
    with closing(open_services(own_home)) as services, ThreadPoolExecutor(WINDOWS) as threads:
        companion = services.companion("Hazel")
        list(companion.say("My boat is green.").events())
        companion.settle()
        memories = companion.memories
        indexes = memories.recall.indexes.values()
        together = threading.Barrier(WINDOWS)

        def show(_: int) -> tuple[int, int]:
            together.wait()  # each thread shows one
            memories.history.entries(5)
            return len(memories.recall.search("a green boat")), sum(len(one.vectors) for one in indexes)

        assert all(map(all, looked := [*threads.map(show, range(WINDOWS))]))
        assert len(held(own_home.folder)) > 3 * WINDOWS
        idle.close_idle(3_600)
        assert len(held(own_home.folder)) > 3 * WINDOWS
        idle.close_idle(-60)  # a minute later
        assert held(own_home.folder) == []
        assert not any(len(one.vectors) for one in indexes)
        assert [*threads.map(show, range(WINDOWS))] == looked
        assert any(thread.is_alive() for thread in idle._looking)
    assert idle.IDLE_SECONDS < 60
