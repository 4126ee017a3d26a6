"""What an installation made itself holds by its seal; a journal that a folder from somebody else brings along is not followed."""

import json
import stat
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

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
def mallory(own_home: Home, clock: HandClock) -> PersonaPaths:
    """A guest in a home where somebody has lived: it has a key."""
    hazel = PersonaStore(own_home, clock, Random(1)).create("Hazel", language="en").paths
    History(hazel, clock).apply({hazel.notepad: MINE}, Draft("user", ""))
    paths = own_home.persona("Mallory")
    write_atomic(paths.persona_json, "{}")
    write_atomic(paths.notepad, MINE)
    let_in(own_home, "Mallory")  # what a guest brings is put aside at the door (tests/personas/test_guests.py)
    History(paths, clock).begin(author="user", reason="")
    return paths


def _plant(paths: PersonaPaths, *steps: tuple[str, bytes | None, bytes | None], seal: str = "") -> None:
    """Leave a journal: of each file its name, and what it holds before and after."""
    for direction in ("forward", "back"):
        told = [
            {"path": name, **{k: None if v is None else digest(v) for k, v in (("before", old), ("after", new))}}
            for name, old, new in steps
        ]
        decided = {"direction": direction, "steps": told}
        if seal == "made here":  # whoever could do that, still names nothing outside
            seal = Installation(paths.home).seal("journal", json.dumps(decided).encode())
        pending = paths.history / "pending"
        for number in range(len(steps)):
            write_atomic(pending / f"{number}.new", THEIRS)
            write_atomic(pending / f"{number}.old", THEIRS)
        write_atomic(pending / "journal.json", json.dumps({**decided, "seal": seal} if seal else decided))
        steps = tuple((name, new, old) for name, old, new in steps)
        assert _look_at(paths) == ["journal-put-aside"], steps
        (kept,) = paths.folder.glob(".journal.broken-*")
        assert len(list(kept.iterdir())) == 1 + 2 * len(steps)  # with what was staged for it
        kept.rename(paths.home.folder / f"{len(list(paths.home.folder.iterdir()))}.seen")


def _look_at(paths: PersonaPaths) -> list[str]:
    """Look at the persona as the page does, and return the codes of what a person is told."""
    clock = HandClock()
    PersonaStore(paths.home, clock, Random(1)).get(paths.name)
    history = History(paths, clock)
    history.apply({paths.core_memory: str(len(history.entries())).encode()}, Draft("user", ""))
    told = [notice.code for notice in history.notices]
    history.close()
    return told


def test_a_journal_that_somebody_brought_along_writes_makes_and_deletes_nothing(mallory: PersonaPaths) -> None:
    victim = mallory.home.folder.parent / "victim.txt"
    for name in ("../../secrets.toml", "../Hazel/notepad.txt", str(victim), "notepad.txt"):
        path = mallory.folder / name
        write_atomic(path.resolve(), MINE)
        for seal in ("", "0" * 64):
            _plant(mallory, (name, MINE, THEIRS), seal=seal)
            _plant(mallory, (name, MINE, None), ("../../made.txt", None, THEIRS), seal=seal)
        assert path.read_bytes() == MINE
        assert not (mallory.home.folder / "made.txt").exists()


def test_even_sealed_a_journal_names_only_what_transactions_write(mallory: PersonaPaths) -> None:
    for name in ("../../made.toml", "memory/../../../x", "log.txt", ".history/config", ".lock", "memory/a/b", ""):
        _plant(mallory, (name, None, THEIRS), seal="made here")
    assert THEIRS not in [path.read_bytes() for path in mallory.folder.rglob("*") if path.is_file()]
    assert not (mallory.home.folder / "made.toml").exists()


def test_a_journal_that_is_none_is_put_aside(mallory: PersonaPaths) -> None:
    contents = [b"", b"no JSON", b"\xff\xfe", b"[]", b"7", b'{"seal": 1}', b'{"direction": "up", "steps": 3}']
    for number, content in enumerate([*contents, b"[" * 99_999]):
        write_atomic(mallory.history / "pending" / "journal.json", content)
        assert _look_at(mallory) == ["journal-put-aside"] * (number + 1)


@pytest.mark.parametrize("target", ["elsewhere", "nowhere", ""])
def test_what_stands_in_the_journals_place_is_put_aside(mallory: PersonaPaths, tmp_path: Path, target: str) -> None:
    write_atomic(tmp_path / "elsewhere" / "mine.txt", MINE)
    pending = mallory.history / "pending"
    pending.symlink_to(tmp_path / target) if target else pending.write_bytes(b"")
    assert _look_at(mallory) == ["journal-put-aside"]
    assert {path.name: path.read_bytes() for path in (tmp_path / "elsewhere").iterdir()} == {"mine.txt": MINE}
    assert not pending.is_symlink()


def test_a_journal_made_here_is_finished_unless_what_was_staged_has_changed_since(mallory: PersonaPaths) -> None:
    """Whoever was given a folder with a change half done gives it back with other words in it."""
    journal = journal_of(mallory)
    changes = {mallory.notepad: b"after", mallory.folder / "avatar.png": b"png"}
    journal._decide("forward", journal._stage(changes))
    (mallory.history / "pending" / "0.new").write_bytes(THEIRS)
    assert _look_at(mallory) == []
    assert (mallory.notepad.read_bytes(), (mallory.folder / "avatar.png").read_bytes()) == (MINE, b"png")
    journal._decide("forward", journal._stage(changes))
    assert _look_at(mallory) == []
    assert mallory.notepad.read_bytes() == b"after"


def test_what_was_sealed_here_holds_in_another_process_for_its_purpose_and_words_alone(own_home: Home) -> None:
    fresh = Installation(own_home)
    assert fresh.id is None
    assert not fresh.is_sealed("journal", b"words", "0" * 64)
    assert not own_home.installation_key.exists(), "who only asks makes no key"
    seal = fresh.seal("journal", b"words")
    later = Installation(own_home)
    assert later.is_sealed("journal", b"words", seal)
    for purpose, words, other in (
        ("journal", b"other words", seal), ("guest", b"words", seal), ("journal", b"words", ""),
        ("journal", b"words", "封")
    ):  # fmt: skip
        assert not later.is_sealed(purpose, words, other)
    if sys.platform != "win32":
        assert stat.S_IMODE(own_home.installation_key.stat().st_mode) == 0o600


@pytest.mark.parametrize("broken", [b"\xff\x00 no key", b"", b"\0" * 82, None, b"f" * 64, b"cut"])
def test_a_broken_key_is_put_right_from_its_copy_or_all_agree_on_one(own_home: Home, broken: bytes | None) -> None:
    seal = Installation(own_home).seal("guest", b"")
    copies = own_home.installation_key, own_home.installation_key_copy
    whole = copies[0].read_bytes()
    harm = whole[: len(whole) // 2] if broken == b"cut" else broken
    for path in copies:
        path.unlink() if harm is None else path.write_bytes(harm)
        assert Installation(own_home).is_sealed("guest", b"", seal)
        assert Installation(own_home).mend() == (harm is not None)
        assert [one.read_bytes() for one in copies] == [whole, whole]
    for path in copies:
        path.write_bytes(harm or b"")
    assert not Installation(own_home).is_sealed("guest", b"", seal)
    with ThreadPoolExecutor(8) as pool:
        seals = set(pool.map(lambda _: Installation(own_home).seal("guest", b""), range(8)))
    assert len(seals) == 1
    assert Installation(own_home).is_sealed("guest", b"", *seals)
