"""The folders under `characters/`: their names, and copying one whole or not at all."""

from __future__ import annotations

import os
import shutil
import unicodedata
from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from managers.storage.errors import UnsafeNameError
from managers.storage.files import explained, fsync_folder, make_folder
from managers.storage.locks import holding
from managers.storage.paths import Home, safe_name

_UNFINISHED = ".new-"
_SHORTEST_NUMBERED = 2


def arranging(home: Home) -> AbstractContextManager[None]:
    """Hold the lock under which personas come, go and change their names; reentrant within a thread.

    Raises:
        BusyError: another process has held it for long.
        UnwritableError, DiskFullError: nothing can be written there.
    """
    return holding(home.folder / ".characters.lock", home.folder.name)


def name_key(name: str) -> str:
    """Return what two names share that some file system takes for one: case and normal form apart."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def persona_folders(characters: Path) -> list[Path]:
    """Return every persona's folder, by name; folders whose names could not be a persona's are left out."""
    try:
        entries = [Path(entry.path) for entry in os.scandir(characters) if entry.is_dir()]
    except FileNotFoundError:
        return []
    return sorted((path for path in entries if _is_usable(path.name)), key=lambda path: name_key(path.name))


def _is_usable(name: str) -> bool:
    try:
        safe_name(name)
    except UnsafeNameError:  # hidden and unfinished folders, mostly
        return False
    return True


def free_name(name: str, taken: Collection[str]) -> str:
    """Return the name, or the name with the first number that makes it free."""
    keys = {name_key(other) for other in taken}
    number, free = _SHORTEST_NUMBERED - 1, name
    while name_key(free) in keys:
        number += 1
        free = f"{name} {number}"
    return free


@contextmanager
def building(characters: Path, name: str) -> Iterator[Path]:
    """Give a folder to build in; it becomes `characters/name` when all went well, else nothing is left.

    What a killed process left is removed by `remove_unfinished`.

    Raises:
        UnwritableError, DiskFullError
    """
    unfinished = characters / f"{_UNFINISHED}{os.getpid()}-{name}"
    shutil.rmtree(unfinished, ignore_errors=True)
    try:
        make_folder(unfinished)
        yield unfinished
        for folder, _, _ in os.walk(unfinished, topdown=False):
            fsync_folder(Path(folder))
        unfinished.rename(characters / name)
        fsync_folder(characters)
    except OSError as error:
        raise explained(error, characters / name) from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def remove_unfinished(characters: Path) -> None:
    """Remove what killed processes left half built; only under `arranging`."""
    if characters.exists():
        for path in characters.glob(f"{_UNFINISHED}*"):
            shutil.rmtree(path, ignore_errors=True)


def copy_durably(source: Path, target: Path, leave_out: Collection[str]) -> None:
    """Copy a folder's content with everything fsynced, but for some names at its top.

    Raises:
        DiskFullError, UnwritableError
    """
    for path in sorted(source.iterdir()):
        copy = target / path.name
        if path.name in leave_out:
            continue
        try:
            if path.is_dir() and not path.is_symlink():
                copy.mkdir()
                copy_durably(path, copy, ())
            else:
                shutil.copy2(path, copy, follow_symlinks=False)
                _fsync(copy)
        except OSError as error:
            raise explained(error, path) from error


def _fsync(path: Path) -> None:
    if path.is_symlink() or not os.access(path, os.W_OK):  # a link is in its folder; Windows syncs no read-only file
        return
    descriptor = os.open(path, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
