"""What lies in `sessions/`, and what is the matter with it: looked at, and left as it is."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pydantic import BaseModel, ValidationError

from managers.sessions.database import Database, rows
from managers.sessions.errors import DatabaseDamagedError
from managers.sessions.records import SessionRecord, ThreadRecord
from managers.storage.clock import Clock
from managers.storage.errors import UnreadableError, UtataneError
from managers.storage.files import files, read_bytes
from managers.storage.opening import is_folder, walk
from managers.storage.paths import Home

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

_IDS: Final = "SELECT session_id, true AS is_session FROM session UNION SELECT session_id, false FROM session_thread"
# So every block of the table is read, and its checksum compared.
_READ_ALL: Final = "SELECT count(*) FILTER (full_log <> '') AS whole, sum(hash(one)) FROM session_thread one"


@dataclass(frozen=True, slots=True)
class Inspected:
    """What was found.

    Attributes:
        hot: sessions that somebody spoke in during the last day.
        warm: those in the database.
        whole: threads that have their full log there still.
        archived: full logs in the archive.
        damaged: files that cannot be understood, by their names in `sessions/`.
        aside: those that were set aside because of that.
        unread: why the database was not looked into; None if it was, or is damaged.
        ids: the sessions that there are, at any tier.
    """

    hot: int = 0
    warm: int = 0
    whole: int = 0
    archived: int = 0
    damaged: tuple[str, ...] = ()
    aside: tuple[str, ...] = ()
    unread: UtataneError | None = None
    ids: frozenset[str] = frozenset()


def inspect(home: Home, clock: Clock) -> Inspected:
    """Look at every file of `sessions/`; nothing is made, moved or written.

    Raises:
        UnreadableError: a folder cannot be listed.
    """
    folder = home.sessions
    if not is_folder(folder):
        return Inspected()
    hot, archive = list(files(folder / "hot", "*.json")), list(_files_of_archive(folder / "archive"))
    damaged = [*_damaged(hot, SessionRecord), *_damaged(archive, ThreadRecord)]
    in_files = {path.stem for path in hot} | {path.parent.name for path in archive}
    aside = [path for path, kind in walk(folder) if kind == "file" and ".broken-" in path.name]
    database, unread = Database(folder / "warm.duckdb", "", clock), None
    warm, whole, ids = 0, 0, frozenset[str]()
    try:
        if database.is_there:
            warm, whole, ids = database.look(_counted)
    except DatabaseDamagedError:
        damaged.append(database.path)
    except UtataneError as error:
        unread = error
    return Inspected(
        hot=len(hot),
        warm=warm,
        whole=whole,
        archived=len(archive),
        damaged=_names(damaged, folder),
        aside=_names(aside, folder),
        unread=unread,
        ids=ids | in_files,
    )


def _files_of_archive(folder: Path) -> Iterator[Path]:
    """Yield the files of an archive."""
    for path, kind in walk(folder) if is_folder(folder) else ():
        if kind == "file" and path.name.endswith(".json.gz"):
            yield path


def _counted(connection: Connection) -> tuple[int, int, frozenset[str]]:
    found = rows(connection, _IDS)
    [counted] = rows(connection, _READ_ALL)
    return sum(row["is_session"] for row in found), counted["whole"], frozenset(row["session_id"] for row in found)


def _damaged(paths: list[Path], model: type[BaseModel]) -> Iterator[Path]:
    """Yield the files that cannot be understood."""
    for path in paths:
        try:
            data = read_bytes(path) or b""
            model.model_validate_json(gzip.decompress(data) if path.suffix == ".gz" else data)
        except (OSError, EOFError, zlib.error, ValidationError, UnreadableError):
            yield path


def _names(paths: list[Path], folder: Path) -> tuple[str, ...]:
    return tuple(sorted(path.relative_to(folder).as_posix() for path in paths))
