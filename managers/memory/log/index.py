"""What a log file holds, by id and by day: derived from the file, good as long as the file is the same.

An archive's index is kept in `log_archives/.index/`, so that a new process need not read years of
talk to find one message. It carries a checksum, and is thrown away and made anew when it does not fit.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
import threading
from array import array
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import IO, Any, Final, NamedTuple

from managers.memory.log.format import Record, id_in_trailer
from managers.memory.log.reading import read_forward
from managers.storage.errors import UnreadableError
from managers.storage.files import read_bytes

INDEX_FOLDER: Final = ".index"
_VERSION: Final = f"1-{sys.byteorder}"
_FINGERPRINT: Final = 4096
_MANY: Final = 20


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


class Damage(NamedTuple):
    """A record of which something is lost."""

    offset: int
    message_id: str
    what: str


@dataclass(slots=True)
class FileIndex:
    """The contents of one log file up to `end`, in some forty bytes a message.

    Attributes:
        ids: the messages' ids as in their trailers, each after a newline (control records are no messages).
        offsets: where each begins.
        days: the day of each (`date.toordinal`).
        changes: what the control records say, in file order.
        damages: what is lost where.
        fingerprint: of the bytes before `end`, to tell a grown file from another one.
    """

    end: int = 0
    fingerprint: str = ""
    ids: bytearray = field(default_factory=lambda: bytearray(b"\n"))
    offsets: array[int] = field(default_factory=lambda: array("Q"))
    days: array[int] = field(default_factory=lambda: array("I"))
    changes: list[Change] = field(default_factory=list)
    damages: list[Damage] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.offsets)

    def take(self, record: Record) -> None:
        """Note one more record."""
        message = record.message
        if record.target:
            self.changes.append(Change(record.target, None if record.deletes else message.text))
        elif not record.is_control:
            self.ids += id_in_trailer(message.id) + b"\n"
            self.offsets.append(record.start)
            self.days.append(message.time.toordinal())
        if record.damage:
            self.damages.append(Damage(record.start, message.id, record.damage))
        self.end = record.end

    def grow(self, file: IO[bytes], limit: int) -> None:
        """Read what has been appended since, up to the offset `limit`."""
        for record in read_forward(file, self.end, limit):
            self.take(record)
        self.fingerprint = _fingerprint(file, self.end)

    def is_prefix_of(self, file: IO[bytes]) -> bool:
        """Whether the bytes before `end` still seem to be the ones that were read."""
        return _fingerprint(file, self.end) == self.fingerprint

    def positions(self, ids: Collection[str]) -> Iterator[tuple[int, str]]:
        """Yield, of each of some messages that is here, its number in the file and its id."""
        if len(ids) <= _MANY:
            for message_id in ids:
                found = self.ids.find(b"\n" + id_in_trailer(message_id) + b"\n")
                if found >= 0:
                    yield self.ids.count(b"\n", 0, found), message_id
            return
        wanted = {id_in_trailer(message_id): message_id for message_id in ids}
        for number, here in enumerate(bytes(self.ids).split(b"\n")[1:-1]):
            if here in wanted:
                yield number, wanted[here]

    def days_without(self, deleted: Collection[str]) -> Iterator[date]:
        """Yield the day of each message that is not among the deleted ones."""
        gone = {number for number, _ in self.positions(deleted)}
        for number, day in enumerate(self.days):
            if number not in gone:
                yield date.fromordinal(day)

    def offsets_between(self, since: date | None, until: date | None) -> list[int]:
        """Return where the messages of some days begin."""
        first = since.toordinal() if since else 0
        last = until.toordinal() if until else date.max.toordinal()
        return [offset for offset, day in zip(self.offsets, self.days, strict=True) if first <= day <= last]


def _fingerprint(file: IO[bytes], end: int) -> str:
    file.seek(max(0, end - _FINGERPRINT))
    return hashlib.sha256(file.read(min(end, _FINGERPRINT))).hexdigest()


class _Known(NamedTuple):
    identity: Identity
    limit: int
    content: FileIndex


class IndexCache:
    """The indexes of a log's files."""

    def __init__(self) -> None:
        self._known: dict[Path, _Known] = {}
        self._guard = threading.Lock()

    def get(self, path: Path, now: Identity, limit: int, open_file: Callable[[], IO[bytes]]) -> FileIndex:
        """Return the index of the first `limit` bytes of a file.

        Args:
            path: where it is; files in an archive folder have their indexes kept.
            now: the file's identity.
            limit: nothing beyond this offset counts.
            open_file: gives the file when it has to be read.
        """
        with self._guard:
            known = self._known.get(path)
            if known is None or known.identity != now or known.limit != limit:
                known = self._read(path, known, now, limit, open_file)
                self._known[path] = known
            return known.content

    def _read(
        self, path: Path, known: _Known | None, now: Identity, limit: int, open_file: Callable[[], IO[bytes]]
    ) -> _Known:
        if known is None:
            known = _load(path)
            if known is not None and known.limit == limit and known.identity[1:] == now[1:]:
                return known._replace(identity=now)  # a copied folder has other inodes and the same files
        file = open_file()
        if known is None or known.limit >= limit or not known.content.is_prefix_of(file):
            index = FileIndex()
        else:
            # Others may be reading the old one: it is left as it was.
            old = known.content
            index = FileIndex(
                old.end, old.fingerprint, old.ids[:], old.offsets[:], old.days[:], old.changes[:], old.damages[:]
            )
        index.grow(file, limit)
        fresh = _Known(now, limit, index)
        if path.parent.name == "log_archives" and limit == now.size:
            _save(path, fresh)
        return fresh


def _kept(path: Path) -> Path:
    return path.parent / INDEX_FOLDER / f"{path.stem}.index"


def _save(path: Path, known: _Known) -> None:
    index = known.content
    head = {
        "version": _VERSION,
        "identity": known.identity,
        "end": index.end,
        "fingerprint": index.fingerprint,
        "count": len(index),
        "changes": index.changes,
        "damages": index.damages,
    }
    content = json.dumps(head).encode() + b"\n" + index.offsets.tobytes() + index.days.tobytes() + index.ids
    kept = _kept(path)
    temporary = kept.with_name(f".{kept.name}.{os.getpid()}-{threading.get_ident()}")
    try:
        # No fsync: the checksum tells if it arrived. A full disk or read-only media may not keep
        # anybody from reading, so a failure here costs time only and is no news.
        kept.parent.mkdir(exist_ok=True)
        temporary.write_bytes(hashlib.sha256(content).digest() + content)
        temporary.replace(kept)
    except OSError:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def _load(path: Path) -> _Known | None:
    if path.parent.name != "log_archives":
        return None
    data = read_bytes(_kept(path)) or b""
    content = data[32:]
    if hashlib.sha256(content).digest() != data[:32]:
        return None
    line, _, rest = content.partition(b"\n")
    head: dict[str, Any] = json.loads(line)
    if head["version"] != _VERSION:
        return None
    offsets, days = array("Q"), array("I")
    split = head["count"] * offsets.itemsize
    end_of_days = split + head["count"] * days.itemsize
    offsets.frombytes(rest[:split])
    days.frombytes(rest[split:end_of_days])
    index = FileIndex(
        head["end"],
        head["fingerprint"],
        bytearray(rest[end_of_days:]),
        offsets,
        days,
        [Change(*change) for change in head["changes"]],
        [Damage(*damage) for damage in head["damages"]],
    )
    known = Identity(*head["identity"])
    return _Known(known, known.size, index)
