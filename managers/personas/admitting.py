"""Letting a guest in: what leads elsewhere or might run is put aside, what is derived is made anew by whoever opens it.

Nothing is lost: what is put aside lies in `characters/.set-aside/`, outside of the persona's folder, as it was.
"""

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from managers.personas.guests import Guest
from managers.storage import opening
from managers.storage.errors import Notice
from managers.storage.files import explained, fsync_folder, make_folder, remove_tree
from managers.storage.history.objects import write_settings
from managers.storage.paths import PersonaPaths
from managers.storage.texts import Texts

_say = Texts("notices/personas")


def clean(guest: Guest, now: datetime) -> list[Notice]:
    """Make a guest's folder one that can be opened; done twice, it does no harm.

    Returns:
        Where that lies which was put aside; empty if nothing was.

    Raises:
        UnwritableError, DiskFullError: something of it could not be done; it can be tried again.
    """
    paths = guest.paths
    try:
        kept = _put_aside(guest.misplaced, paths, now)
        remove_tree(paths.rag_index)
        if opening.is_folder(paths.history):
            write_settings(paths.history)
    except OSError as error:
        raise explained(error, paths.folder) from error
    if kept is None:
        return []
    count = len(guest.misplaced)
    return [_say.notice("guest-put-aside", "info", count=count, kept=kept)]


def _put_aside(found: Iterable[Path], paths: PersonaPaths, now: datetime) -> Path | None:
    """Move entries out of the folder, links as links; return where they lie now."""
    kept: Path | None = None
    for path in found:
        if kept is None:
            kept = opening.free(paths.home.set_aside / f"{paths.name}-{now:%Y%m%d-%H%M%S}")
        target = kept / path.relative_to(paths.folder)
        make_folder(target.parent)
        opening.move(path, target)
        fsync_folder(target.parent)
        fsync_folder(path.parent)
    return kept
