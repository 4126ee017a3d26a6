"""One writer per persona, across processes and threads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from filelock import FileLock, Timeout

from managers.storage.errors import AlreadyRunningError, BusyError
from managers.storage.files import make_folder
from managers.storage.paths import Home, PersonaPaths

WAIT_SECONDS = 10.0
"""Writes hold the lock for milliseconds; whoever waits longer than this meets a stuck process."""


@contextmanager
def writing(paths: PersonaPaths, wait: float = WAIT_SECONDS) -> Iterator[None]:
    """Hold the persona's write lock; reentrant within a thread.

    Raises:
        BusyError: somebody else has held it for longer than `wait` seconds.
    """
    make_folder(paths.folder)
    # A singleton per path makes the lock reentrant for nested writers of the same thread, while
    # other threads and processes wait: the instance is thread-local.
    lock = FileLock(paths.lock, is_singleton=True)
    try:
        lock.acquire(timeout=wait)
    except Timeout as error:
        raise BusyError(name=paths.name) from error
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
