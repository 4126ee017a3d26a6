"""Links and pipes stand anywhere in a persona's folder: nothing elsewhere is read or written, and nothing hangs."""

import os
import shutil
import signal
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from random import Random

import pytest

from agent.companion import Companion
from agent.services import Services, open_services
from commands.doctor import examine
from managers.personas import PersonaStore
from managers.storage.errors import UtataneError
from managers.storage.paths import Home, PersonaPaths
from tests.agent.choosing import Always, ScriptedMind
from tests.exchange.archives.lives import export
from tests.fakes import HandClock
from tests.small_life import NAME, NOW, make_life, open_life

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links want rights there, and pipes are POSIX")

SECRET = "the secret of somebody else"
PATIENCE = 60
"""Seconds; a read of a pipe that nobody writes to never ends."""


@pytest.fixture(scope="module")
def life(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("life") / "home"
    make_life(home)
    paths = PersonaPaths(home / "characters" / NAME)
    paths.notepad.write_text("Buy milk.")
    for path in (paths.insights, paths.goals, paths.main_memory, paths.log_import_source / "old.txt"):
        path.parent.mkdir(exist_ok=True)
        path.write_text({"insights.json": "[]", "goals.json": "{}"}.get(path.name, "Once upon a time."))
    (paths.folder / "avatar.png").write_bytes(b"png")
    return home


def link_elsewhere(path: Path, elsewhere: Path) -> None:
    """Move what stands there elsewhere, with a secret in it, and let a link lead to it."""
    there = elsewhere / path.name
    path.rename(there)
    for file in [there] if there.is_file() else [file for file in there.rglob("*") if file.is_file()]:
        if file.suffix in {".txt", ".md"}:
            file.write_text(f"{file.read_text('utf-8')}\n{SECRET}\n", "utf-8")
    path.symlink_to(there)


def dangle(path: Path, elsewhere: Path) -> None:
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    path.symlink_to(elsewhere / "made")


def be_a_pipe(path: Path, elsewhere: Path) -> None:
    del elsewhere
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    os.mkfifo(path)


def places(home: Path) -> list[str]:
    """Return every file and folder of a life, but for what only differs in its number."""
    folder = home / "characters" / NAME
    found = [path for path in sorted(folder.rglob("*")) if not path.name.endswith(("-wal", "-shm"))]
    loose = [path for path in found if path.parent.parent.name == "objects" and path.parent.name != "pack"]
    return [path.relative_to(folder).as_posix() for path in found if path not in loose[1:]]


@contextmanager
def in_time() -> Iterator[None]:
    def hang(*_: object) -> None:
        raise AssertionError("it hangs")

    before = signal.signal(signal.SIGALRM, hang)
    signal.alarm(PATIENCE)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def live_with(home: Path, out: Path) -> str:
    """Do everything that opens files; return all that was read to anybody."""
    told: list[str] = []
    clock = HandClock(NOW)
    store = PersonaStore(Home(home), clock, Random(1))
    told += [f"{persona}" for persona in store.list()]
    mind = ScriptedMind()
    works: list[Callable[[], object]] = [
        lambda: told.append(_talk(home, mind)),
        lambda: told.append(_look_around(home)),
        lambda: export(PersonaPaths(home / "characters" / NAME), out),
        lambda: store.duplicate(NAME, "Copy"),
        lambda: told.extend(_doctor(home)),
        lambda: store.delete(NAME),
        lambda: store.restore(NAME),
    ]
    for work in works:
        with suppress(UtataneError):
            work()
    told += [str(request) for request in mind.requests]
    if out.exists():
        with zipfile.ZipFile(out) as archive:
            told += [archive.read(name).decode("utf-8", "replace") for name in archive.namelist()]
    return "\n".join(told)


def _talk(home: Path, mind: ScriptedMind) -> str:
    with closing(open_life(home)) as memories:
        companion = Companion(memories, Always(mind), memories.clock, Random(1))
        events = list(companion.say("What of the harbour and the tomatoes? And the secret?").events())
        companion.close()
        return str(events)


def _look_around(home: Path) -> str:
    told: list[object] = []
    with closing(open_life(home)) as memories:
        looks: list[Callable[[], object]] = [
            lambda: memories.recall.search("secret"),
            lambda: memories.notes.read("notepad"),
            memories.entities.all,
            lambda: [memories.episodes.get(day) for day in memories.episodes.days()],
            memories.insights.entries,
            memories.emotions.roll,
            memories.history.entries,
            lambda: memories.history.maintain(force=True),
            lambda: [memories.knowledge.preview(one.name) for one in memories.knowledge.list()],
            memories.recall.rebuild,
            memories.map.redraw,
            lambda: list(memories.log.messages()),
        ]
        for look in looks:
            with suppress(UtataneError):
                told.append(look())
    return str(told)


def _doctor(home: Path) -> list[str]:
    services: Services = open_services(Home(home), HandClock(NOW), Random(1))
    try:
        return [finding.en for finding in examine(services)]
    finally:
        services.close()


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


TRAPS: list[Callable[[Path, Path], None]] = [link_elsewhere, dangle, be_a_pipe]
EVERY = 3
"""Every third place has a trap, each of the three in its turn: all of them everywhere take minutes."""


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("turn", range(len(TRAPS)))
def test_whatever_stands_in_the_place_of_a_file_or_folder(life: Path, tmp_path: Path, turn: int) -> None:
    for number, name in enumerate(places(life)[EVERY * turn :: EVERY * len(TRAPS)]):
        trap = TRAPS[(number + turn) % len(TRAPS)]
        home, elsewhere = tmp_path / f"{number}" / "home", tmp_path / f"{number}" / "elsewhere"
        elsewhere.mkdir(parents=True)
        shutil.copytree(life, home)
        trap(home / "characters" / NAME / name, elsewhere)
        before = contents(elsewhere)
        try:
            with in_time():
                told = live_with(home, tmp_path / f"{number}.zip")
            assert SECRET not in told
            assert contents(elsewhere) == before
        except BaseException as error:
            error.add_note(f"{trap.__name__}: {name}")
            raise
        shutil.rmtree(tmp_path / f"{number}")
