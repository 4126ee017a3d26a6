"""Files are written whole or not at all, appended durably, and kept when they are broken."""

import errno
import os
import stat
import threading
from datetime import datetime
from pathlib import Path

import pytest

from managers.storage import files
from managers.storage.errors import DiskFullError, UnreadableError, UnwritableError
from tests.crash import Death, full_disk, kill_everywhere, needs_signals

OLD, NEW = "旧い内容\n".encode(), "新しい内容\n".encode() * 400


def _write_new(path: Path) -> None:
    files.write_atomic(path, NEW)


def _append_new(path: Path) -> None:
    files.append_durably(path, NEW)


@needs_signals
def test_a_killed_write_leaves_the_old_or_the_new(tmp_path: Path) -> None:
    count = 0

    def fresh() -> tuple[Path]:
        nonlocal count
        count += 1
        path = tmp_path / str(count) / "note.txt"
        path.parent.mkdir()
        path.write_bytes(OLD)
        return (path,)

    seen: set[bytes] = set()
    deaths: list[Death] = []
    for death in kill_everywhere(_write_new, fresh):
        path: Path = death.given[0]
        seen.add(path.read_bytes())
        deaths.append(death)
        files.write_atomic(path, b"next")  # what was left over is in nobody's way
        assert path.read_bytes() == b"next"
    assert seen == {OLD, NEW}
    assert len(deaths) > 8


@needs_signals
def test_a_killed_append_never_touches_what_was_there(tmp_path: Path) -> None:
    count = 0

    def fresh() -> tuple[Path]:
        nonlocal count
        count += 1
        path = tmp_path / f"{count}.txt"
        path.write_bytes(OLD)
        return (path,)

    for death in kill_everywhere(_append_new, fresh):
        content = death.given[0].read_bytes()
        assert content.startswith(OLD)
        assert NEW.startswith(content[len(OLD) :])


def test_a_full_disk_leaves_the_old_file_and_no_litter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "note.txt"
    path.write_bytes(OLD)
    with full_disk(monkeypatch, 100), pytest.raises(DiskFullError, match=r"note\.txt"):
        files.write_atomic(path, NEW)
    assert path.read_bytes() == OLD
    assert [left.name for left in tmp_path.iterdir()] == ["note.txt"]


def test_an_append_to_a_full_disk_is_cut_off_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "log.txt"
    path.write_bytes(OLD)
    with full_disk(monkeypatch, 100), pytest.raises(DiskFullError):
        files.append_durably(path, NEW)
    assert path.read_bytes() == OLD
    assert files.append_durably(path, b"more") == len(OLD)
    assert path.read_bytes() == OLD + b"more"


def test_folders_are_made_and_the_mode_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "秘密.toml"
    files.write_atomic(path, "x")
    files.write_atomic(path, "y")
    assert path.read_text("utf-8") == "y"
    if os.name == "posix":
        assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(os.name == "posix" and os.geteuid() == 0, reason="nothing is read-only for root")
def test_a_read_only_file_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "note.txt"
    path.write_bytes(OLD)
    path.chmod(0o444)
    with pytest.raises(UnwritableError, match=r"note\.txt"):
        files.write_atomic(path, NEW)
    assert path.read_bytes() == OLD


def test_a_folder_in_the_place_of_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "note.txt").mkdir()
    with pytest.raises(UnwritableError, match=r"note\.txt"):
        files.write_atomic(tmp_path / "note.txt", NEW)
    with pytest.raises(UnreadableError, match=r"note\.txt"):
        files.read_bytes(tmp_path / "note.txt")
    assert [left.name for left in tmp_path.iterdir()] == ["note.txt"]


def test_a_missing_file_reads_as_none(tmp_path: Path) -> None:
    assert files.read_bytes(tmp_path / "nothing") is None


def test_what_is_set_aside_keeps_its_bytes_and_never_another_files_name(tmp_path: Path) -> None:
    path, now = tmp_path / "goals.json", datetime(2026, 1, 2, 3, 4, 5)
    names = []
    for content in (b"\xff\xfe broken", b"broken too", b"and again"):
        path.write_bytes(content)
        notice = files.set_aside(path, now)
        assert not path.exists()
        kept = [kept for kept in tmp_path.iterdir() if kept.read_bytes() == content]
        assert len(kept) == 1
        names.append(kept[0].name)
        assert kept[0].name in notice.sentence("ja")
        assert kept[0].name in notice.sentence("en")
    assert len(set(names)) == 3


def test_text_and_bytes_have_the_same_digest() -> None:
    assert files.digest("ねむ") == files.digest("ねむ".encode()) != files.digest("ネム")


def test_json_is_written_as_people_write_it() -> None:
    assert files.dump_json({"名前": "ねむ"}) == '{\n  "名前": "ねむ"\n}\n'


def test_threads_that_write_one_file_leave_one_of_their_versions(tmp_path: Path) -> None:
    path = tmp_path / "note.txt"
    versions = [bytes([65 + number]) * 5_000 for number in range(6)]
    threads = [threading.Thread(target=files.write_atomic, args=(path, version)) for version in versions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert path.read_bytes() in versions
    assert [left.name for left in tmp_path.iterdir()] == ["note.txt"]


def test_long_names_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / ("あ" * 80 + ".md")
    files.write_atomic(path, "x")
    assert path.read_text("utf-8") == "x"


def test_what_killed_writers_left_is_swept_after_a_day(tmp_path: Path) -> None:
    old, fresh = tmp_path / "a" / ".note.txt.77-0.utatane-tmp", tmp_path / ".note.txt.78-0.utatane-tmp"
    old.parent.mkdir()
    for path in (old, fresh, tmp_path / "note.txt"):
        path.write_text("x")
        os.utime(path, (0, 0))
    os.utime(fresh)
    assert files.sweep(tmp_path) == 1
    assert not old.exists()
    assert fresh.exists()
    assert (tmp_path / "note.txt").exists()


def test_a_file_system_that_syncs_no_folders_is_no_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.fsync

    def fsync(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    files.write_atomic(tmp_path / "note.txt", "x")
    assert (tmp_path / "note.txt").read_text() == "x"
