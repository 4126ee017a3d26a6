"""Packs: files of many chunks, written whole, never changed, named by the SHA-256 of what is in them.

A pack holds the chunks one after the other, then which they are (JSON, compressed), then how long that is.
"""

import hashlib
import json
import os
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Final, NamedTuple

from managers.exchange.backups.errors import BackupDamagedError
from managers.storage.files import open_binary, unread, write_atomic_parts
from managers.storage.json_text import NotJsonError, load_json

ENDING: Final = ".pack"
_MAGIC: Final = b"utatane pack 1\n"
_LENGTH: Final = 8
_LONGEST_INDEX: Final = 64_000_000


class Place(NamedTuple):
    """Where a chunk lies."""

    pack: Path
    offset: int
    length: int
    is_encrypted: bool


def write_pack(folder: Path, chunks: Mapping[str, bytes], *, is_encrypted: bool) -> Path:
    """Write a pack of chunks, as they are to be written, by their names.

    Raises:
        DiskFullError, UnwritableError: nothing was written.
    """
    parts, offset, places = [_MAGIC], len(_MAGIC), []
    for name, data in chunks.items():
        parts.append(data)
        places.append([name, offset, len(data)])
        offset += len(data)
    index = zlib.compress(json.dumps({"chunks": places, "encrypted": is_encrypted}).encode())
    parts += [index, len(index).to_bytes(_LENGTH, "big")]
    known = hashlib.sha256()
    for part in parts:
        known.update(part)
    path = folder / f"{known.hexdigest()}{ENDING}"
    write_atomic_parts(path, parts)
    return path


def places_in(path: Path) -> dict[str, Place]:
    """Return where a pack's chunks lie, by their names.

    Raises:
        BackupDamagedError: nobody can tell.
        UnreadableError: not for now.
    """
    try:
        with open_binary(path) as file:
            return index_of(file, path)
    except OSError as error:
        raise unread(error, path) from error


def index_of(file: IO[bytes], path: Path) -> dict[str, Place]:
    """Return where the chunks of an open pack lie.

    Raises:
        BackupDamagedError: nobody can tell.
        OSError
    """
    end = file.seek(0, os.SEEK_END) - _LENGTH
    file.seek(max(0, end))
    size = int.from_bytes(file.read(_LENGTH), "big")
    if not 0 < size <= min(end - len(_MAGIC), _LONGEST_INDEX):
        raise BackupDamagedError(file=path.name)
    file.seek(end - size)
    try:
        found = load_json(zlib.decompressobj().decompress(file.read(size), _LONGEST_INDEX))
        is_encrypted = bool(found["encrypted"])
        return {
            str(name): Place(path, int(offset), int(length), is_encrypted)
            for name, offset, length in found["chunks"]
            if 0 <= offset <= offset + length <= end - size
        }
    except (zlib.error, NotJsonError, ValueError, TypeError, KeyError, OverflowError) as error:
        raise BackupDamagedError(file=path.name) from error


def read_at(place: Place) -> bytes:
    """Return a chunk as it is written.

    Raises:
        BackupDamagedError, UnreadableError
    """
    try:
        with open_binary(place.pack) as file:
            file.seek(place.offset)
            return file.read(place.length)
    except OSError as error:
        raise BackupDamagedError(file=place.pack.name) from error
