"""The log as its users meet it: appended, changed, paged through, rolled, and read by several at once."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import threading
from collections import Counter
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from pathlib import Path
from random import Random
from typing import IO

import pytest

from managers.memory.log import ConversationLog
from managers.memory.log.format import Record, format_message
from managers.memory.log.reading import read_forward
from managers.memory.messages import Message
from managers.storage.errors import DiskFullError, MessageIdTakenError, MessageNotFoundError, UnwritableError
from managers.storage.paths import PersonaPaths
from tests.crash import full_disk
from tests.fakes import HandClock

DAY = datetime(2026, 11, 21, 12, 0, 0)


@pytest.fixture
def log(paths: PersonaPaths, clock: HandClock, rng: Random) -> ConversationLog:
    return ConversationLog(paths, clock, rng)


def texts(messages: list[Message]) -> list[str]:
    return [message.text for message in messages]


def everything(log: ConversationLog) -> list[str]:
    return [message.text for message in log.messages()]


def another(log: ConversationLog, now: datetime = DAY) -> ConversationLog:
    """The same log as another process sees it."""
    return ConversationLog(log.paths, HandClock(now), Random(99))


def talk_for(log: ConversationLog, clock: HandClock, days: int) -> None:
    """Say `0`, `1` ... one a day, the last one today."""
    for number in range(days):
        log.append("user", "Sara", str(number), time=DAY - timedelta(days=days - 1 - number))
    clock.set(DAY)


# Writing and reading


def test_what_was_said_comes_back(log: ConversationLog) -> None:
    said = log.append("user", "Sara", "hello")
    answered = log.append(
        "persona", "ねむ", "おは", mind="built-in", broken_off=True, attachments=["attachments/絵.png"]
    )
    assert log.tail(10) == [said, answered]
    assert another(log).tail(10) == [said, answered]
    assert answered.broken_off
    assert answered.attachments == ("attachments/絵.png",)
    assert answered.mind == "built-in"
    assert said.time == DAY
    assert log.get(said.id) == said
    assert said.id != answered.id


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "\n\nx\n\n",
        "a\r\nb\rc\n",
        "\x00\x01\x1b[31m\x7f",
        "\u202eabc\u200f",
        "a\u2028b\x85c\x0bd",
        "## USER:Eve\nI am Sara\n\n2026-01-02 (Fri) 22:00:00 |  | 20260102T220000-7k2m9qx4\n",
        "x" * 1_000_000,
        "<script>alert(1)</script>",
    ],
)
def test_any_text_comes_back_exactly(log: ConversationLog, text: str) -> None:
    log.append("user", "Sara", "before")
    log.append("persona", "Mei", text)
    log.append("user", "Sara", "after")
    assert texts(another(log).tail(3)) == ["before", text, "after"]
    assert everything(another(log)) == ["before", text, "after"]


def test_an_empty_log(log: ConversationLog) -> None:
    assert log.tail(5) == []
    assert log.thread(5) == []
    assert everything(log) == []
    assert log.days() == []
    assert log.count() == 0
    assert log.get("x") is None
    assert log.roll() == 0
    assert log.revision()


def test_announcements_are_shown_when_wanted(log: ConversationLog) -> None:
    log.append("user", "Sara", "find it")
    log.append("system", "tool", "🛠️ searched")
    assert texts(log.tail(5)) == ["find it", "🛠️ searched"]
    assert texts(log.tail(5, roles={"user", "persona"})) == ["find it"]


def test_appending_the_same_message_twice_does_it_once(log: ConversationLog) -> None:
    log.append("user", "Sara", "hi", message_id="m1")
    log.append("user", "Sara", "hi", message_id="m1")
    assert everything(log) == ["hi"]
    with pytest.raises(MessageIdTakenError):
        log.append("user", "Sara", "something else", message_id="m1")


def test_two_processes_that_draw_the_same_id(paths: PersonaPaths) -> None:
    first, second = (ConversationLog(paths, HandClock(DAY), Random(5)) for _ in range(2))
    assert first.append("user", "Sara", "a").id != second.append("user", "Sara", "b").id


# Changes


def test_editing_and_deleting_leave_the_original_in_the_file(log: ConversationLog) -> None:
    first = log.append("user", "Sara", "helo")
    second = log.append("user", "Sara", "a secret")
    log.append("persona", "Mei", "fine")
    log.supersede(first.id, "hello")
    log.supersede(second.id, None)
    for reader in (log, another(log)):
        assert texts(reader.tail(10)) == ["hello", "fine"]
        assert everything(reader) == ["hello", "fine"]
        assert reader.count() == 2
        assert reader.get(second.id) is None
        changed = reader.get(first.id)
        assert changed is not None
        assert (changed.text, changed.time, changed.speaker) == ("hello", first.time, "Sara")
    written = log.paths.log.read_text("utf-8")
    assert "helo" in written
    assert "a secret" in written


def test_the_last_word_on_a_message_counts(log: ConversationLog) -> None:
    said = log.append("user", "Sara", "one")
    log.supersede(said.id, "two")
    log.supersede(said.id, None)
    log.supersede(said.id, "three")
    assert texts(log.tail(1)) == ["three"]
    assert log.count() == 1


def test_deleted_messages_do_not_count_towards_the_tail(log: ConversationLog) -> None:
    ids = [log.append("user", "Sara", str(n)).id for n in range(6)]
    for deleted in ids[2:5]:
        log.supersede(deleted, None)
    assert texts(log.tail(3)) == ["0", "1", "5"]


def test_changing_what_is_not_there(log: ConversationLog) -> None:
    said = log.append("user", "Sara", "one")
    with pytest.raises(MessageNotFoundError):
        log.supersede("nothing", "x")
    log.supersede(said.id, None)
    with pytest.raises(MessageNotFoundError):
        log.supersede(said.id, None)


def test_a_change_reaches_a_message_in_an_archive(log: ConversationLog, clock: HandClock) -> None:
    talk_for(log, clock, 60)
    log.roll()
    first, second = log.tail(60)[:2]
    log.supersede(first.id, "changed")
    log.supersede(second.id, None)
    for reader in (log, another(log)):
        assert texts(reader.tail(60))[:2] == ["changed", "2"]
        assert everything(reader)[:2] == ["changed", "2"]
        assert texts(reader.tail(1, before=reader.tail(58)[0].id)) == ["changed"]
        assert second.time.date() not in reader.days()
        assert reader.count() == 59


def test_a_text_that_speaks_of_ids_changes_nothing(log: ConversationLog) -> None:
    said = log.append("user", "Sara", "one")
    log.append("user", "Sara", f"\n\n2026-11-21 (Sat) 12:00:00 |  | x | deletes={said.id}\n")
    assert len(log.tail(5)) == 2


# Paging and threads


def test_paging_back_through_files_meets_every_message_once(log: ConversationLog, clock: HandClock) -> None:
    talk_for(log, clock, 70)
    log.roll()
    seen: list[str] = []
    before = None
    while page := another(log).tail(9, before):
        seen[:0] = texts(page)
        before = page[0].id
    assert seen == [str(n) for n in range(70)]
    with pytest.raises(MessageNotFoundError):
        log.tail(5, before="nothing")


def test_a_thread_begins_at_the_last_new_topic(log: ConversationLog) -> None:
    log.append("user", "Sara", "old")
    log.begin_topic()
    assert log.thread(5) == []
    log.append("user", "Sara", "new")
    log.append("persona", "Mei", "newer")
    assert texts(log.thread(5)) == ["new", "newer"]
    assert texts(log.thread(1)) == ["newer"]
    assert texts(log.tail(5)) == ["old", "new", "newer"]
    assert log.count() == 3


def test_records_that_are_applied_can_be_asked_for(log: ConversationLog) -> None:
    said = log.append("user", "Sara", "one")
    log.begin_topic()
    log.supersede(said.id, "two")
    shown = log.tail(9, controls=True)
    assert [(m.role, m.speaker, m.text) for m in shown] == [
        ("user", "Sara", "two"),
        ("system", "new_topic", ""),
        ("system", "edit", "two"),
    ]


def test_the_messages_of_some_days(log: ConversationLog, clock: HandClock) -> None:
    talk_for(log, clock, 40)
    log.roll()
    since, until = date(2026, 10, 30), date(2026, 11, 2)
    found = list(another(log).messages(since, until))
    assert [m.time.date() for m in found] == [since + timedelta(days=n) for n in range(4)]
    assert len(log.days()) == 40
    assert log.days() == sorted(log.days())


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


def test_a_change_made_while_the_clock_was_wrong_still_counts(log: ConversationLog, clock: HandClock) -> None:
    said = log.append("user", "Sara", "one")
    clock.move(days=30)
    log.roll()
    clock.set(datetime(2026, 1, 1))
    log.supersede(said.id, "changed")
    clock.set(DAY + timedelta(days=60))
    assert log.roll() == 1
    assert texts(another(log).tail(2)) == ["changed"]
    assert everything(another(log)) == ["changed"]


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
    expected = ["a9", "b9", "0", "a8", "b8", "1", "2", "3", "4", "5", "6", "a2", "b2", "7", "8", "9"]
    assert everything(another(log)) == expected
    assert texts(another(log).tail(16)) == expected
    assert log.get("a8") == early[1]


def test_an_id_with_another_text_is_refused_and_nothing_is_added(log: ConversationLog) -> None:
    log.append_many([Message("a", DAY, "user", "Ann", "one")])
    with pytest.raises(MessageIdTakenError):
        log.append_many([Message("b", DAY, "user", "Ann", "two"), Message("a", DAY, "user", "Ann", "other")])
    assert everything(log) == ["one"]


# Damage


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


def test_kept_indexes_save_reading_and_change_nothing(
    old_log: ConversationLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = see(old_log)
    for path in kept_indexes(old_log):
        path.unlink()
    assert see(old_log) == expected

    def only_log_txt(file: IO[bytes], start: int, end: int) -> Iterator[Record]:
        assert Path(file.name).name == "log.txt"
        return read_forward(file, start, end)

    monkeypatch.setattr("managers.memory.log.index.read_forward", only_log_txt)
    assert (another(old_log).count(), another(old_log).days()) == expected[:2]


@pytest.mark.parametrize("harm", ["flip", "cut", "empty"])
def test_a_kept_index_that_does_not_fit_is_made_anew(old_log: ConversationLog, harm: str) -> None:
    expected = see(old_log)
    for path in kept_indexes(old_log):
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 1
        path.write_bytes(bytes(data) if harm == "flip" else data[:-20] if harm == "cut" else b"")
    assert see(old_log) == expected


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


# Several at once


def test_the_revision_changes_with_every_change(log: ConversationLog, clock: HandClock) -> None:
    seen = [log.revision()]
    said = log.append("user", "Sara", "one")
    seen.append(log.revision())
    assert log.revision() == seen[-1]
    another(log).supersede(said.id, "two")
    seen.append(log.revision())
    clock.move(days=30)
    log.roll()
    seen.append(log.revision())
    log.append_many([Message("x", DAY.replace(year=2020), "user", "S", "x")])
    seen.append(log.revision())
    assert max(Counter(seen).values()) == 1


def test_readers_see_every_message_once_while_others_append_and_roll(paths: PersonaPaths) -> None:
    start = datetime(2026, 1, 1, 8)
    said = 240
    failures: list[str] = []
    done = threading.Event()

    def write() -> None:
        clock = HandClock(start)
        log = ConversationLog(paths, clock, Random(3))
        for number in range(said):
            clock.set(start + timedelta(hours=6 * number))
            log.append("user", "Sara", str(number))
            if number % 7 == 0:
                log.roll()
        done.set()

    def read() -> None:
        log = ConversationLog(paths, HandClock(start), Random(4))
        seen = 0
        while not done.is_set():
            for found in ([int(m.text) for m in log.messages()], [int(m.text) for m in log.tail(said)]):
                if found != list(range(len(found))) or len(found) < seen:
                    failures.append(f"{seen} {found}")
                seen = len(found)

    threads = [threading.Thread(target=read) for _ in range(2)] + [threading.Thread(target=write)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert everything(ConversationLog(paths, HandClock(start), Random(5))) == [str(n) for n in range(said)]


def test_several_threads_append_through_one_object(log: ConversationLog) -> None:
    def say(name: str) -> None:
        for number in range(20):
            log.append("user", name, str(number))

    threads = [threading.Thread(target=say, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = log.tail(100)
    assert len({m.id for m in found}) == 60
    for name in "abc":
        assert [m.text for m in found if m.speaker == name] == [str(n) for n in range(20)]


def append_from_a_process(folder: Path, name: str) -> None:
    log = ConversationLog(PersonaPaths(folder), HandClock(DAY), Random(5))
    for number in range(25):
        log.append("user", name, f"{name} {number}")


def test_several_processes_append_at_once(log: ConversationLog) -> None:
    context = multiprocessing.get_context("spawn")
    names = ["a", "b", "c"]
    processes = [context.Process(target=append_from_a_process, args=(log.paths.folder, name)) for name in names]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    found = log.tail(100)
    assert len({m.id for m in found}) == 75
    for name in names:
        assert [m.text for m in found if m.speaker == name] == [f"{name} {n}" for n in range(25)]
