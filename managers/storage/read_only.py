"""A home folder in which nothing can be written: a backup, a disc, another account's. It can be read all the same.

Whether that is so is found out once, at the start (`commands.shared.services_at`); from there on it is the `only_look`
of whatever reads. What lies in such a home is then read as it is: nothing is finished, indexed, drawn or noted.
"""

import errno
import os
from pathlib import Path
from typing import Final

from managers.storage.errors import Notice
from managers.storage.files import TEMPORARY_SUFFIX
from managers.storage.opening import open_descriptor
from managers.storage.paths import Home
from managers.storage.texts import Texts

_say = Texts("notices/storage")

_REFUSED: Final = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})


def is_read_only(home: Home) -> bool:
    """Tell whether a home folder is there and nothing can be written in it; one that is not there can be made."""
    return any(folder.is_dir() and not _can_be_written(folder) for folder in (home.folder, home.characters))


def read_only_notice(home: Home) -> Notice:
    """Return what a person is told of it."""
    return _say.notice("home-read-only", folder=home.folder)


def _can_be_written(folder: Path) -> bool:
    """Find out by making a file: no mode and no attribute tells it on every system."""
    if os.name == "posix" and not os.access(folder, os.W_OK):
        return False
    probe = folder / f".probe-{os.getpid()}{TEMPORARY_SUFFIX}"
    try:
        os.close(open_descriptor(probe, os.O_WRONLY | os.O_CREAT))
        probe.unlink(missing_ok=True)
    except OSError as error:
        return error.errno not in _REFUSED
    return True
