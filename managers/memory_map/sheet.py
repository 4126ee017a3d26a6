"""The map as it is kept: `rag_index/memory_map.sqlite`, derived data and no text of any memory.

The network of entities has a file of its own (`rag_index/entity_network.sqlite`): a map is drawn in one long
transaction, and nobody who opens the network waits for that.

It holds where every memory lies, so that tomorrow's map looks like today's, and the words that name
regions. A file that cannot be read is thrown away; the map is then drawn anew.
"""

import contextlib
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from managers.memory_map.naming import NamingWord
from managers.memory_map.passages import Codes, Vectors
from managers.memory_map.pieces import Piece, PieceKind
from managers.memory_map.placing import Basis, Floats, Layout, Whole
from managers.recall.index.connection import (
    GuardedConnection,
    Looking,
    connect,
    in_memory,
    make_tables,
    remove_database,
    transaction,
)
from managers.storage.files import make_folder

FORMAT = "1"
"""Raised when the tables or the way of cutting or placing change: an older map only says where things were."""

MAP = """
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS bundles (name TEXT PRIMARY KEY, members BLOB NOT NULL, waiting INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS pieces (
    key TEXT PRIMARY KEY, bundle TEXT NOT NULL, kind TEXT NOT NULL, day INTEGER NOT NULL, members BLOB NOT NULL,
    face INTEGER NOT NULL, vector BLOB NOT NULL, anchor INTEGER NOT NULL, x REAL NOT NULL, y REAL NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS pieces_by_bundle ON pieces (bundle);
CREATE TABLE IF NOT EXISTS names (
    level TEXT, number INTEGER, place INTEGER, term TEXT NOT NULL, surface TEXT NOT NULL, PRIMARY KEY (level, number, place)
) WITHOUT ROWID;
"""
NETWORK = """
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS mentions (entity TEXT PRIMARY KEY, stamp TEXT NOT NULL, codes BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS seats (entity TEXT PRIMARY KEY, x REAL NOT NULL, y REAL NOT NULL) WITHOUT ROWID;
"""

LEVELS = ("region", "quarter")
Array = npt.NDArray[np.float32] | Floats | Whole


@dataclass(frozen=True, slots=True)
class Placed:
    """A piece where it lies: across and down from 0 to 1, and the anchor that it hangs on."""

    key: str
    kind: PieceKind
    day: int
    count: int
    face: int
    anchor: int
    x: float
    y: float


class Sheet:
    """One opened map; changes are kept together when `keeping` ends."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    # Small facts

    def text(self, key: str) -> str:
        """Return a fact, empty if it is not known."""
        row = self.connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return str(row[0]) if row else ""

    def number(self, key: str) -> int:
        return int(self.text(key) or 0)

    def note(self, **facts: str | int | Array) -> None:
        rows = [(key, fact.tobytes() if isinstance(fact, np.ndarray) else str(fact)) for key, fact in facts.items()]
        self.connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", rows)

    def _blob(self, key: str) -> bytes:
        row = self.connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return bytes(row[0]) if row else b""

    # The layout

    def layout(self) -> tuple[Basis, Layout] | None:
        """Return what places memories; None before the first fit."""
        wide, low = self.number("wide"), self.number("low")
        if not wide or not low:
            return None
        centres = np.frombuffer(self._blob("centres"), np.float32).reshape(-1, low)
        basis = Basis(
            np.frombuffer(self._blob("mean"), np.float32),
            np.frombuffer(self._blob("directions"), np.float32).reshape(wide, low),
        )
        spots = np.frombuffer(self._blob("spots"), np.float64).reshape(-1, 2)
        regions, quarters = (np.frombuffer(self._blob(f"{level}s"), np.int64) for level in LEVELS)
        return basis, Layout(centres, spots, regions, quarters)

    def keep_layout(self, basis: Basis, layout: Layout) -> None:
        wide, low = basis.directions.shape
        self.note(wide=wide, low=low, mean=basis.mean, directions=basis.directions)
        self.note(centres=layout.centres, spots=layout.spots, regions=layout.regions, quarters=layout.quarters)

    # Bundles and pieces

    def bundles(self) -> dict[str, tuple[Codes, bool]]:
        """Return the passages of each bundle, and whether any of them waited for its vector."""
        rows = self.connection.execute("SELECT name, members, waiting FROM bundles")
        return {name: (np.frombuffer(members, np.int64), bool(waiting)) for name, members, waiting in rows}

    def keep_bundle(self, name: str, members: Codes, *, is_waiting: bool) -> None:
        """Remember a bundle; one without passages is gone."""
        if len(members):
            self.connection.execute(
                "INSERT OR REPLACE INTO bundles VALUES (?, ?, ?)", (name, members.tobytes(), int(is_waiting))
            )
        else:
            self.connection.execute("DELETE FROM bundles WHERE name = ?", (name,))

    def drop_bundle(self, name: str) -> int:
        """Take the pieces of a bundle off the map; return how many there were."""
        return self.connection.execute("DELETE FROM pieces WHERE bundle = ?", (name,)).rowcount

    def keep_pieces(self, pieces: Sequence[Piece], vectors: Vectors, anchors: Whole, spots: Floats) -> None:
        rows = [
            (
                piece.key,
                piece.bundle,
                piece.kind,
                piece.day,
                np.array(piece.members, np.int64).tobytes(),
                piece.face,
                vectors[at].astype(np.float16).tobytes(),
                int(anchors[at]),
                float(spots[at, 0]),
                float(spots[at, 1]),
            )
            for at, piece in enumerate(pieces)
        ]
        self.connection.executemany("INSERT OR REPLACE INTO pieces VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)

    def anchors(self) -> dict[str, int]:
        return dict(self.connection.execute("SELECT key, anchor FROM pieces"))

    def count(self) -> int:
        return int(self.connection.execute("SELECT count(*) FROM pieces").fetchone()[0])

    def placed(self) -> list[Placed]:
        rows = self.connection.execute("SELECT key, kind, day, length(members) / 8, face, anchor, x, y FROM pieces")
        return [Placed(*row) for row in rows]

    def members(self) -> tuple[Codes, Whole]:
        """Return all passages that lie on the map, and the anchor of each."""
        codes, anchors = [], []
        for members, anchor in self.connection.execute("SELECT members, anchor FROM pieces"):
            found = np.frombuffer(members, np.int64)
            codes.append(found)
            anchors.append(np.full(len(found), anchor, np.int64))
        if not codes:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        return np.concatenate(codes), np.concatenate(anchors)

    def members_of(self, key: str) -> list[int]:
        row = self.connection.execute("SELECT members FROM pieces WHERE key = ?", (key,)).fetchone()
        return np.frombuffer(row[0], np.int64).tolist() if row else []

    def clear(self) -> None:
        """Take everything off the map, names too; the layout stays until it is replaced."""
        for table in ("pieces", "bundles", "names"):
            self.connection.execute(f"DELETE FROM {table}")  # noqa: S608  # our own names

    # Names

    def names(self) -> dict[str, dict[int, list[NamingWord]]]:
        """Return the words that name each region and quarter, best first."""
        found: dict[str, dict[int, list[NamingWord]]] = {level: {} for level in LEVELS}
        rows = self.connection.execute("SELECT level, number, term, surface FROM names ORDER BY level, number, place")
        for level, number, term, surface in rows:
            found[level].setdefault(int(number), []).append(NamingWord(term, surface))
        return found

    def keep_names(self, level: str, names: Iterable[Sequence[NamingWord]]) -> None:
        self.connection.execute("DELETE FROM names WHERE level = ?", (level,))
        self.connection.executemany(
            "INSERT INTO names VALUES (?, ?, ?, ?, ?)",
            [
                (level, number, place, word.term, word.surface)
                for number, words in enumerate(names)
                for place, word in enumerate(words)
            ],
        )

    def drop_word(self, level: str, number: int, term: str) -> None:
        self.connection.execute("DELETE FROM names WHERE level = ? AND number = ? AND term = ?", (level, number, term))


@dataclass
class SheetFile:
    """The file of the map, or of the network. Safe to use from several threads.

    Attributes:
        tables: how they are made (`MAP`, `NETWORK`); in a file that has others they are made at its first opening.
        only_look: what is drawn is kept in memory, beginning with what the file holds.
    """

    path: Path
    tables: str
    _: KW_ONLY
    only_look: bool = False
    _drawing: threading.RLock = field(default_factory=threading.RLock, init=False)
    _in_memory: GuardedConnection | None = None
    _is_thrown_away: bool = False

    def is_there(self) -> bool:
        return self._in_memory is not None or self.path.exists()

    @contextlib.contextmanager
    def opened(self, *, to_write: bool = False) -> Iterator[Sheet]:
        """Open the map; what was changed is kept at the end, all or none of it.

        Args:
            to_write: whoever else wants to write waits.

        Raises:
            Exception: the file is broken: callers use it within `mended`.
        """
        with (
            self._copied() if self.only_look else self._connected() as connection,
            transaction(connection, "BEGIN IMMEDIATE" if to_write else "BEGIN"),
        ):
            yield Sheet(connection)

    @contextlib.contextmanager
    def _connected(self) -> Iterator[GuardedConnection]:
        make_folder(self.path.parent)
        with contextlib.closing(connect(self.path, 30, self.tables)) as connection:
            make_tables(connection, self.tables)
            yield connection

    @contextlib.contextmanager
    def _copied(self) -> Iterator[GuardedConnection]:
        """Yield what is in memory; one at a time."""
        with self._drawing:
            if self._in_memory is None:
                self._in_memory = self._copy()
            yield self._in_memory

    def _copy(self) -> GuardedConnection:
        copy = in_memory()
        try:
            if not self._is_thrown_away:
                with (
                    contextlib.closing(Looking(self.path, self.tables)) as looking,
                    contextlib.closing(looking.connect()) as kept,
                ):
                    kept.backup(copy)
            make_tables(copy, self.tables)
        except Exception:
            copy.close()
            raise
        return copy

    def remove(self) -> None:
        if self.only_look:
            self._is_thrown_away = True
            self.close()
        else:
            remove_database(self.path)

    def close(self) -> None:
        """Let go of what is in memory."""
        with self._drawing:
            if self._in_memory is not None:
                self._in_memory.close()
                self._in_memory = None
