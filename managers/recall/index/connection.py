"""An SQLite connection that one thread may close while another is using it, to a file that is not trusted.

Python closes a connection in two steps and lets other threads run between them: whoever executes
something on it just then makes the interpreter crash. Here a close waits for what is under way, and
whoever comes after it gets `sqlite3.ProgrammingError`, as Python's documentation promises.

An index lies in a persona's folder, which may have come from anywhere. So a file holds the tables that
this program makes and nothing else (a view or a trigger would run what its author wrote), and no
statement works without end. What is refused is an `sqlite3.DatabaseError`: the index is begun anew.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from managers.storage.errors import UnreadableError
from managers.storage.files import copy_file, fsync_folder, open_binary, remove_tree
from managers.storage.opening import kind, look, move, reserve, unlink

_WAL, _SHM, _JOURNAL = "-wal", "-shm", "-journal"
"""What SQLite keeps beside a file, under the file's name."""
_NAMES_ANOTHER: Final = bytes.fromhex("d9d505f920a163d7")
"""How a journal ends that names another file: SQLite deletes that file. None of ours ever ends so."""
_LOOK_EVERY: Final = 1_000_000
"""Steps of SQLite's machine, a hundredth of a second."""
_MOST_LOOKS: Final = 200
"""A statement that takes more is stopped; reading a million rows takes four."""

_PAUSE: Final = 0.01
"""Seconds between two tries to open a file while others are switching it to a write-ahead log, or replacing it."""

_beside_files = threading.RLock()
"""Held while a file is opened, closed, removed or replaced.

What lies beside a file is found by the file's name. If a file is replaced while another thread opens it, that thread and
the next one share one `-shm` for two files; the next one, not seeing locks of its own process, empties it, and whoever has
it mapped is ended by the system (SIGBUS). One lock for all files: a finalizer may close one while another is being opened.
"""


class ForeignTablesError(sqlite3.DatabaseError):
    """A file holds something else than the tables that this program makes."""


class _Work:
    """Counts what a statement has taken so far."""

    def __init__(self) -> None:
        self._looks = 0

    def begin(self) -> None:
        self._looks = 0

    def is_too_much(self) -> bool:
        self._looks += 1
        return self._looks > _MOST_LOOKS


class GuardedCursor(sqlite3.Cursor):
    """Rows, each fetched under the guard of the connection they come from; as long as it is held, so is that one."""

    connection: GuardedConnection

    def __next__(self) -> Any:  # noqa: ANN401  # a row is what its statement asks for
        with self.connection.guard:
            return super().__next__()

    def fetchone(self) -> Any:  # noqa: ANN401  # the same
        with self.connection.guard:
            return super().fetchone()

    def fetchmany(self, size: int | None = 1) -> list[Any]:
        with self.connection.guard:
            return super().fetchmany(size)

    def fetchall(self) -> list[Any]:
        with self.connection.guard:
            return super().fetchall()


class GuardedConnection(sqlite3.Connection):
    """A connection whose statements and whose end exclude each other."""

    def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401  # handed on as they are
        super().__init__(*arguments, **options)
        self.guard = threading.RLock()
        self._work = _Work()
        self._cursors: weakref.WeakSet[GuardedCursor] = weakref.WeakSet()
        self._used = time.monotonic()
        self._is_open = True
        self.inode = 0  # which file it was that it opened
        self.set_progress_handler(self._work.is_too_much, _LOOK_EVERY)

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:  # noqa: ANN401  # as sqlite3 takes them
        with self.guard:
            return self._begun().execute(sql, parameters)

    def executemany(self, sql: str, parameters: Iterable[Any], /) -> sqlite3.Cursor:
        with self.guard:
            return self._begun().executemany(sql, parameters)

    def _begun(self) -> GuardedCursor:
        self._work.begin()
        self._used = time.monotonic()
        cursor = self.cursor(GuardedCursor)
        self._cursors.add(cursor)
        return cursor

    def is_usable(self) -> bool:
        """Tell whether it is open; if so, whoever asks is about to use it, and it does not count as idle."""
        with self.guard:
            self._used = time.monotonic()
            return self._is_open

    def close_idle(self, before: float) -> bool:
        """Close it if nobody has used it since, and nobody is in the middle of something; tell whether it is closed."""
        if not self.guard.acquire(blocking=False):
            return False
        try:
            if self._is_open and self._used < before and not self._cursors and not self.in_transaction:
                self.close()
            return not self._is_open
        finally:
            self.guard.release()

    def close(self) -> None:
        with self.guard, _beside_files:  # whoever closes last takes away what lies beside the file, by its name
            self._is_open = False
            super().close()


def connect(path: Path, timeout: float, schema: str, *, only_look: bool = False) -> GuardedConnection:
    """Open a file with a write-ahead log; statements take effect at once unless a transaction was begun.

    What is deleted is overwritten: what is forgotten leaves no bytes behind.

    Args:
        path: the file; an empty one is made if there is none.
        timeout: seconds to wait for others.
        schema: the statements that make its tables, each ended by a semicolon.
        only_look: change nothing, neither it nor what lies beside it; what is in a `-wal` file is not seen then.

    Raises:
        sqlite3.DatabaseError: it is no database, or holds anything else than these tables.
        Exception: whatever a damaged one raises: callers use it within `managers.storage.derived`.
    """
    until = time.monotonic() + timeout
    while True:
        with _beside_files:
            connection = _open(path, timeout, schema, only_look=only_look)
            if only_look or inode_of(path) == connection.inode:
                return connection
            connection.close()  # another process has replaced the file meanwhile
        if time.monotonic() > until:
            raise sqlite3.OperationalError(f"{path.name} is replaced again and again")
        time.sleep(_PAUSE)


def _open(path: Path, timeout: float, schema: str, *, only_look: bool) -> GuardedConnection:
    _refuse_what_leads_elsewhere(path)
    if not only_look:
        reserve(path)
    inode = inode_of(path)
    connection: GuardedConnection | None = None
    try:
        connection = sqlite3.connect(
            f"{path.resolve().as_uri()}?mode=ro&immutable=1" if only_look else path,
            uri=only_look,
            timeout=timeout,
            isolation_level=None,
            check_same_thread=False,
            factory=GuardedConnection,
        )
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA cell_size_check = ON")
        _refuse_other_tables(connection, schema, path.name)
        if not only_look:
            _begin_log(connection, timeout)
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA secure_delete = ON")
            _made_of(connection)  # the first reader opens what lies beside the file
        connection.inode = inode
    except Exception as error:
        if connection is not None:
            connection.close()
        if isinstance(error, sqlite3.OperationalError) and _is_out_of_reach(path):
            raise ForeignTablesError(path.name) from error
        raise
    return connection


def _begin_log(connection: sqlite3.Connection, timeout: float) -> None:
    """Switch to a write-ahead log; SQLite itself does not wait here for others who are doing the same."""
    until = time.monotonic() + timeout
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(_PAUSE)
        else:
            return


def in_memory() -> GuardedConnection:
    """Open an empty database that is nowhere but in memory."""
    return sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False, factory=GuardedConnection)


class Looking:
    """A file as whoever may change nothing sees it: itself where it is whole, a copy where its last changes lie beside it.

    Where there is no file, it is an empty one in memory, without tables. Safe to use from several threads.
    """

    def __init__(self, path: Path, schema: str) -> None:
        self._path = path
        self._schema = schema
        self._copying = threading.Lock()
        self._copy: TemporaryDirectory[str] | None = None

    def connect(self) -> GuardedConnection:
        """Open the file, or what stands in for it.

        Raises:
            Exception: as `connect` raises it.
        """
        with self._copying:
            seen, is_itself = self._seen()
        connection = in_memory() if seen is None else connect(seen, 0, self._schema, only_look=is_itself)
        connection.inode = inode_of(self._path)
        return connection

    def close(self) -> None:
        """Let go of the copy, if there is one; its connections are closed."""
        with self._copying:
            if self._copy is not None:
                self._copy.cleanup()
                self._copy = None

    def _seen(self) -> tuple[Path | None, bool]:
        """Return what can be opened, and whether it is the file itself."""
        if self._copy is not None:
            return Path(self._copy.name) / self._path.name, False
        if look(self._path) is None:
            return None, False
        wal = self._path.with_name(self._path.name + _WAL)
        beside = look(wal)
        if beside is None or beside.st_size == 0:
            return self._path, True
        self._copy = TemporaryDirectory(prefix="utatane-")
        copied = Path(self._copy.name) / self._path.name
        copy_file(self._path, copied)
        copy_file(wal, copied.with_name(wal.name))
        return copied, False


@contextmanager
def transaction(connection: sqlite3.Connection, begin: str = "BEGIN IMMEDIATE") -> Iterator[None]:
    """All or nothing: commit at the end, roll back on any error. Who only reads begins with a plain `BEGIN`."""
    connection.execute(begin)
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # a full disk has ended it already
            with suppress(sqlite3.Error):  # what went wrong first is what counts
                connection.execute("ROLLBACK")
        raise


def make_tables(connection: sqlite3.Connection, schema: str) -> None:
    """Run the statements that make tables, inside the transaction under way."""
    for statement in schema.split(";"):
        if statement.strip():
            connection.execute(statement)


def remove_database(path: Path) -> None:
    """Remove a file of SQLite's with all that lies beside it; whoever has it open goes on with what was there.

    It goes last itself: whoever begins a new one finds none of the old one's companions.
    """
    with _beside_files:
        for suffix in (_WAL, _SHM, _JOURNAL, ""):
            remove_tree(path.with_name(path.name + suffix))


def replace_database(path: Path, by: Path) -> None:
    """Put a closed file in the place of another; whoever has that one open goes on with what was there."""
    with _beside_files:
        for suffix in (_WAL, _SHM):
            unlink(path.with_name(path.name + suffix))
        move(by, path)
    fsync_folder(path.parent)


def inode_of(path: Path) -> int:
    """Return which file there is under a name: another number, another file; 0 if there is none."""
    try:
        return path.stat().st_ino
    except FileNotFoundError:
        return 0


def _refuse_what_leads_elsewhere(path: Path) -> None:
    """Refuse links and pipes, and a journal by which SQLite would delete some other file."""
    for suffix in ("", _WAL, _SHM, _JOURNAL):
        beside = path.with_name(path.name + suffix)
        what = kind(beside)
        if what not in {"file", None} or (what and suffix == _JOURNAL and _names_another(beside)):
            raise ForeignTablesError(beside.name)


def _is_out_of_reach(path: Path) -> bool:
    """Whether the file belongs to somebody else in a folder of ours (the program ran as another user once)."""
    files = (path.with_name(path.name + suffix) for suffix in ("", _WAL, _SHM))
    return os.access(path.parent, os.W_OK) and any(
        file.exists() and not os.access(file, os.R_OK | os.W_OK) for file in files
    )


def _names_another(journal: Path) -> bool:
    try:
        file = open_binary(journal)
    except UnreadableError:
        if kind(journal) is None:  # whoever was at work has ended it meanwhile
            return False
        raise
    with file:
        file.seek(0, os.SEEK_END)
        file.seek(-min(file.tell(), len(_NAMES_ANOTHER)), os.SEEK_END)
        return file.read() == _NAMES_ANOTHER


def _refuse_other_tables(connection: sqlite3.Connection, schema: str, name: str) -> None:
    if not _made_of(connection) <= _made_by(schema):
        raise ForeignTablesError(name)


@cache
def _made_by(schema: str) -> frozenset[tuple[str, ...]]:
    connection = sqlite3.connect(":memory:")
    try:
        make_tables(connection, schema)
        return _made_of(connection)
    finally:
        connection.close()


def _made_of(connection: sqlite3.Connection) -> frozenset[tuple[str, ...]]:
    """Return everything that a file's schema names: kind, name, table, and the statement that made it."""
    rows = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master")
    return frozenset((str(kind), str(name), str(table), " ".join(str(sql).split())) for kind, name, table, sql in rows)
