"""A persona's folder as it is at one moment, whatever is written while it is read.

For that moment alone writers wait: each file gets a second name, which costs next to nothing. Files that are written
anew leave the second name with what it had; those that only grow are read up to the length that they had.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from managers.storage.errors import MovedAwayError, UnwritableError
from managers.storage.files import copy_file, entries, make_folder, remove_tree
from managers.storage.journal import settle
from managers.storage.locks import holding, writing
from managers.storage.opening import open_plain
from managers.storage.paths import PersonaPaths

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_TEMPORARY: Final = ".utatane-tmp"
_SECOND_NAMES: Final = f".export{_TEMPORARY}"
_LOCK: Final = ".export.lock"
_LEFT_OUT: Final = frozenset({"rag_index", "rag_index.lock", ".lock", _LOCK})
"""What is derived, and locks."""
_PATIENCE: Final = 600.0
"""How long one copy of a persona waits for another."""


@dataclass(frozen=True, slots=True)
class HeldFile:
    """A file as it was: its path in the persona's folder, its second name, how long it was, when it was written (ns).

    `inode` is its number on the disk, which it has under each of its names.
    """

    name: str
    path: Path
    size: int
    modified: int
    inode: int

    def open(self) -> io.BufferedReader:
        """Open it for reading; what was added since is not there."""
        return io.BufferedReader(_Begun(self.path, self.size))


@dataclass(frozen=True, slots=True)
class Moment:
    """A persona's files at one moment, and the folders in which nothing is."""

    files: tuple[HeldFile, ...]
    empty_folders: tuple[str, ...]


IsKnown = Callable[[str, os.stat_result], bool]
"""Tells by a file's path in the persona's folder, and a look at it, that nobody will read it."""


@contextmanager
def moment_of(
    paths: PersonaPaths,
    first: Callable[[int], None] = lambda _count: None,
    is_known: IsKnown = lambda _name, _status: False,
) -> Iterator[Moment]:
    """Give the persona's files as they are now; they can be read until the block ends.

    Args:
        paths: the persona's folder. Keys are not part of it.
        first: what is to be written before, while nobody else writes; gets the number of files.
        is_known: of which files nobody needs a second name, for they will not be read.

    Raises:
        BusyError: somebody else has been writing, or copying, for long.
        MovedAwayError: the folder was renamed or moved before all of it was read.
        DiskFullError, UnwritableError: a file could be given no second name.
    """
    second = paths.folder / _SECOND_NAMES
    with ExitStack() as stack:
        try:
            stack.enter_context(holding(paths.folder / _LOCK, paths.name, _PATIENCE, within=paths.folder))
        except MovedAwayError:
            raise
        except UnwritableError:  # a folder that can only be read: nobody writes there meanwhile
            found, empty = _look(paths.folder)
            yield Moment(tuple(_held(file, file, paths, file.stat()) for file in found), empty)
            return
        remove_tree(second)  # what a killed one left behind
        stack.callback(remove_tree, second)
        with writing(paths):
            settle(paths)
            first(len(_look(paths.folder)[0]))
            found, empty = _look(paths.folder)
            make_folder(second)
            held = tuple(_hold(file, paths, second / str(number), is_known) for number, file in enumerate(found))
        try:
            yield Moment(held, empty)
        except FileNotFoundError as error:
            if second.exists():
                raise
            raise MovedAwayError(name=paths.name) from error  # with its second names


def _hold(file: Path, paths: PersonaPaths, second: Path, is_known: IsKnown) -> HeldFile:
    """Give a file a second name; where the disk knows no such thing, copy it."""
    status = file.stat()
    held = _held(file, second, paths, status)
    if is_known(held.name, status):
        return held
    try:
        second.hardlink_to(file)
    except OSError:
        copy_file(file, second)
    return held


def _held(file: Path, second: Path, paths: PersonaPaths, status: os.stat_result) -> HeldFile:
    name = file.relative_to(paths.folder).as_posix()
    return HeldFile(name, second, status.st_size, status.st_mtime_ns, status.st_ino)


def _look(folder: Path) -> tuple[list[Path], tuple[str, ...]]:
    """Return the files below a folder, and the paths of the folders in which nothing is."""
    found: list[Path] = []
    empty: list[str] = []

    def look(place: Path) -> None:
        inside = sorted(entries(place), key=lambda entry: entry.name)
        if not inside:
            empty.append(place.relative_to(folder).as_posix())
        for entry in inside:
            if entry.name in _LEFT_OUT or entry.name.endswith(_TEMPORARY):
                continue
            if entry.is_dir(follow_symlinks=False):
                look(place / entry.name)
            else:
                found.append(place / entry.name)

    look(folder)
    return found, tuple(empty)


class _Begun(io.RawIOBase):
    """The first bytes of a file, as many as it had."""

    def __init__(self, path: Path, size: int) -> None:
        self._file = open_plain(path)
        self._left = size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        room = memoryview(buffer).cast("B")
        data = self._file.read(min(self._left, len(room)))
        room[: len(data)] = data
        self._left -= len(data)
        return len(data)

    def close(self) -> None:
        self._file.close()
        super().close()
