"""A persona in one file that people can keep anywhere: a ZIP of its folder without what is derived."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator
from pathlib import Path

from managers.storage.errors import ExportExistsError, UnwritableError
from managers.storage.files import fsync_folder
from managers.storage.locks import writing
from managers.storage.paths import PersonaPaths

_DERIVED = frozenset({"rag_index", ".lock"})
_TEMPORARY = ".utatane-tmp"


def export_persona(paths: PersonaPaths, file: Path) -> int:
    """Write the persona's folder into a new ZIP file; return the number of files in it.

    Keys are not part of a persona's folder, so none can be in it. Writers wait meanwhile, so that the
    copy is of one moment.

    Raises:
        ExportExistsError: there is such a file; it is left alone.
        UnwritableError: it cannot be written there.
    """
    if file.exists():
        raise ExportExistsError(path=file)
    temporary = file.with_name(f".{file.name}.{os.getpid()}{_TEMPORARY}")
    count = 0
    try:
        with writing(paths), zipfile.ZipFile(temporary, "x", zipfile.ZIP_DEFLATED) as archive:
            for source in _files(paths.folder):
                archive.write(source, f"{paths.name}/{source.relative_to(paths.folder).as_posix()}")
                count += 1
        with temporary.open("rb+") as written:
            os.fsync(written.fileno())
        temporary.replace(file)
        fsync_folder(file.parent)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise UnwritableError(path=file, cause=error.strerror or error) from error
    return count


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.name in _DERIVED or path.name.endswith(_TEMPORARY) or path.is_symlink():
            continue
        if path.is_dir():
            yield from _files(path)
        else:
            yield path
