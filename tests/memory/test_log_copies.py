"""Days move to the archives, and come from elsewhere; copies count for nothing, and what stands twice is one message."""

import shutil
from collections import Counter
from dataclasses import replace
from datetime import date, datetime, timedelta
from pathlib import Path
from random import Random

import pytest

from managers.memory.errors import MessageIdTakenError
from managers.memory.log import ConversationLog
from managers.memory.log.format import Record, format_message, format_record, id_of_words
from managers.memory.log.log_files import snapshot
from managers.memory.messages import Message
from managers.storage.paths import PersonaPaths
from tests.crash import Kill, copies, needs_signals
from tests.fakes import HandClock
from tests.memory.logs import DAY, another, everything, talk_for, texts

COPIES = (
    "2026-10 (Hana's conflicted copy 2026-11-03).txt",
    "2026-10.sync-conflict-20261103-150405-ABCDEF7.txt",
    "2026-10 (1).txt",
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


def test_what_stands_in_two_archives_is_one_message(archived: ConversationLog) -> None:
    folder = archived.paths.log_archives
    whole = b"".join(path.read_bytes() for path in sorted(folder.glob("*.txt")))
    for name in ("everything.txt", "2026-09.txt", "2026-12.txt"):
        (folder / name).write_bytes(whole)
        assert sorted(told(archived), key=int) == ALL
        assert len(another(archived).days()) == 40
        (folder / name).unlink()


def test_an_old_log_that_was_put_back_doubles_nothing(log: ConversationLog, clock: HandClock) -> None:
    talk_for(log, clock, 40)
    before = log.paths.log.read_bytes()
    assert (log.roll(), log.roll()) == (33, 0)  # the last seven days stay
    archives = sorted(log.paths.log_archives.glob("*.txt"))
    assert [path.name for path in archives] == ["2026-10.txt", "2026-11.txt"]
    assert b"".join(path.read_bytes() for path in [*archives, log.paths.log]) == before
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


@pytest.mark.parametrize("back", [15, 45, 60 * 24 * 3])
def test_what_was_deleted_under_a_wrong_clock_stays_so(log: ConversationLog, clock: HandClock, back: int) -> None:
    """Whether it was said before two lives of a log parted, or on one of them."""
    log.append("user", "Sara", "before")
    other = apart(log, clock, "other")
    clock.move(minutes=5)
    regretted = [Message(f"r{n}", clock.now(), "user", "Sara", "something I regret") for n in range(2)]
    log.append_shared(regretted[0])
    for one in regretted:
        other.append_shared(one)
    clock.move(minutes=-back)
    for one in regretted:
        other.supersede(one.id, "reworded")
        other.supersede(one.id, None)
    clock.set(DAY + timedelta(hours=5))
    log.append("user", "Sara", "here")
    log.merge(other.paths.log, log.paths.log)
    assert told(log) == ["before", "here"]


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
        archives / COPIES[1], archives / "2026-10.txt"
    )


@needs_signals
def test_killed_while_joining_nothing_is_lost_or_doubled(archived: ConversationLog, tmp_path: Path, kill: Kill) -> None:
    (archived.paths.log_archives / COPIES[1]).write_bytes(b"".join(map(format_message, EXTRA)))
    for death in kill(join, copies(archived.paths.folder, tmp_path)):
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


def test_what_was_deleted_under_an_id_that_was_made_of_words_alone_stays_so(of_old: ConversationLog) -> None:
    first, _, other, last = of_old.messages()
    assert of_old.get(id_of_words(first.id)) == last
    gone = Record(Message("c1", last.time, "system", "delete", ""), target=id_of_words(first.id), deletes=True)
    mended = Record(replace(gone.message, id="c2", text="mended"), target=id_of_words(other.id))
    with of_old.paths.log.open("ab") as file:
        file.write(format_record(gone) + format_record(mended))
    reader = another(of_old)
    assert texts([*reader.messages()]) == texts(reader.tail(9)) == ["mended"]
    assert (reader.count(), reader.get(first.id), reader.get(id_of_words(first.id))) == (1, None, None)


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


def test_what_is_kept_beside_the_archives_changes_nothing(log: ConversationLog, clock: HandClock) -> None:
    talk_for(log, clock, 40)
    changed, deleted = log.tail(40)[1:3]
    log.supersede(changed.id, "changed")
    log.supersede(deleted.id, None)
    clock.move(days=20)
    log.roll()
    expected = ["0", "changed", *ALL[3:]]
    assert told(log) == expected
    for harmed in (b"?", b""):  # a byte is another, and then one is gone
        for path in (log.paths.log_archives / ".index").iterdir():
            data = path.read_bytes()
            path.write_bytes(data[: len(data) // 2] + harmed + data[len(data) // 2 + 1 :])
        assert told(log) == expected
        assert len(another(log).days()) == 39
    archive = log.paths.log_archives / "2026-10.txt"
    content = archive.read_bytes()
    middle = next(log.messages(date(2026, 10, 20), date(2026, 10, 20)))
    archive.write_bytes(content.replace(format_message(middle), format_message(replace(middle, text="mended by hand"))))
    assert "mended by hand" in told(log)
    archive.write_bytes(content.replace(format_message(middle), b""))
    assert (len(told(log)), date(2026, 10, 20) in another(log).days()) == (38, False)
