"""The end of a log file: where the last whole record ends, what a crash left behind it, what is added."""

import os
from datetime import datetime
from pathlib import Path
from typing import IO, Final

from managers.memory.log.file_pieces import check_piece
from managers.memory.log.parsing import first_header, parse
from managers.storage.encodings import NAMES, foreign_encoding
from managers.storage.errors import Notice
from managers.storage.files import append_durably, explained, files, open_binary, read_bytes, remove, write_atomic
from managers.storage.opening import free, open_descriptor
from managers.storage.texts import Texts
from managers.storage.watching import written_into

_TAIL_BLOCK: Final = 4096
_say = Texts("notices/log")


def close_off(path: Path, now: datetime) -> list[Notice]:
    """Set an unfinished record at a file's end aside, bytes intact, so that nothing is added to it."""
    if not path.exists():
        return []
    with open_binary(path) as file:
        end, size = whole_end(file), os.fstat(file.fileno()).st_size
        if end >= size:
            return []
        file.seek(end)
        torn = file.read()
    kept = _keep(path, torn, now)
    cut_back(path, end)
    encoding = foreign_encoding(torn) if end == 0 else None
    if encoding is None:
        return [_say.notice("log-torn-end", name=path.name, kept=kept.name)]
    called = NAMES.get(encoding, encoding)
    told = _say.both("set-aside-in-other-encoding", name=path.name, called=called, kept=kept.name)
    return [Notice("log-torn-end", told["ja"], told["en"])]


def whole_end(file: IO[bytes]) -> int:
    """Return the offset at which the last whole record of a file ends, its blank lines included."""
    size = os.fstat(file.fileno()).st_size
    block = _TAIL_BLOCK
    while True:
        start = max(0, size - block)
        file.seek(start)
        data = file.read(size - start)
        skip = first_header(data) if start else 0
        if skip is not None:
            parsed = parse(data[skip:], start + skip)
            # One before tells on which branch the last one stands, and so whether that has lost its branch.
            if any(record.is_placed for record in parsed.records[:-1]) or start == 0:
                return parsed.end
        block *= 4
        check_piece(file, block)


def joint(path: Path) -> bytes:
    """Return what must stand between a file's end and the next record."""
    if not path.exists():
        return b""
    with open_binary(path) as file:
        size = os.fstat(file.fileno()).st_size
        file.seek(max(0, size - 2))
        ending = file.read(2)
    return b"" if not ending or ending == b"\n\n" else b"\n" if ending.endswith(b"\n") else b"\n\n"


def append(path: Path, data: bytes) -> int:
    """Append whole records to a closed-off file; return where they begin."""
    between = joint(path)
    begin = append_durably(path, between + data) + len(between)
    written_into(path)
    return begin


def _keep(path: Path, torn: bytes, now: datetime) -> Path:
    for kept in files(path.parent, f"{path.name}.broken-*"):
        if kept.stat().st_size == len(torn) and read_bytes(kept) == torn:
            return kept  # kept before the last crash
    kept = free(path.with_name(f"{path.name}.broken-{now:%Y%m%d-%H%M%S}"))
    write_atomic(kept, torn)
    return kept


def cut_back(path: Path, size: int) -> None:
    """Shorten a file to `size` bytes, durably; one that is to be empty is removed.

    Raises:
        UnwritableError: it is as it was.
    """
    try:
        if size == 0:
            remove(path)
            return
        descriptor = open_descriptor(path, os.O_RDWR)
        try:
            if os.fstat(descriptor).st_size > size:
                os.ftruncate(descriptor, size)
                os.fsync(descriptor)
        finally:
            os.close(descriptor)
            written_into(path)
    except FileNotFoundError:
        return
    except OSError as error:
        raise explained(error, path) from error
