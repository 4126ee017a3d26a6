"""A file of sessions that cannot be read: moved aside with every byte, and a sentence about it."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from managers.storage.errors import Notice
from managers.storage.files import explained, fsync_folder
from managers.storage.opening import check_plain, free, make_private, move
from managers.storage.texts import Texts

_say = Texts("notices/sessions")


def set_aside(path: Path, now: datetime) -> Notice:
    """Move a damaged file aside, and return the notice to show.

    Raises:
        UnwritableError, DiskFullError: it is where it was.
    """
    try:
        kept = free(path.with_name(f"{path.name}.broken-{now:%Y%m%d-%H%M%S}"))
        check_plain(path)
        move(path, kept)
        make_private(kept)
        fsync_folder(path.parent)
    except OSError as error:
        raise explained(error, path) from error
    return _say.notice("sessions-set-aside", name=path.name, kept=kept.name)
