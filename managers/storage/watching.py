"""What is in a folder, without a look at each of its files whenever somebody asks.

A file that comes, goes or is replaced moves its folder's time: one look at the folder notices what this program
writes, and editors that save by replacing. An editor that writes into the file itself moves the file's time alone:
for that a thread looks at all files every few seconds, beside whoever waits for an answer.
"""

from __future__ import annotations

import contextlib
import logging
import os
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from managers.storage import opening
from managers.storage.errors import UtataneError
from managers.storage.files import entries, unread

LOOK_EVERY: Final = 2.0
"""Seconds; so late may be noticed what an editor writes into a file itself."""
_SHARE: Final = 0.01
"""Looking takes no more than this part of one processor, however many files there are."""
_UNUSED_SECONDS: Final = 1800.0
"""What nobody has asked for so long is not looked at; whoever asks then looks at each file, once."""
_TICK_NS: Final = 2_000_000_000
"""Some file systems count in 2 seconds: a folder younger than that may change without its time changing."""

_logger = logging.getLogger(__name__)


class Identity(NamedTuple):
    """What changes when a file does."""

    inode: int
    size: int
    modified_ns: int

    @classmethod
    def of(cls, status: os.stat_result) -> Identity:
        return cls(status.st_ino, status.st_size, status.st_mtime_ns)


def every(_name: str) -> bool:
    """Want all files."""
    return True


class Listing:
    """The files of one folder. Used from several threads."""

    def __init__(self, folder: Path, wanted: Callable[[str], bool]) -> None:
        """Remember the folder; nothing is looked at yet. See `listing`."""
        self.folder = folder
        self.place = os.fspath(folder)
        self._wanted = wanted
        self._lock = threading.Lock()
        self._files: Mapping[str, Identity] = {}
        self._known_at: int | None = None
        self._sure_after = 0
        """A look before that moment (nanoseconds since 1970) may have missed what came in the same tick; 0: none did."""
        self._beside = 0
        """How many files that are not wanted here are being written, while nothing else had moved the folder's time."""
        self._looks = 0
        self.used = 0.0

    def files(self) -> Mapping[str, Identity]:
        """Return the wanted files by name, no links, none that is hidden; the same object as long as nothing changes.

        Raises:
            UnreadableError, NotPlainFileError: the folder is there and cannot be listed.
        """
        self.used = time.monotonic()
        is_watched = _keep_watching(self)
        with self._lock:
            modified, began = self._time_told(), time.time_ns()
            if modified != self._known_at or self._sure_after or not is_watched:
                self._note(self._look(), modified, began)
            return self._files

    def look_again(self) -> None:
        """Look at each file now: for whoever begins to work with what is in them, and for the thread."""
        looks, began = self._looks, time.time_ns()
        try:
            modified = self._time_told()
            found = self._look()
        except UtataneError:
            found, modified = {}, None  # whoever asks next is told
        with self._lock:
            if looks == self._looks:  # nobody has looked meanwhile, who would have seen more
                self._note(found, modified, began)

    def forget(self) -> None:
        """Look at each file when it is asked for the next time."""
        self._known_at = None

    def wants(self, name: str) -> bool:
        return self._wanted(name)

    @contextlib.contextmanager
    def undisturbed(self) -> Iterator[None]:
        """Go on with what is known while a file that is not wanted here is written: only that moves the folder's time."""
        with self._lock:
            is_known = self._beside > 0 or self._quietly() == self._known_at is not None
            self._beside += is_known
        try:
            yield
        finally:
            with self._lock:
                self._beside -= is_known
                if is_known and self._known_at is not None:
                    self._known_at = self._quietly()

    def _quietly(self) -> int | None:
        """Return the folder's time; None where nobody can tell it: whoever asks next is told."""
        with contextlib.suppress(UtataneError):
            return self._time()
        return None

    def _time_told(self) -> int | None:
        """Return the folder's time, as it was before what is being written beside the files."""
        return self._known_at if self._beside and self._known_at is not None else self._time()

    def _note(self, found: Mapping[str, Identity], modified: int | None, began: int) -> None:
        if modified != self._known_at:
            self._known_at, self._sure_after = modified, (modified or 0) + _TICK_NS
        if abs(began - (modified or 0)) > _TICK_NS:  # a time after now is another one as soon as anything changes
            self._sure_after = 0
        self._looks += 1
        if found != self._files:
            self._files = found

    def _time(self) -> int:
        try:
            status = opening.look(self.folder)
        except OSError as error:
            raise unread(error, self.folder) from error
        return 0 if status is None else status.st_mtime_ns

    def _look(self) -> dict[str, Identity]:
        found: dict[str, Identity] = {}
        wanted = self._wanted
        for entry in [one for one in entries(self.folder, None) if wanted(one.name)]:  # of thousands often only a few
            if entry.name[0] == ".":
                continue
            try:
                status = opening.status_of(entry)
            except FileNotFoundError:  # it is gone meanwhile
                continue
            except OSError as error:
                raise unread(error, self.folder) from error
            if opening.kind_of(status) == "file":
                found[entry.name] = Identity.of(status)
        return found


_known: weakref.WeakValueDictionary[tuple[Path, Callable[[str], bool]], Listing] = weakref.WeakValueDictionary()
_watched: weakref.WeakSet[Listing] = weakref.WeakSet()
_looking: list[threading.Thread] = []
_guard = threading.Lock()


def listing(folder: Path, wanted: Callable[[str], bool] = every) -> Listing:
    """Return the files of a folder: for all who ask the same one, as long as one of them keeps it.

    Args:
        folder: where they lie; it need not be there yet.
        wanted: tells by their names which of them.
    """
    with _guard:
        found = _known.get((folder, wanted))
        if found is None:
            found = _known[folder, wanted] = Listing(folder, wanted)
        return found


def written_into(path: Path) -> None:
    """Note that a file was changed where it lies: its folder's time tells nothing of that."""
    for one in _listings_of(path, with_it=True):
        one.forget()


@contextlib.contextmanager
def beside_listed(path: Path) -> Iterator[None]:
    """Write, replace or remove a file; whoever lists its folder without wanting it need not list thousands anew for that.

    What somebody else does there at this very moment is noticed by the thread.
    """
    with contextlib.ExitStack() as stack:
        for one in _listings_of(path, with_it=False):
            stack.enter_context(one.undisturbed())
        yield


def _listings_of(path: Path, *, with_it: bool) -> list[Listing]:
    """Return the listings of a file's folder that want it, or that do not."""
    folder, name = os.path.split(path)
    with _guard:
        return [one for one in _known.values() if one.place == folder and one.wants(name) is with_it]


def _keep_watching(one: Listing) -> bool:
    """Have a folder's files looked at now and then; tell whether they were until now."""
    if one in _watched and _looking and _looking[0].is_alive():
        return True
    with _guard:
        _watched.add(one)
        if not (_looking and _looking[0].is_alive()):
            _looking[:] = [threading.Thread(target=_watch, name="watching", daemon=True)]
            _looking[0].start()
    return False


def _watch() -> None:
    took = 0.0
    while True:
        time.sleep(max(LOOK_EVERY, took / _SHARE))
        began = time.thread_time()
        look_at_all()
        took = time.thread_time() - began


def look_at_all(unused: float = _UNUSED_SECONDS) -> None:
    """Look at the files of all folders that somebody has asked for within some seconds."""
    with _guard:
        watched = list(_watched)
    for one in watched:
        try:
            if time.monotonic() - one.used > unused:
                _watched.discard(one)
                one.forget()
            else:
                one.look_again()
        except Exception:  # the edge of a thread: the others are looked at
            _logger.exception("%s could not be watched", one.folder)
