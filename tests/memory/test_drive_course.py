"""The course of the drives: at most hourly, by month, whatever is in the files."""

from datetime import datetime, timedelta
from threading import Thread

from managers.memory.drive_course import DriveCourse
from managers.memory.drives import DRIVES, Levels
from managers.memory.inner_state import InnerStateStore
from managers.storage.locks import writing
from managers.storage.paths import PersonaPaths
from tests.fakes import HandClock

NOON = datetime(2026, 1, 31, 12)
LEVELS = Levels(0.1, 0.2, 0.3, 0.4, thresholds=dict.fromkeys(DRIVES, 0.6))


def test_hourly_at_most_also_from_two_places(paths: PersonaPaths) -> None:
    one, other = DriveCourse(paths), DriveCourse(paths)
    noted = [course.note(LEVELS, NOON + timedelta(minutes=20 * n)) for n in range(7) for course in (one, other)]
    assert noted.count(True) == 3
    times = [point.time for point in one.points(NOON, NOON + timedelta(days=1))]
    assert times == [NOON, NOON + timedelta(hours=1), NOON + timedelta(hours=2)]
    assert one.note(LEVELS, NOON - timedelta(days=3)), "a clock that is set back silences nothing"


def test_each_month_has_its_file_and_damage_costs_one_line(paths: PersonaPaths) -> None:
    course = DriveCourse(paths)
    for hours in range(30):
        course.note(LEVELS, NOON + timedelta(hours=hours))
    files = sorted(paths.memory.glob("drive_course_*"))
    assert [path.name for path in files] == ["drive_course_2026-01.jsonl", "drive_course_2026-02.jsonl"]
    lines = files[0].read_bytes().splitlines(keepends=True)
    files[0].write_bytes(b"".join([b'{"time": "2026-01-3\n', b"[]\n", b"\xff\n", *lines[1:]]))
    assert len(course.points(NOON, NOON + timedelta(days=9))) == 29
    assert len(course.points(datetime(2026, 2, 1), datetime(2026, 3, 1))) == 18


def test_the_height_that_boredom_reached_is_noted_before_the_talk_that_ends_it(
    paths: PersonaPaths, clock: HandClock
) -> None:
    inner = InnerStateStore(paths, clock)
    inner.touch()
    clock.move(hours=12)
    inner.meet("joy")
    start = clock.now() - timedelta(days=1)
    points = inner.course.points(start, clock.now() + timedelta(hours=1))
    assert [round(point.levels["boredom"], 1) for point in points] == [0.6]
    assert inner.levels().boredom == 0


def test_nobody_who_only_looks_waits_for_whoever_writes(paths: PersonaPaths, clock: HandClock) -> None:
    inner = InnerStateStore(paths, clock)
    inner.touch(clock.now() - timedelta(hours=5))
    elsewhere, noted = InnerStateStore(paths, clock), list[bool]()
    with writing(paths):  # a write would wait, and then fail
        looking = Thread(target=lambda: noted.append(elsewhere.note_course()))
        looking.start()
        looking.join()
    assert noted == [False]
    assert elsewhere.note_course()
