"""What was made of files is made again when one of them has changed, and only then."""

import os
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from managers.storage import unchanged
from managers.storage.unchanged import Unchanged

SETTLED, YOUNG = 10**9, -(10**10)


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


def test_a_file_that_was_only_just_written_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "one"
    path.write_text("a", "utf-8")
    reader = Reader(path)
    let_files_be(monkeypatch, YOUNG)
    assert [reader.get(), reader.get()] == [["a"], ["a"]]
    assert reader.times == 2, "it may change once more within what the disk calls the same time"
    let_files_be(monkeypatch, SETTLED)
    assert [reader.get(), reader.get()] == [["a"], ["a"]]
    assert reader.times == 3


def test_what_cannot_be_made_is_tried_again(tmp_path: Path) -> None:
    path, kept = tmp_path / "one", Unchanged[int]()
    path.write_text("no number", "utf-8")
    for _ in range(2):
        with pytest.raises(ValueError, match="invalid literal"):
            kept.get(lambda: int(path.read_text("utf-8")), path)
    assert kept.get(lambda: 3, path) == 3
