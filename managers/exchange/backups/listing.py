"""What a backup is on the disk: a head (when, why, how far it is proved), and the list of its files."""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any, Final, Literal

from pydantic import TypeAdapter, ValidationError

from managers.exchange.backups.errors import BackupDamagedError
from managers.storage.json_text import NotJsonError, load_json
from managers.storage.paths import is_text

FORMAT: Final = 1
MOST: Final = 512_000_000
"""Bytes of a list of files: two million of them."""

Level = Literal["none", "part", "full", "failed"]
"""How far a backup is proved: not, what was new and a share of the rest, all of it with doctor's checks, in vain."""
REASONS: Final = ("daily", "now", "import", "migration", "restore", "erasure")


@dataclass(frozen=True, slots=True)
class File:
    """One file of a home, as it was.

    Attributes:
        path: in the home folder, with `/`.
        size: bytes.
        mtime_ns, inode: by which a file that has not changed since is known.
        sha256: of all its bytes.
        chunks: the names of its chunks, in order.
    """

    path: str
    size: int
    mtime_ns: int
    inode: int
    sha256: str
    chunks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Proof:
    """How a backup was restored to see whether it is good.

    Attributes:
        level: how far.
        at: when, local time.
        files, bytes: how much was restored and compared.
        findings: how many things doctor's checks found in what was restored (they are in the home as well, mostly).
        bad: files that could not be restored as they were, some of them.
    """

    level: Level = "none"
    at: str = ""
    files: int = 0
    bytes: int = 0
    findings: int = 0
    bad: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Head:
    """A backup.

    Attributes:
        id: such as `20261123-211800-4f2a`: its local time, and a few digits.
        home: by what the home folder is known that it was made of.
        folder: where that lay.
        made_at, made_utc: when it was made; local time, and UTC.
        reason: one of `REASONS`.
        files, bytes: how much it holds.
        new_bytes: how much of that no backup before it held, as written.
        left_out: files that could not be read.
        is_encrypted: whether its list and its chunks are.
        sha256: of its list, as written.
        proof: how far it is known to be good.
    """

    id: str
    home: str
    folder: str
    made_at: str
    made_utc: str
    reason: str
    files: int
    bytes: int
    new_bytes: int
    left_out: tuple[str, ...] = ()
    is_encrypted: bool = False
    sha256: str = ""
    proof: Proof = Proof()
    format: int = FORMAT

    @property
    def time(self) -> datetime:
        return datetime.fromisoformat(self.made_at)

    @property
    def utc(self) -> datetime:
        return datetime.fromisoformat(self.made_utc)

    @property
    def is_good(self) -> bool:
        """Whether something of it was restored, and nothing in vain."""
        return self.proof.level in {"part", "full"}

    def proved(self, proof: Proof) -> Head:
        return replace(self, proof=proof)


_HEAD: Final = TypeAdapter(Head)


def dump_head(head: Head) -> str:
    """Return a head as its file has it."""
    return json.dumps(asdict(head), ensure_ascii=True, indent=1) + "\n"


def parse_head(name: str, data: bytes) -> Head:
    """Return the head that a file holds; whatever is in it, no other type comes out.

    Raises:
        BackupDamagedError
    """
    try:
        head = _HEAD.validate_python(load_json(data))
        is_ours = head.id == name and head.format <= FORMAT and head.utc.tzinfo is not None and head.time.tzinfo is None
    except (NotJsonError, ValidationError, ValueError) as error:
        raise BackupDamagedError(file=name) from error
    if not is_ours:
        raise BackupDamagedError(file=name)
    return head


def dump_files(files: Iterable[File]) -> bytes:
    """Return a list of files, compressed; of a file of one chunk that has its own hash for a name, the name alone."""
    lines = (json.dumps(_brief(file), separators=(",", ":")) for file in files)
    text = '{"format": 1, "files": [\n' + ",\n".join(lines) + "\n]}\n"
    return gzip.compress(text.encode(), compresslevel=6, mtime=0)


def parse_files(name: str, data: bytes) -> list[File]:
    """Return the list of files.

    Raises:
        BackupDamagedError
    """
    try:
        unpacking = zlib.decompressobj(wbits=31)
        found = load_json(unpacking.decompress(data, MOST))
        files = [_file(one) for one in found["files"]] if unpacking.eof else None
    except (zlib.error, NotJsonError, KeyError, TypeError, AttributeError, ValueError, OverflowError) as error:
        raise BackupDamagedError(file=name) from error
    if files is None:
        raise BackupDamagedError(file=name)
    return files


def _brief(file: File) -> dict[str, Any]:
    brief = asdict(file)
    if file.chunks == (file.sha256,):
        del brief["chunks"]
    if not is_text(file.path):  # most systems take any bytes for a name
        brief["path"] = {"bytes": os.fsencode(file.path).hex()}
    return brief


def _file(one: dict[str, Any]) -> File:
    sha256 = str(one["sha256"])
    chunks: Sequence[str] = one.get("chunks", (sha256,))
    path = one["path"]
    path = os.fsdecode(bytes.fromhex(path["bytes"])) if isinstance(path, dict) else str(path)
    return File(path, int(one["size"]), int(one["mtime_ns"]), int(one["inode"]), sha256, tuple(map(str, chunks)))
