"""A log whose writer is killed at any step: what was acknowledged is there once, and work goes on."""

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
