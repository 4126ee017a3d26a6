"""Where else in the home folder a persona's words may lie: copies of its folder, what was put aside, the program's log."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from managers.hygiene.file_kinds import HOME, declared
from managers.hygiene.traces import Traces
from managers.personas.admissions import read_mark
from managers.personas.folders import copied_folders
from managers.storage.errors import UtataneError
from managers.storage.files import MAX_BYTES, entries, read_bytes, remove
from managers.storage.opening import is_folder, open_descriptor, walk
from managers.storage.paths import Home, PersonaPaths


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
    """Remove what was put aside when the persona was let in, and the files on their way into a message, that hold any of it."""
    places = [paths.home.folder / ".uploads", paths.home.importing]
    places += [
        paths.home.set_aside / entry.name
        for entry in entries(paths.home.set_aside, {"folder"})
        if entry.name.startswith(f"{paths.name}-")
    ]
    for place in places:
        for path, kind in walk(place) if is_folder(place) else ():
            if kind == "file" and _may_hold(path, traces):
                remove(path)


def _may_hold(path: Path, traces: Traces) -> bool:
    """Tell whether a file holds any of it; of what cannot be looked into nobody can say that it does not."""
    try:
        data = read_bytes(path) or b""
    except UtataneError:
        return True
    try:
        unpacking = zlib.decompressobj()
        data = unpacking.decompress(data, MAX_BYTES)
    except zlib.error:
        pass
    return path.suffix == ".pack" or traces.is_in(data) is not False


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
) -> Iterator[tuple[Literal["settings", "elsewhere", "unreadable", "yours"], str]]:
    """Yield what holds any of it and is nobody's but the person's: the settings, files that they put there, domains."""
    home = paths.home.folder
    yield from _left_in_domains(paths.home, traces)
    for entry in entries(home, {"file"}):
        kind = declared(entry.name, HOME)
        if kind is not None and kind.how == "wordless":
            continue
        try:
            is_in = traces.is_in(read_bytes(home / entry.name) or b"")
        except UtataneError:
            is_in = None
        if is_in is None:
            yield "unreadable", entry.name
        elif is_in:
            yield ("settings" if kind else "elsewhere"), entry.name


def _left_in_domains(home: Home, traces: Traces) -> Iterator[tuple[Literal["unreadable", "yours"], str]]:
    """Yield what holds any of it of the knowledge that domains share: others wrote it, and its sources would bring it back."""
    for path, what in walk(home.domains) if is_folder(home.domains) else ():
        name = path.relative_to(home.folder).as_posix()
        kind = declared(name, HOME) if what == "file" else None
        if kind is None or kind.how != "yours":
            continue
        try:
            is_in = traces.is_in(read_bytes(path) or b"")
        except UtataneError:
            is_in = None
        if is_in is None:
            yield "unreadable", name
        elif is_in:
            yield "yours", name
