"""What is in a folder, noticed without a look at each file."""

import os
import time
from pathlib import Path

import pytest

from managers.storage import watching
from managers.storage.errors import NotPlainFileError
from managers.storage.files import entries, write_atomic
from managers.storage.opening import guard
from managers.storage.watching import Listing, beside_listed, listing, look_at_all, written_into

LONG_AGO = (1e9, 1e9)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "entity_memory"
    folder.mkdir()
    for name in ("Aiko.md", "Ben.md", ".hidden.md"):
        (folder / name).write_text("plays the cello", "utf-8")
    os.utime(folder, LONG_AGO)
    guard(folder)
    return folder


@pytest.fixture
def watched(folder: Path) -> Listing:
    """A listing that trusts its folder's time by now."""
    watched = listing(folder)
    watched.files()
    watched.files()
    return watched


def test_it_is_the_same_object_as_long_as_nothing_changes(watched: Listing, folder: Path) -> None:
    assert sorted(watched.files()) == ["Aiko.md", "Ben.md"]
    assert watched.files() is watched.files()
    assert listing(folder) is watched


@pytest.mark.parametrize("change", ["came", "went", "was replaced"])
def test_what_moves_its_folders_time_is_noticed_at_once(watched: Listing, folder: Path, change: str) -> None:
    before = watched.files()
    if change == "went":
        (folder / "Ben.md").unlink()
    else:
        write_atomic(folder / ("Cleo.md" if change == "came" else "Ben.md"), "plays the oboe now")
    assert watched.files() != before


def test_two_changes_within_one_tick_of_the_file_systems_clock_are_both_noticed(watched: Listing, folder: Path) -> None:
    now = time.time()
    for name in ("Cleo.md", "Dan.md"):
        (folder / name).write_text("plays the oboe", "utf-8")
        os.utime(folder, (now, now))
        assert name in watched.files()


def test_what_an_editor_writes_into_a_file_is_noticed_by_the_thread(watched: Listing, folder: Path) -> None:
    (folder / "Ben.md").write_text("plays the oboe now", "utf-8")
    os.utime(folder, LONG_AGO)
    while watched.files()["Ben.md"].size != len("plays the oboe now"):
        time.sleep(0.02)


@pytest.fixture
def notes(folder: Path) -> Listing:
    """A listing of some files alone, that trusts its folder's time."""
    found = listing(folder, _is_note)
    for _ in range(2):
        found.files()
    return found


def _is_note(name: str) -> bool:
    return name.endswith(".md")


def test_what_no_listing_wants_makes_nobody_list_the_folder(
    notes: Listing, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, listed = notes.files(), list[Path]()
    monkeypatch.setattr(watching, "entries", lambda *given: (listed.append(given[0]), entries(*given))[1])
    monkeypatch.setattr(watching, "_keep_watching", lambda _one: True)  # no thread beside
    for _ in range(3):
        with beside_listed(folder / "state.json"):
            write_atomic(folder / "state.json", "{}")
            assert notes.files() is before
        assert notes.files() is before
        assert not listed
        notes.look_again()  # as the thread does
        listed.clear()


def test_what_this_program_appends_is_noticed_at_once_also_while_something_else_is_written(
    notes: Listing, watched: Listing, folder: Path
) -> None:
    with beside_listed(folder / "state.json"):
        with (folder / "Ben.md").open("a", encoding="utf-8") as file:
            file.write(" and the oboe")
        written_into(folder / "Ben.md")
    for one in (notes, watched):
        assert one.files()["Ben.md"].size == len("plays the cello and the oboe")


def test_what_came_before_or_after_it_is_noticed(notes: Listing, folder: Path) -> None:
    write_atomic(folder / "Cleo.md", "plays the oboe")
    with beside_listed(folder / "state.json"):
        write_atomic(folder / "state.json", "{}")
    assert "Cleo.md" in notes.files()
    os.utime(folder, LONG_AGO)
    notes.files()
    with beside_listed(folder / "state.json"):
        write_atomic(folder / "state.json", "{}")
    write_atomic(folder / "Dan.md", "plays the oboe")
    os.utime(folder, (time.time() + 10, time.time() + 10))  # a tick later
    assert "Dan.md" in notes.files()
    with beside_listed(folder / "Eve.md"):  # which the listing wants
        write_atomic(folder / "Eve.md", "plays the oboe")
    assert "Eve.md" in notes.files()


def test_what_nobody_has_asked_for_long_is_looked_at_when_somebody_asks(watched: Listing, folder: Path) -> None:
    look_at_all(unused=-1)
    (folder / "Ben.md").write_text("plays the oboe now", "utf-8")
    os.utime(folder, LONG_AGO)
    assert watched.files()["Ben.md"].size == len("plays the oboe now")


def test_links_are_left_out_and_a_folder_that_is_one_is_refused(watched: Listing, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "outside.md").write_text("secret", "utf-8")
    try:
        (folder / "link.md").symlink_to(tmp_path / "outside.md")
        (tmp_path / "linked").symlink_to(folder)
    except OSError:
        pytest.skip("no links on this system")
    assert "link.md" not in watched.files()
    guard(tmp_path / "linked")
    with pytest.raises(NotPlainFileError):
        listing(tmp_path / "linked").files()


def test_a_folder_may_come_later(tmp_path: Path) -> None:
    later = listing(tmp_path / "later")
    assert later.files() == {}
    (tmp_path / "later").mkdir()
    (tmp_path / "later" / "a.md").write_text("x", "utf-8")
    assert list(later.files()) == ["a.md"]
