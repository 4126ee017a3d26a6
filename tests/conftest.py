"""What every test may ask for; no test touches the real home folder."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from hypothesis import settings

from managers.storage import opening
from managers.storage.paths import Home, PersonaPaths
from tests.fakes import HandClock

pytest_plugins = ["tests.sharing", "tests.redis_server"]

# A busy machine is no fault of the code: budgets for time are kept by `make bench`.
settings.register_profile("utatane", deadline=None)
settings.load_profile("utatane")

MEMORY_DISK = Path("/dev/shm")
ENOUGH_BYTES = 4 << 30


def pytest_configure() -> None:
    """Keep the tests' folders in memory where there is room: thousands of files are waited for until they are on the disk."""
    if _has_room(MEMORY_DISK):
        os.environ.setdefault("TMPDIR", str(MEMORY_DISK))  # the browser's profiles, too
        tempfile.tempdir = None


def _has_room(folder: Path) -> bool:
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        return False
    seen = os.statvfs(folder)
    return seen.f_bavail * seen.f_frsize >= ENOUGH_BYTES and not seen.f_flag & os.ST_NOEXEC


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Drive the browser last: its driver keeps an event loop running that other tests would meet."""
    items.sort(key=lambda item: item.get_closest_marker("browser") is not None)


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """Redirect the home folder, and forget any key in the environment."""
    monkeypatch.setenv("UTATANE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("UTATANE_LANG", "en")
    for key in ("GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY"):
        monkeypatch.delenv(key, raising=False)
    return Home(tmp_path / "home")


@pytest.fixture(autouse=True)
def nothing_above_is_guarded(tmp_path: Path) -> Iterator[None]:
    """Refuse a test that takes a folder above its own for a persona's: the tests after it would meet that."""
    yield
    assert not opening._guarded.intersection(map(os.fspath, tmp_path.parents))


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def rng() -> Random:
    return Random(7)


@pytest.fixture
def paths(own_home: Home) -> PersonaPaths:
    """The paths of a persona whose folder is there and empty."""
    persona = own_home.persona("ねむ")
    persona.folder.mkdir(parents=True)
    return persona
