"""What is brought back stands beside what is there, whenever the process dies, and whoever wrote the backup."""

import shutil
from contextlib import closing, nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from agent.services import open_services
from managers.exchange.backups.errors import BackupDamagedError, NotInBackupError, RestoreTargetTakenError
from managers.exchange.backups.keeping import Backups, backups_of
from managers.exchange.backups.returning import restore_home, restore_in_place, restore_path, restore_persona
from managers.personas import PersonaStore
from managers.storage.audit import events, flaws
from managers.storage.paths import Home
from tests.crash import Kill, needs_signals
from tests.exchange.backups.looking import held
from tests.fakes import HandClock
from tests.small_life import NAME


@pytest.fixture
def store(home: Home, clock: HandClock) -> PersonaStore:
    return PersonaStore(home, clock, Random(1))


def test_nothing_that_is_there_is_written_over(backups: Backups, tmp_path: Path) -> None:
    head = backups.make()
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "mine.txt").write_text("mine")
    for path in ("", f"characters/{NAME}", f"characters/{NAME}/log.txt"):
        with pytest.raises(RestoreTargetTakenError):
            restore_path(backups, head, path, tmp_path / "there")
    with pytest.raises(NotInBackupError):
        restore_path(backups, head, "characters/Nobody", tmp_path / "nobody")
    assert [path.name for path in (tmp_path / "there").iterdir()] == ["mine.txt"]
    assert restore_path(backups, head, f"characters/{NAME}/memory", tmp_path / "memory")
    assert [path.name for path in (tmp_path / "memory").iterdir() if path.name.startswith("emotion_log")]


def test_a_persona_comes_back_as_itself_and_can_be_talked_to(backups: Backups, home: Home, store: PersonaStore) -> None:
    head = backups.make()
    store.delete(NAME)
    assert restore_persona(backups, store, head, NAME) == NAME
    with closing(open_services(home, HandClock(), Random(1))) as services:
        assert services.memories(NAME).log.count() > 100
        assert NAME in services.personas.list_names()
        assert services.personas.door.waiting() == []


def test_the_snapshot_before_leaves_the_one_that_is_brought_back(
    backups: Backups, home: Home, store: PersonaStore, clock: HandClock
) -> None:
    notepad = home.persona(NAME).notepad
    for words in ("of the morning", "of noon"):
        notepad.write_text(words)
        clock.move(hours=1)
        backups.make()
    morning = backups.heads()[-1]
    clock.move(hours=30)  # by now noon is the one that is kept of that day
    notepad.write_text("of now")
    restore_in_place(backups, morning, f"characters/{NAME}/notepad.txt")
    assert notepad.read_text() == "of the morning"
    notepad.write_text("of now")
    assert restore_persona(backups, store, morning, NAME, away=lambda _name: nullcontext()) == NAME
    assert notepad.read_text() == "of the morning"
    backups.make("daily")
    assert morning.id not in {head.id for head in backups.heads()}  # thinned as soon as another one is made


def test_what_went_to_another_disk_and_came_back_stands_in_the_audit(
    backups: Backups, home: Home, store: PersonaStore, tmp_path: Path
) -> None:
    def told() -> list[tuple[str, bool]]:
        kinds = {"backup", "from_backup"}
        found = [one for one in events(home.persona(NAME)) if one.kind in kinds]
        return [(one.kind, one.given.counts["files"] > 1) for one in found]

    backups.make()
    assert told() == []  # within the home nothing went anywhere
    disk = tmp_path / "disk"
    disk.mkdir()
    elsewhere = replace(backups, folder=disk / "backups")
    head = elsewhere.make()
    assert told() == [("backup", True)]
    restore_path(elsewhere, head, f"characters/{NAME}/log.txt", tmp_path / "log.txt")
    restore_home(elsewhere, head, tmp_path / "home-again")
    restore_in_place(elsewhere, head, f"characters/{NAME}/notepad.txt")
    assert told()[:3] == [("from_backup", False), ("from_backup", True), ("from_backup", False)]
    store.delete(NAME)
    restore_persona(elsewhere, store, head, NAME)
    assert told() == [("from_backup", True)]
    assert not flaws(home.persona(NAME))


def test_a_list_that_somebody_else_wrote_leads_nowhere_else(backups: Backups, tmp_path: Path) -> None:
    head, repository = backups.make(), backups.repository()
    file = backups.files_in(head)[0]
    for path in ("../outside", "/etc/outside", "a/../../outside"):
        with repository.working():
            evil = repository.save(replace(head, id="20990101-000000-aaaa"), [replace(file, path=path)])
        with pytest.raises(BackupDamagedError):
            restore_home(backups, evil, tmp_path / "deep" / "target")
        assert not list(tmp_path.rglob("outside"))
        assert not (tmp_path / "deep" / "target").exists()


def _restore_in_place(folder: Path) -> None:
    home = Home(folder)
    backups = backups_of(home, HandClock())
    with closing(open_services(home, HandClock(), Random(1))) as services:
        restore_persona(backups, services.personas, backups.find(), NAME, away=services.away)


@needs_signals
def test_killed_while_it_takes_anothers_place_neither_is_lost(
    backups: Backups, home: Home, tmp_path: Path, kill: Kill
) -> None:
    backups.make()
    notepad = home.persona(NAME).notepad
    before = notepad.read_bytes()
    notepad.write_text("written since")
    numbers = iter(range(1000))

    def prepare() -> tuple[Path]:
        return (Path(shutil.copytree(home.folder, tmp_path / f"run-{next(numbers)}")),)

    for death in kill(_restore_in_place, prepare, whens=("before",), stride=61):
        mine = Home(death.given[0])
        kept = {path.read_bytes() for path in mine.characters.glob("*/notepad.txt")}
        kept |= {path.read_bytes() for path in mine.trash.glob("*/notepad.txt")}
        assert b"written since" in kept
        _restore_in_place(mine.folder)
        assert mine.persona(NAME).notepad.read_bytes() == before
        shutil.rmtree(mine.folder)


def _restore_home(folder: Path, target: Path) -> None:
    backups = backups_of(Home(folder), HandClock())
    with suppress(RestoreTargetTakenError):
        restore_home(backups, backups.find(), target)


@needs_signals
def test_killed_while_a_whole_home_comes_back_there_is_all_of_it_or_nothing(
    backups: Backups, home: Home, tmp_path: Path, kill: Kill
) -> None:
    backups.make()
    before = held(home)
    numbers = iter(range(1000))

    def prepare() -> tuple[Path, Path]:
        return home.folder, tmp_path / f"run-{next(numbers)}" / "back"

    for death in kill(_restore_home, prepare, whens=("before", "half"), stride=41):
        target = death.given[1]
        assert not target.exists() or held(Home(target)) == before
        _restore_home(*death.given)
        assert held(Home(target)) == before
        assert [path.name for path in target.parent.iterdir()] == ["back"]
        shutil.rmtree(target)
