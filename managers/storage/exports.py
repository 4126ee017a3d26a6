"""A persona in one file that people can keep anywhere: a ZIP of its folder without what is derived.

The copy is of one moment. For that moment alone writers wait: each file gets a second name, which costs
next to nothing. Files that are written anew leave the second name with what it had; those that only grow
are copied up to the length that they had.
"""

from __future__ import annotations

import os
import shutil
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from managers.storage.errors import ExportExistsError, UnwritableError
from managers.storage.files import fsync_folder
from managers.storage.locks import holding, writing
from managers.storage.paths import PersonaPaths

_TEMPORARY: Final = ".utatane-tmp"
_SECOND_NAMES: Final = f".export{_TEMPORARY}"
_LOCK: Final = ".export.lock"
_DERIVED: Final = frozenset({"rag_index", ".lock", _LOCK})
_PATIENCE: Final = 600.0
"""How long one export of a persona waits for another."""
_BLOCK: Final = 1024 * 1024


class _Held(NamedTuple):
    """A file as it was: its name in the archive, its second name, and how long it was."""

    name: str
    path: Path
    size: int


def export_persona(paths: PersonaPaths, file: Path) -> int:
    """Write the persona's folder into a new ZIP file; return the number of files in it.

    Keys are not part of a persona's folder, so none can be in it. Nobody who talks meanwhile has to wait.

    Raises:
        ExportExistsError: there is such a file; it is left alone.
        UnwritableError: it cannot be written there.
        BusyError: somebody else has been writing, or exporting, for long.
    """
    if file.exists():
        raise ExportExistsError(path=file)
    temporary = file.with_name(f".{file.name}.{os.getpid()}{_TEMPORARY}")
    try:
        with _moment(paths) as held, zipfile.ZipFile(temporary, "x", zipfile.ZIP_DEFLATED) as archive:
            for one in held:
                _add(archive, one)
        with temporary.open("rb+") as written:
            os.fsync(written.fileno())
        temporary.replace(file)
        fsync_folder(file.parent)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise UnwritableError(path=file, cause=error.strerror or error) from error
    return len(held)


@contextmanager
def _moment(paths: PersonaPaths) -> Iterator[list[_Held]]:
    """Yield the persona's files as they are now, whatever is written while they are looked at."""
    second = paths.folder / _SECOND_NAMES
    with holding(paths.folder / _LOCK, paths.name, _PATIENCE):
        shutil.rmtree(second, ignore_errors=True)  # what a killed export left behind
        try:
            with writing(paths):
                second.mkdir()
                files = enumerate(_files(paths.folder))
                held = [_hold(file, paths, second / str(number)) for number, file in files]
            yield held
        finally:
            shutil.rmtree(second, ignore_errors=True)


def _hold(file: Path, paths: PersonaPaths, second: Path) -> _Held:
    """Give a file a second name; where the disk knows no such thing, copy it."""
    size = file.stat().st_size
    try:
        second.hardlink_to(file)
    except OSError:
        shutil.copy2(file, second)
    return _Held(f"{paths.name}/{file.relative_to(paths.folder).as_posix()}", second, size)


def _add(archive: zipfile.ZipFile, held: _Held) -> None:
    info = zipfile.ZipInfo.from_file(held.path, held.name, strict_timestamps=False)
    info.compress_type = zipfile.ZIP_DEFLATED
    left = held.size
    with held.path.open("rb") as source, archive.open(info, "w") as target:
        while left and (block := source.read(min(left, _BLOCK))):
            target.write(block)
            left -= len(block)


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.name in _DERIVED or path.name.endswith(_TEMPORARY) or path.is_symlink():
            continue
        if path.is_dir():
            yield from _files(path)
        else:
            yield path
