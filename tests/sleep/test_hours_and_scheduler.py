from collections.abc import Sequence
from datetime import date, datetime, timedelta
from pathlib import Path
from threading import Event

import pytest

from managers.mind import Cancel
from managers.sleep.dream import DreamReport, Progress
from managers.sleep.errors import DreamingAlreadyError
from managers.sleep.quiet_hours import in_quiet_hours, is_idle, missed_a_night, next_quiet
from managers.sleep.scheduler import SleepScheduler
from managers.storage.errors import DiskFullError
from managers.storage.settings import SleepSettings
from tests.fakes import HandClock

DEFAULT = SleepSettings()
LATE = SleepSettings(quiet_start_hour=23, quiet_end_hour=6)


def at(hour: int, minute: int = 0, day: int = 21) -> datetime:
    return datetime(2026, 11, day, hour, minute)


def test_quiet_hours_also_over_midnight() -> None:
    assert [hour for hour in range(24) if in_quiet_hours(at(hour), DEFAULT)] == [0, 1, 2, 3, 4, 5, 6]
    assert [hour for hour in range(24) if in_quiet_hours(at(hour), LATE)] == [0, 1, 2, 3, 4, 5, 23]
    assert not in_quiet_hours(at(3), SleepSettings(quiet_start_hour=5, quiet_end_hour=5))


def test_the_next_night_begins_when_it_gets_quiet() -> None:
    assert next_quiet(at(12), DEFAULT) == datetime(2026, 11, 22)
    assert next_quiet(at(3), DEFAULT) == at(3)


def test_idleness_survives_a_clock_that_is_set_back() -> None:
    now = at(3)
    assert not is_idle(now - timedelta(minutes=10), now, 30)
    assert is_idle(now - timedelta(minutes=31), now, 30)
    assert not is_idle(now + timedelta(minutes=50), now, 30)  # the hour that comes twice in autumn
    assert is_idle(now + timedelta(days=300), now, 30)
    assert is_idle(None, now, 30)


def test_a_night_is_missed_when_its_quiet_hours_are_over() -> None:
    yesterday = [date(2026, 11, 20)]
    assert not missed_a_night(yesterday, at(3), DEFAULT)
    assert missed_a_night(yesterday, at(9), DEFAULT)
    assert not missed_a_night([date(2026, 11, 21)], at(9), DEFAULT)
    assert not missed_a_night([], at(9), DEFAULT)


class FakeSleeper:
    """A persona that counts what is asked of it."""

    def __init__(self, clock: HandClock, days: list[date]) -> None:
        self.name = "ねむ"
        self.clock = clock
        self.days = days
        self.sleep_settings = SleepSettings()
        self.last: datetime | None = None
        self.dreams: list[datetime] = []
        self.ended = 0
        self.acted = 0
        self.error: Exception | None = None
        self.hold: Event | None = None

    def settings(self) -> SleepSettings:
        return self.sleep_settings

    def last_interaction(self) -> datetime | None:
        return self.last

    def pending_days(self) -> list[date]:
        return [day for day in self.days if day < self.clock.now().date()]

    def dream_of(self, day: date, tasks: Sequence[str]) -> DreamReport:
        return DreamReport(self.clock.now(), days=(day,), messages=len(tasks))

    def dream(
        self, cancel: Cancel, *, today: bool, progress: Progress | None = None, built_in: bool = False
    ) -> DreamReport:
        self.dreams.append(self.clock.now())
        if self.hold is not None:
            self.hold.wait(60)
        if self.error:
            raise self.error
        done = tuple(self.pending_days())
        self.days = [day for day in self.days if day not in done]
        return DreamReport(started_at=self.clock.now(), days=done, cancelled=cancel.is_set())

    def end_conversation(self) -> None:
        self.ended += 1

    def act(self) -> None:
        self.acted += 1


def run_through(scheduler: SleepScheduler, clock: HandClock, hours: float, step_minutes: int = 10) -> None:
    """Let the scheduler tick through some hours, and each dream end."""
    for _ in range(int(hours * 60 / step_minutes)):
        scheduler.tick()
        finish(scheduler)
        clock.move(minutes=step_minutes)


def finish(scheduler: SleepScheduler) -> None:
    scheduler._pool.submit(lambda: None).result(60)
    for _ in range(6000):
        if not scheduler.status("ねむ").is_running:
            return
        Event().wait(0.01)


@pytest.fixture
def sleeper(clock: HandClock) -> FakeSleeper:
    clock.set(at(22))
    return FakeSleeper(clock, [date(2026, 11, day) for day in range(21, 30)])


@pytest.fixture
def scheduler(clock: HandClock, sleeper: FakeSleeper) -> SleepScheduler:
    return SleepScheduler(clock, lambda: [sleeper])


def test_one_dream_a_night_in_quiet_hours(clock: HandClock, sleeper: FakeSleeper, scheduler: SleepScheduler) -> None:
    run_through(scheduler, clock, 72, step_minutes=30)
    assert [moment.day for moment in sleeper.dreams] == [22, 23, 24]
    assert all(in_quiet_hours(moment, DEFAULT) for moment in sleeper.dreams)
    assert sleeper.acted > 0


def test_it_waits_until_nobody_talks(clock: HandClock, sleeper: FakeSleeper, scheduler: SleepScheduler) -> None:
    clock.set(at(0, 30, day=22))
    sleeper.last = at(0, 20, day=22)
    scheduler.tick()
    finish(scheduler)
    assert sleeper.dreams == []
    clock.set(at(0, 55, day=22))
    scheduler.tick()
    finish(scheduler)
    assert len(sleeper.dreams) == 1


def test_missed_nights_become_one_run_in_the_daytime(
    clock: HandClock, sleeper: FakeSleeper, scheduler: SleepScheduler
) -> None:
    clock.set(datetime(2026, 11, 26, 10))  # a laptop that was shut for days, opened in the morning
    run_through(scheduler, clock, 8)
    assert len(sleeper.dreams) == 1
    assert sleeper.days[0] == date(2026, 11, 26)


def test_off_means_off(clock: HandClock, sleeper: FakeSleeper, scheduler: SleepScheduler) -> None:
    sleeper.sleep_settings = SleepSettings(dreaming=False)
    run_through(scheduler, clock, 24)
    assert sleeper.dreams == []
    assert scheduler.status("ねむ").next_at is None


def test_a_failed_dream_is_told_and_tried_the_next_night(
    clock: HandClock, sleeper: FakeSleeper, scheduler: SleepScheduler
) -> None:
    sleeper.error = DiskFullError(path="goals.json")
    run_through(scheduler, clock, 20, step_minutes=30)
    status = scheduler.status("ねむ")
    assert (status.outcome, len(sleeper.dreams)) == ("failed", 1)
    assert status.error is sleeper.error
    sleeper.error = None
    run_through(scheduler, clock, 24, step_minutes=30)
    assert len(sleeper.dreams) == 2


def test_quiet_hours_before_midnight_do_not_make_every_dream_a_day_late(
    clock: HandClock, sleeper: FakeSleeper, scheduler: SleepScheduler
) -> None:
    sleeper.sleep_settings = LATE
    clock.set(at(23, 10, day=22))  # the 21st was missed; the 22nd is over in an hour
    run_through(scheduler, clock, 3, step_minutes=30)
    assert [moment.day for moment in sleeper.dreams] == [22, 23]
    assert sleeper.days[0] == date(2026, 11, 23)


def test_a_clock_that_jumps_runs_nothing_twice(
    clock: HandClock, sleeper: FakeSleeper, scheduler: SleepScheduler
) -> None:
    clock.set(at(2, 50, day=22))
    scheduler.tick()
    finish(scheduler)
    clock.set(at(2, 5, day=22))  # daylight saving ends: the hour comes again
    run_through(scheduler, clock, 3)
    assert len(sleeper.dreams) == 1
    clock.set(datetime(2025, 11, 22, 3))  # a year back
    run_through(scheduler, clock, 3)
    assert len(sleeper.dreams) == 1
    clock.set(at(3, 0, day=23))  # and forth: over a spring night without that hour, too
    run_through(scheduler, clock, 1)
    assert len(sleeper.dreams) == 2


def test_one_personas_trouble_does_not_keep_the_others_awake(clock: HandClock, sleeper: FakeSleeper) -> None:
    broken = FakeSleeper(clock, [])
    broken.name = "こわれた"
    broken.last_interaction = lambda: datetime.fromisoformat("nonsense")  # type: ignore[method-assign]  # a bug
    scheduler = SleepScheduler(clock, lambda: [broken, sleeper])
    clock.set(at(3, 0, day=22))
    scheduler.tick()
    finish(scheduler)
    assert len(sleeper.dreams) == 1


def test_only_one_at_a_time_and_its_status_is_shown(clock: HandClock, sleeper: FakeSleeper) -> None:
    scheduler = SleepScheduler(clock, lambda: [sleeper])
    clock.set(at(9))
    sleeper.hold = Event()
    future = scheduler.dream_now("ねむ")
    assert (scheduler.status("ねむ").is_running, scheduler.status("ねむ").outcome) == (True, "running")
    with pytest.raises(DreamingAlreadyError):
        scheduler.dream_now("ねむ")
    scheduler.tick()
    scheduler.cancel("ねむ")
    sleeper.hold.set()
    future.result(60)
    assert scheduler.status("ねむ").outcome == "stopped"
    assert scheduler.status("ねむ").next_at == datetime(2026, 11, 22)


def test_it_starts_and_stops(clock: HandClock, sleeper: FakeSleeper, scheduler: SleepScheduler, tmp_path: Path) -> None:
    scheduler.start()
    scheduler.stop()
    assert sleeper.dreams == []
