"""Where else in the home folder a persona's words may lie: copies of its folder, what was put aside, the program's log."""

import os
import zlib
from collections.abc import Collection, Iterator
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from typing import Final, Literal

from managers.hygiene.file_kinds import HOME, declared
from managers.hygiene.traces import Traces
from managers.personas.admissions import read_mark
from managers.personas.folders import copied_folders
from managers.storage.errors import UtataneError
from managers.storage.files import MAX_BYTES, entries, read_bytes, remove, remove_tree
from managers.storage.opening import is_folder, open_descriptor, walk
from managers.storage.paths import Home, PersonaPaths
from managers.storage.window_storage import clear_window, is_window_open

_ANY_HEADER: Final = 32 + zlib.MAX_WBITS
"""Lets zlib unpack what gzip packed as well."""
_DERIVED: Final = frozenset({".history", "rag_index"})
"""What is made from files that lie beside it, and packed: they are looked into."""


def copies_of(paths: PersonaPaths) -> list[PersonaPaths]:
    """Return the copies of a persona's folder that lie in the trash, or that a sync service made: they bear its mark."""
    mark, home = read_mark(paths), paths.home
    if not mark or paths.folder.parent != home.characters:
        return []
    folders = [copy.path for copy in copied_folders(home.characters)]
    folders += [home.trash / entry.name for entry in entries(home.trash, {"folder"})]
    copies = (PersonaPaths(folder) for folder in folders)
    return [copy for copy in copies if copy != paths and read_mark(copy) == mark]


def remove_put_aside(paths: PersonaPaths, traces: Traces) -> None:
    """Remove what was put aside when the persona was let in, and the files on their way into a message, that hold any of it.

    Exports that wait to be saved go whole: nobody can look into one that is encrypted, and all can be made anew. So does
    what a window keeps: its engine packs what was typed in a way of its own.
    """
    for place in _put_aside(paths):
        for path, kind in walk(place) if is_folder(place) else ():
            if kind == "file" and _holds(path, traces) is not False:
                remove(path)
    for entry in entries(paths.home.exports):  # the folder itself stays: the page makes the next one in it
        remove_tree(paths.home.exports / entry.name)
    clear_window(paths.home)


def _put_aside(paths: PersonaPaths) -> list[Path]:
    aside = entries(paths.home.set_aside, {"folder"})
    own = [paths.home.set_aside / entry.name for entry in aside if entry.name.startswith(f"{paths.name}-")]
    return [paths.home.folder / ".uploads", paths.home.importing, *own]


def _holds(path: Path, traces: Traces) -> bool | None:
    """Tell whether a file holds any of it; None of what cannot be looked into: nobody can say that it does not."""
    try:
        data = read_bytes(path) or b""
    except UtataneError:
        return None
    if path.suffix == ".pack":
        return None
    with suppress(zlib.error):
        data = zlib.decompressobj(_ANY_HEADER).decompress(data, MAX_BYTES)
    return traces.is_in(data)


def blank_log_lines(home: Home, traces: Traces) -> None:
    """Blank the lines of the program's log that hold any of it, where they stand: other processes are adding to it."""
    folder = home.folder / ".logs"
    for entry in entries(folder, {"file"}):
        data = read_bytes(folder / entry.name) or b""
        at = 0
        for line in data.splitlines(keepends=True):
            body = line.rstrip(b"\r\n")
            if traces.touches(body.decode("utf-8", "replace")):
                _overwrite(folder / entry.name, at, b" " * len(body))
            at += len(line)


def _overwrite(path: Path, at: int, data: bytes) -> None:
    descriptor = open_descriptor(path, os.O_WRONLY)
    try:
        os.lseek(descriptor, at, os.SEEK_SET)
        os.write(descriptor, data)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def left_in_home(
    paths: PersonaPaths, traces: Traces
) -> Iterator[tuple[Literal["settings", "elsewhere", "unreadable", "yours", "window"], str]]:
    """Yield what holds any of it and is nobody's but the person's, wherever it lies in the home: settings, files, domains.

    Others wrote what domains share, and its sources would bring it back. What is left of another persona, in the trash or
    put aside, is named as one.
    """
    home = paths.home
    if is_window_open(home):
        yield "window", home.window.name
    for name, found in groupby(_not_gone_through(paths), lambda path: _told_as(home, path)):
        kind = declared(name, HOME)
        if kind is not None and kind.how not in {"yours", "gone"}:
            continue
        is_in: bool | None = False
        for path in found:
            if (holds := _holds(path, traces)) is not False:
                is_in = holds
            if is_in:
                break
        if is_in is None:
            yield "unreadable", name
        elif is_in:
            is_yours = kind is not None and kind.how == "yours"
            yield ("settings" if name == home.settings.name else "yours" if is_yours else "elsewhere"), name


def _not_gone_through(paths: PersonaPaths) -> Iterator[Path]:
    """Yield the files of the home that an erasure does not go through in another way; those of other personas are theirs."""
    home = paths.home
    others = (home.characters / one.name for one in entries(home.characters, {"folder"}) if one.name[:1] != ".")
    reached = {home.backups, home.models, home.sessions, home.exports, home.window, *_put_aside(paths), *others}
    yield from _files(home.folder, reached | {copy.folder for copy in copies_of(paths)})


def _files(folder: Path, but: Collection[Path]) -> Iterator[Path]:
    for entry in sorted(entries(folder), key=lambda one: one.name):
        path = folder / entry.name
        if path not in but and entry.name not in _DERIVED:
            yield from [path] if entry.is_file(follow_symlinks=False) else _files(path, but)


def _told_as(home: Home, path: Path) -> str:
    """Return what a file is called in a report: of what is left of a persona the name of its folder."""
    parts = path.relative_to(home.folder).parts
    for folder in (home.trash, home.set_aside):
        depth = len(folder.relative_to(home.folder).parts)
        if folder in path.parents:
            return "/".join(parts[: depth + 1])
    return "/".join(parts)
