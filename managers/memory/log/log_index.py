"""The indexes of a log's files: good as long as the file is the same, and kept beside the archives.

An archive's index is kept in `log_archives/.index/`, so that a new process need not read years of
talk to find one message. It carries a checksum, and is thrown away and made anew when it does not fit.
"""

import contextlib
import hashlib
import json
import logging
import os
import sys
import threading
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, Final, NamedTuple

from managers.memory.log.contents import Change, Damage, FileIndex, Move
from managers.memory.log.converting import encoding_of
from managers.storage.derived import derived
from managers.storage.errors import UnreadableError, UtataneError
from managers.storage.files import read_bytes, write_unsynced
from managers.storage.opening import move, unlink
from managers.storage.watching import Identity

INDEX_FOLDER: Final = ".index"
_VERSION: Final = f"6-{sys.byteorder}"
_HELD: Final = (
    *("end", "fingerprint", "repeated", "encoding", "foreign", "torn", "changes"),
    *("damages", "moves", "runs", "branch", "announcements", "marked"),
)
"""What of an index is kept as JSON; the ids, offsets and days stand behind it as they are."""

_logger = logging.getLogger(__name__)


def identity(path: Path) -> Identity | None:
    """Return a file's identity, None if there is none."""
    try:
        return Identity.of(path.stat())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UnreadableError(path=path, cause=error.strerror or error) from error


class _Known(NamedTuple):
    identity: Identity
    limit: int
    content: FileIndex


class IndexCache:
    """The indexes of a log's files; with `keeps`, those of archives are kept on the disk."""

    def __init__(self, *, keeps: bool = True) -> None:
        self._keeps = keeps
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
            index = known.content.copy()
        torn = len(index.torn)
        index.grow(file, limit)
        if not index.encoding and limit and (len(index.torn) > torn or not index.end):
            encoding = encoding_of(file, index.torn, is_log=index.end > 0)
            if encoding:  # what seemed damaged is not: read again, with that in mind
                index = FileIndex(encoding=encoding)
                index.grow(file, limit)
        fresh = _Known(now, limit, index)
        if self._keeps and path.parent.name == "log_archives" and limit == now.size:
            _save(path, fresh)
        return fresh


def _kept(path: Path) -> Path:
    return path.parent / INDEX_FOLDER / f"{path.stem}.index"


def _save(path: Path, known: _Known) -> None:
    index = known.content
    held = {name: getattr(index, name) for name in _HELD}
    head = {"version": _VERSION, "identity": known.identity, "count": len(index), **held}
    content = json.dumps(head).encode() + b"\n" + index.offsets.tobytes() + index.days.tobytes() + index.ids
    kept = _kept(path)
    temporary = kept.with_name(f".{kept.name}.{os.getpid()}-{threading.get_ident()}")
    try:
        # No fsync: the checksum tells if it arrived. A full disk or read-only media may not keep
        # anybody from reading, so a failure here costs time only and is no news.
        write_unsynced(temporary, hashlib.sha256(content).digest() + content)
        move(temporary, kept)
    except OSError:
        with contextlib.suppress(OSError):
            unlink(temporary)


def _load(path: Path) -> _Known | None:
    """Return the index that was kept; None if there is none, or it cannot be read or understood: it is made anew."""
    if path.parent.name != "log_archives":
        return None
    try:
        with derived(_kept(path)):
            return _understood(read_bytes(_kept(path)) or b"")
    except UtataneError as error:
        _logger.info("an index of the log is not used: %s", error)
        return None


def _understood(data: bytes) -> _Known | None:
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
    held = {name: head[name] for name in _HELD}
    held["changes"] = [Change(*change)._replace(origins=tuple(change[-1])) for change in head["changes"]]
    held["damages"] = [Damage(*damage) for damage in head["damages"]]
    held["moves"] = [Move(*move) for move in head["moves"]]
    held["runs"] = [(int(offset), str(branch)) for offset, branch in head["runs"]]
    index = FileIndex(ids=bytearray(rest[end_of_days:]), offsets=offsets, days=days, **held)
    known = Identity(*head["identity"])
    return _Known(known, known.size, index)
