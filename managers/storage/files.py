"""Files that are written whole or not at all, appended durably, and never overwritten when broken.

Every durable step is an explicit `os.write`, `os.fsync` or `os.replace`, so that the crash tests can
kill a real process at each of them.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import itertools
import json
import os
import sys
import time
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import IO

from managers.storage.errors import (
    DiskFullError,
    Notice,
    UnreadableError,
    UnwritableError,
    UtataneError,
)

_NO_SPACE = frozenset({errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)})
_NOT_ON_FOLDERS = frozenset({errno.EINVAL, errno.ENOSYS, errno.EBADF, getattr(errno, "ENOTSUP", errno.EINVAL)})
_TEMPORARY_SUFFIX = ".utatane-tmp"
_LEFT_OVER_SECONDS = 86_400
_numbers = itertools.count()
"""Two threads that write one file must not share the temporary one."""


def digest(data: bytes | str) -> str:
    """Return the SHA-256 of the content as 64 hex digits: what "the hash that was read" means."""
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()


def read_bytes(path: Path) -> bytes | None:
    """Return the bytes of a file, None if there is no such file.

    Raises:
        UnreadableError: it is there and cannot be read.
    """
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UnreadableError(path=path, cause=error.strerror or error) from error


def write_atomic(path: Path, data: bytes | str, *, mode: int | None = None) -> None:
    """Write a whole file or nothing: temporary file beside it, fsync, replace, fsync of the folder.

    Args:
        path: the file; its folder is made if missing.
        data: the content; text is written as UTF-8 with the newlines it has.
        mode: permission bits (such as 0o600), kept from the old file if not given.

    Raises:
        DiskFullError, UnwritableError: the old file is as it was.
    """
    write_atomic_parts(path, [data.encode() if isinstance(data, str) else data], mode=mode)


def write_atomic_parts(path: Path, parts: Iterable[bytes | memoryview], *, mode: int | None = None) -> None:
    """Write a whole file or nothing, as `write_atomic` does, of parts that need not be in memory together."""
    temporary = path.with_name(f".{path.name[:32]}.{os.getpid()}-{next(_numbers)}{_TEMPORARY_SUFFIX}")
    try:
        make_folder(path.parent)
        if mode is None:
            mode = path.stat().st_mode & 0o777 if path.exists() else 0o644
        if path.exists() and not os.access(path, os.W_OK):
            raise UnwritableError(path=path, cause="read-only")
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0), mode)
        try:
            for part in parts:
                _write_all(descriptor, part)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.replace(temporary, path)
        fsync_folder(path.parent)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise explained(error, path) from error


def append_durably(path: Path, data: bytes) -> int:
    """Append to a file and fsync; return the offset at which the data begin.

    A write that fails half-way is cut off again, so a reader never sees part of it as whole.

    Raises:
        DiskFullError, UnwritableError: nothing was appended.
    """
    try:
        make_folder(path.parent)
        is_new = not path.exists()
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o644)
        try:
            offset = os.lseek(descriptor, 0, os.SEEK_END)
            try:
                _write_all(descriptor, data)
                os.fsync(descriptor)
            except OSError:
                with contextlib.suppress(OSError):
                    os.ftruncate(descriptor, offset)
                raise
        finally:
            os.close(descriptor)
        if is_new:
            fsync_folder(path.parent)
    except OSError as error:
        raise explained(error, path) from error
    return offset


def make_folder(folder: Path) -> None:
    """Make a folder and its parents, durably."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    folder.mkdir(exist_ok=True)
    fsync_folder(folder.parent)


def fsync_folder(folder: Path) -> None:
    """Make a rename or a new file in a folder durable, where there is such a thing.

    Windows has no such call and needs none; some network file systems refuse it.
    """
    if sys.platform == "win32":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _NOT_ON_FOLDERS:
            raise
    finally:
        os.close(descriptor)


def sweep(folder: Path) -> int:
    """Remove the temporary files that killed writers left anywhere in a folder, a day ago or earlier.

    Returns:
        How many there were.
    """
    swept = 0
    for path in folder.rglob(f".*{_TEMPORARY_SUFFIX}"):
        with contextlib.suppress(OSError):  # litter that cannot be removed does no harm
            if time.time() - path.stat().st_mtime > _LEFT_OVER_SECONDS:
                path.unlink()
                swept += 1
    return swept


def set_aside(path: Path, now: datetime) -> Notice:
    """Move a file that cannot be understood aside, bytes intact, and return the notice to show."""
    kept = path.with_name(f"{path.name}.broken-{now:%Y%m%d-%H%M%S}")
    number = 1
    while kept.exists():
        number += 1
        kept = path.with_name(f"{path.name}.broken-{now:%Y%m%d-%H%M%S}-{number}")
    try:
        os.replace(path, kept)
        fsync_folder(path.parent)
    except OSError as error:
        raise explained(error, path) from error
    return Notice(
        code="file-set-aside",
        ja=f"「{path.name}」は読み取れない状態だったので、「{kept.name}」という名前でそのまま残しました。"
        "直して元の名前に戻すか、「記憶」の履歴から戻せます。",
        en=f'"{path.name}" could not be understood, so it was kept as it is under the name "{kept.name}". '
        "Repair it and give it its old name back, or restore an earlier version from the history.",
    )


def dump_json(value: object) -> str:
    """Return JSON as people would write it: UTF-8 as it is, indented, with a final newline."""
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def _write_all(descriptor: int, data: bytes | memoryview) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def explained(error: OSError, path: Path) -> UtataneError:
    """Return the error that says in a sentence why a file could not be written."""
    if error.errno in _NO_SPACE:
        return DiskFullError(path=path.name)
    return UnwritableError(path=path, cause=error.strerror or error)


def open_binary(path: Path) -> IO[bytes]:
    """Open a file for reading.

    Raises:
        UnreadableError: it cannot be read (a missing file too).
    """
    try:
        return path.open("rb")
    except OSError as error:
        raise UnreadableError(path=path, cause=error.strerror or error) from error
