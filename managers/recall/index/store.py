"""One index on disk: passages, posting lists and vectors in an SQLite file, nothing but derived data.

SQLite is the one truth of an index: what a transaction has committed is indexed, what it has not is
not, whenever the process dies. The FAISS file beside it is a snapshot that loads faster.
"""

import contextlib
import json
import sqlite3
import threading
import weakref
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from managers.recall.hits import MemoryType
from managers.recall.index.connection import (
    GuardedConnection,
    Looking,
    connect,
    inode_of,
    make_tables,
    remove_database,
    replace_database,
    transaction,
)
from managers.recall.index.postings import POSTING_BLOCK, Postings, read_postings, take_out_postings
from managers.storage.errors import DerivedDamagedError
from managers.storage.files import make_folder
from managers.storage.idle import watch

FORMAT = "7"
"""Raised when the tables or the way of cutting passages change: an older index is built anew."""

COLUMN_BLOCK = 1 << 12

COLUMNS = np.dtype(
    [
        ("alive", "u1"),
        ("kind", "u1"),
        ("flags", "u1"),
        ("length", "u1"),
        ("speaker", "u2"),
        ("run", "u4"),
        ("day", "i4"),
        ("trust", "u1"),
        ("half_life", "u2"),
        ("fades_from", "i4"),
    ]
)
"""What the ranking reads of every passage: `run` numbers the conversations (or documents) whose
passages stand side by side, `day` is the ordinal of its date (0: undated), `length` its words; `trust` is the C-value of what a dream
made, in hundredths (0: of anything else), on the day `fades_from` (0: it does not fade), `half_life` counts days."""

IS_QUESTION = 1
TELLS_WHEN = 2
SWEPT = 4
"""A dead passage that is in no posting list any more."""
GOES_ON = 8
"""It is of the same message as the passage before it."""
IS_WISH = 16
"""The user says how they want things to be from now on, or what they like better."""

FILE_NAME = "index.sqlite"
"""What it is called in its folder."""

SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE files (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, type TEXT NOT NULL,
    digest TEXT NOT NULL, size INTEGER NOT NULL, stamp TEXT NOT NULL, state TEXT NOT NULL
);
CREATE TABLE chunks (
    id INTEGER PRIMARY KEY, file INTEGER NOT NULL, unit TEXT NOT NULL, digest BLOB NOT NULL,
    type TEXT NOT NULL, time TEXT, role TEXT, speaker TEXT NOT NULL, heading TEXT NOT NULL,
    message_ids TEXT, text TEXT NOT NULL
);
CREATE INDEX chunks_by_unit ON chunks (file, unit);
CREATE TABLE speakers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, role TEXT NOT NULL, UNIQUE (name, role));
CREATE TABLE postings (term TEXT, block INTEGER, data BLOB NOT NULL, PRIMARY KEY (term, block)) WITHOUT ROWID;
CREATE TABLE columns (block INTEGER PRIMARY KEY, revision INTEGER NOT NULL, data BLOB NOT NULL);
CREATE TABLE vectors (seq INTEGER PRIMARY KEY AUTOINCREMENT, chunk INTEGER NOT NULL UNIQUE, code BLOB NOT NULL);
CREATE TABLE sentences (seq INTEGER PRIMARY KEY AUTOINCREMENT, chunk INTEGER NOT NULL UNIQUE, code BLOB NOT NULL);
CREATE TABLE unembedded (chunk INTEGER PRIMARY KEY);
"""


@dataclass(frozen=True, slots=True)
class FileRecord:
    """A file as it was when it was indexed; `state` is what its reader needs to go on (JSON)."""

    id: int
    path: str
    type: str
    digest: str
    size: int
    stamp: str
    state: str


class _Opened:
    """A thread's connection, which is closed when the thread ends."""

    def __init__(self, connection: GuardedConnection) -> None:
        self.connection = connection

    def close(self) -> None:
        self.connection.close()

    def __del__(self) -> None:
        self.close()


WRITTEN_ANEW: Final[tuple[MemoryType, ...]] = ("note", "episodic_memory", "entity_memory", "dream_insight")
"""Kinds of memories whose passages are replaced by others, on many days; of the others few ever go."""
_OF_TYPES = "SELECT id FROM chunks WHERE file IN (SELECT id FROM files WHERE type IN (SELECT value FROM json_each(?)))"
_FILES = "SELECT id, path, type, digest, size, stamp, state FROM files"


class Store:
    """The SQLite file of one index, with a connection for each thread."""

    def __init__(self, path: Path, *, only_look: bool = False) -> None:
        """Remember the path; nothing is opened yet. With `only_look`, nothing is made or changed."""
        self.path = path
        self._looking = Looking(path, SCHEMA) if only_look else None
        self._local = threading.local()
        self._opened: weakref.WeakSet[_Opened] = weakref.WeakSet()
        self._guard = threading.Lock()
        self._known_files: tuple[tuple[str, int], Mapping[str, FileRecord]] | None = None

    def connection(self) -> sqlite3.Connection:
        """Return this thread's connection; the file and its tables are made if missing.

        Raises:
            Exception: the file is no database, or a broken one: callers read it within `derived`.
        """
        held: _Opened | None = getattr(self._local, "held", None)
        if held is not None and held.connection.is_usable():
            # Another process may have thrown the file away and begun a new one.
            if held.connection.inode == inode_of(self.path) or held.connection.in_transaction:
                return held.connection
            held.close()
        if self._looking:
            connection = self._looking.connect()
        else:
            make_folder(self.path.parent)
            connection = connect(self.path, 10, SCHEMA)
        try:
            connection.execute("PRAGMA cache_size = -8192")
            self._make_tables(connection)
        except Exception:
            connection.close()
            raise
        with self._guard:
            self._local.held = _Opened(connection)
            self._opened.add(self._local.held)
        watch(self)
        return connection

    def _make_tables(self, connection: sqlite3.Connection) -> None:
        if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'meta'").fetchone():
            return
        with transaction(connection):
            if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'meta'").fetchone():
                return
            make_tables(connection, SCHEMA)
            connection.executemany(
                "INSERT INTO meta VALUES (?, ?)", [("format", FORMAT), ("epoch", "0"), ("revision", "0")]
            )

    def close(self) -> None:
        """Close all connections; the next use opens new ones."""
        with self._guard:
            for held in list(self._opened):
                held.close()
            self._opened.clear()
        if self._looking is not None:
            self._looking.close()

    def close_idle(self, before: float) -> None:
        """Close the connections of threads that have used them last before a moment of `time.monotonic`."""
        with self._guard:
            for held in list(self._opened):
                if held.connection.close_idle(before):
                    self._opened.discard(held)

    def remove(self) -> None:
        """Throw the whole index away: it is derived data. Other threads notice at their next use."""
        self._move(partial(remove_database, self.path))

    def replace_with(self, path: Path) -> None:
        """Put another, closed file in this one's place; readers notice at their next use."""
        self._move(partial(replace_database, self.path, by=path))

    def _move(self, work: Callable[[], None]) -> None:
        held: _Opened | None = getattr(self._local, "held", None)
        if held is not None:
            held.close()
        try:
            work()
        except PermissionError:  # Windows removes and replaces no open file
            self.close()
            work()

    def finish(self) -> None:
        """Put everything into the one file and close it, so that it can be moved."""
        self.connection().execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self.close()

    @contextlib.contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        connection = self.connection()
        try:
            with transaction(connection):
                yield connection
        finally:
            if connection.in_transaction:  # it could not even be rolled back: closing does that
                self._local.held.close()

    def meta(self, key: str) -> str:
        """Return a value, empty if there is none."""
        row = self.connection().execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return "" if row is None else str(row[0])

    def blob(self, key: str) -> bytes:
        """Return a binary value, empty if there is none."""
        row = self.connection().execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return b"" if row is None else bytes(row[0])

    def set_meta(self, key: str, value: str | bytes) -> None:
        """Set a value, inside the transaction under way if there is one."""
        self.connection().execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def marks(self) -> tuple[str, int]:
        """Return (epoch, revision): another epoch means another index, another revision something new."""
        rows = dict(
            self.connection().execute("SELECT key, value FROM meta WHERE key IN ('epoch', 'revision')").fetchall()
        )
        return str(rows["epoch"]), int(rows["revision"])

    def raise_revision(self) -> int:
        """Tell readers that something is new; return the number under which columns are marked."""
        revision = int(self.meta("revision")) + 1
        self.set_meta("revision", str(revision))
        return revision

    def files(self, kinds: Collection[str] | None = None) -> Mapping[str, FileRecord]:
        """Return what is indexed, by path; the same object as long as nothing changes."""
        if kinds:
            return {path: record for path, record in self.files().items() if record.type in kinds}
        connection = self.connection()
        marks = self.marks()
        known = self._known_files
        if known is not None and known[0] == marks and not connection.in_transaction:
            return known[1]
        rows = connection.execute(_FILES)
        found = {record.path: record for record in (FileRecord(*row) for row in rows)}
        if not connection.in_transaction and self.marks() == marks:  # what is not committed may never be
            self._known_files = (marks, found)
        return found

    def file(self, path: str) -> FileRecord | None:
        """Return what is indexed of one file, also of one that came in the transaction under way."""
        row = self.connection().execute(f"{_FILES} WHERE path = ?", (path,)).fetchone()
        return FileRecord(*row) if row else None

    def count(self) -> int:
        return int(self.connection().execute("SELECT count(*) FROM chunks").fetchone()[0])

    def days_of_units(self, file: int) -> dict[str, str]:
        """Return the units of a file with their days, `YYYY-MM-DD`, empty for those without one."""
        rows = self.connection().execute(
            "SELECT DISTINCT unit, substr(time, 1, 10) FROM chunks WHERE file = ?", (file,)
        )
        return {str(unit): str(day or "") for unit, day in rows}

    def next_id(self) -> int:
        """Return the number of the next passage: numbers are never used again within an epoch."""
        return int(self.meta("next_id") or 0)

    def columns_since(self, revision: int) -> list[tuple[int, npt.NDArray[np.void]]]:
        """Return the column blocks that changed after a revision."""
        rows = self.connection().execute("SELECT block, data FROM columns WHERE revision > ?", (revision,))
        found = [(int(block), np.frombuffer(data, COLUMNS)) for block, data in rows]
        most = int(self.connection().execute("SELECT count(*) FROM columns").fetchone()[0])
        if any(block >= most for block, _ in found):  # damaged: it would take all the memory there is
            raise DerivedDamagedError(path=self.path.name)
        return found

    def column_block(self, block: int) -> npt.NDArray[np.void]:
        """Return one block of columns, to be changed and written back."""
        row = self.connection().execute("SELECT data FROM columns WHERE block = ?", (block,)).fetchone()
        return np.frombuffer(row[0], COLUMNS).copy() if row else np.zeros(0, COLUMNS)

    def write_column_block(self, block: int, data: npt.NDArray[np.void], revision: int) -> None:
        self.connection().execute("INSERT OR REPLACE INTO columns VALUES (?, ?, ?)", (block, revision, data.tobytes()))

    def postings_of(self, terms: Collection[str]) -> dict[str, Postings]:
        """Return for each word the numbers of the passages that hold it, in order, and how often each does."""
        return read_postings(self.connection(), terms)

    def is_untidy(self) -> bool:
        """Whether the posting lists still hold passages that are dead."""
        return any(
            bool(((columns["alive"] == 0) & (columns["flags"] & SWEPT == 0)).any())
            for _, columns in self.columns_since(-1)
        )

    def sweep(self) -> int:
        """Take dead passages out of the posting lists, and words that only they held; return how many there were.

        Their text and vectors went when they died; which words they held goes here, and their dates.
        """
        with self.transaction() as connection:
            dead: dict[int, list[int]] = {}
            for block, columns in self.columns_since(-1):
                places = np.flatnonzero((columns["alive"] == 0) & (columns["flags"] & SWEPT == 0))
                if not len(places):
                    continue
                for number in (block * COLUMN_BLOCK + places).tolist():
                    dead.setdefault(number // POSTING_BLOCK, []).append(number % POSTING_BLOCK)
                swept = columns.copy()
                for name in ("length", "speaker", "day"):
                    swept[name][places] = 0
                swept["flags"][places] = SWEPT
                self.write_column_block(block, swept, self.raise_revision())
            for block, gone in dead.items():
                take_out_postings(connection, block, gone)
        if dead:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return sum(map(len, dead.values()))

    def written_anew(self) -> npt.NDArray[np.int64]:
        """Return the passages of files that a dream, or somebody's pen, writes anew on many days."""
        found = self.connection().execute(_OF_TYPES, (json.dumps(WRITTEN_ANEW),))
        return np.fromiter((number for (number,) in found), np.int64)

    def vectors_written_anew(self, table: str, *, until: int) -> sqlite3.Cursor:
        """Return the vectors of those up to a number: number, passage, code."""
        query = f"SELECT seq, chunk, code FROM {table} WHERE chunk IN ({_OF_TYPES}) AND seq <= ? ORDER BY seq"  # noqa: S608  # no word of it is anybody's
        return self.connection().execute(query, (json.dumps(WRITTEN_ANEW), until))

    def vectors_since(self, table: str, seen: int) -> sqlite3.Cursor:
        """Return the vectors after a number: number, passage, code."""
        return self.connection().execute(f"SELECT seq, chunk, code FROM {table} WHERE seq > ? ORDER BY seq", (seen,))  # noqa: S608  # as above

    def vector_count(self, table: str) -> int:
        return int(self.connection().execute(f"SELECT count(*) FROM {table}").fetchone()[0])  # noqa: S608  # as above

    def speakers(self) -> list[tuple[int, str, str]]:
        """Return all who have spoken: number, name, role."""
        return [(int(n), str(name), str(role)) for n, name, role in self.connection().execute("SELECT * FROM speakers")]

    def speaker(self, name: str, role: str) -> int:
        connection = self.connection()
        connection.execute("INSERT OR IGNORE INTO speakers (name, role) VALUES (?, ?)", (name, role))
        row = connection.execute("SELECT id FROM speakers WHERE name = ? AND role = ?", (name, role)).fetchone()
        return int(row[0])


def dump_ids(unit: str, message_ids: tuple[str, ...]) -> str | None:
    """Return how message ids are stored: nothing for the common case of a message's own passage."""
    return None if message_ids == (unit,) else json.dumps(message_ids, ensure_ascii=False)


def load_ids(unit: str, stored: str | None) -> tuple[str, ...]:
    """Return the message ids of a passage."""
    return (unit,) if stored is None else tuple(json.loads(stored))
