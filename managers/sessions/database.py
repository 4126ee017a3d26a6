"""A DuckDB file: opened for a moment under a lock, so that other processes and a person's own tools come in between.

DuckDB is imported when a file is first opened: it takes a quarter of a second.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from managers.sessions.damaged import set_aside
from managers.sessions.errors import (
    DatabaseDamagedError,
    DatabaseHeldError,
    DatabaseRefusedError,
    DatabaseTooNewError,
)
from managers.storage.clock import Clock
from managers.storage.errors import DiskFullError, Notice, UnwritableError, UtataneError
from managers.storage.files import TEMPORARY_SUFFIX, explained, fsync_folder, remove
from managers.storage.locks import WAIT_SECONDS, holding
from managers.storage.opening import PRIVATE_FILE, check_plain, look, move

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

T = TypeVar("T")
_CONFIG: Final[dict[str, str | bool | int | float | list[str]]] = {
    "threads": 2,
    "memory_limit": "512MB",
    "temp_directory": "",  # words would lie outside of the file
    "autoinstall_known_extensions": False,  # they would be fetched
    "autoload_known_extensions": False,
}
_DAMAGE: Final = ("not a valid duckdb", "corrupt", "could not read enough bytes", "checksum", "deserializ", "wal file")


@dataclass
class Database:
    """A DuckDB file and its tables. Safe to use from several threads and processes.

    Attributes:
        path: the file; its folder is made if missing.
        tables: the SQL that makes them where they are missing (`CREATE TABLE IF NOT EXISTS ...`).
        tell: is handed what a person should know: the file was damaged and a new one begins.
    """

    path: Path
    tables: str
    clock: Clock
    tell: Callable[[Notice], None] = field(default=lambda _: None)

    def run(self, work: Callable[[Connection], T], *, wait: float = WAIT_SECONDS) -> T:
        """Do some work in one transaction; return what it returns.

        A damaged file is set aside with every byte, and the work is done once more with an empty one: it must touch
        nothing but the database.

        Raises:
            BusyError: another process of ours has had it for that long.
            DatabaseHeldError: another program has it open.
            DatabaseDamagedError, DatabaseTooNewError, DatabaseRefusedError, DiskFullError, UnwritableError
        """
        with self._held(wait):
            try:
                return self._run(work)
            except DatabaseDamagedError:
                self._set_aside()
                return self._run(work)

    def read(self, work: Callable[[Connection], T]) -> T:
        """Do some work that changes nothing, also where nothing can be written; the file is there.

        Raises:
            UtataneError: as `run`.
        """
        try:
            return self.look(work)
        except DatabaseDamagedError:
            return self.run(work)

    def look(self, work: Callable[[Connection], T]) -> T:
        """Do the same and make nothing, not even the lock where there was none; a damaged file stays where it is.

        Raises:
            UtataneError: as `run`.
        """
        try:
            with self._held() if look(self._lock) is not None else nullcontext():
                return self._run(work, only_reads=True)
        except UnwritableError:  # nor can anybody else write there
            return self._run(work, only_reads=True)

    @property
    def is_there(self) -> bool:
        """Whether there is such a file: whoever only reads makes none."""
        return look(self.path) is not None

    @property
    def state(self) -> tuple[int, ...] | None:
        """What changes when the file does; None if there is none."""
        found = look(self.path)
        return found and (found.st_mtime_ns, found.st_size, found.st_ino)

    def rewrite(self) -> None:
        """Write the file anew with what it holds: what was deleted stays in a database's free blocks until then.

        Raises:
            UtataneError: as `run`; the file is as it was.
        """
        new = self.path.with_name(f".{self.path.name}{TEMPORARY_SUFFIX}")

        def copy(connection: Connection) -> None:
            remove(new)
            connection.commit()
            place = str(new).replace("'", "''")
            connection.execute(f"ATTACH '{place}' AS fresh")
            [name] = connection.execute("SELECT current_database()").fetchall()[0]
            connection.execute(f'COPY FROM DATABASE "{name}" TO fresh')
            connection.execute("DETACH fresh")
            connection.begin()

        with self._held():
            if not self.is_there:
                return
            self._run(copy)
            try:
                new.chmod(PRIVATE_FILE)
                move(new, self.path)
                fsync_folder(self.path.parent)
            except OSError as error:
                raise explained(error, self.path) from error

    def _held(self, wait: float = WAIT_SECONDS) -> AbstractContextManager[None]:
        return holding(self._lock, self.path.name, wait)

    @property
    def _lock(self) -> Path:
        return self.path.with_name(f".{self.path.name}.lock")

    def _run(self, work: Callable[[Connection], T], *, only_reads: bool = False) -> T:
        import duckdb  # noqa: PLC0415  # see above

        try:
            check_plain(self.path)
            is_new = not self.is_there
            connection = duckdb.connect(str(self.path), read_only=only_reads, config=_CONFIG)
            try:
                if is_new:
                    self.path.chmod(PRIVATE_FILE)
                if not only_reads:
                    connection.execute(self.tables)
                connection.begin()
                done = work(connection)
                connection.commit()
                return done
            finally:
                connection.close()
        except OSError as error:
            raise explained(error, self.path) from error
        except duckdb.Error as error:
            raise self._explained(str(error)) from error

    def _explained(self, cause: str) -> UtataneError:
        """Return the error that says what is wrong with the file."""
        lower, name = cause.lower(), self.path.name
        if "could not set lock" in lower or "being used by another process" in lower:
            _, _, holder = cause.partition("held in ")
            return DatabaseHeldError(path=name, cause=holder.partition(". See")[0] or name)
        if "version number" in lower or "newer version" in lower:
            return DatabaseTooNewError(path=name)
        if any(sign in lower for sign in _DAMAGE):
            return DatabaseDamagedError(path=name)
        if "no space left" in lower:
            return DiskFullError(path=name)
        if "permission denied" in lower or "read-only" in lower:
            return UnwritableError(path=self.path, cause=cause.splitlines()[0])
        return DatabaseRefusedError(path=name, cause=cause.splitlines()[0])

    def _set_aside(self) -> None:
        self.tell(set_aside(self.path, self.clock.now()))
        log = self.path.with_name(f"{self.path.name}.wal")
        if look(log) is not None:
            set_aside(log, self.clock.now())


def rows(connection: Connection, sql: str, *values: object) -> list[dict[str, Any]]:
    """Return the rows of a query, each by the names of its columns."""
    found = connection.execute(sql, list(values))
    names = [column[0] for column in found.description or ()]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]
