"""A log whose writer is killed at any step: what was acknowledged is there once, and work goes on."""

import itertools
import json
import shutil
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
from tests.crash import Death, acknowledge, acknowledged, full_disk, kill_everywhere, needs_signals
from tests.fakes import HandClock

START = datetime(2026, 5, 1, 9)
LATER = START + timedelta(days=40)

pytestmark = needs_signals


def open_log(folder: Path, now: datetime = LATER, seed: int = 2) -> ConversationLog:
    return ConversationLog(PersonaPaths(folder), HandClock(now), Random(seed))


def talk(folder: Path, days: int) -> None:
    log = open_log(folder, seed=1)
    for number in range(days):
        log.append("user", "Sara", f"day {number}", time=START + timedelta(days=number))


def fresh_folders(base: Path, days: int) -> Callable[[], tuple[Path, ...]]:
    numbers = itertools.count()
    (base / "talk").mkdir(parents=True)
    talk(base / "talk", days)

    def prepare() -> tuple[Path, ...]:
        folder = base / str(next(numbers)) / "Mei"
        shutil.copytree(base / "talk", folder)
        return (folder,)

    return prepare


def promises(folder: Path) -> Path:
    return folder.with_name("promises.txt")


def whole(folder: Path) -> list[str]:
    return [message.text for message in open_log(folder).messages()]


def check_that_work_goes_on(folder: Path, expected: list[str]) -> None:
    log = open_log(folder, seed=3)
    log.append("user", "Sara", "after the crash")
    log.roll()
    assert [m.text for m in open_log(folder).messages()] == [*expected, "after the crash"]
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


def test_append_many_can_be_repeated_after_a_crash(tmp_path: Path) -> None:
    expected: list[str] | None = None
    for death in [*kill_everywhere(import_six, fresh_folders(tmp_path, 38))][::-1]:  # the survivor first
        (folder,) = death.given
        if expected is None:
            expected = whole(folder)
            assert Counter(expected) == Counter([f"day {n}" for n in range(38)] + [m.text for m in IMPORTED])
        kept = whole(folder)
        assert [text for text in kept if text.startswith("day")] == [f"day {n}" for n in range(38)], death
        assert max(Counter(kept).values()) == 1, death
        open_log(folder).append_many(IMPORTED)
        assert whole(folder) == expected, death
        check_that_work_goes_on(folder, expected)


def change_two(folder: Path) -> None:
    log = open_log(folder)
    first, second = log.tail(2)
    log.supersede(first.id, "changed")
    log.supersede(second.id, None)


def test_supersede(tmp_path: Path) -> None:
    possible = [["day 0", "day 1"], ["changed", "day 1"], ["changed"]]
    for death in kill_everywhere(change_two, fresh_folders(tmp_path, 2)):
        (folder,) = death.given
        assert whole(folder) in possible, death
        check_that_work_goes_on(folder, whole(folder))


def swipe(folder: Path) -> None:
    log = open_log(folder)
    last = log.tail(1)[0]
    log.answer_anew(last.id, "another\n## USER:x", mind="m")
    acknowledge(promises(folder), "made")
    log.choose(last.id, 0)
    acknowledge(promises(folder), "chosen")


def test_answers_made_anew_and_chosen(tmp_path: Path) -> None:
    shown = {0: "day 1", 1: "another\n## USER:x", 2: "day 1"}
    for death in kill_everywhere(swipe, fresh_folders(tmp_path, 2)):
        (folder,) = death.given
        log, done = open_log(folder), len(acknowledged(promises(folder)))
        kept = whole(folder)
        assert kept in (["day 0", shown[done]], ["day 0", shown[min(done + 1, 2)]]), death
        answers = log.alternatives(log.tail(1)[0].id)
        assert answers.texts in (("day 1",), ("day 1", shown[1])), death
        assert len(answers.texts) > 1 or not done, death
        check_that_work_goes_on(folder, kept)


def greet(folder: Path) -> None:
    log, now = open_log(folder), LATER
    log.append_together(
        [Message("", now, "persona", "Mei", "Who are you?"), Message("", now, "user", "Sara", "I am Sara.")]
    )
    acknowledge(promises(folder), "said")


def test_several_messages_with_one_write(tmp_path: Path) -> None:
    """A greeting and the first message: what a crash leaves is a beginning of both, never the message without it."""
    for death in kill_everywhere(greet, fresh_folders(tmp_path, 0)):
        (folder,) = death.given
        kept = whole(folder)
        assert kept in ([], ["Who are you?"], ["Who are you?", "I am Sara."]), death
        assert len(kept) == 2 or not acknowledged(promises(folder)), death
        assert open_log(folder).is_new() is (not kept), death
        check_that_work_goes_on(folder, kept)


def part(folder: Path) -> None:
    """Three days of talk: the second takes another course, and the first one is gone back to."""
    log = open_log(folder)
    log.branch(log.tail(3)[0].id)
    acknowledge(promises(folder), "branched")
    log.append("user", "Sara", "elsewhere")
    acknowledge(promises(folder), "said")
    log.switch_branch(FIRST)
    acknowledge(promises(folder), "back")


def test_branches(tmp_path: Path) -> None:
    first = [f"day {number}" for number in range(3)]
    states = [(first, []), (["day 0"], ["day 1"]), (["day 0", "elsewhere"], ["day 1"]), (first, ["elsewhere"])]
    for death in kill_everywhere(part, fresh_folders(tmp_path, 3)):
        (folder,) = death.given
        done = len(acknowledged(promises(folder)))
        now = whole(folder), [branch.first for branch in open_log(folder).branches()]
        assert now in states[done : done + 2], death
        check_that_work_goes_on(folder, now[0])


def branch_and_roll(folder: Path) -> None:
    log = open_log(folder)
    log.branch(log.tail(20)[0].id)
    log.append("user", "Sara", "elsewhere", time=LATER - timedelta(days=1))
    log.roll()


def test_branches_while_days_move(tmp_path: Path) -> None:
    """A branch that parts long ago: what stands aside moves to the archives, and stays aside."""
    days = [f"day {number}" for number in range(38)]
    for death in kill_everywhere(branch_and_roll, fresh_folders(tmp_path, 38)):
        (folder,) = death.given
        kept = whole(folder)
        assert kept in (days, days[:19], [*days[:19], "elsewhere"]), death
        log = open_log(folder)
        assert [m.text for m in log.tail(50)] == kept, death
        assert [branch.count for branch in log.branches()] == ([] if kept == days else [19]), death
        check_that_work_goes_on(folder, kept)


def roll_days(folder: Path) -> None:
    open_log(folder).roll()


def check_rolled(death: Death, expected: list[str]) -> None:
    (folder,) = death.given
    log = open_log(folder)
    assert whole(folder) == expected, death
    assert [m.text for m in log.tail(len(expected) + 1)] == expected, death
    assert log.count() == len(expected), death
    check_that_work_goes_on(folder, expected)


def test_roll(tmp_path: Path) -> None:
    """38 days over two months: two archives, of which one is there already."""
    expected = [f"day {number}" for number in range(38)]

    def prepare() -> tuple[Path, ...]:
        (folder,) = fresh()
        open_log(folder, now=START + timedelta(days=20)).roll()
        return (folder,)

    fresh = fresh_folders(tmp_path, 38)
    for death in kill_everywhere(roll_days, prepare):
        check_rolled(death, expected)


def test_a_second_crash_while_the_first_is_repaired(tmp_path: Path) -> None:
    expected = [f"day {number}" for number in range(38)]

    def prepare() -> tuple[Path, ...]:
        (folder,) = fresh()
        journal = folder / "log_archives" / ".moving.json"
        archive = folder / "log_archives" / "2026-05.txt"
        first = (folder / "log.txt").read_bytes().split(b"\n\n")[1].split(b" | ")[-1].strip().decode()
        archive.parent.mkdir()
        archive.write_bytes((folder / "log.txt").read_bytes()[:500])
        journal.write_text(json.dumps({"first_id": first, "sizes": {"2026-05.txt": 0}}))
        with (folder / "log.txt").open("ab") as log:
            log.write(b"## USER:Sara\nnever fin")
        return (folder,)

    fresh = fresh_folders(tmp_path, 38)
    for death in kill_everywhere(roll_days, prepare):
        check_rolled(death, expected)
        kept = [path.read_bytes() for path in death.given[0].glob("log.txt.broken-*")]
        assert kept == [b"## USER:Sara\nnever fin"], death


def test_a_disk_that_is_full_during_a_move(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = [f"day {number}" for number in range(38)]
    for room in range(0, 6000, 400):
        folder = tmp_path / str(room)
        talk(folder, 38)
        with full_disk(monkeypatch, room):
            try:
                open_log(folder).roll()
            except DiskFullError:
                full = True
            else:
                full = False
        assert whole(folder) == expected, room
        assert not (folder / "log_archives" / ".moving.json").exists()
    assert not full, "the last of these disks was large enough"


def test_what_came_into_an_archive_since_a_crash_is_not_cut_off(tmp_path: Path) -> None:
    """A sync service put there what was said on another computer, before the next message was written here."""
    talk(tmp_path / "Mei", 40)
    log = open_log(tmp_path / "Mei")
    archive = log.paths.log_archives / "2026-05.txt"
    first = parse(log.paths.log.read_bytes()).records[0]
    journal = {"first_id": first.message.id, "sizes": {archive.name: 0}}
    archive.parent.mkdir()
    (archive.parent / ".moving.json").write_text(json.dumps(journal))
    elsewhere = Message("20260501T080000-aaaaaaaa", START, "user", "Sara", "said on the laptop")
    archive.write_bytes(log.paths.log.read_bytes()[: first.end] + format_message(elsewhere))
    log.append("user", "Sara", "next")
    assert whole(tmp_path / "Mei") == ["said on the laptop", *(f"day {number}" for number in range(40)), "next"]
