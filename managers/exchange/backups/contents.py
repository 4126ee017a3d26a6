"""What of a home folder goes into a backup: everything, but for what is derived, locks, keys, and backups themselves."""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

from managers.exchange.archives.snapshot import moment_of
from managers.exchange.backups.repository import FOLDER
from managers.personas.door import Door
from managers.storage import opening
from managers.storage.clock import Clock
from managers.storage.errors import UtataneError
from managers.storage.files import TEMPORARY_SUFFIX, entries, files
from managers.storage.locks import holding
from managers.storage.opening import kind_of_entry
from managers.storage.paths import Home, PersonaPaths
from managers.storage.settings import BackupSettings

_PASSING: Final = rf"backups|{FOLDER}|models|\.logs|\.uploads|\.importing|\.exports|\.window"
"""Backups themselves, what can be fetched again, what is there for a while."""
_OWN: Final = r"\.(?:access|serving|engine)\.json|opening\.html|\.installation\.key(?:\.copy)?|\.made-private"
"""What belongs to this installation."""
_TEMPORARY: Final = ".*" + re.escape(TEMPORARY_SUFFIX)
_LEFT_OUT: Final = re.compile(rf"{_PASSING}|{_OWN}|\.[a-z.-]*lock|{_TEMPORARY}")
_OF_A_PERSONA: Final = re.compile(
    rf"rag_index|long_term\.json|rag_index\.lock|\.lock|\.(export|fetching)\.lock|{_TEMPORARY}"
)


class Found(NamedTuple):
    """A file of a home: its path there with `/`, where it can be read as it was, and what a look told of it.

    `is_held`: nobody removes it meanwhile, unless the persona's whole folder goes elsewhere.
    """

    path: str
    source: Path
    size: int
    mtime_ns: int
    inode: int
    is_held: bool = False


def around(home: Home, settings: BackupSettings, places: set[Path], *, is_encrypted: bool) -> Iterator[Found]:
    """Yield the files of a home folder that belong to no persona; those that vanish meanwhile are passed over.

    Args:
        home: whose.
        settings: whether the trash goes into it, and the keys.
        places: folders in which backups lie.
        is_encrypted: whether the backup is.
    """
    for entry in sorted(entries(home.folder), key=lambda entry: entry.name):
        if _LEFT_OUT.fullmatch(entry.name) or entry.name == home.characters.name:
            continue
        if entry.name == home.trash.name and not settings.trash:
            continue
        if entry.name == home.secrets.name and not (settings.secrets and is_encrypted):
            continue
        with _at_rest(home, Path(entry.path)):
            yield from _beneath(home, Path(entry.path), places)
    yield from _beneath(home, home.set_aside, places)
    for entry in entries(home.characters, {"file"}):
        if not entry.name.startswith("."):
            yield from _beneath(home, Path(entry.path), places)


@contextmanager
def _at_rest(home: Home, place: Path) -> Iterator[None]:
    """Let nobody write the databases of sessions while they are read; all else is written whole or not at all."""
    with ExitStack() as stack:
        for name in (
            [".lock", *(f".{one.name}.lock" for one in files(place, "*.duckdb"))] if place == home.sessions else ()
        ):
            stack.enter_context(holding(place / name, name))
        yield


def folders_of_personas(home: Home, clock: Clock) -> Iterator[tuple[PersonaPaths, bool]]:
    """Yield the folders in `characters/`, and whether each was let in: a guest's is not written to, not even a lock."""
    door = Door(home, clock)
    for entry in sorted(entries(home.characters, {"folder"}), key=lambda entry: entry.name):
        if entry.name.startswith("."):
            continue
        paths = PersonaPaths(Path(entry.path))
        try:
            yield paths, door.admissions.of(paths) is not None
        except UtataneError:  # nobody can tell for the moment
            yield paths, False


@contextmanager
def of_persona(
    home: Home, paths: PersonaPaths, is_known: Callable[[Found], bool], *, is_resident: bool
) -> Iterator[list[Found]]:
    """Yield the files of a persona's folder as they are at one moment.

    Raises:
        BusyError, UnwritableError
    """
    if not is_resident:
        yield list(_beneath(home, paths.folder, set()))
        return
    folder = _path(home, paths.folder)

    def is_one(name: str, status: os.stat_result) -> bool:
        return is_known(_found(f"{folder}/{name}", paths.folder, status))

    with moment_of(paths, is_known=is_one) as held:
        yield [
            Found(f"{folder}/{one.name}", one.path, one.size, one.modified, one.inode, is_held=True)
            for one in held.files
        ]


def _beneath(home: Home, place: Path, places: set[Path]) -> Iterator[Found]:
    """Yield a file, or the files beneath a folder; what is derived in a persona's folder is left out there too."""
    try:
        found = opening.look(place)
    except OSError:
        return
    if found is None or place in places:
        return
    what = opening.kind_of(found)
    if what == "file":
        yield _found(_path(home, place), place, found)
    elif what == "folder":
        with suppress(UtataneError):
            for entry in sorted(entries(place), key=lambda entry: entry.name):
                is_left_out = _OF_A_PERSONA.fullmatch(entry.name) or entry.name == FOLDER  # of another time
                if is_left_out or kind_of_entry(entry) == "link":
                    continue
                yield from _beneath(home, Path(entry.path), places)


def _found(path: str, source: Path, status: os.stat_result) -> Found:
    return Found(path, source, status.st_size, status.st_mtime_ns, status.st_ino)


def _path(home: Home, file: Path) -> str:
    return file.relative_to(home.folder).as_posix()
