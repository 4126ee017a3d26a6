"""What is put aside by a yes: moved or kept, with every byte, in `set_aside/<date>-<time>/` of the same folder."""

from datetime import datetime
from pathlib import Path
from typing import Final

from managers.storage.files import copy_file, explained, fsync_folder, make_folder
from managers.storage.opening import PLAIN, NotPlainError, kind, move

ASIDE: Final = "set_aside"


def put_aside(folder: Path, path: Path, now: datetime) -> Path:
    """Move a file out of the way; return where it lies now.

    Raises:
        UnwritableError, DiskFullError: it is where it was.
    """
    kept = _place(folder, path, now)
    move_durably(path, kept)
    return kept


def move_durably(path: Path, target: Path) -> None:
    """Move a file or folder to a place that is free.

    Raises:
        UnwritableError, DiskFullError: it is where it was.
    """
    try:
        if kind(path) not in PLAIN:
            raise NotPlainError(str(path))
        make_folder(target.parent)
        move(path, target)
        fsync_folder(target.parent)
        fsync_folder(path.parent)
    except OSError as error:
        raise explained(error, path) from error


def keep_aside(folder: Path, path: Path, now: datetime) -> Path:
    """Keep a file as it is before another one takes its place; return where it is kept.

    Raises:
        UnwritableError, DiskFullError
    """
    kept = _place(folder, path, now)
    try:
        make_folder(kept.parent)
        copy_file(path, kept)
        fsync_folder(kept.parent)
    except OSError as error:
        raise explained(error, kept) from error
    return kept


def _place(folder: Path, path: Path, now: datetime) -> Path:
    moment = folder / ASIDE / f"{now:%Y%m%d-%H%M%S}"
    name = path.relative_to(folder)
    number, kept = 1, moment / name
    while kept.exists():
        number += 1
        kept = moment.with_name(f"{moment.name}-{number}") / name
    return kept
