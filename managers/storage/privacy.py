"""A home folder is its owner's alone: what an earlier version, a copy or a backup left open to others is shut.

The home folder itself is looked at with each start: it alone keeps others out of everything in it. What lies in it is
gone through once, and again whenever the folder was found open, so that nothing of it can be read where it is moved to.
Windows gives what lies in a user's folder to that user alone: nothing is done there.
"""

import logging
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from managers.storage.errors import Notice, UtataneError
from managers.storage.files import remove, write_atomic
from managers.storage.opening import FOR_OTHERS, make_private
from managers.storage.paths import Home
from managers.storage.texts import Texts

_say = Texts("notices/storage")

logger = logging.getLogger(__name__)

MADE_PRIVATE: Final = "home-made-private"
_OURS: Final = ("characters", ".trash", "usage", ".admitted", ".logs", ".uploads", ".importing", ".window", "set_aside")
"""The folders that are gone through: whoever keeps other things beside them keeps those as they are."""


def shut(home: Home) -> list[Notice]:
    """Let nobody else into a home folder; return what a person should know of that.

    Nothing where all is well, nor of a folder that somebody has made for Utatane and in which there was nothing to read.
    """
    found = [folder for folder in _entrances(home) if _is_open(folder)]
    is_new = not (home.characters.exists() or _is_open(home.secrets))
    try:
        if found:
            remove(home.made_private)  # before: a process that dies in between leaves the rest to the next start
        for folder in found:
            make_private(folder)
    except (OSError, UtataneError) as error:
        logger.warning("the home folder stays open: %s", error)
    return [
        _say.notice("home-open", folder=folder)
        if _is_open(folder)
        else _say.notice(MADE_PRIVATE, "info", folder=folder)
        for folder in found
        if _is_open(folder) or not is_new
    ]


def is_done(home: Home) -> bool:
    """Tell whether nothing in a home folder need be gone through; nor can it, on a disk that knows no owners."""
    return os.name != "posix" or home.made_private.exists() or any(map(_is_open, _entrances(home)))


def go_through(home: Home) -> None:
    """Make what lies in a home folder its owner's alone; takes seconds for a hundred thousand files.

    What belongs to another account stays as it is: it lies in a folder that nobody else enters. What fails is done once
    more at the next start.
    """
    refused = 0
    for path, mode in _inside(home, lambda _mode: True):
        try:
            make_private(path, has=stat.S_IMODE(mode))
        except OSError:
            refused += 1
    if refused:
        logger.warning("%d files and folders could not be made private", refused)
    try:
        write_atomic(home.made_private, "")
    except UtataneError as error:
        logger.warning("%s", error)


def open_to_others(home: Home) -> list[Path]:
    """Return what other accounts can read, folders before what is in them; changes nothing."""
    entrances = [folder for folder in _entrances(home) if _is_open(folder)]
    return [*entrances, *(path for path, mode in _inside(home, _is_loose) if _is_loose(mode))] if entrances else []


def _entrances(home: Home) -> list[Path]:
    """Return the folders that keep others out of all the rest."""
    return [home.folder, *([home.characters.resolve()] if home.characters.is_symlink() else [])]


def _inside(home: Home, is_entered: Callable[[int], bool]) -> Iterator[tuple[Path, int]]:
    """Yield the files and folders of a home folder with their modes, folders before what is in them."""
    yield from ((path, mode) for path, mode in _entries(home.folder) if stat.S_ISREG(mode))
    for folder in ((home.folder / name).resolve() for name in _OURS):
        waiting = [folder] if folder.is_dir() else []
        if waiting:
            yield folder, folder.stat().st_mode
        while waiting:
            here = waiting.pop()
            for path, mode in _entries(here):
                yield path, mode
                if stat.S_ISDIR(mode) and is_entered(mode):
                    waiting.append(path)


def _entries(folder: Path) -> list[tuple[Path, int]]:
    """Return the files and folders in a folder that was reached from above: links were left out on the way there."""
    here: list[tuple[Path, int]] = []
    with suppress(OSError), os.scandir(folder) as found:  # one that we may not enter nobody else enters either
        for entry in found:
            with suppress(OSError):  # it has just gone
                here.append((Path(entry.path), entry.stat(follow_symlinks=False).st_mode))
    return [(path, mode) for path, mode in here if stat.S_ISREG(mode) or stat.S_ISDIR(mode)]


def _is_loose(mode: int) -> bool:
    return bool(mode & FOR_OTHERS)


def _is_open(path: Path) -> bool:
    try:
        return os.name == "posix" and _is_loose(path.stat().st_mode)
    except OSError:
        return False
