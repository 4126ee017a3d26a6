"""A persona in one file that people can keep anywhere: a ZIP of its folder without what is derived.

The copy is of one moment. For that moment alone writers wait: each file gets a second name, which costs
next to nothing. Files that are written anew leave the second name with what it had; those that only grow
are copied up to the length that they had.
"""

from __future__ import annotations

import os
import re
import zipfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

from managers.storage.errors import ExportExistsError, UnwritableError
from managers.storage.files import copy_file, entries, fsync_folder, make_folder, remove_tree
from managers.storage.locks import holding, writing
from managers.storage.opening import open_descriptor, open_plain
from managers.storage.paths import PersonaPaths

_TEMPORARY: Final = ".utatane-tmp"
_SECOND_NAMES: Final = f".export{_TEMPORARY}"
_LOCK: Final = ".export.lock"
_DERIVED: Final = frozenset({"rag_index", ".lock", _LOCK})
_PATIENCE: Final = 600.0
"""How long one export of a persona waits for another."""
_BLOCK: Final = 1024 * 1024
_NO_TEXT: Final = re.compile("[\ud800-\udfff]")


class _Held(NamedTuple):
    """A file as it was: its name in the archive, its second name, and how long it was."""

    name: str
    path: Path
    size: int


Change = Callable[[str, bytes], bytes | None]
"""Takes a file's name in the archive and what is in it; returns what the archive gets, None where that is nothing."""


def export_persona(paths: PersonaPaths, file: Path, change: Change | None = None) -> int:
    """Write the persona's folder into a new ZIP file; return the number of files in it.

    Keys are not part of a persona's folder, so none can be in it. Nobody who talks meanwhile has to wait.

    Args:
        paths: the persona's folder.
        file: the ZIP file.
        change: what becomes of each file on its way; not given: nothing.

    Raises:
        ExportExistsError: there is such a file; it is left alone.
        UnwritableError: it cannot be written there.
        BusyError: somebody else has been writing, or exporting, for long.
    """
    if file.exists():
        raise ExportExistsError(path=file)
    temporary = file.with_name(f".{file.name}.{os.getpid()}{_TEMPORARY}")
    try:
        descriptor = open_descriptor(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL)
        with os.fdopen(descriptor, "wb") as written:
            with _moment(paths) as held, zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
                count = sum(_add(archive, one, change) for one in held)
            written.flush()
            os.fsync(written.fileno())
        temporary.replace(file)
        fsync_folder(file.parent)
    except OSError as error:
        raise UnwritableError(path=file, cause=error.strerror or error) from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
    return count


@contextmanager
def _moment(paths: PersonaPaths) -> Iterator[list[_Held]]:
    """Yield the persona's files as they are now, whatever is written while they are looked at."""
    second = paths.folder / _SECOND_NAMES
    with ExitStack() as stack:
        try:
            stack.enter_context(holding(paths.folder / _LOCK, paths.name, _PATIENCE))
        except UnwritableError:  # a folder that can only be read: nobody writes there meanwhile
            yield [_Held(_name(file, paths), file, file.stat().st_size) for file in _files(paths.folder)]
            return
        remove_tree(second)  # what a killed export left behind
        stack.callback(remove_tree, second)
        with writing(paths):
            make_folder(second)
            files = enumerate(_files(paths.folder))
            held = [_hold(file, paths, second / str(number)) for number, file in files]
        yield held


def _hold(file: Path, paths: PersonaPaths, second: Path) -> _Held:
    """Give a file a second name; where the disk knows no such thing, copy it."""
    size = file.stat().st_size
    try:
        second.hardlink_to(file)
    except OSError:
        copy_file(file, second)
    return _Held(_name(file, paths), second, size)


def _name(file: Path, paths: PersonaPaths) -> str:
    return f"{paths.name}/{_in_text(file.relative_to(paths.folder).as_posix())}"


def _in_text(name: str) -> str:
    """Return a file's name as an archive can hold it: bytes that are no text are written as in addresses (`%83`)."""
    return _NO_TEXT.sub(lambda found: "".join(f"%{byte:02X}" for byte in os.fsencode(found[0])), name)


def _add(archive: zipfile.ZipFile, held: _Held, change: Change | None) -> bool:
    """Put a file into the archive; return whether it was to be there."""
    info = zipfile.ZipInfo.from_file(held.path, held.name, strict_timestamps=False)
    info.compress_type = zipfile.ZIP_DEFLATED
    left = held.size
    if change is not None:
        with open_plain(held.path) as source:
            changed = change(held.name, source.read(left))
        if changed is not None:
            archive.writestr(info, changed)
        return changed is not None
    with open_plain(held.path) as source, archive.open(info, "w") as target:
        while left and (block := source.read(min(left, _BLOCK))):
            target.write(block)
            left -= len(block)
    return True


def _files(folder: Path) -> Iterator[Path]:
    for entry in sorted(entries(folder), key=lambda entry: entry.name):
        if entry.name in _DERIVED or entry.name.endswith(_TEMPORARY):
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _files(folder / entry.name)
        else:
            yield folder / entry.name
