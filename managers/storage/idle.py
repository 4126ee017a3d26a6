"""Giving back what nobody uses: the files that threads hold open which served a window that is closed by now.

Connections to an index belong to a thread each, and the threads of a server stay. So what has not been used for a while
is closed, and opened again when it is; a thread looks now and then as long as there is anything to close.
"""

import logging
import threading
import time
import weakref
from typing import Final, Protocol

IDLE_SECONDS: Final = 25.0
_LOOK_EVERY: Final = 15.0
"""Seconds; together less than a minute."""

_logger = logging.getLogger(__name__)


class Closable(Protocol):
    """Something that holds files open and opens them again when they are used."""

    def close_idle(self, before: float) -> None:
        """Close what was used last before a moment of `time.monotonic`."""


_watched: weakref.WeakSet[Closable] = weakref.WeakSet()
_looking: list[threading.Thread] = []
_starting = threading.Lock()


def watch(one: Closable) -> None:
    """Have something closed whenever it is idle, until it is gone."""
    with _starting:
        _watched.add(one)
        if not any(thread.is_alive() for thread in _looking):
            _looking[:] = [threading.Thread(target=_look, name="idle", daemon=True)]
            _looking[0].start()


def close_idle(seconds: float = IDLE_SECONDS) -> None:
    """Close what has not been used for so long."""
    with _starting:
        watched = list(_watched)
    for one in watched:
        try:
            one.close_idle(time.monotonic() - seconds)
        except Exception:  # the edge of a thread: it is tried again, and the others are closed
            _logger.exception("%r could not be closed", one)


def _look() -> None:
    while True:
        before = time.monotonic()
        time.sleep(_LOOK_EVERY)
        if time.monotonic() - before < IDLE_SECONDS:  # else the clock jumped: what is in use looks idle
            close_idle()
