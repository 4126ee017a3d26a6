"""One of the three indexes: its passages in memory as columns, and the ways to change and to read them."""

from __future__ import annotations

import shutil
import sqlite3
import threading
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from uuid import uuid4

import numpy as np
import numpy.typing as npt

from managers.language.times import tells_when
from managers.recall.chunking import Chunk
from managers.recall.codes import encode
from managers.recall.embedders import Embedder
from managers.recall.hits import MemoryType
from managers.recall.hyponyms import lists_version
from managers.recall.listing import MARKS, index_terms, vector_text
from managers.recall.postings import append_postings
from managers.recall.store import (
    COLUMN_BLOCK,
    COLUMNS,
    FORMAT,
    IS_QUESTION,
    TELLS_WHEN,
    FileRecord,
    Store,
    dump_ids,
    load_ids,
)
from managers.recall.vectors import VectorIndex
from managers.recall.view import KINDS, View
from managers.recall.word_vectors import PLACE, WordVectors
from managers.storage.files import make_folder

RUN_GAP_SECONDS = 3600
"""Messages further apart than this are not of one conversation and share nothing."""

_NEARBY = 8

_QUESTION_ENDS = ("?", "？")


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage as it stands in the store."""

    number: int
    text: str
    type: MemoryType
    unit: str
    path: str
    message_ids: tuple[str, ...]
    time: datetime | None
    role: str
    speaker: str
    heading: str


class MemoryIndex:
    """Passages of some kinds of memory: words in posting lists, vectors in FAISS, facts in columns."""

    def __init__(self, folder: Path) -> None:
        """Remember the folder; nothing is opened before it is used."""
        self.folder = folder
        self.store = Store(folder / "index.sqlite")
        self.vectors = VectorIndex(folder / "vectors.faiss")
        self._lock = threading.RLock()
        self._epoch = ""
        self._revision = -1
        self.embedder = ""
        """What made the vectors, as it was at the last `refresh`; empty while there is nothing."""
        self.columns: npt.NDArray[np.void] = np.zeros(0, COLUMNS)
        self.view = View.of(self.columns, [])

    def refresh(self) -> str:
        """Take in what this or another process has committed since; costs next to nothing if nothing.

        Returns:
            the epoch that the index is in.
        """
        with self._lock:
            epoch, revision = self.store.marks()
            if (epoch, revision) == (self._epoch, self._revision):
                return epoch
            if epoch != self._epoch:
                self.vectors.clear()
                self.columns = np.zeros(0, COLUMNS)
                self._epoch, self._revision = epoch, -1
                self.embedder = self.store.meta("embedder")
            columns = self.columns
            for block, data in self.store.columns_since(self._revision):
                end = block * COLUMN_BLOCK + len(data)
                if end > len(columns):
                    columns = np.concatenate([columns, np.zeros(end - len(columns), COLUMNS)])
                elif columns is self.columns:
                    columns = columns.copy()  # a search under way reads the old one
                columns[block * COLUMN_BLOCK : end] = data
            self.vectors.follow(self.store, epoch)
            self.view = View.of(columns, self.store.speakers())
            self.columns = columns
            self._revision = revision
            return epoch

    def fits(self, embedder: str) -> str:
        """Say why the index cannot be used as it is (`format`, `embedder`); empty if it can."""
        if self.store.meta("format") != FORMAT or self.store.meta("hyponyms") not in ("", lists_version()):
            return "format"
        held = self.store.meta("embedder")
        return "embedder" if held not in ("", embedder) else ""

    def claim(self, embedder: str) -> None:
        """Note what makes the vectors of an index that is still empty."""
        if self.store.meta("embedder") == "":
            with self.store.transaction():
                self.store.set_meta("embedder", embedder)
                self.store.set_meta("epoch", uuid4().hex)

    def has_places(self) -> bool:
        """Whether passages are listed by the meaning of their words too."""
        row = self.store.connection().execute("SELECT 1 FROM postings WHERE term >= ? AND term < ?", (PLACE, "\x04"))
        return row.fetchone() is not None

    def drop_vectors(self, embedder: str, keep: Mapping[str, str | bytes]) -> None:
        """Throw all vectors away because another embedder makes them now; words find all passages meanwhile."""
        with self.store.transaction() as connection:
            connection.execute("DELETE FROM vectors")
            connection.execute("INSERT OR IGNORE INTO unembedded SELECT id FROM chunks")
            self.store.set_meta("epoch", uuid4().hex)
            self.store.set_meta("embedder", embedder)
            for key, value in keep.items():
                self.store.set_meta(key, value)

    def reset(self, embedder: str, keep: Mapping[str, str | bytes] | None = None) -> None:
        """Empty the index for a rebuild, in a new epoch.

        Args:
            embedder: the name of the embedder that its vectors will come from.
            keep: values to be stored from the start (corpus weights).
        """
        with self._lock:
            self.vectors.remove()
            self.store.remove()
            with self.store.transaction():
                self.store.set_meta("epoch", uuid4().hex)
                self.store.set_meta("embedder", embedder)
                self.store.set_meta("hyponyms", lists_version())
                for key, value in (keep or {}).items():
                    self.store.set_meta(key, value)
            self._epoch = ""

    def take_over(self, fresh: MemoryIndex) -> None:
        """Become another index that was built beside this one; searches go on with the old one until then."""
        with self._lock:
            fresh.store.finish()
            self.vectors.remove()
            make_folder(self.folder)
            self.store.replace_with(fresh.store.path)
            shutil.rmtree(fresh.folder)

    def apply(
        self,
        record: FileRecord | None,
        new: FileRecord | None,
        removed: Collection[str],
        added: Sequence[Chunk],
        embedder: Embedder | None,
        words: WordVectors | None = None,
    ) -> None:
        """Change what is indexed of one file, inside a transaction.

        Args:
            record: the file as it was indexed; None: a new one.
            new: the file as it is now (its id is taken from `record`); None: it is gone.
            removed: units whose passages go.
            added: passages that come, in the file's order.
            embedder: makes their vectors at once; None: later.
            words: lists passages by the meaning of their words too.
        """
        connection = self.store.connection()
        revision = self.store.raise_revision()
        number = record.id if record else self._new_file(connection, new)
        if new is None:
            self._bury(
                connection,
                [row[0] for row in connection.execute("SELECT id FROM chunks WHERE file = ?", (number,))],
                revision,
            )
            connection.execute("DELETE FROM files WHERE id = ?", (number,))
            return
        gone: list[int] = []
        for unit in removed:
            rows = connection.execute("SELECT id FROM chunks WHERE file = ? AND unit = ?", (number, unit))
            gone += [row[0] for row in rows]
        self._bury(connection, gone, revision)
        connection.execute(
            "UPDATE files SET path = ?, digest = ?, size = ?, stamp = ?, state = ? WHERE id = ?",
            (new.path, new.digest, new.size, new.stamp, new.state, number),
        )
        if added:
            self._add(connection, number, added, embedder, words, revision)

    def _new_file(self, connection: sqlite3.Connection, new: FileRecord | None) -> int:
        assert new is not None
        cursor = connection.execute(
            "INSERT INTO files (path, type, digest, size, stamp, state) VALUES (?, ?, ?, ?, ?, ?)",
            (new.path, new.type, new.digest, new.size, new.stamp, new.state),
        )
        return int(cursor.lastrowid or 0)

    def _bury(self, connection: sqlite3.Connection, numbers: Sequence[int], revision: int) -> None:
        """Take passages out: their text and vectors at once, their places in the lists by a mark."""
        if not numbers:
            return
        rows = [(number,) for number in numbers]
        connection.executemany("DELETE FROM chunks WHERE id = ?", rows)
        connection.executemany("DELETE FROM vectors WHERE chunk = ?", rows)
        connection.executemany("DELETE FROM unembedded WHERE chunk = ?", rows)
        by_block: dict[int, list[int]] = {}
        for number in numbers:
            block, place = divmod(number, COLUMN_BLOCK)
            by_block.setdefault(block, []).append(place)
        for block, places in by_block.items():
            data = self.store.column_block(block)
            data["alive"][places] = 0
            self.store.write_column_block(block, data, revision)

    def _add(
        self,
        connection: sqlite3.Connection,
        file: int,
        added: Sequence[Chunk],
        embedder: Embedder | None,
        words: WordVectors | None,
        revision: int,
    ) -> None:
        first = self.store.next_id()
        counts = [Counter(index_terms(chunk, words)) for chunk in added]
        append_postings(connection, first, counts)
        columns = self._columns_of(first, file, added, counts)
        self._append_columns(first, columns, revision)
        connection.executemany(
            "INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [_row(number, file, chunk) for number, chunk in enumerate(added, first)],
        )
        numbers = range(first, first + len(added))
        if embedder is None:
            connection.executemany("INSERT INTO unembedded VALUES (?)", [(number,) for number in numbers])
        else:
            self.add_vectors(numbers, embedder.passages([vector_text(chunk.text, chunk.heading) for chunk in added]))
        self.store.set_meta("next_id", str(first + len(added)))

    def add_vectors(self, numbers: Iterable[int], vectors: npt.NDArray[np.float32]) -> None:
        """Store the vectors of passages, inside a transaction."""
        codes = encode(vectors)
        rows = [(number, codes[place].tobytes()) for place, number in enumerate(numbers)]
        connection = self.store.connection()
        connection.executemany("INSERT OR REPLACE INTO vectors (chunk, code) VALUES (?, ?)", rows)
        connection.executemany("DELETE FROM unembedded WHERE chunk = ?", [(number,) for number, _ in rows])

    def _columns_of(
        self, first: int, file: int, added: Sequence[Chunk], counts: Sequence[Counter[str]]
    ) -> npt.NDArray[np.void]:
        columns = np.zeros(len(added), COLUMNS)
        newest, before, run = self._last_run(first, file)
        numbers: dict[tuple[str, str], int] = {}
        for place, chunk in enumerate(added):
            key = (chunk.speaker, chunk.role or "")
            if chunk.role and key not in numbers:
                numbers[key] = self.store.speaker(*key)
            if not _continues(before, chunk):
                newest += 1
                run = newest
            before = chunk
            length = sum(count for term, count in counts[place].items() if term[0] not in MARKS)
            flags = (IS_QUESTION if chunk.text.rstrip().endswith(_QUESTION_ENDS) else 0) | (
                TELLS_WHEN if tells_when(chunk.text) else 0
            )
            day = chunk.time.toordinal() if chunk.time else 0
            columns[place] = (1, KINDS.index(chunk.type), flags, min(length, 255), numbers.get(key, 0), run, day)
        return columns

    def _last_run(self, first: int, file: int) -> tuple[int, Chunk | None, int]:
        """Return the newest run's number, the passage of the same file that stands shortly before, and its run.

        A message that was edited is a new passage: it goes on from the one before its old self.
        """
        if first == 0:
            return 0, None, 0
        newest = self._run_of(first - 1)
        row = (
            self.store.connection()
            .execute(
                "SELECT id, unit, type, time, role FROM chunks WHERE id >= ? AND file = ? ORDER BY id DESC LIMIT 1",
                (first - _NEARBY, file),
            )
            .fetchone()
        )
        if row is None:
            return newest, None, newest
        time = datetime.fromisoformat(row[3]) if row[3] else None
        return newest, Chunk(text="", type=row[2], unit=row[1], time=time, role=row[4]), self._run_of(row[0])

    def _run_of(self, number: int) -> int:
        block, place = divmod(number, COLUMN_BLOCK)
        return int(self.store.column_block(block)["run"][place])

    def _append_columns(self, first: int, columns: npt.NDArray[np.void], revision: int) -> None:
        at = 0
        while at < len(columns):
            block, place = divmod(first + at, COLUMN_BLOCK)
            part = columns[at : at + COLUMN_BLOCK - place]
            data = np.concatenate([self.store.column_block(block)[:place], part]) if place else part
            self.store.write_column_block(block, data, revision)
            at += len(part)

    def passages(self, numbers: Sequence[int]) -> dict[int, Passage]:
        """Return passages by number; one that is gone by now is left out."""
        found: dict[int, Passage] = {}
        connection = self.store.connection()
        for at in range(0, len(numbers), 500):
            some = [int(number) for number in numbers[at : at + 500]]
            marks = ",".join("?" * len(some))
            rows = connection.execute(_SELECT.format(marks), some)
            for number, text, kind, unit, path, ids, time, role, speaker, heading in rows:
                when = datetime.fromisoformat(time) if time else None
                found[number] = Passage(
                    number, text, kind, unit, path, load_ids(unit, ids), when, role or "", speaker, heading
                )
        return found

    def store_units(self, file: FileRecord) -> dict[str, bytes]:
        """Return what is indexed of a file: the digest of each unit."""
        rows = self.store.connection().execute("SELECT unit, digest FROM chunks WHERE file = ?", (file.id,))
        return dict(rows)

    def has_unit(self, file: FileRecord, unit: str) -> bool:
        """Whether anything of a unit of a file is indexed."""
        row = self.store.connection().execute("SELECT 1 FROM chunks WHERE file = ? AND unit = ?", (file.id, unit))
        return row.fetchone() is not None

    def unembedded(self, count: int) -> list[tuple[int, str]]:
        """Return passages that have no vector yet, the newest first: they are asked for soonest."""
        rows = self.store.connection().execute(
            "SELECT u.chunk, c.text, c.heading FROM unembedded u JOIN chunks c ON c.id = u.chunk "
            "ORDER BY u.chunk DESC LIMIT ?",
            (count,),
        )
        return [(number, vector_text(text, heading)) for number, text, heading in rows]

    def unembedded_count(self) -> int:
        """Return how many passages have no vector yet."""
        return int(self.store.connection().execute("SELECT count(*) FROM unembedded").fetchone()[0])

    def tidy(self) -> None:
        """Leave nothing of dead passages in the posting lists, the columns and the snapshot of the vectors."""
        self.store.sweep()  # searches go on meanwhile
        self.vectors.compact(self.store, self.refresh())

    def texts(self) -> Iterator[str]:
        """Yield what is embedded of every passage."""
        for text, heading in self.store.connection().execute("SELECT text, heading FROM chunks"):
            yield vector_text(text, heading)

    def save_snapshot(self) -> None:
        """Write the FAISS file if it is worth it."""
        self.vectors.save_if_grown(self.refresh())


_SELECT = (
    "SELECT c.id, c.text, c.type, c.unit, f.path, c.message_ids, c.time, c.role, c.speaker, c.heading "
    "FROM chunks c JOIN files f ON f.id = c.file WHERE c.id IN ({})"
)


def _row(number: int, file: int, chunk: Chunk) -> tuple[object, ...]:
    return (
        number,
        file,
        chunk.unit,
        chunk.digest,
        chunk.type,
        chunk.time.isoformat() if chunk.time else None,
        chunk.role,
        chunk.speaker,
        chunk.heading,
        dump_ids(chunk.unit, chunk.message_ids),
        chunk.text,
    )


def _continues(before: Chunk | None, chunk: Chunk) -> bool:
    if before is None or before.type != chunk.type or before.role is None or chunk.role is None:
        return False
    if before.time is None or chunk.time is None:
        return before.unit == chunk.unit
    return abs((chunk.time - before.time).total_seconds()) <= RUN_GAP_SECONDS
