"""Links and pipes stand anywhere in a persona's folder: nothing elsewhere is read or written, and nothing hangs."""

import os
import shutil
import sys
import zipfile
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from random import Random

import pytest

from agent.companion import Companion
from agent.services import open_services
from commands.doctor import examine
from managers.personas import PersonaStore
from managers.storage.errors import UtataneError
from managers.storage.paths import Home, PersonaPaths
from tests.agent.choosing import Always, ScriptedMind
from tests.exchange.archives.lives import export
from tests.fakes import HandClock
from tests.small_life import NAME, NOW, open_life
from tests.speeds import one_quick

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links want rights there, and pipes are POSIX")
SECRET = "the secret of somebody else"


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


@pytest.fixture(scope="module")
def full(life: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A life with a file of every kind."""
    home = Path(shutil.copytree(life, tmp_path_factory.mktemp("full") / "home"))
    paths = PersonaPaths(home / "characters" / NAME)
    paths.notepad.write_text("Buy milk.")
    for path in (paths.insights, paths.goals, paths.main_memory, paths.log_import_source / "old.txt"):
        path.parent.mkdir(exist_ok=True)
        path.write_text({"insights.json": "[]", "goals.json": "{}"}.get(path.name, "Once upon a time."))
    (paths.folder / "avatar.png").write_bytes(b"png")
    return home


def live_with(home: Path, out: Path) -> str:
    """Do everything that opens files; return all that was read to anybody."""
    store, mind = PersonaStore(Home(home), HandClock(NOW), Random(1)), ScriptedMind()
    told: list[object] = [*store.list()]

    def talk() -> None:
        with closing(open_life(home)) as memories:
            companion = Companion(memories, Always(mind), memories.clock, Random(1))
            told.extend(companion.say("What of the harbour and the tomatoes? And the secret?").events())
            companion.close()

    def doctor() -> None:
        with closing(open_services(Home(home), HandClock(NOW), Random(1))) as services:
            told.extend(finding.en for finding in examine(services))

    works: list[Callable[[], object]] = [
        talk, lambda: told.append(_look_around(home)),
        lambda: export(PersonaPaths(home / "characters" / NAME), out), lambda: store.duplicate(NAME, "Copy"),
        doctor, lambda: store.delete(NAME), lambda: store.restore(NAME)
    ]  # fmt: skip
    for work in works:
        with suppress(UtataneError):
            work()
    told += mind.requests
    if out.exists():
        with zipfile.ZipFile(out) as archive:
            told += [archive.read(name).decode("utf-8", "replace") for name in archive.namelist()]
    return "\n".join(map(str, told))


def _look_around(home: Path) -> str:
    told: list[object] = []
    with closing(open_life(home)) as memories:
        looks: list[Callable[[], object]] = [
            lambda: memories.recall.search("secret"), lambda: memories.notes.read("notepad"),
            memories.entities.all, lambda: [memories.episodes.get(day) for day in memories.episodes.days()],
            memories.insights.entries, memories.emotions.roll, memories.history.entries,
            lambda: memories.history.maintain(force=True),
            lambda: [memories.knowledge.preview(one.name) for one in memories.knowledge.list()],
            memories.recall.rebuild, memories.map.redraw, lambda: list(memories.log.messages())
        ]  # fmt: skip
        for look in looks:
            with suppress(UtataneError):
                told.append(look())
    return str(told)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


TRAPS: list[Callable[[Path, Path], None]] = [link_elsewhere, dangle, be_a_pipe]


@pytest.mark.parametrize(("first", "every"), one_quick([(0, 40), (0, 9), (3, 9), (6, 9)]))
def test_whatever_stands_in_the_place_of_a_file_or_folder(full: Path, tmp_path: Path, first: int, every: int) -> None:
    """A read of a pipe that nobody writes to never ends; then the test is timed out."""
    for number, name in enumerate(places(full)[first::every]):
        trap = TRAPS[(number + first // 3) % len(TRAPS)]
        home, elsewhere = tmp_path / f"{number}" / "home", tmp_path / f"{number}" / "elsewhere"
        elsewhere.mkdir(parents=True)
        shutil.copytree(full, home)
        trap(home / "characters" / NAME / name, elsewhere)
        before = contents(elsewhere)
        try:
            assert SECRET not in live_with(home, tmp_path / f"{number}.zip")
            assert contents(elsewhere) == before
        except BaseException as error:
            error.add_note(f"{trap.__name__}: {name}")
            raise
        shutil.rmtree(tmp_path / f"{number}")
