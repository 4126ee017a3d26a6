"""What the kept files are on disk right now, and which of them differ from what the history knows."""

import logging
import os
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from dulwich.objects import Blob, ObjectID

from managers.storage.errors import DiskFullError, UnreadableError, UnwritableError
from managers.storage.files import read_bytes
from managers.storage.history.seen import Seen, Stat, load_seen, save_seen
from managers.storage.tracking import is_on_the_move, locate, tracked_files

_logger = logging.getLogger(__name__)

_TRUST_AFTER_NS = 2_000_000_000
"""Some file systems count in 2 seconds: a file younger than that may change without its time changing."""


@dataclass
class KeptFiles:
    """The kept files of one persona's folder; a file that has not been touched is read once only.

    In `notes` it is noted which files were read, so that the next start need not read them again.
    """

    folder: Path
    notes: Path | None = None
    _seen: dict[str, Seen] | None = None
    _is_new: bool = False
    _looking: threading.Lock = field(default_factory=threading.Lock, init=False)

    def path(self, name: str) -> Path:
        return locate(self.folder, name)

    def content(self, name: str) -> bytes | None:
        return read_bytes(self.path(name))

    def everything(self) -> dict[str, bytes]:
        """Return the content of every kept file; what cannot be read is left out."""
        found = {name: _read(entry) for name, entry in tracked_files(self.folder)}
        return {name: content for name, content in found.items() if content is not None}

    def changed(self, known: Mapping[str, ObjectID]) -> set[str]:
        """Return the names of files that differ from the known ones, or are gone; files may change meanwhile."""
        with self._looking:
            before = self._seen if self._seen is not None else load_seen(self.notes)
            self._seen = {}
            missing = {name for name in known if not is_on_the_move(name)}
            changed: set[str] = set()
            for name, entry in tracked_files(self.folder):
                missing.discard(name)
                if is_on_the_move(name):
                    continue
                blob = self._blob(name, entry, before.get(name))
                if blob is not None and blob != known.get(name):
                    changed.add(name)
            self._is_new = self._is_new or self._seen != before
            return changed | {name for name in missing if not self.path(name).exists()}

    def note_seen(self) -> None:
        """Note for the next start which files were read; the persona's lock is held, and its history is there."""
        with self._looking:
            if self._is_new and self.notes is not None and self._seen is not None:
                try:
                    save_seen(self.notes, self._seen)
                except (DiskFullError, UnwritableError) as error:  # derived: the next start reads them again
                    _logger.info("which files were seen is not noted: %s", error)
                self._is_new = False

    @property
    def has_news(self) -> bool:
        """Whether there is anything to note."""
        return self._is_new

    def contents(self, names: Iterable[str]) -> dict[str, bytes | None]:
        """Return what some files hold now, None for those that are gone; what cannot be read is left out."""
        found: dict[str, bytes | None] = {}
        for name in names:
            try:
                found[name] = self.content(name)
            except UnreadableError:  # nothing is said about it
                continue
        return found

    def _blob(self, name: str, entry: os.DirEntry[str], before: Seen | None) -> ObjectID | None:
        """Return the blob that a file is; None where it vanished or cannot be read: then nothing is said about it."""
        assert self._seen is not None  # whoever looks has begun to note what is seen
        try:
            stat = _stat(entry)
        except FileNotFoundError:
            return None
        if before is not None and before.stat == stat:
            self._seen[name] = before
            return before.blob
        content = _read(entry)
        if content is None:
            return None
        blob = Blob.from_string(content).id
        if time.time_ns() - stat[0] > _TRUST_AFTER_NS:  # the file system's time, not the persona's clock
            self._seen[name] = Seen(stat, blob)
        return blob


def _stat(entry: os.DirEntry[str]) -> Stat:
    found = entry.stat()
    return found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino


def _read(entry: os.DirEntry[str]) -> bytes | None:
    """Return a file's content; None when it vanished or cannot be read: then nothing is said about it."""
    try:
        return read_bytes(Path(entry.path))
    except UnreadableError:
        return None
