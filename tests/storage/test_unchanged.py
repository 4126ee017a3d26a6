"""What was made of files is made again when one of them has changed, and only then."""

import os
import time
from pathlib import Path

import pytest

from managers.storage.unchanged import Unchanged


class _Reader:
    """Reads files, and counts how often."""

    def __init__(self, *paths: Path) -> None:
        self.paths, self.times, self._kept = paths, 0, Unchanged[list[str]]()

    def _read(self) -> list[str]:
        self.times += 1
        return [path.read_text("utf-8") if path.exists() else "" for path in self.paths]

    def get(self, of: object = None) -> list[str]:
        return self._kept.get(self._read, *self.paths, of=of)


def _settle(*paths: Path) -> None:
    """Let files be as old as what is kept must be."""
    time.sleep(0.06)
    assert all(time.time() - path.stat().st_ctime > 0.05 for path in paths)


def test_what_has_not_changed_is_made_once(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_text("a", "utf-8")
    reader = _Reader(one, two)
    _settle(one)
    assert reader.get() is reader.get()
    assert reader.get("another way") == ["a", ""]
    assert reader.times == 2


@pytest.mark.parametrize("how", ["written", "replaced", "removed", "another comes", "linked"])
def test_each_change_is_noticed(tmp_path: Path, how: str) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_text("a", "utf-8")
    reader = _Reader(one, two)
    _settle(one)
    assert reader.get() == ["a", ""]
    before = one.stat()
    match how:
        case "written":  # as large as before, and said to be as old
            one.write_text("b", "utf-8")
            os.utime(one, ns=(before.st_atime_ns, before.st_mtime_ns))
        case "replaced":
            (tmp_path / "new").write_text("b", "utf-8")
            os.utime(tmp_path / "new", ns=(before.st_atime_ns, before.st_mtime_ns))
            (tmp_path / "new").replace(one)
        case "removed":
            one.unlink()
        case "another comes":
            two.write_text("b", "utf-8")
        case _:
            (tmp_path / "elsewhere").write_text("b", "utf-8")
            one.unlink()
            one.symlink_to(tmp_path / "elsewhere")
    assert reader.get() == [path.read_text("utf-8") if path.exists() else "" for path in (one, two)]
    assert reader.times == 2


def test_what_a_link_outside_of_every_persona_leads_to_is_noticed_too(tmp_path: Path) -> None:
    real, link = tmp_path / "dotfiles.toml", tmp_path / "settings.toml"
    real.write_text("a", "utf-8")
    link.symlink_to(real)
    reader = _Reader(link)
    _settle(real)
    assert reader.get() == ["a"]
    real.write_text("b", "utf-8")
    assert reader.get() == ["b"]


def test_a_file_that_was_only_just_written_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "one"
    path.write_text("a", "utf-8")
    os.utime(path, (time.time() + 60, time.time() + 60))  # as young as can be, however busy this machine is
    reader = _Reader(path)
    reader.get()
    reader.get()
    assert reader.times == 2, "it may change once more within what the disk calls the same time"
    os.utime(path)
    _settle(path)
    reader.get()
    reader.get()
    assert reader.times == 3


def test_what_cannot_be_made_is_tried_again(tmp_path: Path) -> None:
    path, kept = tmp_path / "one", Unchanged[int]()
    path.write_text("no number", "utf-8")
    _settle(path)
    for _ in range(2):
        with pytest.raises(ValueError, match="invalid literal"):
            kept.get(lambda: int(path.read_text("utf-8")), path)
    assert kept.get(lambda: 3, path) == 3
