"""Bringing files of a backup back: into a folder of their own, each compared with the hash that it had."""

import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from managers.exchange.backups.errors import BackupDamagedError
from managers.exchange.backups.listing import File
from managers.exchange.backups.repository import Repository
from managers.storage.files import explained
from managers.storage.opening import PRIVATE_FOLDER, NotPlainError, inside, open_descriptor


def beneath(files: Iterable[File], folder: str) -> list[File]:
    """Return the files of a folder of the home (`characters/Mei`), with their paths in it; all, of the home itself."""
    if not folder:
        return list(files)
    return [
        File(file.path.removeprefix(f"{folder}/"), file.size, file.mtime_ns, file.inode, file.sha256, file.chunks)
        for file in files
        if file.path.startswith(f"{folder}/")
    ]


def restore_file(repository: Repository, file: File, target: Path, *, lasting: bool = True) -> int:
    """Write one file below a folder in which nothing stands in its place, `lasting` through a power cut; return its bytes.

    Raises:
        BackupDamagedError: it is not as it was, and was not written.
        DiskFullError, UnwritableError
    """
    try:
        path = inside(target, file.path)
    except NotPlainError as error:  # a list that somebody else wrote
        raise BackupDamagedError(file=file.path) from error
    try:
        path.parent.mkdir(PRIVATE_FOLDER, parents=True, exist_ok=True)
        try:
            with os.fdopen(open_descriptor(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as written:
                for chunk in contents(repository, file):
                    written.write(chunk)
                if lasting:
                    written.flush()
                    os.fsync(written.fileno())
        except BackupDamagedError:
            path.unlink()
            raise
        os.utime(path, ns=(file.mtime_ns, file.mtime_ns))
    except OSError as error:
        raise explained(error, path) from error
    return file.size


def contents(repository: Repository, file: File) -> Iterator[bytes]:
    """Yield a file's bytes; whoever has taken all of them knows that they are those that it had.

    Raises:
        BackupDamagedError: they are not.
    """
    known, size = hashlib.sha256(), 0
    for name in file.chunks:
        try:
            chunk = repository.read(name)
        except BackupDamagedError as error:
            raise BackupDamagedError(file=file.path) from error
        known.update(chunk)
        size += len(chunk)
        yield chunk
    if (known.hexdigest(), size) != (file.sha256, file.size):
        raise BackupDamagedError(file=file.path)


def remove_restored(target: Path) -> None:
    """Remove what was restored to be looked at; what cannot be removed does no harm."""
    shutil.rmtree(target, ignore_errors=True)
