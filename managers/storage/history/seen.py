"""Which files were read before, and what they were then: `.history/seen_files.json`, as git's own index does it.

Derived data: without it, or with one that cannot be understood, every kept file is read once more. A file
counts as seen as long as its times, its size and its place on disk are what they were.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dulwich.objects import ObjectID

from managers.storage.errors import UnreadableError
from managers.storage.files import read_bytes, write_atomic
from managers.storage.json_text import load_json

VERSION = 1
_HEX_DIGITS = 40

Stat = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Seen:
    """A file that was read before: its stat then, and the blob that its content is."""

    stat: Stat
    blob: ObjectID


def load_seen(path: Path | None) -> dict[str, Seen]:
    """Return what was noted; nothing, if there is no file, an unreadable or broken one, or one of another version."""
    try:
        data = read_bytes(path) if path is not None else None
        if data is None:
            return {}
        value = load_json(data)
        if value["version"] != VERSION:
            return {}
        return {name: _seen(row) for name, row in value["files"].items()}
    except (UnreadableError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def save_seen(path: Path, seen: dict[str, Seen]) -> None:
    """Note what was seen.

    Raises:
        DiskFullError, UnwritableError
    """
    files = {name: [*one.stat, one.blob.decode()] for name, one in seen.items()}
    write_atomic(path, json.dumps({"version": VERSION, "files": files}, ensure_ascii=True))


def _seen(row: list[Any]) -> Seen:
    modified, changed, size, inode, blob = row
    digits = bytes(blob, "ascii")
    if not all(type(one) is int for one in (modified, changed, size, inode)) or len(digits) != _HEX_DIGITS:
        raise ValueError(row)
    return Seen((modified, changed, size, inode), ObjectID(digits))
