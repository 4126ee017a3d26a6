"""The backup that is made by itself each day, beside whatever else goes on, and what a person asks for on the page."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from managers.exchange.backups.errors import BackupStoppedError
from managers.exchange.backups.keeping import Backups
from managers.exchange.backups.listing import Head
from managers.storage.edges import said
from managers.storage.errors import UtataneError
from managers.storage.notices import NoticeBoard
from managers.storage.texts import Texts

_say = Texts("notices/backups")
SOURCE: Final = "backups"
_FIRST: Final = timedelta(minutes=3)
"""After a start, before a backup that was missed is made."""
_AGAIN: Final = timedelta(hours=1)
"""After one that failed."""
_PATIENCE: Final = timedelta(hours=6)
"""So long it waits until nobody talks; then it is made beside the talk."""
_LOOK: Final = timedelta(minutes=30)
"""After a look that found none due: a disk that sleeps is not woken every minute."""


@dataclass(frozen=True, slots=True)
class BackupProgress:
    """What goes on: since when, what (`daily`, `now` or `check`), or how the last one ended."""

    doing: str = ""
    since: datetime | None = None
    error: UtataneError | None = None


class DailyBackups:
    """Makes backups in the background, one at a time. Safe to use from several threads."""

    def __init__(self, backups: Backups, notices: NoticeBoard, is_idle: Callable[[], bool] = lambda: True) -> None:
        """Take what makes them, where is said what went wrong, and what tells that nobody talks just now.

        Nothing runs before somebody calls `tick`.
        """
        self._is_idle = is_idle
        self._waiting_since: datetime | None = None
        self._stop = threading.Event()
        self.backups = replace(backups, is_stopped=self._stop.is_set)
        self._notices = notices
        self._clock = backups.clock
        self._not_before = self._clock.monotonic() + _FIRST.total_seconds()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._progress = BackupProgress()
        self._ended = 0

    @property
    def progress(self) -> BackupProgress:
        """What goes on now."""
        return self._progress

    @property
    def mark(self) -> str:
        """What changes when something begins or ends, and never comes back: one may end between two looks."""
        return f"{self._ended}{self._progress.doing}{self._progress.since}"

    def tick(self) -> None:
        """Make the day's backup, if it is due; called every minute, from a thread of its own."""
        if self._clock.monotonic() < self._not_before or not self.backups.settings().daily:
            return
        try:
            if not self.backups.is_due():
                self._wait(_LOOK)
                return
        except (UtataneError, OSError) as error:
            self._failed(said(error, "looking for backups"))
            return
        self._waiting_since = self._waiting_since or self._clock.utc()
        if not self._is_idle() and self._clock.utc() - self._waiting_since < _PATIENCE:
            return
        self._waiting_since = None
        self._run("daily", lambda: replace(self.backups, is_quiet=True).make("daily"))

    def begin(self, doing: str) -> bool:
        """Make a backup (`now`) or check all of them (`check`) in a thread of its own; tell whether it began."""
        work: Callable[[], Head | list[Head]]
        work = self.backups.check if doing == "check" else self.backups.make
        with self._lock:
            if self._thread is not None and self._thread.is_alive():
                return False
            self._thread = threading.Thread(target=self._run, args=(doing, work), name="backup", daemon=True)
            self._thread.start()
        return True

    def stop(self) -> None:
        """Break off what goes on: it is as if it had never begun."""
        self._stop.set()
        self.wait()

    def wait(self) -> None:
        """Wait until what was begun has ended."""
        if self._thread is not None:
            self._thread.join()

    def _run(self, doing: str, work: Callable[[], Head | list[Head]]) -> None:
        self._progress = BackupProgress(doing, self._clock.now())
        try:
            found = work()
            heads = found if isinstance(found, list) else [found]
            bad = [head for head in heads if head.proof.level == "failed"]
            notices = [
                _say.notice("backup-damaged", made=head.made_at, files=", ".join(head.proof.bad[:3]) or head.id)
                for head in bad
            ]
            self._notices.replace(SOURCE, notices)
            self._progress = BackupProgress()
            self._wait(_AGAIN if bad else timedelta())
        except BackupStoppedError:
            self._progress = BackupProgress()
        except Exception as error:  # noqa: BLE001  # the edge of a thread: nobody above would see it
            self._failed(said(error, "a backup"))
        self._ended += 1

    def _wait(self, time: timedelta) -> None:
        """Look no sooner than after so long, whatever happens to the wall clock."""
        self._not_before = self._clock.monotonic() + time.total_seconds()

    def _failed(self, error: UtataneError) -> None:
        self._progress = BackupProgress(error=error)
        self._wait(_AGAIN)
        self._notices.replace(SOURCE, [_say.notice("backup-failed", why=error.sentences)])
