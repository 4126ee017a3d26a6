"""What a log file holds, by id and by day: derived from the file, kept while the file is the same."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import IO, NamedTuple

from managers.memory.log_format import Record
from managers.memory.log_reading import read_forward
from managers.storage.errors import UnreadableError

_FINGERPRINT = 4096


class Identity(NamedTuple):
    """What changes when a file does."""

    inode: int
    size: int
    modified_ns: int

    @classmethod
    def of(cls, status: os.stat_result) -> Identity:
        return cls(status.st_ino, status.st_size, status.st_mtime_ns)


def identity(path: Path) -> Identity | None:
    """Return a file's identity, None if there is none."""
    try:
        return Identity.of(path.stat())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UnreadableError(path=path, cause=error.strerror or error) from error


class Change(NamedTuple):
    """What a control record says: the message `target` now reads `text`, or is deleted (None)."""

    target: str
    text: str | None


@dataclass(slots=True)
class FileIndex:
    """The contents of one log file up to `end`.

    Attributes:
        offsets: where each message begins, by id (control records are no messages).
        days: when each message was said, by id.
        changes: what the control records say, in file order.
        damaged: records of which something is lost: offset, id, what.
    """

    path: Path
    end: int = 0
    fingerprint: bytes = b""
    offsets: dict[str, int] = field(default_factory=dict)
    days: dict[str, date] = field(default_factory=dict)
    changes: list[Change] = field(default_factory=list)
    damaged: list[tuple[int, str, str]] = field(default_factory=list)

    def take(self, record: Record) -> None:
        """Note one more record."""
        message = record.message
        if record.target:
            self.changes.append(Change(record.target, None if record.deletes else message.text))
        elif not record.is_control:
            self.offsets[message.id] = record.start
            self.days[message.id] = message.time.date()
        if record.damage:
            self.damaged.append((record.start, message.id, record.damage))
        self.end = record.end

    def grow(self, file: IO[bytes], limit: int) -> None:
        """Read what has been appended since, up to the offset `limit`."""
        for record in read_forward(file, self.end, limit):
            self.take(record)
        self.fingerprint = _before(file, self.end)

    def is_prefix_of(self, file: IO[bytes]) -> bool:
        """Whether the bytes before `end` still seem to be the ones that were read."""
        return _before(file, self.end) == self.fingerprint


def _before(file: IO[bytes], end: int) -> bytes:
    file.seek(max(0, end - _FINGERPRINT))
    return file.read(min(end, _FINGERPRINT))


class IndexCache:
    """The indexes of a log's files, each good as long as its file is the same."""

    def __init__(self) -> None:
        self._indexes: dict[Path, tuple[Identity, int, FileIndex]] = {}

    def get(self, path: Path, file: IO[bytes], limit: int) -> FileIndex:
        """Return the index of the first `limit` bytes of an open file."""
        now = Identity.of(os.fstat(file.fileno()))
        known = self._indexes.get(path)
        if known is not None and known[0] == now and known[1] == limit:
            return known[2]
        index = FileIndex(path)
        if known is not None and known[0].inode == now.inode and known[2].end <= limit and known[2].is_prefix_of(file):
            index = known[2]
        index.grow(file, limit)
        self._indexes[path] = (now, limit, index)
        return index
