"""Deleted personas: moved to `.trash/` whole, from where they can come back."""

import os
import re
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from managers.personas.errors import NotInTrashError
from managers.storage.files import entries, explained, fsync_folder, make_folder
from managers.storage.opening import free
from managers.storage.retrying import retried

_NAME = re.compile(r"(?P<name>.+)-(?P<time>\d{8}-\d{6})(?:-\d+)?")
_TIME = "%Y%m%d-%H%M%S"


@dataclass(frozen=True, slots=True)
class Trashed:
    """A deleted persona.

    Attributes:
        id: the name of its folder in the trash; what `restore` takes.
    """

    id: str
    name: str
    deleted_at: datetime
    folder: Path


def throw_away(folder: Path, trash: Path, now: datetime) -> Trashed:
    """Move a persona's folder to the trash.

    Raises:
        UnwritableError: it cannot be moved (a file in it is open on Windows, say); nothing was changed.
    """
    make_folder(trash)
    target = free(trash / f"{folder.name}-{now:{_TIME}}")
    move(folder, target)
    return Trashed(target.name, folder.name, now.replace(microsecond=0), target)


def move(folder: Path, target: Path) -> None:
    """Move a folder to a place that is free, durably.

    Raises:
        UnwritableError: nothing was changed.
    """
    try:
        retried(os.fspath(folder), lambda: folder.rename(target))
        fsync_folder(target.parent)
        fsync_folder(folder.parent)
    except OSError as error:
        raise explained(error, folder) from error


def trashed(trash: Path) -> list[Trashed]:
    """Return what lies in the trash, newest first."""
    found = (_read(trash / entry.name) for entry in entries(trash, {"folder"}))
    return sorted((item for item in found if item), key=lambda item: item.deleted_at, reverse=True)


def find(trash: Path, wanted: str) -> Trashed:
    """Return one item by its id, or the newest of a persona's name.

    Raises:
        NotInTrashError
    """
    for item in trashed(trash):
        if wanted in (item.id, item.name):
            return item
    raise NotInTrashError(name=wanted)


def _read(folder: Path) -> Trashed | None:
    match = _NAME.fullmatch(folder.name)
    if match is None:
        return None
    return Trashed(folder.name, match["name"], datetime.strptime(match["time"], _TIME), folder)
