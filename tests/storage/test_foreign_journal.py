"""A folder from somebody else brings a journal along: nobody follows it, and nobody falls over it."""

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from managers.personas import PersonaStore
from managers.storage.files import digest, write_atomic
from managers.storage.history import Draft, History
from managers.storage.installation import Installation
from managers.storage.journal import journal_of
from managers.storage.paths import Home, PersonaPaths
from tests.fakes import HandClock
from tests.homes import let_in

MINE = b"what I wrote"
THEIRS = b"what somebody else wrote"


@pytest.fixture
def home(own_home: Home, clock: HandClock) -> Home:
    """A home where somebody has lived: it has a key."""
    store = PersonaStore(own_home, clock, Random(1))
    paths = store.create("Hazel", language="en").paths
    with_history = History(paths, clock)
    with_history.apply({paths.notepad: MINE}, Draft("user", ""))
    with_history.close()
    return own_home


@pytest.fixture
def mallory(home: Home) -> PersonaPaths:
    paths = home.persona("Mallory")
    write_atomic(paths.persona_json, "{}")
    write_atomic(paths.notepad, MINE)
    let_in(home, "Mallory")  # what a guest brings is put aside at the door (tests/personas/test_guests.py)
    return paths


def _step(name: str, before: bytes | None, after: bytes | None) -> dict[str, str | None]:
    return {
        "path": name,
        "before": None if before is None else digest(before),
        "after": None if after is None else digest(after),
    }


def _plant(paths: PersonaPaths, *steps: dict[str, str | None], direction: str = "forward", **more: Any) -> None:
    pending = paths.history / "pending"
    for number in range(len(steps)):
        write_atomic(pending / f"{number}.new", THEIRS)
        write_atomic(pending / f"{number}.old", THEIRS)
    write_atomic(pending / "journal.json", json.dumps({"direction": direction, "steps": steps, **more}))


def _look_at(paths: PersonaPaths, clock: HandClock) -> list[str]:
    """Look at the persona as the page does, and return the codes of what a person is told."""
    PersonaStore(paths.home, clock, Random(1)).get(paths.name)
    history = History(paths, clock)
    history.apply({paths.core_memory: b"next"}, Draft("user", ""))
    told = [notice.code for notice in history.notices]
    history.close()
    return told


@pytest.mark.parametrize("direction", ["forward", "back"])
@pytest.mark.parametrize("target", ["../../secrets.toml", "../Hazel/notepad.txt", "absolute", "notepad.txt"])
def test_a_journal_that_somebody_brought_along_writes_nothing(
    mallory: PersonaPaths, clock: HandClock, target: str, direction: str
) -> None:
    victim = mallory.home.folder.parent / "victim.txt"
    name = str(victim) if target == "absolute" else target
    path = mallory.folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(MINE)
    sides = (MINE, THEIRS) if direction == "forward" else (THEIRS, MINE)
    _plant(mallory, _step(name, *sides), direction=direction)
    assert _look_at(mallory, clock) == ["journal-put-aside"]
    assert path.read_bytes() == MINE
    assert len(list(mallory.folder.glob(".journal.broken-*/*"))) == 3  # with what was staged for it


@pytest.mark.parametrize("direction", ["forward", "back"])
def test_it_makes_nothing_and_deletes_nothing(mallory: PersonaPaths, clock: HandClock, direction: str) -> None:
    (mallory.home.folder / "made.txt").unlink(missing_ok=True)
    kept = mallory.home.folder / "settings.toml"
    kept.write_bytes(MINE)
    made, deleted = _step("../../made.txt", None, THEIRS), _step("../../settings.toml", MINE, None)
    if direction == "back":
        made, deleted = ({**step, "before": step["after"], "after": step["before"]} for step in (made, deleted))
    _plant(mallory, made, deleted, direction=direction)
    _look_at(mallory, clock)
    assert kept.read_bytes() == MINE
    assert not (mallory.home.folder / "made.txt").exists()


def test_a_seal_that_is_made_up_does_not_hold(mallory: PersonaPaths, clock: HandClock) -> None:
    _plant(mallory, _step("notepad.txt", MINE, THEIRS), seal="0" * 64)
    assert _look_at(mallory, clock) == ["journal-put-aside"]
    assert mallory.notepad.read_bytes() == MINE


def _resealed(paths: PersonaPaths, change: Callable[[dict[str, Any]], None]) -> None:
    """Seal another journal as this installation would: whoever could, still names nothing outside."""
    journal = paths.history / "pending" / "journal.json"
    decided = json.loads(journal.read_bytes())
    decided.pop("seal", None)
    change(decided)
    seal = Installation(paths.home).seal("journal", json.dumps(decided).encode())
    journal.write_text(json.dumps({**decided, "seal": seal}))


@pytest.mark.parametrize(
    "name", ["../../settings.toml", "memory/../../../x", "log.txt", ".history/config", ".lock", "memory/a/b", ""]
)
def test_even_sealed_a_journal_names_only_what_transactions_write(
    mallory: PersonaPaths, clock: HandClock, name: str
) -> None:
    _plant(mallory, _step(name, None, THEIRS))
    _resealed(mallory, lambda decided: None)
    assert _look_at(mallory, clock) == ["journal-put-aside"]
    assert THEIRS not in [path.read_bytes() for path in mallory.folder.glob("*") if path.is_file()]
    assert not (mallory.home.folder / "settings.toml").exists()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no JSON",
        b"\xff\xfe",
        b"[]",
        b"7",
        b"{}",
        b'{"seal": 1}',
        b'{"direction": "up", "steps": 3}',
        b"[" * 99_999,
    ],
)
def test_a_journal_that_is_none_is_put_aside(mallory: PersonaPaths, clock: HandClock, content: bytes) -> None:
    write_atomic(mallory.history / "pending" / "journal.json", content)
    assert _look_at(mallory, clock) == ["journal-put-aside"]


@pytest.mark.parametrize("what", ["link to a folder", "dangling link", "file"])
def test_what_stands_in_the_journals_place_is_put_aside(
    mallory: PersonaPaths, clock: HandClock, tmp_path: Path, what: str
) -> None:
    pending = mallory.history / "pending"
    pending.parent.mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "mine.txt").write_bytes(MINE)
    if what == "file":
        pending.write_bytes(b"")
    else:
        pending.symlink_to(tmp_path / ("elsewhere" if "folder" in what else "nowhere"))
    assert _look_at(mallory, clock) == ["journal-put-aside"]
    assert (tmp_path / "elsewhere" / "mine.txt").read_bytes() == MINE
    assert [path.name for path in (tmp_path / "elsewhere").iterdir()] == ["mine.txt"]
    assert not pending.is_symlink()


def test_a_journal_made_here_and_staged_files_changed_since_write_nothing(
    mallory: PersonaPaths, clock: HandClock
) -> None:
    """Whoever was given a folder with a change half done gives it back with other words in it."""
    History(mallory, clock).begin(author="user", reason="")
    journal = journal_of(mallory)
    journal._decide("forward", journal._stage({mallory.notepad: b"what I meant to write"}))
    (mallory.history / "pending" / "0.new").write_bytes(THEIRS)
    _look_at(mallory, clock)
    assert mallory.notepad.read_bytes() == MINE


def test_a_journal_made_here_is_finished(mallory: PersonaPaths, clock: HandClock) -> None:
    History(mallory, clock).begin(author="user", reason="")
    journal = journal_of(mallory)
    journal._decide("forward", journal._stage({mallory.notepad: b"after", mallory.folder / "avatar.png": b"png"}))
    assert _look_at(mallory, clock) == []
    assert mallory.notepad.read_bytes() == b"after"
    assert (mallory.folder / "avatar.png").read_bytes() == b"png"
