"""Changing what is indexed of a file, inside a transaction: passages go, passages come."""

import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime

import numpy as np
import numpy.typing as npt

from managers.language.reading.preferences import is_standing_wish
from managers.language.reading.times import tells_when
from managers.recall.embedders import Embedder
from managers.recall.hits import ALL_TYPES
from managers.recall.index.chunking import Chunk
from managers.recall.index.index_terms import MARKS, index_terms, vector_text
from managers.recall.index.postings import append_postings
from managers.recall.index.scalar_quantization import encode
from managers.recall.index.sparse_rows import kept_alone
from managers.recall.index.store import (
    COLUMN_BLOCK,
    COLUMNS,
    GOES_ON,
    IS_QUESTION,
    IS_WISH,
    TELLS_WHEN,
    FileRecord,
    Store,
    dump_ids,
)
from managers.recall.index.word_vectors import WordVectors

RUN_GAP_SECONDS = 3600
"""Messages further apart than this are not of one conversation and share nothing."""

_NEARBY = 8

_QUESTION_ENDS = ("?", "？")


class IndexWriter:
    """Puts passages into the tables of one index and takes them out."""

    def __init__(self, store: Store) -> None:
        self._store = store

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
        connection = self._store.connection()
        revision = self._store.raise_revision()
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
        connection.executemany("DELETE FROM sentences WHERE chunk = ?", rows)
        connection.executemany("DELETE FROM unembedded WHERE chunk = ?", rows)
        by_block: dict[int, list[int]] = {}
        for number in numbers:
            block, place = divmod(number, COLUMN_BLOCK)
            by_block.setdefault(block, []).append(place)
        for block, places in by_block.items():
            data = self._store.column_block(block)
            data["alive"][places] = 0
            self._store.write_column_block(block, data, revision)

    def _add(
        self,
        connection: sqlite3.Connection,
        file: int,
        added: Sequence[Chunk],
        embedder: Embedder | None,
        words: WordVectors | None,
        revision: int,
    ) -> None:
        first = self._store.next_id()
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
        self._store.set_meta("next_id", str(first + len(added)))

    def add_vectors(self, numbers: Iterable[int], vectors: npt.NDArray[np.float32]) -> None:
        """Store the vectors of passages, inside a transaction."""
        rows = list(zip(numbers, kept_alone(encode(vectors)), strict=False))
        connection = self._store.connection()
        connection.executemany("INSERT OR REPLACE INTO vectors (chunk, code) VALUES (?, ?)", rows)
        connection.executemany("DELETE FROM unembedded WHERE chunk = ?", [(number,) for number, _ in rows])

    def add_sentences(self, numbers: Iterable[int], vectors: npt.NDArray[np.float32]) -> None:
        """Store the sentences' vectors of passages, inside a transaction."""
        rows = zip(numbers, kept_alone(encode(vectors)), strict=True)
        self._store.connection().executemany("INSERT OR IGNORE INTO sentences (chunk, code) VALUES (?, ?)", rows)

    def _columns_of(
        self, first: int, file: int, added: Sequence[Chunk], counts: Sequence[Counter[str]]
    ) -> npt.NDArray[np.void]:
        columns = np.zeros(len(added), COLUMNS)
        newest, before, run = self._last_run(first, file)
        numbers: dict[tuple[str, str], int] = {}
        for place, chunk in enumerate(added):
            key = (chunk.speaker, chunk.role or "")
            if chunk.role and key not in numbers:
                numbers[key] = self._store.speaker(*key)
            if not _continues(before, chunk):
                newest += 1
                run = newest
            length = sum(count for term, count in counts[place].items() if term[0] not in MARKS)
            flags = _flags(before, chunk)
            before = chunk
            day = chunk.time.toordinal() if chunk.time else 0
            facts = (1, ALL_TYPES.index(chunk.type), flags, min(length, 255), numbers.get(key, 0), run, day)
            columns[place] = (*facts, *_fading(chunk))
        return columns

    def _last_run(self, first: int, file: int) -> tuple[int, Chunk | None, int]:
        """Return the newest run's number, the passage of the same file that stands shortly before, and its run.

        A message that was edited is a new passage: it goes on from the one before its old self.
        """
        if first == 0:
            return 0, None, 0
        newest = self._run_of(first - 1)
        row = (
            self._store.connection()
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
        return int(self._store.column_block(block)["run"][place])

    def _append_columns(self, first: int, columns: npt.NDArray[np.void], revision: int) -> None:
        at = 0
        while at < len(columns):
            block, place = divmod(first + at, COLUMN_BLOCK)
            part = columns[at : at + COLUMN_BLOCK - place]
            data = np.concatenate([self._store.column_block(block)[:place], part]) if place else part
            self._store.write_column_block(block, data, revision)
            at += len(part)


def try_out(chunks: Sequence[Chunk], embedder: Embedder | None, words: WordVectors | None) -> None:
    """Do what indexing passages takes, but for the writing: whatever this raises is no index's fault."""
    for chunk in chunks:
        "\0".join(map(str, _row(0, 0, chunk))).encode()
        index_terms(chunk, words)
        tells_when(chunk.text)
    if embedder is not None and chunks:
        encode(embedder.passages([vector_text(chunk.text, chunk.heading) for chunk in chunks]))


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


def _fading(chunk: Chunk) -> tuple[int, int, int]:
    if chunk.fading is None:
        return 0, 0, 0
    began, since, half_life = chunk.fading
    return round(100 * began), min(half_life, 0xFFFF), since.toordinal() if since else 0


def _flags(before: Chunk | None, chunk: Chunk) -> int:
    """Return what the ranking knows of a passage's words without reading them."""
    goes_on = before is not None and chunk.role is not None and before.unit == chunk.unit
    facts = {
        IS_QUESTION: chunk.text.rstrip().endswith(_QUESTION_ENDS),
        TELLS_WHEN: tells_when(chunk.text),
        GOES_ON: goes_on,
        IS_WISH: chunk.role == "user" and is_standing_wish(chunk.text),
    }
    return sum(flag for flag, holds in facts.items() if holds)


def _continues(before: Chunk | None, chunk: Chunk) -> bool:
    if before is None or before.type != chunk.type or before.role is None or chunk.role is None:
        return False
    if before.time is None or chunk.time is None:
        return before.unit == chunk.unit
    return abs((chunk.time - before.time).total_seconds()) <= RUN_GAP_SECONDS
