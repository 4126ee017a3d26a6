"""A log that was torn, damaged, mended by hand, or met a full disk: nothing whole is lost."""

import os
from datetime import timedelta
from pathlib import Path

import pytest

from managers.memory.log import ConversationLog
from managers.memory.log.file_pieces import read_backward
from managers.memory.log.format import format_message
from managers.memory.messages import Message
from managers.storage.errors import DiskFullError, UnwritableError
from tests.crash import full_disk
from tests.fakes import HandClock
from tests.memory.logs import DAY, another, everything, talk_for, texts


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


def test_an_imported_message_without_its_last_line_feed_is_whole_unless_its_id_is_cut(log: ConversationLog) -> None:
    for name in ("im-0123456789abcdef0123", "sillytavern-" + "0a" * 12, "6b1f7a1e-9c0d-4e53-8f0a-2b7f4b0c9d11"):
        whole = format_message(Message(name, DAY, "user", "Sara", "from elsewhere")).rstrip(b"\n")
        for content, told in ((whole, ["from elsewhere", "next"]), (whole[:-1], ["next"])):
            log.paths.log.write_bytes(content)
            log.append("user", "Sara", "next")
            assert everything(another(log)) == told
        assert whole[:-1] in [path.read_bytes() for path in log.paths.folder.glob("log.txt.broken-*")]


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


def test_a_message_without_its_trailer_has_one_day_whoever_asks(log: ConversationLog, clock: HandClock) -> None:
    """That of the message before it, also where reading begins with it."""
    clock.set(DAY - timedelta(days=2))
    log.append("user", "Sara", "evening")
    clock.move(days=1)
    lost = [log.append("user", "Sara", text) for text in ("good", "night")]
    clock.move(days=1)
    log.append("user", "Sara", "morning")
    lines = log.paths.log.read_bytes().splitlines(keepends=True)
    log.paths.log.write_bytes(b"".join(line for line in lines if not any(one.id.encode() in line for one in lost)))
    reader = another(log)
    said = [*reader.messages()]
    assert [one.time.day for one in said] == [19, 19, 19, 21]
    assert [reader.get(one.id) for one in said] == reader.tail(9) == said
    assert [*reader.originals([one.id for one in said]).values()] == said
    assert texts([*reader.messages(said[0].time.date(), said[0].time.date())]) == ["evening", "good", "night"]


BOM = b"\xef\xbb\xbf"


def test_a_log_that_an_editor_saved_with_a_mark_of_bytes_moves_and_grows_without_it(
    log: ConversationLog, clock: HandClock
) -> None:
    talk_for(log, clock, 20)
    log.roll()
    clock.move(days=1)
    log.paths.log.write_bytes(BOM + log.paths.log.read_bytes())
    assert log.roll() == 1
    log.paths.log.write_bytes(BOM + log.paths.log.read_bytes())
    log.append_many([Message("m1", DAY - timedelta(hours=3), "user", "Sara", "morning")])
    assert log.count() == 21
    assert {(said.role, said.speaker) for said in another(log).messages()} == {("user", "Sara")}
    assert not any(BOM in path.read_bytes() for path in log.paths.folder.rglob("*.txt"))


def test_such_a_mark_in_the_middle_of_a_file_is_passed_over_wherever_reading_begins(
    log: ConversationLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    for text in ("before", "marked", "after"):
        log.append("user", "Sara", text)
    header = b"## USER:Sara\nmarked"
    log.paths.log.write_bytes(log.paths.log.read_bytes().replace(header, BOM + header))
    for block in (16, 100, 10_000):
        monkeypatch.setattr(read_backward, "__kwdefaults__", {"block": block})
        reader = another(log)
        said = [*reader.messages()]
        assert [(one.speaker, one.text) for one in said] == [("Sara", "before"), ("Sara", "marked"), ("Sara", "after")]
        assert reader.tail(5) == [reader.get(one.id) for one in said] == said
        assert reader.tail(5, before=said[1].id) == said[:1]
        assert reader.check() == []


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
