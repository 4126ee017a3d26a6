"""A log that was torn, damaged, mended by hand, or met a full disk: nothing whole is lost."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from managers.memory.log import ConversationLog
from managers.memory.log.format import format_message
from managers.memory.messages import Message
from managers.storage.errors import DiskFullError, UnwritableError
from managers.storage.paths import PersonaPaths
from tests.crash import full_disk
from tests.fakes import HandClock
from tests.memory.logs import DAY, another, everything, talk_for


def test_a_torn_end_is_set_aside_and_merges_with_nothing(log: ConversationLog) -> None:
    log.append("user", "Sara", "whole")
    torn = format_message(Message("t1", DAY, "user", "Sara", "torn"))[:-12]
    with log.paths.log.open("ab") as file:
        file.write(torn)
    assert everything(another(log)) == ["whole"]
    writer = another(log)
    writer.append("user", "Sara", "next")
    assert everything(another(log)) == ["whole", "next"]
    assert [path.read_bytes() for path in log.paths.folder.glob("log.txt.broken-*")] == [torn]
    assert [notice.code for notice in writer.notices] == ["log-torn-end"]


def test_a_file_that_is_no_log_is_kept_aside(log: ConversationLog) -> None:
    log.paths.log.write_bytes(b"\xff\xfe" + "こんにちは".encode("utf-16-le"))
    log.append("user", "Sara", "new")
    assert everything(log) == ["new"]
    assert len(list(log.paths.folder.glob("log.txt.broken-*"))) == 1


def test_a_damaged_place_is_named_and_costs_nothing_around_it(log: ConversationLog) -> None:
    for text in ("before", "broken", "after"):
        log.append("user", "Sara", text)
    log.paths.log.write_bytes(log.paths.log.read_bytes().replace(b"broken", b"bro\xff\xfeken"))
    reader = another(log)
    assert everything(reader) == ["before", "bro\ufffd\ufffdken", "after"]
    assert [notice.code for notice in reader.notices] == ["log-damaged-message"]
    notices = reader.check()
    assert [notice.code for notice in notices] == ["log-damaged"]
    assert "log.txt" in notices[0].en
    assert reader.append("user", "Sara", "on").text == "on"
    assert b"bro\xff\xfeken" in log.paths.log.read_bytes()


def test_a_journal_that_makes_no_sense_is_set_aside(log: ConversationLog, clock: HandClock) -> None:
    talk_for(log, clock, 40)
    log.paths.log_archives.mkdir()
    (log.paths.log_archives / ".moving.json").write_bytes(b"\x00\x00\x00")
    assert len(everything(log)) == 40
    assert log.roll() == 33
    assert [notice.code for notice in log.notices] == ["file-set-aside"]
    assert len(everything(another(log))) == 40


def test_a_typo_mended_by_hand_is_read_at_once(log: ConversationLog) -> None:
    log.append("user", "Sara", "a typpo")
    said = log.append("user", "Sara", "more")
    assert log.count() == 2
    log.paths.log.write_bytes(log.paths.log.read_bytes().replace(b"typpo", b"typo"))
    assert everything(log) == ["a typo", "more"]
    assert log.get(said.id) == said
    log.paths.log.write_bytes(log.paths.log.read_bytes().rstrip(b"\n"))
    log.append("user", "Sara", "last")
    assert everything(log) == ["a typo", "more", "last"]
    assert list(log.paths.folder.glob("*.broken-*")) == []


def test_a_read_only_log_says_so(log: ConversationLog, monkeypatch: pytest.MonkeyPatch) -> None:
    log.append("user", "Sara", "one")
    real = os.open

    def refuse(path: str | Path, flags: int, mode: int = 0o777, **more: int) -> int:
        if Path(path) == log.paths.log and flags & os.O_RDWR:  # root may write whatever the mode says
            raise PermissionError(13, "Permission denied", str(path))
        return real(path, flags, mode, **more)

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(UnwritableError):
        log.append("user", "Sara", "two")
    assert everything(log) == ["one"]


def test_a_full_disk_loses_nothing(log: ConversationLog, monkeypatch: pytest.MonkeyPatch) -> None:
    log.append("user", "Sara", "one")
    for room in (0, 1, 30, 60):
        with full_disk(monkeypatch, room), pytest.raises(DiskFullError):
            log.append("user", "Sara", "two")
        assert everything(another(log)) == ["one"]
    log.append("user", "Sara", "two")
    assert everything(another(log)) == ["one", "two"]
    assert list(log.paths.folder.glob("*.broken-*")) == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A real disk of 64 KiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = os.name == "posix" and not subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)], check=False, capture_output=True
    ).returncode  # fmt: skip
    if not mounted:
        pytest.skip("a small disk can only be mounted by root on Linux")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_small_disk_that_fills_up_while_talking(small_disk: Path) -> None:
    clock = HandClock(DAY)
    log = ConversationLog(PersonaPaths(small_disk / "Mei"), clock, Random(1))
    said: list[str] = []

    def talk() -> None:
        for number in range(1000):
            clock.move(hours=5)
            said.append(log.append("user", "Sara", f"{number} " + "x" * 500).text)

    with pytest.raises(DiskFullError):
        talk()
    clock.move(days=30)
    with pytest.raises(DiskFullError):
        log.roll()
    assert 50 < len(said) < 150
    assert everything(another(log)) == said
