"""Work off the user's path: one piece at a time, and what fails is said in the log."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

_logger = logging.getLogger(__name__)


class Stopped(BaseException):
    """Somebody asked for the end in the middle of the work; nothing of it was kept. No error, and no damage to mend."""


class Background:
    """A thread that is started when there is something to do."""

    def __init__(self, name: str) -> None:
        """Name the thread; none is started yet."""
        self._name = name
        self._thread: threading.Thread | None = None
        self._stopping = threading.Event()
        self.begun = 0
        """How often something was begun."""

    @property
    def is_busy(self) -> bool:
        """Whether the work is under way."""
        return self._thread is not None and self._thread.is_alive()

    @property
    def is_ending(self) -> bool:
        """Whether whoever works should stop."""
        return self._stopping.is_set()

    def start(self, work: Callable[[], None]) -> None:
        """Begin the work, unless something is under way or the end has come."""
        if not self.is_busy and not self.is_ending:
            self._thread = threading.Thread(target=self._run, args=(work,), name=self._name, daemon=True)
            self.begun += 1
            self._thread.start()

    def _run(self, work: Callable[[], None]) -> None:
        try:
            work()
        except Stopped:
            _logger.info("%s was not finished: the program ends", self._name)
        except Exception:  # the edge of a thread
            _logger.exception("%s failed; it is tried again when somebody looks", self._name)

    def wait(self, seconds: float = 60) -> None:
        """Wait until nothing is under way."""
        if self._thread is not None:
            self._thread.join(seconds)

    def close(self) -> None:
        """End the work."""
        self._stopping.set()
        self.wait(10)
