"""A folder that nobody let in here is a guest: looked through, told about, and let in by a yes; nothing else."""

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from managers.personas import PersonaStore
from managers.personas.errors import GuestError, PersonaExistsError
from managers.personas.guests import LARGEST_SHEET, look_through
from managers.storage import installation
from managers.storage.paths import Home, PersonaPaths
from tests.crash import Kill, needs_signals, places
from tests.fakes import HandClock
from tests.homes import let_in
from tests.hostile_folder import HARMS, Hostile, make_hostile
from tests.personas.folders import history_of

on_posix = pytest.mark.skipif(sys.platform == "win32", reason="links and pipes are made in other ways there")


@pytest.fixture
def hostile(store: PersonaStore, tmp_path: Path) -> Hostile:
    return make_hostile(store.home.characters / "Rook", tmp_path / "elsewhere")


def again(store: PersonaStore) -> PersonaStore:
    """Return the store as another process sees it."""
    return PersonaStore(store.home, HandClock(), Random(2))


# What is new is a guest


def test_a_folder_that_came_by_itself_is_a_guest_and_nobody(store: PersonaStore, hostile: Hostile) -> None:
    store.create("Nemu", language="en")
    assert store.door.guests() == ["Rook"]
    assert store.list_names() == ["Nemu"]
    assert [persona.name for persona in store.list()] == ["Nemu"]
    works: list[Callable[[], object]] = [
        lambda: store.get("Rook"), lambda: store.rename("Rook", "Crow"), lambda: store.duplicate("Rook", "Crow"),
        lambda: store.set_greeting("Rook", "Hi"), lambda: store.set_settings("Rook", "sleep", silence=False),
        lambda: store.write_system_prompt("Rook", "x", based_on=None), lambda: store.set_avatar("Rook", b""),
        lambda: store.mend("Rook"), lambda: store.door.answer("Rook", wishes="", yes=True)
    ]  # fmt: skip
    before = sorted(path.name for path in hostile.folder.iterdir())
    for work in works:
        with pytest.raises(GuestError, match="Rook"):
            work()
    with pytest.raises(PersonaExistsError):  # its name is taken all the same
        store.create("rook", language="en")
    assert store.free_name("Rook") == "Rook 2"
    assert sorted(path.name for path in hostile.folder.iterdir()) == before
    hostile.assert_harmless()


@on_posix
def test_what_is_in_it_is_told_before_anybody_says_yes(store: PersonaStore, hostile: Hostile) -> None:
    found = look_through(PersonaPaths(hostile.folder))
    told = {notice.code: notice.en for notice in found.findings}
    assert set(told) == {f"guest-{what}" for what in ["content", "link", "special", "journal", "history", "odd-name"]}
    assert "notepad.txt" in told["guest-link"] or "avatar.png" in told["guest-link"]
    assert "core_memory.txt" in told["guest-special"]
    assert "\x1b" not in "".join(told.values())
    assert "\u202e" not in "".join(told.values())
    assert found.wishes["mind"]["base_url"] == "http://127.0.0.1:9"
    assert "threshold" not in found.wishes["recall"]
    question = store.door.question("Rook")
    assert question is not None
    assert (question.is_guest, question.obstacle, len(question.wishes)) == (True, None, 8)
    assert tuple(question.findings) == found.findings
    assert store.door.guests() == ["Rook"]
    hostile.assert_harmless()


# The yes


@pytest.mark.parametrize("harm", HARMS, ids=lambda harm: harm.__name__)
def test_let_in_none_leads_elsewhere(store: PersonaStore, tmp_path: Path, harm: Callable[[Path, Path], None]) -> None:
    hostile = make_hostile(store.home.characters / "Rook", tmp_path / "elsewhere", harm)
    store.door.admit("Rook")
    persona = again(store).get("Rook")
    assert (persona.greeting, persona.avatar) == ("Hello there", None)
    found = look_through(persona.paths)
    assert {notice.code for notice in found.findings} <= {"guest-content", "guest-odd-name"}
    assert found.misplaced == ()
    assert not persona.paths.rag_index.exists()
    assert store.set_greeting("Rook", "Hi").greeting == "Hi"
    history_of(store, "Rook").notice_outside()
    hostile.assert_harmless()


@on_posix
def test_what_is_put_aside_is_kept_as_it_was(store: PersonaStore, hostile: Hostile) -> None:
    (said,) = store.door.admit("Rook")
    (kept,) = store.home.set_aside.iterdir()
    assert str(kept) in said.en
    assert (kept / "notepad.txt").is_symlink()
    assert (kept / ".history" / "pending" / "journal.json").exists()
    assert (kept / ".history" / "hooks" / "post-commit").exists()
    assert not (kept / "persona.json").exists()
    assert "fsmonitor" not in (hostile.folder / ".history" / "config").read_text("utf-8")
    assert store.door.guests() == []
    hostile.assert_harmless()


def test_a_history_that_is_one_comes_along(store: PersonaStore, tmp_path: Path) -> None:
    theirs = PersonaStore(Home(tmp_path / "theirs"), HandClock(), Random(1))
    theirs.create("Rook", language="en", greeting="one")
    theirs.set_greeting("Rook", "two")
    shutil.copytree(theirs.home.characters / "Rook", store.home.characters / "Rook")
    store.door.admit("Rook")
    history = history_of(store, "Rook")
    history.undo(history.entries(1)[0].id, author="user")
    assert store.get("Rook").greeting == "one"


def test_a_sheet_that_is_none_stops_nothing(store: PersonaStore) -> None:
    written = (
        b'{"settings": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"settings": {"mind": {"base_url": "\\ud800"}}}',
        b'{"settings": {"mind": 3, "sleep": ["x"], "none": {"a": 1}}}', b"\xff\xfe", b" " * (LARGEST_SHEET + 1)
    )  # fmt: skip
    for number, sheet in enumerate(written):
        name = f"Rook {number}"
        (store.home.characters / name).mkdir(parents=True)
        (store.home.characters / name / "persona.json").write_bytes(sheet)
        let_in(store.home, name)
        assert store.get(name).name == name
        assert again(store).set_greeting(name, "Hi").greeting == "Hi"


# What is known holds, and holds nobody else


def test_whoever_was_made_here_is_no_guest_whatever_is_done_to_it(store: PersonaStore) -> None:
    store.install_samples()
    store.create("Nemu", language="en")
    store.rename("Nemu", "Nemuri")
    store.rename("Nemuri", "NEMURI")
    store.duplicate("NEMURI", "Twin")
    store.restore(store.delete("Twin").id)
    store.restore(store.delete("NEMURI").id, "Third")
    assert again(store).door.guests() == []
    assert set(again(store).list_names()) == {"Hazel", "ねむ", "Twin", "Third"}


def test_a_folder_that_takes_anothers_name_or_mark_is_a_guest(store: PersonaStore, hostile: Hostile) -> None:
    nemu, crow = store.create("Nemu", language="en").paths, store.create("Crow", language="en").paths
    shutil.rmtree(nemu.folder)
    shutil.copytree(
        hostile.folder, nemu.folder, symlinks=True, ignore=shutil.ignore_patterns("core_memory.txt", ".persona-id")
    )
    (hostile.folder / ".persona-id").unlink(missing_ok=True)
    shutil.copy(crow.mark, hostile.folder / ".persona-id")
    shutil.copytree(crow.folder, crow.folder.with_name("Crow copy"))
    assert store.door.guests() == ["Crow copy", "Nemu", "Rook"]
    for name in store.door.guests():
        store.door.admit(name)
    marks = {PersonaPaths(path).mark.read_text() for path in store.home.characters.iterdir() if path.name[0] != "."}
    assert len(marks) == 4
    assert again(store).list_names() == ["Crow", "Crow copy", "Nemu", "Rook"]


def test_a_home_is_asked_about_once_on_each_computer(store: PersonaStore, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["Crow", "Nemu"]
    for name in names:
        store.create(name, language="en")
    monkeypatch.setattr(installation, "_computer", lambda: b"another")
    there = again(store)
    assert (there.door.guests(), there.list_names()) == (names, [])
    let_in(store.home)
    assert again(store).door.guests() == []
    monkeypatch.undo()  # the same folder, which both computers share
    assert again(store).door.guests() == []
    monkeypatch.setattr(installation, "_computer", lambda: b"another")
    assert again(store).door.guests() == []


def test_a_record_that_nobody_here_wrote_says_nothing_and_is_kept(store: PersonaStore, hostile: Hostile) -> None:
    store.create("Nemu", language="en")
    (record, copy) = sorted(store.home.admitted.iterdir())
    told = json.loads(record.read_text("utf-8"))
    (hostile.folder / ".persona-id").unlink(missing_ok=True)
    (hostile.folder / ".persona-id").write_text("0" * 32)
    told["personas"]["0" * 32] = {"mark": "0" * 32, "names": ["rook"], "agreed": {}, "refused": ""}
    for forged in (json.dumps(told), "{", '{"personas": [], "seal": 3}', "[]"):
        record.write_text(forged, "utf-8")
        copy.write_text(forged, "utf-8")
        assert again(store).door.guests() == ["Nemu", "Rook"], forged
    let_in(store.home, "Nemu")
    assert again(store).door.guests() == ["Rook"]
    assert [path.read_text("utf-8") for path in store.home.admitted.glob("*.broken-*")] == ["[]"] * 2


# Killed in the middle


def _admit(home: Home) -> None:
    PersonaStore(home, HandClock(), Random(1)).door.admit("Rook")


def _rename(home: Home) -> None:
    PersonaStore(home, HandClock(), Random(1)).rename("Nemu", "Crow")


def _throw_away_and_restore(home: Home) -> None:
    store = PersonaStore(home, HandClock(), Random(1))
    store.restore(store.delete("Nemu").id, "Crow")


@needs_signals
@pytest.mark.parametrize("work", [_admit, _rename, _throw_away_and_restore])
def test_killed_anywhere_nobody_is_lost_or_let_in(tmp_path: Path, work: Callable[[Home], None], kill: Kill) -> None:
    fresh = places(tmp_path)

    def prepare() -> tuple[Home]:
        home = Home(next(fresh))
        PersonaStore(home, HandClock(), Random(1)).create("Nemu", language="en", greeting="Hi")
        make_hostile(home.characters / "Rook", home.folder / "elsewhere", *HARMS[:4])
        return (home,)

    for death in kill(work, prepare, whens=("before",), stride=2):
        home = death.given[0]
        store = PersonaStore(home, HandClock(), Random(1))
        if not set(store.list_names()) & {"Nemu", "Crow"}:
            assert death.when is not None
            store.restore("Nemu")
        assert len(set(store.list_names()) & {"Nemu", "Crow"}) == 1, death
        assert ("Rook" in store.door.guests()) != ("Rook" in store.list_names()), death
        store.door.admit("Rook")
        assert store.get("Rook").greeting == "Hello there", death
        assert look_through(PersonaPaths(home.characters / "Rook")).misplaced == (), death
        Hostile(home.characters / "Rook", home.folder / "elsewhere" / "precious.txt").assert_harmless()
