"""What every test may ask for; no test touches the real home folder."""

import gc
import os
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from random import Random

import pytest
from hypothesis import settings

from managers.memory.log import ConversationLog
from managers.recall.embedders import sentence_encoder
from managers.storage import opening
from managers.storage.paths import Home, PersonaPaths
from tests.crash import Kill, kill_everywhere, kill_once
from tests.fakes import HandClock
from tests.model_server import ModelServer

pytest_plugins = ["tests.homes", "tests.redis_server"]

# A busy machine is no fault of the code: budgets for time are kept by `make bench`. Everywhere the same examples are tried.
settings.register_profile("utatane", deadline=None, derandomize=True, database=None, print_blob=False)
settings.load_profile("utatane")

MEMORY_DISK = Path("/dev/shm")
ENOUGH_BYTES = 4 << 30


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--seed", type=int, default=0, help="what chooses the step at which a program is killed (`make test`)"
    )


def pytest_xdist_auto_num_workers() -> int:
    """Three processes on two cores: a browser, a killed program and a disk are waited for."""
    cores = os.cpu_count() or 2
    return cores + cores // 2


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
    """Begin with the files that drive a browser, which wait more than they work: none of them is alone at the end."""
    items.sort(key=lambda item: item.get_closest_marker("browser") is None)


def pytest_collection_finish() -> None:
    """Look for garbage seldom, and never in what was imported and collected: that took a seventh of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 50, 100)


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """Redirect the home folder, and forget any key in the environment."""
    monkeypatch.setenv("UTATANE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("UTATANE_LANG", "en")
    for key in ("GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY"):
        monkeypatch.delenv(key, raising=False)
    return Home(tmp_path / "home")


@pytest.fixture(autouse=True)
def without_sentences(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compare no sentences, which takes a second to load, but for tests that ask for it (`sentences`)."""
    if "sentences" not in request.fixturenames:
        monkeypatch.setattr(sentence_encoder, "find_package", lambda: None)


@pytest.fixture(autouse=True)
def nothing_above_is_guarded(tmp_path: Path) -> Iterator[None]:
    """Refuse a test that takes a folder above its own for a persona's: the tests after it would meet that."""
    yield
    assert not opening._guarded.intersection(map(os.fspath, tmp_path.parents))


@pytest.fixture(params=["killed_once", pytest.param("killed_everywhere", marks=pytest.mark.slow)])
def kill(request: pytest.FixtureRequest) -> Kill:
    """Kill a program at one step, or at each."""
    return (
        kill_everywhere
        if request.param == "killed_everywhere"
        else partial(kill_once, seed=request.config.getoption("--seed"))
    )


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


@pytest.fixture
def log(paths: PersonaPaths, clock: HandClock, rng: Random) -> ConversationLog:
    return ConversationLog(paths, clock, rng)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as playing:
        yield playing
