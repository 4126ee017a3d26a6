"""Days move to the archives, and come from elsewhere; what is kept beside the archives only saves reading."""

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime, timedelta
from pathlib import Path
from random import Random
from typing import IO

import pytest

from managers.memory.errors import MessageIdTakenError
from managers.memory.log import ConversationLog
from managers.memory.log.file_pieces import read_forward
from managers.memory.log.format import Record, format_message
from managers.memory.messages import Message
from tests.fakes import HandClock
from tests.memory.logs import DAY, another, everything, talk_for, texts

# Moving days to the archives


def test_old_days_move_and_the_last_seven_stay(log: ConversationLog, clock: HandClock) -> None:
    talk_for(log, clock, 40)
    before = log.paths.log.read_bytes()
    assert log.roll() == 33
    assert log.roll() == 0
    archives = sorted((log.paths.log_archives).glob("*.txt"))
    assert [path.name for path in archives] == ["2026-10.txt", "2026-11.txt"]
    assert b"".join(path.read_bytes() for path in [*archives, log.paths.log]) == before
    assert everything(log) == [str(n) for n in range(40)]
    assert [m.time.date() for m in ConversationLog(log.paths, clock, Random(1)).tail(40)][33] == date(2026, 11, 15)
    assert log.paths.log.read_text("utf-8").count("## ") == 7


def test_moving_costs_what_moves_not_what_is_there(
    log: ConversationLog, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = log.paths.log_archives / "2026-11.txt"
    log.append_many([Message(f"i{n}", DAY.replace(day=1), "user", "S", "x" * 1000) for n in range(2000)])
    size = archive.stat().st_size
    log.append("user", "Sara", "soon old")
    clock.move(days=8)
    written = 0
    real = os.write

    def counted(descriptor: int, data: bytes) -> int:
        nonlocal written
        written += len(data)
        return real(descriptor, data)

    monkeypatch.setattr(os, "write", counted)
    assert log.roll() == 1
    assert archive.stat().st_size > size > 2_000_000
    assert written < 2000


def test_a_clock_set_back_and_forward_scatters_nothing(log: ConversationLog, clock: HandClock) -> None:
    times = [DAY, DAY.replace(year=1970), DAY + timedelta(hours=1), DAY.replace(year=2099), DAY + timedelta(hours=2)]
    for number, time in enumerate(times):
        clock.set(time)
        log.append("user", "Sara", str(number))
    log.supersede(log.tail(5)[2].id, "two")
    clock.set(DAY + timedelta(days=30))
    assert log.roll() == 6
    assert [path.name for path in log.paths.log_archives.glob("*.txt")] == ["2026-11.txt"]
    assert everything(another(log)) == ["0", "1", "two", "3", "4"]
    assert texts(another(log).tail(5)) == ["0", "1", "two", "3", "4"]


def test_days_that_moved_while_the_clock_was_years_ahead(log: ConversationLog, clock: HandClock) -> None:
    clock.set(DAY.replace(year=2099))
    said = [log.append("user", "Sara", text) for text in ("one", "two")]
    clock.move(days=30)
    log.roll()
    clock.set(DAY)
    log.supersede(said[0].id, None)
    log.append("user", "Sara", "three")
    clock.move(days=30)
    log.roll()
    log.append("user", "Sara", "four")
    assert [path.name for path in sorted(log.paths.log_archives.glob("*.txt"))] == ["2026-11.txt", "2099-11.txt"]
    for reader in (another(log, clock.now()), log):
        assert Counter(everything(reader)) == Counter(texts(reader.tail(9))) == Counter(["two", "three", "four"])
        assert reader.count() == 3


# What comes from elsewhere


def test_imported_days_go_where_their_times_belong(log: ConversationLog, clock: HandClock) -> None:
    talk_for(log, clock, 10)
    late = [Message(f"b{n}", DAY - timedelta(days=n, hours=1), "user", "Ann", f"b{n}") for n in (9, 8, 2)]
    early = [Message(f"a{n}", DAY - timedelta(days=n, hours=2), "user", "Ann", f"a{n}") for n in (9, 8, 2)]
    assert log.append_many(late) == 3
    assert log.append_many(reversed(early)) == 3
    assert log.append_many([*late, *early]) == 0
    with pytest.raises(MessageIdTakenError):  # and nothing is added
        log.append_many([Message("b", DAY, "user", "Ann", "two"), replace(early[1], text="other")])
    expected = ["a9", "b9", "0", "a8", "b8", "1", "2", "3", "4", "5", "6", "a2", "b2", "7", "8", "9"]
    assert everything(another(log)) == expected
    assert texts(another(log).tail(16)) == expected
    assert log.get("a8") == early[1]


def test_what_is_imported_with_other_answers_replaces_no_archive_without_trailers(log: ConversationLog) -> None:
    archive = log.paths.log_archives / "2025-05.txt"
    archive.parent.mkdir()
    archive.write_text("## USER:Sara\nthe last thing mother said\n\n## AGENT:Nemu\nI know\n", "utf-8")
    said = Message("c1", datetime(2025, 5, 3, 10), "persona", "Nemu", "first answer")
    other = Record(replace(said, id="c2", role="system", speaker="regenerate", text="other"), target="c1", variant="c2")
    assert log.take_in([[Record(said), other]]).added == 1
    assert "the last thing mother said" in archive.read_text("utf-8")
    assert everything(another(log)) == ["the last thing mother said", "other"]


# The index that is kept beside the archives


def kept_indexes(log: ConversationLog) -> list[Path]:
    return sorted((log.paths.log_archives / ".index").iterdir())


@pytest.fixture
def old_log(log: ConversationLog, clock: HandClock) -> ConversationLog:
    """Forty days, one of them changed, one deleted, and the indexes of their archives kept."""
    talk_for(log, clock, 40)
    messages = log.tail(40)
    log.supersede(messages[1].id, "changed")
    log.supersede(messages[2].id, None)
    clock.move(days=20)
    log.roll()
    assert another(log).count() == 39
    assert len(kept_indexes(log)) == 2
    return log


def see(log: ConversationLog) -> tuple[int, list[date], list[str], list[str]]:
    reader = another(log)
    return reader.count(), reader.days(), everything(reader), texts(reader.tail(3, before=reader.tail(30)[0].id))


def test_kept_indexes_save_reading_and_change_nothing_also_where_they_are_damaged(
    old_log: ConversationLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = see(old_log)
    for harm in (
        lambda data: data[: len(data) // 2] + b"?" + data[len(data) // 2 + 1 :],
        lambda data: data[:-20],
        None,
    ):
        for path in kept_indexes(old_log):
            path.write_bytes(harm(path.read_bytes())) if harm else path.unlink()
        assert see(old_log) == expected

    def only_log_txt(file: IO[bytes], start: int, end: int, *, branch: str = "") -> Iterator[Record]:
        assert Path(file.name).name == "log.txt"
        return read_forward(file, start, end, branch=branch)

    monkeypatch.setattr("managers.memory.log.contents.read_forward", only_log_txt)
    assert (another(old_log).count(), another(old_log).days()) == expected[:2]


def test_archives_that_changed_since_are_read_again(old_log: ConversationLog) -> None:
    archive = old_log.paths.log_archives / "2026-10.txt"
    content = archive.read_bytes()
    middle = next(old_log.messages(date(2026, 10, 20), date(2026, 10, 20)))
    mended = Message(middle.id, middle.time, "user", "Sara", "mended by hand")
    archive.write_bytes(content.replace(format_message(middle), format_message(mended)))
    assert "mended by hand" in see(old_log)[2]
    archive.write_bytes(content.replace(format_message(middle), b""))
    count, days, texts_now, _ = see(old_log)
    assert count == 38
    assert date(2026, 10, 20) not in days
    assert middle.text not in texts_now
    archive.unlink()
    assert see(old_log)[0] < 38
