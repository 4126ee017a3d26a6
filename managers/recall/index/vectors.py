"""The vectors of one index: FAISS in memory, SQLite as the truth, a snapshot file for a quick start.

The snapshot is one file: what FAISS holds, the passages' numbers and, beside coarse codes, the exact
ones, which are mapped instead of read.
"""

import hashlib
import json
import logging
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
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
from managers.storage.derived import derived
from managers.storage.errors import DerivedDamagedError, DiskFullError, UnwritableError, UtataneError
from managers.storage.files import open_binary, read_bytes, write_atomic, write_atomic_parts
from managers.storage.json_text import load_json
from managers.storage.opening import unlink

_logger = logging.getLogger(__name__)

_SAVE_AFTER = 2000
_SAVE_SHARE = 0.1
_ROWS = 4096
"""So many are read or written together."""
_MEGABYTES = 1 << 22

Whole = TypeVar("Whole", np.int32, np.int64)


class VectorIndex:
    """What FAISS holds of one index, kept up with SQLite by `follow`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.RLock()
        self._saving = threading.RLock()
        """One snapshot at a time; searches do not wait for it."""
        self._codes: Codes | None = None
        self._ids: Ids = np.zeros(0, np.int64)
        self._place: npt.NDArray[np.int32] = np.zeros(0, np.int32)
        self._count = 0
        self._seen = 0
        self._saved = 0
        self._epoch = ""
        """What `_seen` counts in."""
        self._digest = ""

    def __len__(self) -> int:
        """Return how many vectors there are, those of dead passages included."""
        return self._count

    @property
    def dimensions(self) -> int:
        """How many numbers a vector has; 0 while there is none."""
        codes = self._codes
        return 0 if codes is None else codes.width

    def clear(self) -> None:
        """Forget what is in memory: the epoch has changed."""
        with self._lock:
            self._codes = None
            self._ids = np.zeros(0, np.int64)
            self._place = np.zeros(0, np.int32)
            self._count = self._seen = self._saved = 0

    def follow(self, store: Store, epoch: str) -> None:
        """Take in what SQLite holds and this does not."""
        with self._lock:
            if self._codes is None:
                self._load(epoch)
            self._epoch = epoch
            rows = store.connection().execute(
                "SELECT seq, chunk, code FROM vectors WHERE seq > ? ORDER BY seq", (self._seen,)
            )
            while batch := rows.fetchmany(_ROWS):
                ids = np.array([row[1] for row in batch], np.int64)
                check_ids(ids, store)
                self._add(ids, taken_together([row[2] for row in batch]))
                self._seen = int(batch[-1][0])

    def begin(self, store: Store, epoch: str) -> bool:
        """Write the snapshot from what SQLite holds, where very many are new, and say so: they are never all in memory."""
        connection = store.connection()
        with self._saving, transaction(connection, "BEGIN"):  # all of it at one moment
            known = "SELECT count(*) FROM vectors WHERE seq > ?"
            waiting = int(connection.execute(known, (self._known(epoch),)).fetchone()[0])
            if waiting < COARSE_FROM or store.marks()[0] != epoch:
                return False
            japanese.let_rest()  # no words are read meanwhile
            stored = StoredRows(store)
            with _spared():
                return self._save_coarse(stored, np.arange(len(stored)), stored.ids, epoch, stored.last)
        return False

    def _known(self, epoch: str) -> int:
        """Return up to which of SQLite's rows memory, or else the snapshot, holds an epoch's vectors."""
        with self._lock:
            if self._codes is not None and self._epoch == epoch:
                return self._seen
        note = read_bytes(self._note) or b""
        seen = _json_value(note, "seen") if _json_value(note, "epoch") == epoch else 0
        return seen if isinstance(seen, int) and self._path.exists() else 0

    def save_if_grown(self, store: Store, epoch: str) -> None:
        """Write a snapshot when loading without it would take noticeably longer."""
        if self._count - self._saved > max(_SAVE_AFTER, _SAVE_SHARE * self._count):
            with _spared():
                self.save(store, epoch)

    def save(self, store: Store, epoch: str, gone: Ids | None = None) -> None:
        """Write the snapshot: first the vectors, then the note that says what they are.

        Very many get coarse codes here, where nobody waits for it; searches go on meanwhile.

        Args:
            store: where the vectors come from.
            epoch: what they belong to.
            gone: the places of those that are left out, in memory too.
        """
        with self._saving:
            self._save(store, epoch, np.zeros(0, np.int64) if gone is None else gone)

    def _save(self, store: Store, epoch: str, gone: Ids) -> None:
        with self._lock:
            codes, count, seen = self._codes, self._count, self._seen
            if codes is None:
                return
            places = np.delete(np.arange(count), gone)
            ids = self._ids[places]
        if not self._save_coarse(codes, places, ids, epoch, seen):
            self._save_scanned(epoch)
            return
        with self._lock:
            if self._codes is codes:  # nothing was begun anew meanwhile; what came since comes again
                self.clear()
                self._load(epoch, is_trusted=True)
                self.follow(store, epoch)

    def _save_coarse(self, codes: RowsByPlace, places: Ids, ids: Ids, epoch: str, seen: int) -> bool:
        """Write a snapshot with coarse codes of some vectors, unless it is better to scan them all."""
        coarse = self._coarse_of(codes, places)
        if coarse is None:
            return False
        dumped = coarse.dump()
        del coarse  # there is room for one of them
        note = {"epoch": epoch, "seen": seen, "count": len(places), "coarse": len(dumped), "width": codes.width}
        self._write(note, chain(_in_parts(dumped), [ids.tobytes()], self._rows(codes, places, note)))
        return True

    def _save_scanned(self, epoch: str) -> None:
        with self._lock:
            if isinstance(self._codes, Scanned):
                note = {"epoch": epoch, "seen": self._seen, "count": self._count}
                self._write(note, iter([self._codes.dump(), self._ids[: self._count].tobytes()]))
                self._saved = self._count

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

    def _write(self, note: Mapping[str, object], parts: Iterable[bytes]) -> None:
        hashed = hashlib.sha256()

        def passing() -> Iterator[bytes]:
            for part in parts:
                hashed.update(part)
                yield part

        write_atomic_parts(self._path, passing())
        self._digest = hashed.hexdigest()
        write_atomic(self._note, json.dumps({**note, "sha256": self._digest}))

    def compact(self, store: Store, epoch: str) -> bool:
        """Leave out what SQLite no longer holds, in memory and in the snapshot; say whether there was anything."""
        live = int(store.connection().execute("SELECT count(*) FROM vectors").fetchone()[0])
        with self._saving:
            with self._lock:
                note = read_bytes(self._note)
                is_ours = note is None or _json_value(note, "sha256") == self._digest
                if self._count == live and is_ours:
                    return False
                if not isinstance(self._codes, Refined) or live < COARSE_FROM // 2:
                    was_saved = self._path.exists()
                    self.remove()
                    self.clear()
                    self.follow(store, epoch)
                    if was_saved:
                        self.save(store, epoch)
                    return True
            self.follow(store, epoch)
            self.save(store, epoch, self._gone(store))
            return True

    def _gone(self, store: Store) -> Ids:
        """Return the places of the vectors that SQLite does not hold, or holds in another place too."""
        with self._lock:
            ids, place = self._ids[: self._count].copy(), self._place.copy()
        rows = store.connection().execute("SELECT chunk FROM vectors").fetchall()
        held = np.fromiter((row[0] for row in rows), np.int64, len(rows))  # others have their turn meanwhile
        is_held = np.zeros(len(place), np.bool_)
        is_held[held[held < len(place)]] = True
        return np.flatnonzero(~is_held[ids] | (place[ids] != np.arange(len(ids))))

    def remove(self) -> None:
        unlink(self._note)
        unlink(self._path)

    def search(self, query: Vectors, count: int) -> tuple[Ids, Scores]:
        """Return the passages nearest to a query (one row) and their inner products, nearest first."""
        with self._lock:
            if self._codes is None or self._count == 0:
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

    @property
    def _note(self) -> Path:
        return self._path.with_suffix(".json")

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

    def _load(self, epoch: str, *, is_trusted: bool = False) -> None:
        """Read the snapshot if it is whole and of this epoch; otherwise SQLite fills in from the start."""
        try:
            with derived(self._path):
                self._read(epoch, is_trusted=is_trusted)
        except UtataneError as error:
            _logger.info("the snapshot of the vectors is not used: %s", error)
            self.clear()

    def _read(self, epoch: str, *, is_trusted: bool) -> None:
        note = read_bytes(self._note)
        if note is None or not self._path.exists():
            return
        facts = json.loads(note)
        if facts.get("epoch") != epoch or not (is_trusted or facts.get("sha256") == _digest_of(self._path)):
            return
        count, coarse = int(facts["count"]), int(facts.get("coarse", 0))
        if coarse:
            width = int(facts["width"])
            held = self._held(coarse + 8 * count, count, width, facts.get("groups"))
            self._codes = Refined(Coarse.load(width, np.fromfile(self._path, np.int8, coarse)), held)
            ids = np.fromfile(self._path, np.int64, count, offset=coarse)
        else:
            data = np.fromfile(self._path, np.uint8)
            self._codes = Scanned.load(data[: len(data) - 8 * count])
            ids = data[len(data) - 8 * count :].view(np.int64)
        self._remember(ids)
        self._seen, self._saved = int(facts["seen"]), count
        self._digest = str(facts["sha256"])

    def _held(self, offset: int, count: int, width: int, groups: int | None) -> WholeRows | SparseRows:
        """Return the exact vectors of the snapshot, mapped."""
        if groups is None:
            return WholeRows(mapped_rows(self._path, offset, count, width))
        counts = np.fromfile(self._path, "<u2", count, offset=offset + GROUP * groups).astype(np.int64)
        if len(counts) != count or int(counts.sum()) != groups:
            raise DerivedDamagedError(path=self._path.name)
        return SparseRows(width, mapped_rows(self._path, offset, groups, GROUP), counts)


def _in_parts(data: Bytes) -> Iterator[bytes]:
    return (data[at : at + _MEGABYTES].tobytes() for at in range(0, len(data), _MEGABYTES))


@contextmanager
def _spared() -> Iterator[None]:
    """Go on without a snapshot where none can be written: SQLite holds it all; the next start takes longer."""
    try:
        yield
    except (DiskFullError, UnwritableError) as error:
        _logger.info("no snapshot of the vectors was written: %s", error)


def _digest_of(path: Path) -> str:
    """Return the SHA-256 of a file that need not fit into memory."""
    hashed = hashlib.sha256()
    with open_binary(path) as file:
        while part := file.read(_MEGABYTES):
            hashed.update(part)
    return hashed.hexdigest()


def _json_value(data: bytes, key: str) -> object:
    """Return a value of a JSON object, None where there is none."""
    try:
        held = load_json(data)
    except ValueError:
        return None
    return held.get(key) if isinstance(held, dict) else None


def _room(array: npt.NDArray[Whole], size: int, fill: int) -> npt.NDArray[Whole]:
    if size <= len(array):
        return array
    wider = np.full(max(size, len(array) + len(array) // 4, 1024), fill, array.dtype)
    wider[: len(array)] = array
    return wider
