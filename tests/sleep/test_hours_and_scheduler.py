"""When a persona sleeps: in quiet hours, when nobody talks, once a night, whatever the clock does."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
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

    def __init__(self, clock: HandClock, days: list[date], name: str = "ねむ") -> None:
        self.name = name
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
            self.hold.wait()
        if self.error:
            raise self.error
        done = tuple(self.pending_days())
        self.days = [day for day in self.days if day not in done]
        return DreamReport(started_at=self.clock.now(), days=done, cancelled=cancel.is_set())

    def end_conversation(self) -> None:
        self.ended += 1

    def act(self) -> None:
        self.acted += 1


class Nights:
    """A scheduler, whose time is moved by hand, and the one who sleeps."""

    def __init__(self, clock: HandClock) -> None:
        clock.set(at(22))
        self.clock = clock
        self.sleeper = FakeSleeper(clock, [date(2026, 11, day) for day in range(21, 30)])
        self.scheduler = SleepScheduler(clock, lambda: [self.sleeper])

    def tick(self) -> int:
        """Let the scheduler look, and what it begins end; return how often there was a dream."""
        self.scheduler.tick()
        self.scheduler._pool.submit(lambda: None).result()
        while self.scheduler.status("ねむ").is_running:
            Event().wait(0.01)
        return len(self.sleeper.dreams)

    def run_through(self, hours: float) -> list[int]:
        """Let the scheduler look twice an hour; return on which days it dreamt."""
        for _ in range(int(hours * 2)):
            self.tick()
            self.clock.move(minutes=30)
        return [moment.day for moment in self.sleeper.dreams]


@pytest.fixture
def nights(clock: HandClock) -> Nights:
    return Nights(clock)


def test_one_dream_a_night_in_quiet_hours(nights: Nights) -> None:
    assert nights.run_through(72) == [22, 23, 24]
    assert all(in_quiet_hours(moment, DEFAULT) for moment in nights.sleeper.dreams)
    assert nights.sleeper.acted > 0


def test_it_waits_until_nobody_talks(nights: Nights) -> None:
    nights.clock.set(at(0, 30, day=22))
    nights.sleeper.last = at(0, 20, day=22)
    assert nights.tick() == 0
    nights.clock.set(at(0, 55, day=22))
    assert nights.tick() == 1


def test_missed_nights_become_one_run_in_the_daytime(nights: Nights) -> None:
    nights.clock.set(at(10, day=26))  # a laptop that was shut for days, opened in the morning
    assert nights.run_through(8) == [26]
    assert nights.sleeper.days[0] == date(2026, 11, 26)


def test_off_means_off(nights: Nights) -> None:
    nights.sleeper.sleep_settings = SleepSettings(dreaming=False)
    assert nights.run_through(24) == []
    assert nights.scheduler.status("ねむ").next_at is None
    nights.scheduler.start()
    nights.scheduler.stop()
    assert nights.sleeper.dreams == []


def test_a_failed_dream_is_told_and_tried_the_next_night(nights: Nights) -> None:
    nights.sleeper.error = DiskFullError(path="goals.json")
    assert len(nights.run_through(20)) == 1
    status = nights.scheduler.status("ねむ")
    assert (status.outcome, status.error) == ("failed", nights.sleeper.error)
    nights.sleeper.error = None
    assert len(nights.run_through(24)) == 2


def test_quiet_hours_before_midnight_do_not_make_every_dream_a_day_late(nights: Nights) -> None:
    nights.sleeper.sleep_settings = LATE
    nights.clock.set(at(23, 10, day=22))  # the 21st was missed; the 22nd is over in an hour
    assert nights.run_through(3) == [22, 23]
    assert nights.sleeper.days[0] == date(2026, 11, 23)


def test_a_clock_that_jumps_runs_nothing_twice(nights: Nights) -> None:
    nights.clock.set(at(2, 50, day=22))
    nights.tick()
    nights.clock.set(at(2, 5, day=22))  # daylight saving ends: the hour comes again
    assert len(nights.run_through(3)) == 1
    nights.clock.set(datetime(2025, 11, 22, 3))  # a year back
    assert len(nights.run_through(3)) == 1
    nights.clock.set(at(3, 0, day=23))  # and forth: over a spring night without that hour, too
    assert len(nights.run_through(1)) == 2


def test_one_personas_trouble_does_not_keep_the_others_awake(nights: Nights, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = FakeSleeper(nights.clock, [], "こわれた")
    monkeypatch.setattr(broken, "last_interaction", lambda: datetime.fromisoformat("nonsense"))  # a bug
    nights.scheduler = SleepScheduler(nights.clock, lambda: [broken, nights.sleeper])
    nights.clock.set(at(3, 0, day=22))
    assert nights.tick() == 1


def test_only_one_at_a_time_and_its_status_is_shown(nights: Nights) -> None:
    nights.clock.set(at(9))
    hold = nights.sleeper.hold = Event()
    future = nights.scheduler.dream_now("ねむ")
    status = nights.scheduler.status("ねむ")
    assert (status.is_running, status.outcome) == (True, "running")
    with pytest.raises(DreamingAlreadyError):
        nights.scheduler.dream_now("ねむ")
    nights.scheduler.tick()
    nights.scheduler.cancel("ねむ")
    hold.set()
    future.result()
    status = nights.scheduler.status("ねむ")
    assert (status.outcome, status.next_at) == ("stopped", datetime(2026, 11, 22))
