"""What is in a folder, or was made of files, is looked at again when something has changed, and only then."""

import os
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace

import pytest

from managers.storage import idle, unchanged
from managers.storage.errors import NotPlainFileError
from managers.storage.files import write_atomic
from managers.storage.opening import guard
from managers.storage.unchanged import Unchanged
from managers.storage.watching import Listing, beside_listed, listing, written_into

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


def test_what_changes_is_noticed_at_once_and_else_it_is_the_same_object(watched: Listing, folder: Path) -> None:
    assert sorted(watched.files()) == ["Aiko.md", "Ben.md"]
    changes: tuple[Callable[[], None], ...] = (
        lambda: write_atomic(folder / "Cleo.md", "plays the oboe"),
        lambda: write_atomic(folder / "Ben.md", "plays the oboe now"),
        (folder / "Ben.md").unlink,
    )
    for change in changes:
        before = watched.files()
        assert listing(folder).files() is before
        change()
        assert watched.files() != before
    now = time.time()
    for name in ("Dan.md", "Eve.md"):  # within one tick of the file system's clock
        (folder / name).write_text("plays the oboe", "utf-8")
        os.utime(folder, (now, now))
        assert name in watched.files()


def test_what_an_editor_writes_into_a_file_is_noticed_by_the_thread(watched: Listing, folder: Path) -> None:
    (folder / "Ben.md").write_text("plays the oboe now", "utf-8")
    os.utime(folder, LONG_AGO)
    while watched.files()["Ben.md"].size != len("plays the oboe now"):
        time.sleep(0.02)


def test_what_stands_beside_it_hides_no_change(folder: Path) -> None:
    """Neither what this program appends, nor what comes before, after or with a file that nobody lists."""
    notes = listing(folder, lambda name: name.endswith(".md"))
    assert notes.files() is notes.files()  # it trusts its folder's time by now
    with beside_listed(folder / "state.json"):
        with (folder / "Ben.md").open("a", encoding="utf-8") as file:
            file.write(" and the oboe")
        written_into(folder / "Ben.md")
    assert notes.files()["Ben.md"].size == len("plays the cello and the oboe")
    write_atomic(folder / "Cleo.md", "plays the oboe")
    with beside_listed(folder / "state.json"):
        write_atomic(folder / "state.json", "{}")
    assert "Cleo.md" in notes.files()
    with beside_listed(folder / "Eve.md"):  # which the listing wants
        write_atomic(folder / "Eve.md", "plays the oboe")
    assert "Eve.md" in notes.files()


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


SETTLED, YOUNG, OF_2036 = 10**9, -(10**10), -(10**18) // 3


class Reader:
    """Reads files, and counts how often."""

    def __init__(self, *paths: Path) -> None:
        self.paths, self.times, self._kept = paths, 0, Unchanged[list[str]]()

    def _read(self) -> list[str]:
        self.times += 1
        return [path.read_text("utf-8") if path.exists() else "" for path in self.paths]

    def get(self, of: object = None) -> list[str]:
        return self._kept.get(self._read, *self.paths, of=of)


@pytest.fixture(autouse=True)
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    let_files_be(monkeypatch, SETTLED)


def let_files_be(monkeypatch: pytest.MonkeyPatch, old: int) -> None:
    monkeypatch.setattr(unchanged, "time", SimpleNamespace(time_ns=lambda: time.time_ns() + old))


def test_what_has_not_changed_is_made_once(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_text("a", "utf-8")
    reader = Reader(one, two)
    assert reader.get() is reader.get()
    assert reader.get("another way") == ["a", ""]
    assert reader.times == 2


def test_a_folder_dated_by_a_clock_ahead_is_looked_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "one").touch()
    os.utime(tmp_path, (0, datetime(2036, 1, 1).timestamp()))
    known = listing(tmp_path)
    assert [*known.files()] == ["one"]
    with monkeypatch.context() as patch:
        patch.setattr(known, "_look", lambda: pytest.fail("twice"))
        assert [*known.files()] == ["one"]
    (tmp_path / "two").touch()
    assert sorted(known.files()) == ["one", "two"]


def test_nothing_is_closed_when_the_clock_jumps(monkeypatch: pytest.MonkeyPatch) -> None:
    moments, sleeps, closed = [3_600, 3_600, 15, 15, 0], [1, 1], list[int]()
    monkeypatch.setattr(idle, "time", SimpleNamespace(monotonic=moments.pop, sleep=lambda _: sleeps.pop()))
    monkeypatch.setattr(idle, "close_idle", lambda: closed.append(len(moments)))
    with pytest.raises(IndexError):
        idle._look()
    assert closed == [3]


@pytest.mark.parametrize("how", ["written", "replaced", "removed", "another comes", "linked", "written behind a link"])
def test_each_change_is_noticed(tmp_path: Path, how: str) -> None:
    one, two, real = tmp_path / "one", tmp_path / "two", tmp_path / "dotfiles"
    real.write_text("a", "utf-8")
    if how.endswith("link"):
        one.symlink_to(real)
    else:
        one.write_text("a", "utf-8")
    reader = Reader(one, two)
    assert reader.get() == ["a", ""]
    before = one.stat()
    match how:
        case "written":  # as large as before, and said to be as old
            one.write_text("b", "utf-8")
            os.utime(one, ns=(before.st_atime_ns, before.st_mtime_ns))
        case "replaced":
            real.write_text("b", "utf-8")
            os.utime(real, ns=(before.st_atime_ns, before.st_mtime_ns))
            real.replace(one)
        case "removed":
            one.unlink()
        case "another comes":
            two.write_text("b", "utf-8")
        case "linked":
            real.write_text("b", "utf-8")
            one.unlink()
            one.symlink_to(real)
        case _:
            real.write_text("ab", "utf-8")
    assert reader.get() == [path.read_text("utf-8") if path.exists() else "" for path in (one, two)]
    assert reader.times == 2


@pytest.mark.parametrize("then", [SETTLED, OF_2036])
def test_a_file_that_was_just_written_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, then: int) -> None:
    path = tmp_path / "one"
    path.write_text("a", "utf-8")
    reader = Reader(path)
    let_files_be(monkeypatch, YOUNG)
    assert [reader.get(), reader.get()] == [["a"], ["a"]]
    assert reader.times == 2, "it may change once more within what the disk calls the same time"
    let_files_be(monkeypatch, then)
    assert [reader.get(), reader.get()] == [["a"], ["a"]]
    assert reader.times == 3
