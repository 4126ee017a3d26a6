"""A file of sessions that cannot be read: moved aside with every byte, and a sentence about it."""

from datetime import datetime
from pathlib import Path

from managers.storage.errors import Notice
from managers.storage.files import moved_aside
from managers.storage.texts import Texts

_say = Texts("notices/sessions")


def set_aside(path: Path, now: datetime) -> Notice:
    """Move a damaged file aside, and return the notice to show.

    Raises:
        UnwritableError, DiskFullError: it is where it was.
    """
    return _say.notice("sessions-set-aside", name=path.name, kept=moved_aside(path, now).name)
