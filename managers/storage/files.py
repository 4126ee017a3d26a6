"""Files that are written whole or not at all, appended durably, and never overwritten when broken.

Every durable step is an explicit `os.write`, `os.fsync` or `os.replace`, so that the crash tests can
kill a real process at each of them.
"""

import contextlib
import errno
import hashlib
import itertools
import json
import os
import shutil
import sys
import time
from collections.abc import Collection, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from fnmatch import fnmatchcase
from pathlib import Path
from typing import IO

from managers.storage import opening
from managers.storage.encodings import NAMES, foreign_encoding
from managers.storage.errors import (
    DiskFullError,
    FileTooLargeError,
    Notice,
    NotPlainFileError,
    UnreadableError,
    UnwritableError,
    UtataneError,
)
from managers.storage.opening import NotPlainError, open_descriptor
from managers.storage.retrying import retried
from managers.storage.texts import Texts

_say = Texts("notices/storage")

_NO_SPACE = frozenset({errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)})
_NOT_ON_FOLDERS = frozenset({errno.EINVAL, errno.ENOSYS, errno.EBADF, getattr(errno, "ENOTSUP", errno.EINVAL)})
TEMPORARY_SUFFIX = ".utatane-tmp"
_LEFT_OVER_SECONDS = 86_400
_COPY_BLOCK = 1024 * 1024
MAX_BYTES = 64_000_000
"""What is read into memory at once: no memory comes near it, and a folder may hold a file of any size."""
_SIDE_BY_SIDE = 8
_numbers = itertools.count()
"""Two threads that write one file must not share the temporary one."""


def digest(data: bytes | str) -> str:
    """Return the SHA-256 of the content as 64 hex digits: what "the hash that was read" means."""
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()


def read_bytes(path: Path, limit: int = MAX_BYTES) -> bytes | None:
    """Return the bytes of a file, None if there is no such file.

    Raises:
        UnreadableError: it is there and cannot be read.
        FileTooLargeError: it is larger than `limit` bytes.
    """
    try:
        with opening.open_plain(path) as file:
            if os.fstat(file.fileno()).st_size > limit:
                raise FileTooLargeError(path=path, megabytes=limit // 1_000_000)
            return file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise unread(error, path) from error


def write_atomic(path: Path, data: bytes | str, *, is_one_of_many: bool = False) -> None:
    """Write a whole file or nothing: temporary file beside it, fsync, replace, fsync of the folder.

    Args:
        path: the file; its folder is made if missing. It is its owner's alone.
        data: the content; text is written as UTF-8 with the newlines it has.
        is_one_of_many: the folder is made durable by whoever writes them all (`write_together`).

    Raises:
        DiskFullError, UnwritableError: the old file is as it was.
    """
    parts = [data.encode() if isinstance(data, str) else data]
    write_atomic_parts(path, parts, is_one_of_many=is_one_of_many)


def write_atomic_parts(path: Path, parts: Iterable[bytes | memoryview], *, is_one_of_many: bool = False) -> None:
    """Write a whole file or nothing, as `write_atomic` does, of parts that need not be in memory together."""
    temporary = path.with_name(f".{path.name[:32]}.{os.getpid()}-{next(_numbers)}{TEMPORARY_SUFFIX}")
    try:
        make_folder(path.parent)
        check_writable(path)
        descriptor = open_descriptor(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        try:
            for part in parts:
                _write_all(descriptor, part)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        retried(os.fspath(path), lambda: os.replace(temporary, path))
        if not is_one_of_many:
            fsync_folder(path.parent)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise explained(error, path) from error


def write_together(contents: Mapping[Path, bytes]) -> None:
    """Write many files durably, each whole or not at all: side by side, for what takes long is the disk's answer.

    A few are written one after the other, without any thread.

    Raises:
        DiskFullError, UnwritableError: some may have been written.
    """
    folders = {path.parent for path in contents}

    def write(path: Path) -> None:
        write_atomic(path, contents[path], is_one_of_many=True)

    if len(contents) < _SIDE_BY_SIDE:
        _ = [*map(write, contents), *map(_settle, folders)]
        return
    with ThreadPoolExecutor(_SIDE_BY_SIDE) as pool:
        _ = [*pool.map(write, contents), *pool.map(_settle, folders)]


def _settle(folder: Path) -> None:
    try:
        fsync_folder(folder)
    except OSError as error:
        raise explained(error, folder) from error


def write_unsynced(path: Path, data: bytes) -> None:
    """Write a file in place, with nothing that makes it last: what is derived, or means nothing after a power cut.

    Raises:
        NotPlainError, OSError
    """
    make_folder(path.parent)
    with os.fdopen(open_descriptor(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "wb") as file:
        file.write(data)


def copy_file(source: Path, target: Path) -> None:
    """Copy an ordinary file to a place that is free, durably, with its times; the copy is its owner's alone.

    Raises:
        NotPlainError, OSError
    """
    with opening.open_plain(source) as old:
        with os.fdopen(open_descriptor(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as new:
            shutil.copyfileobj(old, new, _COPY_BLOCK)
            new.flush()
            os.fsync(new.fileno())
        status = os.fstat(old.fileno())
    os.utime(target, ns=(status.st_atime_ns, status.st_mtime_ns))


def append_durably(path: Path, data: bytes) -> int:
    """Append to a file and fsync; return the offset at which the data begin.

    A write that fails half-way is cut off again, so a reader never sees part of it as whole.

    Raises:
        DiskFullError, UnwritableError: nothing was appended.
    """
    try:
        make_folder(path.parent)
        is_new = opening.look(path) is None
        descriptor = open_descriptor(path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
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


def check_writable(path: Path) -> None:
    """Refuse to replace what is no file, or one that somebody has made read-only.

    Raises:
        NotPlainError, UnwritableError
    """
    opening.check_plain(path)
    if opening.look(path) is not None and not os.access(path, os.W_OK):
        raise UnwritableError(path=path, cause="read-only")


def make_folder(folder: Path) -> None:
    """Make a folder and its parents, durably.

    Raises:
        NotPlainError: there is a link in its place, or on the way.
        OSError
    """
    found = opening.kind(folder)
    if found == "folder":
        return
    if found in {"link", "special"}:
        raise NotPlainError(os.fspath(folder))
    make_folder(folder.parent)
    folder.mkdir(opening.PRIVATE_FOLDER, exist_ok=True)
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
            error.filename = os.fspath(folder)  # a descriptor has no name to be told
            raise
    finally:
        os.close(descriptor)


def entries(folder: Path, kinds: Collection[opening.Kind] | None = opening.PLAIN) -> list[os.DirEntry[str]]:
    """Return what is in a folder, in no particular order: its files and folders, if nothing else is asked for.

    Raises:
        UnreadableError: it is there and cannot be listed.
    """
    try:
        return opening.entries(folder, kinds)
    except OSError as error:
        raise unread(error, folder) from error


def files(folder: Path, pattern: str = "*") -> list[Path]:
    """Return the files in a folder whose names match a pattern, by name; hidden ones only if the pattern says so.

    Raises:
        UnreadableError: the folder is there and cannot be listed.
    """
    names = sorted(
        entry.name
        for entry in entries(folder)
        if entry.is_file(follow_symlinks=False)
        and (pattern[:1] == "." or entry.name[:1] != ".")
        and fnmatchcase(entry.name, pattern)
    )
    return [folder / name for name in names]  # sorted as names: paths compare ten times as slowly


def remove(path: Path) -> None:
    """Remove a file, durably, if it is there; of a link the link.

    Raises:
        UnwritableError: it is still there.
    """
    try:
        if opening.look(path) is not None:
            opening.unlink(path)
            fsync_folder(path.parent)
    except OSError as error:
        raise explained(error, path) from error


def remove_tree(path: Path) -> None:
    """Remove a file, or a folder with all that is in it, if it is there; of links the links, there and within.

    Raises:
        NotPlainError: a link is on the way to it.
        OSError
    """
    found = opening.look(path)
    if found is None:
        return
    if opening.kind_of(found) == "folder":
        shutil.rmtree(path)
    elif sys.platform == "win32" and path.is_dir():  # a junction, or a link to a folder
        path.rmdir()
    else:
        opening.unlink(path)


def sweep(folder: Path) -> int:
    """Remove the temporary files that killed writers left anywhere in a folder, a day ago or earlier.

    Returns:
        How many there were.
    """
    swept = 0
    for path, kind in opening.walk(folder):
        if kind != "file" or path.name[0] != "." or not path.name.endswith(TEMPORARY_SUFFIX):
            continue
        with contextlib.suppress(OSError):  # litter that cannot be removed does no harm
            if time.time() - path.stat().st_mtime > _LEFT_OVER_SECONDS:
                path.unlink()
                swept += 1
    return swept


def moved_aside(path: Path, now: datetime) -> Path:
    """Move a file that cannot be understood aside, bytes intact, and return where it is.

    Raises:
        UnwritableError, DiskFullError: it is where it was.
    """
    try:
        opening.check_plain(path)
        kept = opening.free(path.with_name(f"{path.name}.broken-{now:%Y%m%d-%H%M%S}"))
        opening.move(path, kept)
        fsync_folder(path.parent)
    except OSError as error:
        raise explained(error, path) from error
    return kept


def set_aside(path: Path, now: datetime) -> Notice:
    """Move a file that cannot be understood aside, bytes intact, and return the notice to show."""
    kept = moved_aside(path, now)
    encoding = foreign_encoding(read_bytes(kept) or b"")
    if encoding is not None:
        called = NAMES[encoding]
        return _say.notice("file-set-aside.encoding", name=path.name, called=called, kept=kept.name)
    return _say.notice("file-set-aside.broken", name=path.name, kept=kept.name)


def dump_json(value: object) -> str:
    """Return JSON as people would write it: UTF-8 as it is, indented, with a final newline."""
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def _write_all(descriptor: int, data: bytes | memoryview) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def explained(error: OSError, path: Path) -> UtataneError:
    """Return the error that says in a sentence why a file could not be written."""
    if isinstance(error, NotPlainError):
        return NotPlainFileError(path=error.filename)
    if error.errno in _NO_SPACE:
        return DiskFullError(path=path.name)
    return UnwritableError(path=path, cause=error.strerror or error)


def unread(error: OSError, path: Path) -> UnreadableError:
    """Return the error that says in a sentence why a file could not be read."""
    if isinstance(error, NotPlainError):
        return NotPlainFileError(path=error.filename)
    return UnreadableError(path=path, cause=error.strerror or error)


def open_binary(path: Path) -> IO[bytes]:
    """Open a file for reading.

    Raises:
        UnreadableError: it cannot be read (a missing file too).
    """
    try:
        return opening.open_plain(path)
    except OSError as error:
        raise unread(error, path) from error
