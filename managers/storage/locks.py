"""One writer per persona, across processes and threads."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from managers.storage.errors import AlreadyRunningError, BusyError
from managers.storage.files import explained, make_folder
from managers.storage.paths import Home, PersonaPaths

WAIT_SECONDS = 10.0
"""Writes hold the lock for milliseconds; whoever waits longer than this meets a stuck process."""
_LONG_SECONDS, _PAUSE_SECONDS = 0.25, 0.08
"""After so long, long work pauses for so long: whoever waits looks twenty times a second."""


@contextmanager
def writing(paths: PersonaPaths, wait: float = WAIT_SECONDS) -> Iterator[None]:
    """Hold the persona's write lock; reentrant within a thread.

    Raises:
        BusyError: somebody else has held it for longer than `wait` seconds.
        UnwritableError, DiskFullError: nothing can be written there, not even the lock.
    """
    with holding(paths.lock, paths.name, wait):
        yield


def moment() -> float:
    """Return the moment from which long work counts how long it has kept others waiting."""
    return time.monotonic()


def let_others_in(held_since: float) -> float:
    """Pause, if others have been kept waiting for long; called between two steps, without the lock.

    Args:
        held_since: what `moment`, or this function, returned last.

    Returns:
        the moment from which to count on.
    """
    if moment() - held_since < _LONG_SECONDS:
        return held_since
    time.sleep(_PAUSE_SECONDS)
    return moment()


@contextmanager
def holding(lock_file: Path, name: str, wait: float = WAIT_SECONDS) -> Iterator[None]:
    """Hold a lock file; reentrant within a thread.

    Args:
        lock_file: its folder is made if missing.
        name: what the error calls that which is locked.
        wait: seconds.

    Raises:
        BusyError, UnwritableError, DiskFullError
    """
    # A singleton per path makes the lock reentrant for nested writers of the same thread, while
    # other threads and processes wait: the instance is thread-local.
    lock = FileLock(lock_file, is_singleton=True)
    try:
        make_folder(lock_file.parent)
        lock.acquire(timeout=wait)
    except Timeout as error:
        raise BusyError(name=name) from error
    except OSError as error:
        raise explained(error, lock_file.parent) from error
    try:
        yield
    finally:
        lock.release()


@contextmanager
def serving(home: Home) -> Iterator[None]:
    """Be the only page of a home folder; the command line may work beside it.

    Raises:
        AlreadyRunningError: another process serves this home.
    """
    make_folder(home.folder)
    lock = FileLock(home.lock)
    try:
        lock.acquire(timeout=0)
    except Timeout as error:
        raise AlreadyRunningError(home=home.folder) from error
    try:
        yield
    finally:
        lock.release()
