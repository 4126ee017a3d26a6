"""An SQLite connection that one thread may close while another is using it.

Python closes a connection in two steps and lets other threads run between them: whoever executes
something on it just then makes the interpreter crash. Here a close waits for what is under way, and
whoever comes after it gets `sqlite3.ProgrammingError`, as Python's documentation promises.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any


class GuardedCursor(sqlite3.Cursor):
    """Rows, each fetched under the guard of the connection they come from."""

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

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:  # noqa: ANN401  # as sqlite3 takes them
        with self.guard:
            return self.cursor(GuardedCursor).execute(sql, parameters)

    def executemany(self, sql: str, parameters: Iterable[Any], /) -> sqlite3.Cursor:
        with self.guard:
            return self.cursor(GuardedCursor).executemany(sql, parameters)

    def close(self) -> None:
        with self.guard:
            super().close()


def connect(path: Path, timeout: float) -> GuardedConnection:
    """Open a file; statements take effect at once unless a transaction was begun."""
    return sqlite3.connect(
        path, timeout=timeout, isolation_level=None, check_same_thread=False, factory=GuardedConnection
    )
