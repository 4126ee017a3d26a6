"""The vectors of one index: FAISS in memory, SQLite as the truth, a snapshot file for a quick start.

The snapshot is one file: coarse codes, where there are very many vectors, the passages' numbers, and the exact
vectors, which are mapped instead of read beside coarse codes. It holds what stays as it was said; what a dream writes anew on
many nights is read from SQLite, so that a night need not write the vectors of years again.
"""

import logging
import sqlite3
import threading
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from managers.language.reading import japanese
from managers.recall.embedders import Vectors
from managers.recall.index.coarse_quantization import COARSE_FROM, GOOD_ENOUGH, Coarse, Refined, WholeRows, mapped_rows
from managers.recall.index.connection import transaction
from managers.recall.index.scalar_quantization import LARGEST, SCALE, Bytes, Codes, Ids, RowsByPlace, Scanned, Scores
from managers.recall.index.sparse_rows import GROUP, SparseRows, grouped, is_worth, taken_together
from managers.recall.index.store import Store
from managers.recall.index.stored_rows import StoredRows, check_ids
from managers.recall.index.vector_snapshot import VectorSnapshot, in_parts, spared
from managers.storage.derived import derived
from managers.storage.errors import DerivedDamagedError, UtataneError

_logger = logging.getLogger(__name__)

_SAVE_AFTER = 2000
_SAVE_SHARE = 0.1
_ROWS = 4096
"""So many are read or written together."""
_SAMPLE, _FEW = 1000, 50
"""Vectors that a mean is taken of, and how many say little of the others."""
_DEAD_SHARE = 0.1
"""Of so many that are dead what is in memory is read anew."""

Whole = TypeVar("Whole", np.int32, np.int64)


class VectorIndex:
    """What FAISS holds of one index, kept up with SQLite by `follow`."""

    def __init__(self, path: Path, table: str = "vectors") -> None:
        self._table = table
        self._snapshot = VectorSnapshot(path)
        self._lock = threading.RLock()
        self._saving = threading.RLock()
        """One snapshot at a time; searches do not wait for it."""
        self._codes: Codes | None = None
        self._ids: Ids = np.zeros(0, np.int64)
        self._place: npt.NDArray[np.int32] = np.zeros(0, np.int32)
        self._count = 0
        self._seen = 0
        self._in_snapshot: Ids = np.zeros(0, np.int64)
        """The passages whose vectors the snapshot holds, in its order."""
        self._is_replaced = False
        """Whether one of them has another vector since."""
        self._mean: tuple[int, Vectors] = 0, np.zeros((1, 1), np.float32)
        """Of so many vectors."""
        self._left_out = 0
        """How many vectors the snapshot left out, when that was last looked at: dead ones, and what is written anew."""
        self._epoch = ""
        """What `_seen` counts in."""

    def __len__(self) -> int:
        """Return how many vectors there are, those of dead passages included."""
        return self._count

    def clear(self) -> None:
        """Forget what is in memory: the epoch has changed."""
        with self._lock:
            self._codes = None
            self._ids = np.zeros(0, np.int64)
            self._place = np.zeros(0, np.int32)
            self._in_snapshot = np.zeros(0, np.int64)
            self._is_replaced = False
            self._count = self._seen = self._left_out = 0

    def follow(self, store: Store, epoch: str, *, is_trusted: bool = False) -> None:
        """Take in what SQLite holds and this does not; a snapshot that was just written is trusted to be whole."""
        with self._lock:
            if self._codes is None:
                self._load(epoch, is_trusted=is_trusted)
                if self._codes is not None:
                    self._take_in(store, store.vectors_written_anew(self._table, until=self._seen))
                    self._left_out = self._count - len(self._in_snapshot)
            self._epoch = epoch
            self._take_in(store, store.vectors_since(self._table, self._seen))

    def _take_in(self, store: Store, rows: sqlite3.Cursor) -> None:
        while batch := rows.fetchmany(_ROWS):
            ids = np.array([row[1] for row in batch], np.int64)
            check_ids(ids, store)
            self._is_replaced |= bool((self._places(ids) >= 0).any())
            self._add(ids, taken_together([row[2] for row in batch]))
            self._seen = max(self._seen, int(batch[-1][0]))

    def begin(self, store: Store, epoch: str) -> bool:
        """Write the snapshot from what SQLite holds, where very many are new, and say so: they are never all in memory."""
        connection = store.connection()
        with self._saving, transaction(connection, "BEGIN"):  # all of it at one moment
            known = f"SELECT count(*) FROM {self._table} WHERE seq > ?"  # noqa: S608  # a word of ours
            waiting = int(connection.execute(known, (self._known(epoch),)).fetchone()[0])
            if waiting < COARSE_FROM or store.marks()[0] != epoch:
                return False
            japanese.let_rest()  # no words are read meanwhile
            stored = StoredRows(store, self._table)
            places = np.flatnonzero(~np.isin(stored.ids, store.written_anew()))
            with spared():
                return self._save_coarse(stored, places, stored.ids[places], epoch, stored.last)
        return False

    def _known(self, epoch: str) -> int:
        """Return up to which of SQLite's rows memory, or else the snapshot, holds an epoch's vectors."""
        with self._lock:
            if self._codes is not None and self._epoch == epoch:
                return self._seen
        return self._snapshot.seen(epoch)

    def save_if_grown(self, store: Store, epoch: str) -> None:
        """Write a snapshot when loading without it would take noticeably longer."""
        if self._has_grown():
            self._left_out = self._count - (store.vector_count(self._table) - len(store.written_anew()))
        if self._has_grown():
            with spared():
                self.save(store, epoch)

    def _has_grown(self) -> bool:
        lasting = self._count - self._left_out
        return lasting - len(self._in_snapshot) > max(_SAVE_AFTER, _SAVE_SHARE * lasting)

    def save(self, store: Store, epoch: str) -> None:
        """Write the snapshot: first the vectors, then the note that says what they are.

        Very many get coarse codes here, where nobody waits for it; searches go on meanwhile.
        """
        with self._saving:
            self._save(store, epoch)

    def _save(self, store: Store, epoch: str) -> None:
        with self._lock:
            codes, seen = self._codes, self._seen
            ids, place = self._ids[: self._count].copy(), self._place.copy()
        if codes is None:
            return
        places = _lasting(store, self._table, ids, place)
        ids = ids[places]
        if not len(ids):
            with self._lock:
                self.remove()
                self._in_snapshot, self._is_replaced = ids, False
            return
        if not self._save_coarse(codes, places, ids, epoch, seen):
            self._save_scanned(codes, places, ids, epoch, seen)
            return
        with self._lock:
            if self._codes is codes:  # nothing was begun anew meanwhile; what came since comes again
                self.clear()
                self.follow(store, epoch, is_trusted=True)

    def _save_coarse(self, codes: RowsByPlace, places: Ids, ids: Ids, epoch: str, seen: int) -> bool:
        """Write a snapshot with coarse codes of some vectors, unless it is better to scan them all."""
        coarse = self._coarse_of(codes, places)
        if coarse is None:
            return False
        dumped = coarse.dump()
        del coarse  # there is room for one of them
        note = {"epoch": epoch, "seen": seen, "count": len(places), "coarse": len(dumped), "width": codes.width}
        self._snapshot.write(note, chain(in_parts(dumped), [ids.tobytes()], self._rows(codes, places, note)))
        return True

    def _save_scanned(self, codes: Codes, places: Ids, ids: Ids, epoch: str, seen: int) -> None:
        with self._lock:
            if self._codes is codes:  # nothing was begun anew meanwhile
                note: dict[str, object] = {"epoch": epoch, "seen": seen, "count": len(ids), "width": codes.width}
                self._snapshot.write(note, chain([ids.tobytes()], self._rows(codes, places, note)))
                self._in_snapshot, self._is_replaced = ids, False

    def _coarse_of(self, codes: RowsByPlace, places: Ids) -> Coarse | None:
        """Return coarse codes of some vectors: those that there are, or new ones; None where it is better to scan all."""
        if isinstance(codes, Refined):
            with self._lock:
                coarse = Coarse.load(codes.width, codes.coarse.dump())
            goes = np.ones(len(coarse), np.bool_)
            goes[places] = False
            if goes.any():
                coarse.remove(np.flatnonzero(goes))
            return coarse
        if len(places) < COARSE_FROM:
            return None

        def rows(some: Ids) -> Bytes:
            return self._locked_rows(codes, places[some])

        coarse = Coarse.made(codes.width, rows, len(places))
        found = coarse.finds(rows)
        if found >= GOOD_ENOUGH:
            return coarse
        _logger.info("coarse codes would find %.2f of the nearest of %d vectors: all are scanned", found, len(places))
        return None

    def _locked_rows(self, codes: RowsByPlace, places: Ids) -> Bytes:
        with self._lock:  # what is being added to moves in memory
            return codes.rows(places)

    def _rows(self, codes: RowsByPlace, places: Ids, note: dict[str, object]) -> Iterator[bytes]:
        """Yield the exact vectors, sparse ones in groups; how many these are is noted once they are written."""
        batches = (self._locked_rows(codes, places[at : at + _ROWS]) for at in range(0, len(places), _ROWS))
        if not is_worth(self._locked_rows(codes, places[:_ROWS])):
            yield from (batch.tobytes() for batch in batches)
            return
        counts = []
        for groups, held in map(grouped, batches):
            counts.append(held)
            yield groups.tobytes()
        all_counts = np.concatenate(counts)
        note["groups"] = int(all_counts.sum())
        yield all_counts.astype("<u2").tobytes()

    def compact(self, store: Store, epoch: str, is_alive: npt.NDArray[np.bool_]) -> bool:
        """Leave out what SQLite no longer holds, in the snapshot and, where that is much, in memory.

        Returns:
            whether anything was written or read anew.
        """
        live = store.vector_count(self._table)
        with self._saving:
            with self._lock:
                if self._snapshot.is_ours() and not self._is_replaced and bool(is_alive[self._in_snapshot].all()):
                    if self._count - live <= _DEAD_SHARE * live:
                        return False
                    self.clear()
                    self.follow(store, epoch)
                    return True
                if not isinstance(self._codes, Refined) or live < COARSE_FROM // 2:
                    was_saved = self._snapshot.exists()
                    self.remove()
                    self.clear()
                    self.follow(store, epoch)
                    if was_saved:
                        self.save(store, epoch)
                    return True
            self.follow(store, epoch)
            self.save(store, epoch)
            return True

    def remove(self) -> None:
        self._snapshot.remove()

    def search(self, query: Vectors, count: int) -> tuple[Ids, Scores]:
        """Return the passages nearest to a query (one row) and their inner products, nearest first.

        There are none while the vectors are another embedder's: they are being made anew.
        """
        with self._lock:
            if self._codes is None or self._count == 0 or self._codes.width != query.shape[1]:
                return np.zeros(0, np.int64), np.zeros(0, np.float32)
            # FAISS reads a question as whole numbers of one signed byte, and larger ones come out as anything.
            scale = LARGEST / max(float(np.abs(query).max()), 1e-9)
            asked = np.ascontiguousarray(np.rint(query * scale), np.float32)
            places, found = self._codes.nearest(asked, min(count, self._count))
            return self._ids[places], (found / (SCALE * scale)).astype(np.float32)

    def products(self, ids: Ids, query: Vectors) -> Scores:
        """Return the inner products of passages' vectors and a query (one row); noughts where there is no vector yet."""
        found = np.zeros(len(ids), np.float32)
        with self._lock:
            if self._codes is not None and self._codes.width == query.shape[1]:
                places = self._places(ids)
                has = places >= 0
                found[has] = self._codes.products(places[has], query) / np.float32(SCALE)
        return found

    def mean(self) -> Vectors:
        """Return the mean of the vectors (one row), of a sample where there are many; the fewer, the shorter."""
        with self._lock:
            if self._codes is None:
                return np.zeros((1, 1), np.float32)
            if not self._count - self._count // 10 <= self._mean[0] <= self._count:
                places = np.linspace(0, self._count - 1, min(self._count, _SAMPLE)).astype(np.int64)
                mean = self._codes.rows(places).mean(axis=0, dtype=np.float32, keepdims=True) / np.float32(SCALE)
                self._mean = self._count, mean * np.float32(self._count / (self._count + _FEW))
            return self._mean[1]

    def vectors_of(self, ids: Ids) -> Vectors:
        """Return the vectors of passages; zeros where there is none yet."""
        with self._lock:
            if self._codes is None or len(ids) == 0:
                return np.zeros((len(ids), 1), np.float32)
            places = self._places(ids)
            result = np.zeros((len(ids), self._codes.width), np.float32)
            has = places >= 0
            if has.any():
                result[has] = self._codes.rows(places[has]) / np.float32(SCALE)
            return result

    def _places(self, ids: Ids) -> Ids:
        """Return where the vectors of passages are; -1 where there is none yet."""
        if not len(self._place):
            return np.full(len(ids), -1, np.int64)
        known = ids < len(self._place)
        places: Ids = np.where(known, self._place[np.minimum(ids, len(self._place) - 1)], -1).astype(np.int64)
        return places

    def _add(self, ids: Ids, codes: Bytes) -> None:
        if self._codes is None:
            self._codes = Scanned(codes.shape[1])
        self._codes.add(codes)
        self._remember(ids)

    def _remember(self, ids: Ids) -> None:
        end = self._count + len(ids)
        self._ids = _room(self._ids, end, 0)
        self._ids[self._count : end] = ids
        self._place = _room(self._place, int(ids.max()) + 1, -1)
        self._place[ids] = np.arange(self._count, end)
        self._count = end

    def _load(self, epoch: str, *, is_trusted: bool) -> None:
        """Read the snapshot if it is whole and of this epoch; otherwise SQLite fills in from the start."""
        try:
            with derived(self._snapshot.path):
                self._read(epoch, is_trusted=is_trusted)
        except UtataneError as error:
            _logger.info("the snapshot of the vectors is not used: %s", error)
            self.clear()

    def _read(self, epoch: str, *, is_trusted: bool) -> None:
        facts, path = self._snapshot.facts(epoch, is_trusted=is_trusted), self._snapshot.path
        if facts is None:
            return
        count, coarse, width = int(facts["count"]), int(facts.get("coarse", 0)), int(facts["width"])
        held = self._held(coarse + 8 * count, count, width, facts.get("groups"))
        if coarse:
            self._codes = Refined(Coarse.load(width, np.fromfile(path, np.int8, coarse)), held)
        else:
            self._codes = Scanned(width, room=count)
            for at in range(0, count, _ROWS):
                self._codes.add(held.rows(np.arange(at, min(at + _ROWS, count))))
        ids = np.fromfile(path, np.int64, count, offset=coarse)
        self._remember(ids)
        self._seen, self._in_snapshot = int(facts["seen"]), ids
        self._snapshot.note_taken(facts)

    def _held(self, offset: int, count: int, width: int, groups: int | None) -> WholeRows | SparseRows:
        """Return the exact vectors of the snapshot, mapped."""
        if groups is None:
            return WholeRows(mapped_rows(self._snapshot.path, offset, count, width))
        counts = np.fromfile(self._snapshot.path, "<u2", count, offset=offset + GROUP * groups).astype(np.int64)
        if len(counts) != count or int(counts.sum()) != groups:
            raise DerivedDamagedError(path=self._snapshot.path.name)
        return SparseRows(width, mapped_rows(self._snapshot.path, offset, groups, GROUP), counts)


def vectors_together(count: int, parts: Iterable[tuple[Ids, VectorIndex, Ids]]) -> Vectors:
    """Return the vectors of several indexes' passages; zeros where there is none, or one of fewer numbers than others.

    Args:
        count: how many there are.
        parts: for each index, at which rows its passages go, and their numbers; what it holds may change meanwhile.
    """
    read = [(rows, index.vectors_of(ids)) for rows, index, ids in parts]
    width = max((vectors.shape[1] for _, vectors in read), default=1)
    together = np.zeros((count, width), np.float32)
    for rows, vectors in read:
        if vectors.shape[1] == width:
            together[rows] = vectors
    return together


def _lasting(store: Store, table: str, ids: Ids, place: npt.NDArray[np.int32]) -> Ids:
    """Return where the vectors are that SQLite holds, and that nothing writes anew on many days.

    Args:
        store: where the vectors come from.
        table: in which table.
        ids: the passages that those in memory belong to.
        place: where in memory a passage's vector is: the newest, if there are several.
    """
    rows = store.connection().execute(f"SELECT chunk FROM {table}").fetchall()  # noqa: S608  # a word of ours
    held = np.fromiter((row[0] for row in rows), np.int64, len(rows))  # others have their turn meanwhile
    lasts = np.zeros(len(place), np.bool_)
    lasts[held[held < len(place)]] = True
    anew = store.written_anew()
    lasts[anew[anew < len(place)]] = False
    return np.flatnonzero(lasts[ids] & (place[ids] == np.arange(len(ids))))


def _room(array: npt.NDArray[Whole], size: int, fill: int) -> npt.NDArray[Whole]:
    if size <= len(array):
        return array
    wider = np.full(max(size, len(array) + len(array) // 4, 1024), fill, array.dtype)
    wider[: len(array)] = array
    return wider
