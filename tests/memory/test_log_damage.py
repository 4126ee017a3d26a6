"""A log that was torn, damaged, mended by hand, saved in another encoding, met a full disk, or lost its writer at any step."""

import json
from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

import pytest

from managers.memory.log import ConversationLog
from managers.memory.log.branches import FIRST
from managers.memory.log.format import format_message
from managers.memory.log.parsing import parse
from managers.memory.messages import Message
from managers.storage.errors import DiskFullError
from managers.storage.paths import PersonaPaths
from tests.crash import Death, Kill, acknowledge, acknowledged, copies, full_disk, kill_everywhere, needs_signals
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


START = datetime(2026, 5, 1, 9)
LATER = START + timedelta(days=40)
DAYS = [f"day {number}" for number in range(38)]

pytestmark = needs_signals


def open_log(folder: Path, now: datetime = LATER, seed: int = 2) -> ConversationLog:
    return ConversationLog(PersonaPaths(folder), HandClock(now), Random(seed))


def fresh_folders(base: Path, days: int) -> Callable[[], tuple[Path, ...]]:
    (base / "Mei").mkdir()
    log = open_log(base / "Mei", seed=1)
    for number in range(days):
        log.append("user", "Sara", f"day {number}", time=START + timedelta(days=number))
    return copies(base / "Mei", base)


def promises(folder: Path) -> Path:
    return folder.with_name("promises.txt")


def whole(folder: Path) -> list[str]:
    return [message.text for message in open_log(folder).messages()]


def check_that_work_goes_on(folder: Path, expected: list[str]) -> None:
    log = open_log(folder, seed=3)
    log.append("user", "Sara", "after the crash")
    log.roll()
    assert whole(folder) == [*expected, "after the crash"]
    assert log.count() == len(expected) + 1


def append_three(folder: Path) -> None:
    log = open_log(folder)
    for number in range(3):
        log.append("persona", "Mei", f"reply {number}\n## USER:x")
        acknowledge(promises(folder), f"reply {number}\n## USER:x".replace("\n", "/"))


def test_append(tmp_path: Path) -> None:
    for death in kill_everywhere(append_three, fresh_folders(tmp_path, 2)):
        (folder,) = death.given
        kept = whole(folder)
        promised = [line.replace("/", "\n") for line in acknowledged(promises(folder))]
        assert kept[: 2 + len(promised)] == ["day 0", "day 1", *promised], death
        assert len(kept) <= 2 + len(promised) + 1, death
        check_that_work_goes_on(folder, kept)


IMPORTED = [Message(f"D1:{n}", START + timedelta(days=9 * n, hours=1), "user", "Ann", f"old {n}") for n in range(6)]


def import_six(folder: Path) -> None:
    open_log(folder).append_many(IMPORTED)


def test_append_many_can_be_repeated_after_a_crash(tmp_path: Path, kill: Kill) -> None:
    prepare = fresh_folders(tmp_path, 38)
    (undisturbed,) = prepare()
    import_six(undisturbed)
    expected = whole(undisturbed)
    assert Counter(expected) == Counter([*DAYS, *(message.text for message in IMPORTED)])
    for death in kill(import_six, prepare):
        (folder,) = death.given
        kept = whole(folder)
        assert [text for text in kept if text.startswith("day")] == DAYS, death
        assert max(Counter(kept).values()) == 1, death
        import_six(folder)
        assert whole(folder) == expected, death
        check_that_work_goes_on(folder, expected)


def change_two(folder: Path) -> None:
    log = open_log(folder)
    first, second, _ = log.tail(3)
    log.supersede(first.id, "changed")
    acknowledge(promises(folder), "changed")
    log.supersede(second.id, None)
    acknowledge(promises(folder), "deleted")


def swipe(folder: Path) -> None:
    log = open_log(folder)
    last = log.tail(1)[0]
    log.answer_anew(last.id, "another\n## USER:x", mind="m")
    acknowledge(promises(folder), "made")
    log.choose(last.id, 0)
    acknowledge(promises(folder), "chosen")


def greet(folder: Path) -> None:
    """A greeting and the first message, with one write: a crash leaves a beginning of both."""
    greeting, answer = (
        Message("", LATER, "persona", "Mei", "Who are you?"),
        Message("", LATER, "user", "Sara", "I am Sara."),
    )
    open_log(folder).append_together([greeting, answer])
    for said in ("the greeting", "the message"):
        acknowledge(promises(folder), said)


def part(folder: Path) -> None:
    """The second day takes another course, and the first one is gone back to."""
    log = open_log(folder)
    log.branch(log.tail(3)[0].id)
    acknowledge(promises(folder), "branched")
    log.append("user", "Sara", "elsewhere")
    acknowledge(promises(folder), "said")
    log.switch_branch(FIRST)
    acknowledge(promises(folder), "back")


@pytest.mark.parametrize(
    ("work", "states"),
    [
        (change_two, [(DAYS[:3], 0), (["changed", *DAYS[1:3]], 0), (["changed", "day 2"], 0)]),
        (swipe, [(DAYS[:3], 0), ([*DAYS[:2], "another\n## USER:x"], 0), (DAYS[:3], 0)]),
        (greet, [(DAYS[:3], 0), ([*DAYS[:3], "Who are you?"], 0), ([*DAYS[:3], "Who are you?", "I am Sara."], 0)]),
        (part, [(DAYS[:3], 0), (DAYS[:1], 1), (["day 0", "elsewhere"], 1), (DAYS[:3], 1)]),
    ],
)
def test_what_was_acknowledged_stands_and_nothing_is_half_done(
    tmp_path: Path, kill: Kill, work: Callable[[Path], None], states: list[tuple[list[str], int]]
) -> None:
    """Each state is what is told, and how many branches stand aside; the next one may be there before it is promised."""
    for death in kill(work, fresh_folders(tmp_path, 3)):
        (folder,) = death.given
        done = len(acknowledged(promises(folder)))
        now = whole(folder), len(open_log(folder).branches())
        assert now in states[done : done + (3 if work is greet else 2)], death
        check_that_work_goes_on(folder, now[0])


def roll_days(folder: Path) -> None:
    open_log(folder).roll()


def check_rolled(death: Death) -> None:
    (folder,) = death.given
    log = open_log(folder)
    assert whole(folder) == DAYS, death
    assert [m.text for m in log.tail(39)] == DAYS, death
    assert log.count() == 38, death
    check_that_work_goes_on(folder, DAYS)


def test_roll(tmp_path: Path) -> None:
    """38 days over two months: two archives, of which one is there already."""
    fresh = fresh_folders(tmp_path, 38)
    open_log(tmp_path / "Mei", now=START + timedelta(days=20)).roll()
    for death in kill_everywhere(roll_days, fresh):
        check_rolled(death)


def moving(folder: Path, archived: bytes) -> None:
    """Leave a move to an archive as a process that was killed in it does."""
    archive = folder / "log_archives" / "2026-05.txt"
    archive.parent.mkdir()
    archive.write_bytes(archived)
    first = parse((folder / "log.txt").read_bytes()).records[0].message.id
    (archive.parent / ".moving.json").write_text(json.dumps({"first_id": first, "sizes": {archive.name: 0}}))


def test_a_second_crash_while_the_first_is_repaired(tmp_path: Path, kill: Kill) -> None:
    fresh = fresh_folders(tmp_path, 38)
    log = tmp_path / "Mei" / "log.txt"
    moving(log.parent, log.read_bytes()[:500])
    with log.open("ab") as file:
        file.write(b"## USER:Sara\nnever fin")
    for death in kill(roll_days, fresh):
        check_rolled(death)
        kept = [path.read_bytes() for path in death.given[0].glob("log.txt.broken-*")]
        assert kept == [b"## USER:Sara\nnever fin"], death


def test_what_came_into_an_archive_since_a_crash_is_not_cut_off(tmp_path: Path) -> None:
    """A sync service put there what was said on another computer, before the next message was written here."""
    (folder,) = fresh_folders(tmp_path, 38)()
    data = (folder / "log.txt").read_bytes()
    elsewhere = Message("20260501T080000-aaaaaaaa", START, "user", "Sara", "said on the laptop")
    moving(folder, data[: parse(data).records[0].end] + format_message(elsewhere))
    open_log(folder).append("user", "Sara", "next")
    assert whole(folder) == ["said on the laptop", *DAYS, "next"]


def test_a_disk_that_is_full_during_a_move(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prepare = fresh_folders(tmp_path, 38)
    was_full = []
    for room in range(0, 6000, 1000):
        (folder,) = prepare()
        with full_disk(monkeypatch, room):
            try:
                open_log(folder).roll()
            except DiskFullError:
                was_full.append(room)
        assert whole(folder) == DAYS, room
        assert not (folder / "log_archives" / ".moving.json").exists()
    assert 0 < len(was_full) < 6, "the last of these disks was large enough"
