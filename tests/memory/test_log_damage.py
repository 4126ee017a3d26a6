"""A log that was torn, damaged, mended by hand, saved in another encoding, or met a full disk: nothing whole is lost."""

from datetime import timedelta

import pytest

from managers.memory.log import ConversationLog
from managers.memory.log.format import format_message
from managers.memory.messages import Message
from managers.storage.errors import DiskFullError
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


BOM = b"\xef\xbb\xbf"


def test_a_mark_of_bytes_that_an_editor_left_goes_when_the_log_moves(log: ConversationLog, clock: HandClock) -> None:
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


def test_a_full_disk_loses_nothing(log: ConversationLog, monkeypatch: pytest.MonkeyPatch) -> None:
    log.append("user", "Sara", "one")
    for room in (0, 1, 30, 60):
        with full_disk(monkeypatch, room), pytest.raises(DiskFullError):
            log.append("user", "Sara", "two")
        assert everything(another(log)) == ["one"]
    log.append("user", "Sara", "two")
    assert everything(another(log)) == ["one", "two"]
    assert list(log.paths.folder.glob("*.broken-*")) == []


WORDS = ("おはよう。今日は雨だね", "表が濡れた", "OK", "猫のももが逃げた", "ソファの下にいた", "もう寝るね|おやすみ")


@pytest.fixture
def talked(log: ConversationLog, clock: HandClock) -> ConversationLog:
    for number, word in enumerate(WORDS):
        log.append("user", "花", word, time=DAY - timedelta(days=len(WORDS) - number))
    log.append("persona", "ねむ", "うん", mind="built-in", time=DAY)
    return log


def saved_as(log: ConversationLog, encoding: str, name: str = "log.txt") -> bytes:
    """Save a file of the log as an editor does that writes this encoding."""
    path = log.paths.folder / name
    data = path.read_bytes().decode().replace("\n", "\r\n").encode(encoding)
    path.write_bytes(data)
    return data


@pytest.mark.parametrize("encoding", ["cp932", "euc_jp", "utf-16", "utf-16-le"])
def test_no_garbled_word_is_read_and_conversion_brings_each_back(talked: ConversationLog, encoding: str) -> None:
    before = [*talked.messages()]
    data = saved_as(talked, encoding)
    told = another(talked)
    for read in (everything(told), texts(told.tail(100)), texts(told.thread(100))):
        assert set(read) <= {"OK", "うん"}
    assert told.count() == len(everything(told)) == len(told.days())
    ((path, notice),) = told.foreign_files()
    assert (path, notice.code, told.check()) == (told.paths.log, "log-other-encoding", [])
    assert "log.txt" in notice.en
    kept = told.convert(talked.paths.log)
    assert kept.read_bytes() == data
    assert kept.is_relative_to(talked.paths.folder / "set_aside")
    assert [*another(talked).messages()] == before
    assert another(talked).foreign_files() == []
    said = another(talked).append("user", "花", "続き")
    assert another(talked).tail(1) == [said]


@pytest.mark.parametrize("encoding", ["cp932", "euc_jp"])
def test_a_log_that_goes_on_in_utf_8_is_converted_message_by_message(talked: ConversationLog, encoding: str) -> None:
    saved_as(talked, encoding)
    told = another(talked)
    told.append("user", "花", "新しい話")
    assert "新しい話" in everything(another(talked))
    assert len(told.foreign_files()) == 1
    told.convert(talked.paths.log)
    assert everything(another(talked)) == [*WORDS, "うん", "新しい話"]


def test_a_log_in_utf_16_that_was_set_aside_is_told_for_what_it_is(talked: ConversationLog) -> None:
    data = saved_as(talked, "utf-16")
    told = another(talked, DAY + timedelta(hours=1))
    told.append("user", "花", "新しい話")
    (kept,) = talked.paths.folder.glob("log.txt.broken-*")
    assert kept.read_bytes() == data
    assert "UTF-16" in told.notices[0].en
    assert told.merge(kept).added == len(WORDS) + 1
    assert everything(another(talked)) == [*WORDS, "うん", "新しい話"]
