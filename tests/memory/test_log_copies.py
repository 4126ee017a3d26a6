"""Copies of archives that sync tools leave count for nothing, and a message that stands in the log twice is one message."""

import itertools
import shutil
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest

from managers.memory.log import ConversationLog
from managers.memory.log.format import Record, format_message, format_record, id_of_words
from managers.memory.log.log_files import snapshot
from managers.memory.log.parsing import parse
from managers.memory.messages import Message
from managers.storage.paths import PersonaPaths
from tests.crash import Kill, needs_signals
from tests.fakes import HandClock
from tests.memory.logs import DAY, another, everything, talk_for, texts

COPIES = (
    "2026-10 (Hana's conflicted copy 2026-11-03).txt",
    "2026-10 (花 の競合コピー 2026-11-03).txt",
    "2026-10 (conflicted copy 2026-11-03 150405).txt",
    "2026-10.sync-conflict-20261103-150405-ABCDEF7.txt",
    "2026-10-DESKTOP-AB12CD3.txt",
    "2026-10 (1).txt",
    "2026-10 2.txt",
    "2026-10.Conflict.txt",
    "2026-10 copy.txt",
    "2026-10.bak.txt",
)
ALL = [str(number) for number in range(40)]


@pytest.fixture
def archived(log: ConversationLog, clock: HandClock) -> ConversationLog:
    """Forty days of talk, of which `2026-10.txt`, `2026-11.txt` and `log.txt` hold their parts."""
    talk_for(log, clock, 40)
    log.roll()
    return log


def told(log: ConversationLog) -> list[str]:
    """Return what is told, the same whoever asks: whole, counted, and page by page, as whoever scrolls up reads it."""
    reader = another(log)
    found = reader.tail(7)
    while page := reader.tail(7, before=found[0].id) if found else []:
        found = page + found
    whole = everything(reader)
    assert Counter(texts(found)) == Counter(texts(reader.tail(100))) == Counter(whole)
    assert reader.count() == len(whole)
    return whole


def test_a_copy_of_an_archive_counts_for_nothing_unless_its_original_is_gone(archived: ConversationLog) -> None:
    folder = archived.paths.log_archives
    for name in COPIES:
        shutil.copy(folder / "2026-10.txt", folder / name)
    assert told(archived) == ALL
    with snapshot(archived.paths) as seen:
        assert not {folder / name for name in COPIES}.intersection(part.path for part in seen.parts)
    for name in COPIES[1:]:
        (folder / name).unlink()
    (folder / "2026-10.txt").unlink()
    assert another(archived).count() == 40


def test_an_archive_of_a_name_of_its_own_is_read(archived: ConversationLog) -> None:
    old = [Message(f"o{n}", DAY - timedelta(days=400), "user", "Sara", f"old {n}") for n in range(3)]
    for name, part in (("before.txt", old[:1]), ("before 2.txt", old[1:2]), ("before-LAPTOP-1.txt", old[2:])):
        (archived.paths.log_archives / name).write_bytes(b"".join(map(format_message, part)))
    assert sorted(told(archived)[:3]) == ["old 0", "old 1", "old 2"]


@pytest.mark.parametrize("name", ["everything.txt", "2026-09.txt", "2026-12.txt"])
def test_what_stands_in_two_archives_is_one_message(archived: ConversationLog, name: str) -> None:
    folder = archived.paths.log_archives
    (folder / name).write_bytes(b"".join(path.read_bytes() for path in sorted(folder.glob("*.txt"))))
    assert sorted(told(archived), key=int) == ALL
    assert len(another(archived).days()) == 40


def test_an_old_log_that_was_put_back_doubles_nothing(log: ConversationLog, clock: HandClock) -> None:
    talk_for(log, clock, 40)
    before = log.paths.log.read_bytes()
    log.roll()
    log.paths.log.write_bytes(before)
    assert told(log) == ALL
    assert another(log).roll() == 33  # what is in the archives already is there twice now
    assert told(log) == ALL
    another(log).append("user", "Sara", "next")
    assert told(log) == [*ALL, "next"]


def test_a_file_that_was_joined_with_its_copy_doubles_nothing(archived: ConversationLog) -> None:
    for path in (archived.paths.log, archived.paths.log_archives / "2026-10.txt"):
        path.write_bytes(path.read_bytes() * 2)
        for _ in range(2):  # the second finds what the first kept in `.index`
            assert told(archived) == ALL
    another(archived).append("user", "Sara", "next")
    assert told(archived) == [*ALL, "next"]


def test_the_last_word_on_a_message_is_the_newest_also_where_an_older_one_was_put_back(
    log: ConversationLog, clock: HandClock
) -> None:
    said = log.append("user", "Sara", "one")
    log.supersede(said.id, "two")
    before = log.paths.log.read_bytes()
    log.supersede(said.id, "three")
    clock.move(days=30)
    log.roll()
    log.paths.log.write_bytes(before)
    assert told(log) == ["three"]


# Taking in what only a copy holds


def apart(log: ConversationLog, clock: HandClock, name: str) -> ConversationLog:
    """Begin a second life of the same persona: what is said there comes back as a copy."""
    folder = log.paths.folder.with_name(name)
    shutil.copytree(log.paths.folder, folder)
    return ConversationLog(PersonaPaths(folder), clock, Random(5))


def test_two_lives_of_one_log_are_joined_message_by_message(log: ConversationLog, clock: HandClock) -> None:
    clock.set(DAY)
    shared = [log.append("user", "Sara", f"shared {n}") for n in range(3)]
    other = apart(log, clock, "other")
    clock.move(minutes=1)
    log.append("user", "Sara", "here")
    log.supersede(shared[0].id, "changed here first")
    clock.move(minutes=1)
    other.append("user", "Sara", "there")
    other.begin_topic()
    other.supersede(shared[0].id, "changed there later")
    other.supersede(shared[1].id, None)
    clock.move(minutes=1)
    log.append("user", "Sara", "here again")
    copy = log.paths.folder / "log (Hana's conflicted copy 2026-11-21).txt"
    shutil.copy(other.paths.log, copy)
    merged = log.merge(copy)
    assert (merged.added, merged.differing) == (4, ())
    for _ in range(2):
        assert told(log) == ["changed there later", "shared 2", "here", "there", "here again"]
        assert texts(another(log).thread(100)) == ["here again"]
        assert log.merge(copy).added == 0


@pytest.mark.parametrize("shared", [True, False], ids=["said before", "said there"])
@pytest.mark.parametrize("back", [15, 45, 60 * 24 * 3])
def test_what_was_deleted_after_a_clock_was_set_back_stays_so_when_lives_are_joined(
    log: ConversationLog, clock: HandClock, back: int, *, shared: bool
) -> None:
    log.append("user", "Sara", "before")
    other = apart(log, clock, "other")
    clock.move(minutes=5)
    regretted = Message("r1", clock.now(), "user", "Sara", "something I regret")
    for one in (log, other) if shared else (other,):
        one.append_shared(regretted)
    clock.move(minutes=-back)
    other.supersede(regretted.id, "reworded")
    other.supersede(regretted.id, None)
    clock.set(DAY + timedelta(hours=5))
    log.append("user", "Sara", "here")
    log.merge(other.paths.log, log.paths.log)
    assert texts(another(log).tail(9)) == everything(another(log)) == ["before", "here"]


def test_a_copy_of_an_archive_fills_what_a_halved_archive_lost(archived: ConversationLog) -> None:
    path = archived.paths.log_archives / "2026-10.txt"
    whole = path.read_bytes()
    copy = path.with_name(COPIES[0])
    copy.write_bytes(whole)
    path.write_bytes(whole[: len(whole) // 2])
    assert archived.merge(copy, path).added > 5
    assert everything(another(archived)) == ALL
    assert copy.read_bytes() == whole


def test_what_says_something_else_in_a_copy_is_named_and_left(log: ConversationLog) -> None:
    said = log.append("user", "Sara", "colour")
    copy = log.paths.folder / "log 2.txt"
    copy.write_bytes(log.paths.log.read_bytes().replace(b"colour", b"color"))
    merged = log.merge(copy)
    assert (merged.added, merged.differing) == (0, (said.id,))
    assert everything(log) == ["colour"]


EXTRA = [Message(f"e{n}", DAY.replace(month=10, day=20, hour=n), "user", "Sara", f"extra {n}") for n in range(3)]


def join(folder: Path) -> None:
    """Take in what a copy of an archive holds."""
    archives = folder / "log_archives"
    ConversationLog(PersonaPaths(folder), HandClock(DAY), Random(3)).merge(
        archives / COPIES[3], archives / "2026-10.txt"
    )


@needs_signals
def test_a_process_killed_while_joining_has_lost_and_doubled_nothing(
    archived: ConversationLog, tmp_path: Path, kill: Kill
) -> None:
    folder = archived.paths.folder
    (archived.paths.log_archives / COPIES[3]).write_bytes(b"".join(map(format_message, EXTRA)))
    runs = itertools.count()
    for death in kill(join, lambda: [Path(shutil.copytree(folder, tmp_path / str(next(runs))))]):
        log = ConversationLog(PersonaPaths(death.given[0]), HandClock(DAY), Random(4))
        assert set(ALL) <= set(everything(log))
        join(death.given[0])
        assert sorted(everything(another(log))) == sorted([*ALL, *(message.text for message in EXTRA)])


MORNINGS = (("おはよう", 1), ("おはよう", 2), ("母が亡くなった", 3), ("おはよう", 4))


@pytest.fixture
def of_old(log: ConversationLog) -> ConversationLog:
    """A log with a file of another program, whose messages have times and no ids."""
    said = (f"## USER:Sara\n{text}\n\n2025-05-0{day} (Thu) 10:00:00 | gemini\n\n" for text, day in MORNINGS)
    log.paths.log_archives.mkdir()
    (log.paths.log_archives / "old room.txt").write_text("".join(said), "utf-8")
    return log


def test_what_is_said_every_morning_without_an_id_is_a_message_each_time(of_old: ConversationLog) -> None:
    said = [*of_old.messages()]
    assert [(one.text, one.time.day) for one in said] == [*MORNINGS]
    assert of_old.tail(9) == said
    assert [of_old.get(one.id) for one in said] == said
    assert (of_old.count(), len(of_old.days())) == (4, 4)
    of_old.supersede(said[0].id, None)
    assert of_old.tail(9) == [*of_old.messages()] == said[1:]
    assert of_old.merge(of_old.paths.log_archives / "old room.txt").added == 0


def test_an_id_that_was_made_of_words_alone_still_means_them(of_old: ConversationLog) -> None:
    """What was deleted under it stays so, also where the same words were hidden behind the last ones."""
    said = [*of_old.messages()]
    first, other = (id_of_words(said[place].id) for place in (0, 2))
    assert of_old.get(first) == said[3]
    assert of_old.known([first, other, "x-" + "0" * 16]) == {first, other}
    assert of_old.originals([first, said[1].id]) == {first: said[3], said[1].id: said[1]}
    now = Message("c1", said[3].time + timedelta(days=9), "system", "delete", "")
    with of_old.paths.log.open("ab") as file:
        file.write(format_record(Record(now, target=first, deletes=True)))
        file.write(format_record(Record(replace(now, id="c2", text="mended"), target=other)))
    reader = another(of_old)
    assert texts([*reader.messages()]) == texts(reader.tail(9)) == ["mended"]
    assert (reader.count(), reader.get(said[0].id), reader.get(first)) == (1, None, None)
    assert reader.alternatives(said[2].id).shown.text == "mended"
    reader.supersede(said[1].id, "おはよう")
    assert [one.time.day for one in reader.messages()] == [one.time.day for one in reader.tail(9)] == [2, 3]


def test_what_was_joined_under_an_id_of_words_is_not_joined_again(of_old: ConversationLog) -> None:
    old = of_old.paths.log_archives / "old room.txt"
    copy = of_old.paths.folder / "copy.txt"
    old.rename(copy)
    records = parse(copy.read_bytes()).records[1:]
    held = [replace(one, message=replace(one.message, id=id_of_words(one.message.id))) for one in records[1:]]
    old.write_bytes(b"".join(map(format_record, held)))
    assert of_old.merge(copy).added == 2
    assert {(one.text, one.time.day) for one in another(of_old).messages()} == {*MORNINGS}
