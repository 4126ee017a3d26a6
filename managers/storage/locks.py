"""One writer per persona, across processes and threads."""

import json
import logging
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from managers.storage.errors import (
    AlreadyRunningError,
    BusyError,
    DiskFullError,
    MovedAwayError,
    UnwritableError,
    UtataneError,
)
from managers.storage.files import explained, make_folder, read_bytes, write_atomic
from managers.storage.opening import PRIVATE_FILE, check_plain, unlink
from managers.storage.paths import Home, PersonaPaths

logger = logging.getLogger(__name__)

WAIT_SECONDS = 10.0
"""Writes hold the lock for milliseconds; whoever waits longer than this meets a stuck process."""
_LONG_SECONDS, _PAUSE_SECONDS = 0.25, 0.08
"""After so long, long work pauses for so long: whoever waits looks twenty times a second."""

_held_within: Final[set[Path]] = set()
"""In which personas' folders this process has held a lock."""


@contextmanager
def writing(paths: PersonaPaths, wait: float = WAIT_SECONDS) -> Iterator[None]:
    """Hold the persona's write lock; reentrant within a thread.

    Raises:
        BusyError: somebody else has held it for longer than `wait` seconds.
        MovedAwayError: the folder is not there any more.
        UnwritableError, DiskFullError: nothing can be written there, not even the lock.
    """
    with holding(paths.lock, paths.name, wait, within=paths.folder):
        yield


def moment() -> float:
    """Return the moment from which long work counts how long it has kept others waiting."""
    return time.monotonic()


def let_others_in(held_since: float) -> float:
    """Pause between two steps, without the lock, if others have been kept waiting since a `moment`; return the next one."""
    if moment() - held_since < _LONG_SECONDS:
        return held_since
    time.sleep(_PAUSE_SECONDS)
    return moment()


@contextmanager
def holding(
    lock_file: Path,
    name: str,
    wait: float = WAIT_SECONDS,
    *,
    is_reentrant: bool = True,
    within: Path | None = None,
) -> Iterator[None]:
    """Hold a lock file.

    Args:
        lock_file: its folder is made if missing.
        name: what the error calls that which is locked.
        wait: seconds.
        is_reentrant: whether the thread that holds it may take it once more.
        within: a persona's folder, which is not made once more: whoever it belonged to is called something else by now.

    Raises:
        MovedAwayError: the folder `within` is not there any more, or another one than before somebody let go of the lock.
        BusyError, UnwritableError, DiskFullError
    """
    # A singleton per path makes the lock reentrant for nested writers of the same thread, while
    # other threads and processes wait: the instance is thread-local.
    lock = _reentrant_lock(lock_file) if is_reentrant else FileLock(lock_file, mode=PRIVATE_FILE)
    number = None if within is None or lock.is_locked else _number_of(within)
    if number is None and within in _held_within and not lock.is_locked:
        raise MovedAwayError(name=name)
    try:
        make_folder(lock_file.parent)
        check_plain(lock_file)
        lock.acquire(timeout=wait)
    except Timeout as error:
        raise BusyError(name=name) from error
    except OSError as error:
        if number is not None and within is not None and not within.exists():
            raise MovedAwayError(name=name) from error
        raise explained(error, lock_file.parent) from error
    try:
        if within is not None:
            if number is not None and number != _number_of(within):
                raise MovedAwayError(name=name)
            _held_within.add(within)
        yield
    finally:
        lock.release()


def _number_of(folder: Path) -> tuple[int, int] | None:
    """Return what tells a folder from another one of the same name; None where there is none."""
    try:
        status = folder.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


@lru_cache(maxsize=256)
def _reentrant_lock(lock_file: Path) -> FileLock:
    """Return a path's one lock; made once, for that takes as long as to take it, and a turn does so thirty times."""
    return FileLock(lock_file, mode=PRIVATE_FILE, is_singleton=True)


@dataclass(frozen=True, slots=True)
class Served:
    """A page that is being served.

    Attributes:
        address: where it begins, without any token.
        given: it asks for a password that was given to its process, not for what the home folder says.
    """

    address: str
    given: bool = False


@contextmanager
def serving(home: Home) -> Iterator[Callable[[Served], None]]:
    """Be the only page of a home folder; the command line may work beside it.

    Yields:
        what notes the page's address for whoever starts a second time.

    Raises:
        AlreadyRunningError: another process serves this home.
    """
    with ExitStack() as stack:
        try:
            stack.enter_context(holding(home.lock, home.folder.name, wait=0, is_reentrant=False))
        except BusyError as error:
            raise AlreadyRunningError(home=home.folder) from error
        _forget_address(home)  # a killed process's
        try:
            yield lambda served: _note_address(home, served)
        finally:
            _forget_address(home)


def is_served(home: Home) -> bool:
    """Tell whether another process serves a home; nothing is made or changed.

    The system takes the lock from a process that was killed, whatever files it left behind.
    """
    if not home.lock.exists():
        return False
    try:
        with holding(home.lock, home.folder.name, wait=0, is_reentrant=False):
            return False
    except BusyError:
        return True
    except UtataneError:
        return False  # whoever starts is told what is wrong with the folder


def served_at(home: Home) -> Served | None:
    """Return what a process that serves a home noted; None while it is only about to."""
    try:
        return Served(**json.loads(read_bytes(home.serving) or b""))
    except (UtataneError, ValueError, TypeError):
        return None


def _note_address(home: Home, served: Served) -> None:
    try:
        write_atomic(home.serving, json.dumps(asdict(served)) + "\n")
    except (DiskFullError, UnwritableError) as error:
        logger.warning("the page's address could not be noted: %s", error)


def _forget_address(home: Home) -> None:
    with suppress(OSError):
        unlink(home.serving)
