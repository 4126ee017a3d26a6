"""What the kept files are on disk right now, and which of them differ from what the history knows."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from dulwich.objects import Blob, ObjectID

from managers.storage.errors import UnreadableError
from managers.storage.files import read_bytes
from managers.storage.history.tracking import is_on_the_move, locate, tracked_files

_TRUST_AFTER_NS = 2_000_000_000
"""Some file systems count in 2 seconds: a file younger than that may change without its time changing."""


@dataclass(frozen=True, slots=True)
class _Seen:
    """A file that was read before: its stat then, and the blob that its content is."""

    stat: tuple[int, int, int, int]
    blob: ObjectID


class KeptFiles:
    """The kept files of one persona's folder; a file that has not been touched is read once only."""

    def __init__(self, folder: Path) -> None:
        """Remember the folder; nothing is read yet."""
        self.folder = folder
        self._seen: dict[str, _Seen] = {}

    def path(self, name: str) -> Path:
        """Return where a kept file lies."""
        return locate(self.folder, name)

    def content(self, name: str) -> bytes | None:
        """Return a file's content, None if there is no such file."""
        return read_bytes(self.path(name))

    def everything(self) -> dict[str, bytes]:
        """Return the content of every kept file; what cannot be read is left out."""
        found = {name: _read(entry) for name, entry in tracked_files(self.folder)}
        return {name: content for name, content in found.items() if content is not None}

    def changed(self, known: Mapping[str, ObjectID]) -> dict[str, bytes | None]:
        """Return the files that differ from the known ones, None for those that are gone."""
        missing = {name for name in known if not is_on_the_move(name)}
        changed: dict[str, bytes | None] = {}
        for name, entry in tracked_files(self.folder):
            missing.discard(name)
            if is_on_the_move(name) or self._is_seen(name, entry, known.get(name)):
                continue
            content = _read(entry)
            if content is None:
                continue
            blob = Blob.from_string(content).id
            self._remember(name, entry, blob)
            if blob != known.get(name):
                changed[name] = content
        changed.update(dict.fromkeys(name for name in missing if not self.path(name).exists()))
        return changed

    def _is_seen(self, name: str, entry: os.DirEntry[str], blob: ObjectID | None) -> bool:
        seen = self._seen.get(name)
        return seen is not None and seen.blob == blob and seen.stat == _stat(entry)

    def _remember(self, name: str, entry: os.DirEntry[str], blob: ObjectID) -> None:
        stat = _stat(entry)
        if time.time_ns() - stat[0] > _TRUST_AFTER_NS:  # the file system's time, not the persona's clock
            self._seen[name] = _Seen(stat, blob)


def _stat(entry: os.DirEntry[str]) -> tuple[int, int, int, int]:
    found = entry.stat()
    return found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino


def _read(entry: os.DirEntry[str]) -> bytes | None:
    """Return a file's content; None when it vanished or cannot be read: then nothing is said about it."""
    try:
        return read_bytes(Path(entry.path))
    except UnreadableError:
        return None
