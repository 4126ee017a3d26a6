"""Files are written whole or not at all, appended durably, kept when they are broken, and waited for when they are held."""

import errno
import itertools
import os
import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from managers.storage import files, retrying
from managers.storage.errors import DiskFullError, UnreadableError, UnwritableError
from managers.storage.files import append_durably, read_bytes, remove, write_atomic
from managers.storage.opening import move
from managers.storage.paths import PersonaPaths
from tests.crash import full_disk, kill_everywhere, needs_signals

OLD, NEW = "旧い内容\n".encode(), "新しい内容\n".encode() * 400


def _write_new(path: Path) -> None:
    files.write_atomic(path, NEW)


def _append_new(path: Path) -> None:
    files.append_durably(path, NEW)


def _fresh(folder: Path) -> Callable[[], tuple[Path]]:
    numbers = itertools.count()

    def prepare() -> tuple[Path]:
        path = folder / str(next(numbers)) / "note.txt"
        path.parent.mkdir()
        path.write_bytes(OLD)
        return (path,)

    return prepare


@needs_signals
def test_a_killed_write_leaves_the_old_or_the_new(tmp_path: Path) -> None:
    seen: list[bytes] = []
    for death in kill_everywhere(_write_new, _fresh(tmp_path)):
        path: Path = death.given[0]
        seen.append(path.read_bytes())
        files.write_atomic(path, b"next")  # what was left over is in nobody's way
        assert path.read_bytes() == b"next"
    assert set(seen) == {OLD, NEW}
    assert len(seen) > 8


@needs_signals
def test_a_killed_append_never_touches_what_was_there(tmp_path: Path) -> None:
    for death in kill_everywhere(_append_new, _fresh(tmp_path)):
        content = death.given[0].read_bytes()
        assert content.startswith(OLD)
        assert NEW.startswith(content[len(OLD) :])
        assert death.when or content == OLD + NEW


def test_a_power_cut_finds_all_on_the_disk_when_it_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was written is flushed before it takes a name, and so is the folder after a name has changed."""
    unsafe, real = set[int](), {name: getattr(os, name) for name in ("write", "fsync", "replace")}

    def write(descriptor: int, data: bytes) -> int:
        unsafe.add(os.fstat(descriptor).st_ino)
        return int(real["write"](descriptor, data))

    def fsync(descriptor: int) -> None:
        unsafe.discard(os.fstat(descriptor).st_ino)
        real["fsync"](descriptor)

    def replace(source: Path, target: Path) -> None:
        assert source.stat().st_ino not in unsafe
        unsafe.add(target.parent.stat().st_ino)
        real["replace"](source, target)

    for name, noted in (("write", write), ("fsync", fsync), ("replace", replace)):
        monkeypatch.setattr(os, name, noted)
    files.write_atomic(tmp_path / "note.txt", NEW)
    assert not unsafe
    files.append_durably(tmp_path / "note.txt", NEW)
    assert not unsafe
    files.write_together({tmp_path / f"{number}.txt": NEW for number in range(3)})
    assert not unsafe
    assert {path.read_bytes() for path in tmp_path.glob("[0-9].txt")} == {NEW}


def test_a_full_disk_leaves_what_was_there_and_no_litter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "note.txt"
    path.write_bytes(OLD)
    for write in (files.write_atomic, files.append_durably):
        with full_disk(monkeypatch, 100), pytest.raises(DiskFullError, match=r"note\.txt"):
            write(path, NEW)
        assert path.read_bytes() == OLD
    assert files.append_durably(path, b"more") == len(OLD)
    assert path.read_bytes() == OLD + b"more"
    assert [left.name for left in tmp_path.iterdir()] == ["note.txt"]


def test_what_is_written_comes_back_and_folders_are_made(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / ("秘" * 80 + ".toml")
    assert files.read_bytes(path) is None
    for text in ("x", "y"):
        files.write_atomic(path, text)
        assert files.read_bytes(path) == text.encode()
    if os.name == "posix":
        assert path.stat().st_mode & 0o777 == 0o600
    assert files.digest("ねむ") == files.digest("ねむ".encode()) != files.digest("ネム")
    assert files.dump_json({"名前": "ねむ"}) == '{\n  "名前": "ねむ"\n}\n'


def test_what_is_read_only_or_a_folder_is_named_and_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "note.txt"
    path.write_bytes(OLD)
    with monkeypatch.context() as patch:
        patch.setattr(os, "access", lambda *_: False)  # nothing is read-only for root
        with pytest.raises(UnwritableError, match=r"note\.txt"):
            files.write_atomic(path, NEW)
    assert path.read_bytes() == OLD
    path.unlink()
    path.mkdir()
    with pytest.raises(UnwritableError, match=r"note\.txt"):
        files.write_atomic(path, NEW)
    with pytest.raises(UnreadableError, match=r"note\.txt"):
        files.read_bytes(path)
    assert [left.name for left in tmp_path.iterdir()] == ["note.txt"]


def test_what_is_set_aside_keeps_its_bytes_and_never_another_files_name(tmp_path: Path) -> None:
    path, now = tmp_path / "goals.json", datetime(2026, 1, 2, 3, 4, 5)
    contents = (b"\xff\xfe broken", b"broken too", b"and again")
    for content in contents:
        path.write_bytes(content)
        notice = files.set_aside(path, now)
        assert not path.exists()
        (kept,) = [kept for kept in tmp_path.iterdir() if kept.read_bytes() == content]
        assert kept.name in notice.ja
        assert kept.name in notice.en
    assert sorted(kept.read_bytes() for kept in tmp_path.iterdir()) == sorted(contents)


def test_threads_that_write_one_file_leave_one_of_their_versions(tmp_path: Path) -> None:
    path = tmp_path / "note.txt"
    versions = [bytes([65 + number]) * 5_000 for number in range(6)]
    with ThreadPoolExecutor() as pool:
        _ = [*pool.map(lambda version: files.write_atomic(path, version), versions)]
    assert path.read_bytes() in versions
    assert [left.name for left in tmp_path.iterdir()] == ["note.txt"]


def test_what_killed_writers_left_is_swept_after_a_day(tmp_path: Path) -> None:
    old, fresh = tmp_path / "a" / ".note.txt.77-0.utatane-tmp", tmp_path / ".note.txt.78-0.utatane-tmp"
    old.parent.mkdir()
    for path in (old, fresh, tmp_path / "note.txt"):
        path.write_text("x")
        os.utime(path, (0, 0))
    os.utime(fresh)
    assert files.sweep(tmp_path) == 1
    assert [old.exists(), fresh.exists(), (tmp_path / "note.txt").exists()] == [False, True, True]


def test_a_file_system_that_syncs_no_folders_is_no_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.fsync

    def fsync(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    files.write_atomic(tmp_path / "note.txt", "x")
    assert (tmp_path / "note.txt").read_text() == "x"


class Holder:
    """Somebody who holds files for so many calls of the system, and counts how long others wait."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._patch = patch
        self.left = 0
        self.waited: list[float] = []
        self.now = 1000.0
        patch.setattr(retrying, "_in_vain", {})
        patch.setattr(retrying, "time", SimpleNamespace(sleep=self.waited.append, monotonic=lambda: self.now))

    def hold(self, call: str, name: str, times: int, code: int = errno.EACCES) -> None:
        """Deny a call about a file of this name so many times."""
        self.left, real = times, getattr(os, call)

        def denied(path: Any, *rest: Any, **named: Any) -> Any:
            is_it = name in {Path(one).name for one in (path, *rest[:1]) if isinstance(one, str | Path)}
            if is_it and self.left > 0:
                self.left -= 1
                raise OSError(code, os.strerror(code), str(path))
            return real(path, *rest, **named)

        self._patch.setattr(os, call, denied)


@pytest.fixture
def holder(monkeypatch: pytest.MonkeyPatch) -> Holder:
    return Holder(monkeypatch)


WAYS: dict[str, tuple[str, Callable[[PersonaPaths], object], Callable[[PersonaPaths], bool]]] = {
    "read": ("open", lambda paths: read_bytes(paths.goals), lambda paths: True),
    "replace": ("replace", lambda paths: write_atomic(paths.goals, b"[2]"), lambda p: p.goals.read_bytes() == b"[2]"),
    "append": ("open", lambda paths: append_durably(paths.goals, b"\n"), lambda p: p.goals.read_bytes() == b"[1]\n"),
    "remove": ("unlink", lambda paths: remove(paths.goals), lambda paths: not paths.goals.exists()),
    "move": ("replace", lambda paths: move(paths.goals, paths.notepad), lambda p: p.notepad.read_bytes() == b"[1]"),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_file_that_is_held_for_a_moment_is_waited_for(paths: PersonaPaths, holder: Holder, way: str) -> None:
    call, do, is_done = WAYS[way]
    paths.goals.write_bytes(b"[1]")
    holder.hold(call, "goals.json", 2)
    do(paths)
    assert is_done(paths)
    assert holder.waited == list(retrying.PAUSES[:2])


def test_what_stays_denied_is_said_soon_and_for_a_minute_at_once(paths: PersonaPaths, holder: Holder) -> None:
    paths.goals.write_bytes(b"[1]")
    holder.hold("open", "goals.json", 1_000)
    for _ in range(3):
        with pytest.raises(UnreadableError):
            read_bytes(paths.goals)
    assert holder.waited == list(retrying.PAUSES)
    assert sum(holder.waited) == pytest.approx(0.5)
    holder.now += 61
    holder.left = 1
    assert read_bytes(paths.goals) == b"[1]"


def test_a_read_only_disk_and_a_missing_file_are_not_waited_for(paths: PersonaPaths, holder: Holder) -> None:
    assert read_bytes(paths.goals) is None
    paths.goals.write_bytes(b"[1]")
    holder.hold("replace", "goals.json", 1, errno.EROFS)
    with pytest.raises(UnwritableError):
        write_atomic(paths.goals, b"[2]")
    assert holder.waited == []
