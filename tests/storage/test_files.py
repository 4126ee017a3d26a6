"""Files are written whole or not at all, appended durably, and kept when they are broken."""

import errno
import itertools
import os
import stat
import threading
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from managers.storage import files
from managers.storage.errors import DiskFullError, UnreadableError, UnwritableError
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


def test_a_read_only_file_is_not_replaced_and_a_folder_in_its_place_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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
    threads = [threading.Thread(target=files.write_atomic, args=(path, version)) for version in versions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
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
