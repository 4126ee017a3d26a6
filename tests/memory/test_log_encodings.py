"""A log that another program saved in another encoding: told, read and dreamt of by nobody until it is converted."""

from datetime import timedelta

import pytest

from managers.memory.log import ConversationLog
from tests.fakes import HandClock
from tests.memory.logs import DAY, another, everything, texts

WORDS = (
    "おはよう。今日は雨だね",
    "表が濡れている",
    "OK",
    "猫のももが逃げた",
    "ソファの下にいた",
    "もう寝るね|おやすみ",
)


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
def test_no_garbled_word_is_read_and_a_conversion_brings_every_word_back(
    talked: ConversationLog, encoding: str
) -> None:
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


def test_an_archive_is_converted_where_it_lies(talked: ConversationLog, clock: HandClock) -> None:
    clock.move(days=60)
    talked.roll()
    saved_as(talked, "cp932", "log_archives/2026-11.txt")
    told = another(talked, clock.now())
    assert told.count() < len(WORDS)
    told.convert(talked.paths.log_archives / "2026-11.txt")
    assert everything(another(talked, clock.now())) == [*WORDS, "うん"]


def test_one_damaged_message_is_read_as_before(talked: ConversationLog) -> None:
    path = talked.paths.log
    path.write_bytes(path.read_bytes().replace("雨".encode(), b"\xe9\x9b"))
    told = another(talked)
    assert len(everything(told)) == len(WORDS) + 1
    assert told.foreign_files() == []
