"""What the kept files are on disk right now, and which of them differ from what the history knows.

Which files were read before, and what they were then, is noted in `.history/seen_files.json`, as git's own index does
it: derived data. Without it, or with one that cannot be understood, every kept file is read once more. A file counts as
seen as long as its times, its size and its place on disk are what they were.
"""

import json
import logging
import os
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dulwich.objects import Blob, ObjectID

from managers.storage.errors import DiskFullError, UnreadableError, UnwritableError
from managers.storage.files import read_bytes, write_atomic
from managers.storage.json_text import load_json
from managers.storage.tracking import is_on_the_move, locate, tracked_files

_logger = logging.getLogger(__name__)

_TRUST_AFTER_NS = 2_000_000_000
"""Some file systems count in 2 seconds: a file younger than that may change without its time changing."""
_VERSION = 1
_HEX_DIGITS = 40

Stat = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Seen:
    """A file that was read before: its stat then, and the blob that its content is."""

    stat: Stat
    blob: ObjectID


@dataclass
class KeptFiles:
    """The kept files of one persona's folder; a file that has not been touched is read once only.

    In `notes` it is noted which files were read, so that the next start need not read them again.
    """

    folder: Path
    notes: Path | None = None
    _seen: dict[str, Seen] | None = None
    has_news: bool = False
    """Whether there is anything to note."""
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
            before = self._seen if self._seen is not None else _load_seen(self.notes)
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
            self.has_news = self.has_news or self._seen != before
            return changed | {name for name in missing if not self.path(name).exists()}

    def note_seen(self) -> None:
        """Note for the next start which files were read; the persona's lock is held, and its history is there."""
        with self._looking:
            if self.has_news and self.notes is not None and self._seen is not None:
                try:
                    _save_seen(self.notes, self._seen)
                except (DiskFullError, UnwritableError) as error:  # derived: the next start reads them again
                    _logger.info("which files were seen is not noted: %s", error)
                self.has_news = False

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


def _load_seen(path: Path | None) -> dict[str, Seen]:
    """Return what was noted; nothing, if there is no file, an unreadable or broken one, or one of another version."""
    try:
        data = read_bytes(path) if path is not None else None
        if data is None:
            return {}
        value = load_json(data)
        if value["version"] != _VERSION:
            return {}
        return {name: _parsed(row) for name, row in value["files"].items()}
    except (UnreadableError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def _save_seen(path: Path, seen: dict[str, Seen]) -> None:
    """Note what was seen.

    Raises:
        DiskFullError, UnwritableError
    """
    files = {name: [*one.stat, one.blob.decode()] for name, one in seen.items()}
    write_atomic(path, json.dumps({"version": _VERSION, "files": files}, ensure_ascii=True))


def _parsed(row: list[Any]) -> Seen:
    modified, changed, size, inode, blob = row
    digits = bytes(blob, "ascii")
    if not all(type(one) is int for one in (modified, changed, size, inode)) or len(digits) != _HEX_DIGITS:
        raise ValueError(row)
    return Seen((modified, changed, size, inode), ObjectID(digits))


def _stat(entry: os.DirEntry[str]) -> Stat:
    found = entry.stat()
    return found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino


def _read(entry: os.DirEntry[str]) -> bytes | None:
    """Return a file's content; None when it vanished or cannot be read: then nothing is said about it."""
    try:
        return read_bytes(Path(entry.path))
    except UnreadableError:
        return None
