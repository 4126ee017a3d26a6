"""What runs while nobody talks: conversation ends, dreams, and what the persona does of its own accord.

APScheduler only wakes us; what is due is decided from the clock and the files each time. So a machine
that slept, a clock that jumped or daylight saving make nothing run twice or never: a day that has its
episode needs none, one that has none still waits.
"""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Literal, Protocol

from apscheduler.schedulers.background import BackgroundScheduler

from managers.language.reading import japanese
from managers.mind import Cancel
from managers.personas.errors import PersonaNotFoundError
from managers.recall.index import coarse_quantization
from managers.sleep.dream import DreamReport, Progress
from managers.sleep.errors import DreamingAlreadyError
from managers.sleep.quiet_hours import in_quiet_hours, is_idle, missed_a_night, next_quiet
from managers.storage.clock import Clock
from managers.storage.edges import said
from managers.storage.errors import UtataneError
from managers.storage.settings import SleepSettings

TICK_SECONDS = 60
_WORKERS = 2
Outcome = Literal["never", "running", "done", "nothing", "incomplete", "stopped", "failed"]


class Sleeper(Protocol):
    """One persona as the scheduler sees it. `Companion` or a thin wrapper around it provides this."""

    @property
    def name(self) -> str:
        """The persona's name."""

    def settings(self) -> SleepSettings:
        """Return the settings as they stand now."""

    def last_interaction(self) -> datetime | None:
        """Return when somebody last talked with it."""

    def pending_days(self) -> list[date]:
        """Return the days that wait for a dream, oldest first."""

    def dream(
        self, cancel: Cancel, *, today: bool, progress: Progress | None = None, built_in: bool = False
    ) -> DreamReport:
        """Dream of them, and of the day that still goes on if `today`; `progress` is told of each day that is done.

        With `built_in`, the built-in mind does, whatever the settings name.
        """

    def dream_of(self, day: date, tasks: Sequence[str]) -> DreamReport:
        """Do chosen tasks for one day, by hand."""

    def end_conversation(self) -> None:
        """Resolve what a conversation that has ended answered, if there is one."""

    def act(self) -> None:
        """Do something of its own accord, if it may and is moved to."""


@dataclass(frozen=True)
class SleepStatus:
    """What runs for a persona, when it last ran, how it ended, and when it will run next.

    Attributes:
        outcome: `incomplete` means that some task waits for the next night.
        next_at: the earliest moment of the next dream; None while dreaming is off.
        days_done, days: how far the dream under way has come; no days while it begins.
        stopping: it was asked to stop, and does so after the thought that it is at.
    """

    outcome: Outcome = "never"
    started_at: datetime | None = None
    ended_at: datetime | None = None
    next_at: datetime | None = None
    report: DreamReport | None = None
    error: UtataneError | None = None
    days_done: int = 0
    days: int = 0
    stopping: bool = False

    @property
    def is_running(self) -> bool:
        return self.outcome == "running"


class SleepScheduler:
    """Runs sleep for all personas. Each dreams in a thread of its own, one dream at a time each."""

    def __init__(self, clock: Clock, sleepers: Callable[[], Sequence[Sleeper]]) -> None:
        """Take the time and what gives the personas there are now; nothing runs before `start`."""
        self._clock = clock
        self._sleepers = sleepers
        self._scheduler = BackgroundScheduler(timezone="UTC")
        self._pool = ThreadPoolExecutor(max_workers=_WORKERS, thread_name_prefix="dream")
        self._status: dict[str, SleepStatus] = {}
        self._tried: dict[str, date] = {}
        self._cancels: dict[str, Cancel] = {}
        self._lock = threading.Lock()

    def start(self, *others: Callable[[], None]) -> None:
        """Begin to look what is due, every minute; and with it what `others` look after, each in a thread of its own."""
        for number, look in enumerate((self.tick, *others)):
            self._scheduler.add_job(
                look,
                "interval",
                seconds=TICK_SECONDS,
                id=f"look-{number}",
                max_instances=1,
                coalesce=True,
                misfire_grace_time=None,
            )
        self._scheduler.start()

    def stop(self) -> None:
        """Stop; a dream under way is broken off, which leaves everything as it was before it."""
        if self._scheduler.running:
            self._scheduler.shutdown(wait=False)
        with self._lock:
            for cancel in self._cancels.values():
                cancel.set()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def tick(self) -> None:
        """Do what is due now."""
        for sleeper in self._sleepers():
            try:
                self._look_after(sleeper)
            except Exception as error:  # noqa: BLE001  # the edge of a thread: one persona's trouble is none of the others'
                self._set(sleeper.name, replace(self._of(sleeper.name), error=said(error, f"sleep of {sleeper.name}")))
        japanese.let_rest()
        coarse_quantization.let_rest()

    def dream_now(self, name: str, *, built_in: bool = False) -> Future[None]:
        """Dream now, whatever the hour, of what was said today too; the future is done when the dream is.

        With `built_in`, the built-in mind dreams, whatever the settings name.

        Raises:
            DreamingAlreadyError: it dreams already.
            PersonaNotFoundError: it cannot be opened.
        """
        sleeper = self._sleeper(name)
        return self._asked_for(
            sleeper,
            lambda cancel: sleeper.dream(cancel, today=True, progress=self._progress_of(name), built_in=built_in),
        )

    def dream_of(self, name: str, day: date, tasks: Sequence[str]) -> Future[None]:
        """Do chosen tasks for one day now; otherwise as `dream_now`.

        Raises:
            DreamingAlreadyError, PersonaNotFoundError
        """
        sleeper = self._sleeper(name)
        return self._asked_for(sleeper, lambda _: sleeper.dream_of(day, tasks))

    def _sleeper(self, name: str) -> Sleeper:
        sleeper = next((one for one in self._sleepers() if one.name == name), None)
        if sleeper is None:
            raise PersonaNotFoundError(name=name)
        return sleeper

    def _asked_for(self, sleeper: Sleeper, work: Callable[[Cancel], DreamReport]) -> Future[None]:
        future = self._begin(sleeper, work)
        if future is None:
            raise DreamingAlreadyError(name=sleeper.name)
        return future

    def cancel(self, name: str) -> None:
        """Break off a persona's dream: what it has applied stays, the rest waits."""
        with self._lock:
            if name in self._cancels:
                self._cancels[name].set()

    def progress(self, name: str) -> SleepStatus:
        """Return what runs for a persona; no file is read for that."""
        with self._lock:
            stopping = name in self._cancels and self._cancels[name].is_set()
        return replace(self._of(name), stopping=stopping)

    def status(self, name: str) -> SleepStatus:
        """Return what runs for a persona and when it will run next."""
        found = self.progress(name)
        sleeper = next((one for one in self._sleepers() if one.name == name), None)
        if sleeper is None or not sleeper.settings().dreaming:
            return found
        return replace(found, next_at=next_quiet(self._clock.now(), sleeper.settings()))

    def _look_after(self, sleeper: Sleeper) -> None:
        if self._of(sleeper.name).is_running:
            return
        sleeper.end_conversation()
        settings, now = sleeper.settings(), self._clock.now()
        if settings.dreaming and self._should_dream(sleeper, settings, now):
            progress = self._progress_of(sleeper.name)
            self._begin(sleeper, lambda cancel: sleeper.dream(cancel, today=False, progress=progress))
        elif not in_quiet_hours(now, settings):
            sleeper.act()

    def _should_dream(self, sleeper: Sleeper, settings: SleepSettings, now: datetime) -> bool:
        """Whether a night's dream is due: once a night, and once more where a whole night was missed."""
        if not is_idle(sleeper.last_interaction(), now, settings.idle_minutes_before_dream):
            return False
        if self._tried.get(sleeper.name) == now.date():
            return False
        pending = sleeper.pending_days()
        if not pending:
            return False
        return in_quiet_hours(now, settings) or missed_a_night(pending, now, settings)

    def _begin(self, sleeper: Sleeper, work: Callable[[Cancel], DreamReport]) -> Future[None] | None:
        cancel = Cancel()
        with self._lock:
            if sleeper.name in self._cancels:
                return None
            self._cancels[sleeper.name] = cancel
        now = self._clock.now()
        self._tried[sleeper.name] = now.date()  # a night that begins before midnight looks once more after it
        self._set(sleeper.name, replace(self._of(sleeper.name), outcome="running", started_at=now, error=None, days=0))
        return self._pool.submit(self._dream, sleeper, cancel, work)

    def _dream(self, sleeper: Sleeper, cancel: Cancel, work: Callable[[Cancel], DreamReport]) -> None:
        outcome: Outcome = "failed"
        report: DreamReport | None = None
        error: UtataneError | None = None
        try:
            report = work(cancel)
            outcome = _outcome(report)
        except DreamingAlreadyError:
            outcome = "nothing"  # another window dreams for this persona
        except Exception as failure:  # noqa: BLE001  # the edge of a thread: nobody above would see it
            error = said(failure, f"the dream of {sleeper.name}")
        finally:
            with self._lock:
                self._cancels.pop(sleeper.name, None)
            ended = replace(
                self._of(sleeper.name), outcome=outcome, ended_at=self._clock.now(), report=report, error=error
            )
            self._set(sleeper.name, ended)

    def _progress_of(self, name: str) -> Progress:
        return lambda done, days: self._set(name, replace(self._of(name), days_done=done, days=days))

    def _of(self, name: str) -> SleepStatus:
        with self._lock:
            return self._status.get(name, SleepStatus())

    def _set(self, name: str, status: SleepStatus) -> None:
        with self._lock:
            self._status[name] = status


def _outcome(report: DreamReport) -> Outcome:
    if report.cancelled:
        return "stopped"
    if any(not failure.is_left_out for failure in report.failures):
        return "incomplete"
    return "done" if report.told.count else "nothing"
