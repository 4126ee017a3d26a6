"""The folders under `characters/`: their names, and copying one whole or not at all."""

import os
import unicodedata
from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import lru_cache
from pathlib import Path

from managers.personas.errors import PersonaNotFoundError
from managers.storage.copies import Copy, copies_in
from managers.storage.errors import UnsafeNameError
from managers.storage.files import copy_file, entries, explained, fsync_folder, make_folder, remove_tree
from managers.storage.locks import holding
from managers.storage.opening import walk
from managers.storage.paths import Home, PersonaPaths, safe_name
from managers.storage.retrying import retried

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
    """Return every persona's folder, by name.

    Left out are links, folders whose names could not be a persona's, and copies that sync services made of others.
    """
    folders = _folders(characters)
    copies = {copy.path for copy in copied_folders(characters)}
    return [path for path in folders if path not in copies]


def copied_folders(characters: Path) -> list[Copy]:
    """Return the folders that sync services left as second versions of a persona's folder.

    Only their plain names count: "ねむ 2" is what a duplicate is called that somebody asked for.
    """
    folders = {path.name: path for path in _folders(characters)}
    copies = copies_in(characters, folders, lambda copy, original: False)  # noqa: ARG005  # whatever they hold
    return [copy for name, copy in copies.items() if name in folders and copy.original.is_dir()]


def _folders(characters: Path) -> list[Path]:
    here = entries(characters, {"folder", "link"})  # a link is a guest that is told why it cannot come in
    found = (characters / entry.name for entry in here if entry.is_dir())
    return sorted((path for path in found if _is_usable(path.name)), key=lambda path: name_key(path.name))


@lru_cache(maxsize=1024)
def _paths_of(characters: Path, name: str) -> PersonaPaths:
    """Return the paths of a folder that is there; made once, for a turn asks for them twenty times."""
    return PersonaPaths(characters / name)


def find_folder(characters: Path, name: str) -> PersonaPaths:
    """Return the folder of that name, whoever it is; its one true name, where the file system takes several for one.

    Raises:
        PersonaNotFoundError, UnsafeNameError
    """
    wanted = safe_name(name)
    if (characters / wanted).is_dir() and wanted in os.listdir(characters):  # noqa: PTH208  # names are all that is asked for
        return _paths_of(characters, wanted)
    folders = persona_folders(characters)
    for folder in folders:
        if unicodedata.normalize("NFC", folder.name) == wanted:  # made on a Mac, where names may be spelled in NFD
            return PersonaPaths(folder)
    for folder in folders:
        # `nemu` for `Nemu`, where the file system takes them for one: locks go by the one true name.
        if name_key(folder.name) == name_key(wanted) and (characters / wanted).is_dir():
            return PersonaPaths(folder)
    raise PersonaNotFoundError(name=wanted)


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
    _remove_if_possible(unfinished)
    try:
        make_folder(unfinished)
        yield unfinished
        folders = [path for path, kind in walk(unfinished) if kind == "folder"]
        for folder in (*reversed(folders), unfinished):
            fsync_folder(folder)
        retried(os.fspath(unfinished), lambda: unfinished.rename(characters / name))
        fsync_folder(characters)
    except OSError as error:
        raise explained(error, characters / name) from error
    finally:
        _remove_if_possible(unfinished)


def remove_unfinished(characters: Path) -> None:
    """Remove what killed processes left half built; only under `arranging`."""
    for entry in entries(characters, None):
        if entry.name.startswith(_UNFINISHED):
            _remove_if_possible(characters / entry.name)


def copy_durably(source: Path, target: Path, leave_out: Collection[str]) -> None:
    """Copy a folder's files and folders with everything fsynced, but for some names at its top.

    Raises:
        UnreadableError, DiskFullError, UnwritableError
    """
    for entry in sorted(entries(source), key=lambda entry: entry.name):
        if entry.name in leave_out:
            continue
        path, copy = source / entry.name, target / entry.name
        try:
            if entry.is_dir(follow_symlinks=False):
                make_folder(copy)
                copy_durably(path, copy, ())
            else:
                copy_file(path, copy)
        except OSError as error:
            raise explained(error, path) from error


def _remove_if_possible(unfinished: Path) -> None:
    with suppress(OSError):  # what cannot be removed now is tried again at the next start
        remove_tree(unfinished)
