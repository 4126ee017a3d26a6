"""The vectors of one index: FAISS in memory, SQLite as the truth, a snapshot file for a quick start.

Vectors are kept as one signed byte a dimension (inner products are off by 0.001 or so, and a scan
of a million passages takes some 20 ms on one core), so nothing approximate is needed.
"""

from __future__ import annotations

import json
import threading
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from managers.recall.embedders import Vectors
from managers.recall.store import Store
from managers.storage.files import digest, read_bytes, write_atomic

SCALE = 360.0
"""A component of ±0.353 becomes ±127; larger ones, which only the shortest texts have, are cut."""

_LARGEST = 127
_SAVE_AFTER = 2000
_SAVE_SHARE = 0.1

Whole = TypeVar("Whole", np.int32, np.int64)
Ids = npt.NDArray[np.int64]
Scores = npt.NDArray[np.float32]


@cache
def _faiss() -> Any:  # noqa: ANN401  # it ships no types
    import faiss  # noqa: PLC0415  # a fifth of a second that nobody needs before the first vector

    faiss.omp_set_num_threads(1)  # a scan takes milliseconds; threads that wait for it burn the other cores
    return faiss


def encode(vectors: Vectors) -> npt.NDArray[np.int8]:
    """Return unit vectors as bytes."""
    codes: npt.NDArray[np.int8] = np.clip(np.rint(vectors * SCALE), -_LARGEST, _LARGEST).astype(np.int8)
    return codes


class VectorIndex:
    """What FAISS holds of one index, kept up with SQLite by `follow`."""

    def __init__(self, path: Path) -> None:
        """Remember the snapshot's path; nothing is read yet."""
        self._path = path
        self._lock = threading.RLock()
        self._index: Any = None
        self._ids: Ids = np.zeros(0, np.int64)
        self._place: npt.NDArray[np.int32] = np.zeros(0, np.int32)
        self._count = 0
        self._seen = 0
        self._saved = 0
        self._digest = ""

    def __len__(self) -> int:
        """Return how many vectors there are, those of dead passages included."""
        return self._count

    @property
    def dimensions(self) -> int:
        """How many numbers a vector has; 0 while there is none."""
        return 0 if self._index is None else int(self._index.d)

    def clear(self) -> None:
        """Forget what is in memory: the epoch has changed."""
        with self._lock:
            self._index = None
            self._ids = np.zeros(0, np.int64)
            self._place = np.zeros(0, np.int32)
            self._count = self._seen = self._saved = 0

    def follow(self, store: Store, epoch: str) -> None:
        """Take in what SQLite holds and this does not."""
        with self._lock:
            if self._index is None:
                self._load(epoch)
            rows = store.connection().execute(
                "SELECT seq, chunk, code FROM vectors WHERE seq > ? ORDER BY seq", (self._seen,)
            )
            while batch := rows.fetchmany(4096):
                self._add(np.array([row[1] for row in batch]), b"".join(row[2] for row in batch))
                self._seen = int(batch[-1][0])

    def save_if_grown(self, epoch: str) -> None:
        """Write a snapshot when loading without it would take noticeably longer."""
        with self._lock:
            if self._count - self._saved > max(_SAVE_AFTER, _SAVE_SHARE * self._count):
                self.save(epoch)

    def save(self, epoch: str) -> None:
        """Write the snapshot: first the vectors, then the note that says what they are."""
        with self._lock:
            if self._index is None:
                return
            faiss = _faiss()

            data = faiss.serialize_index(self._index).tobytes() + self._ids[: self._count].tobytes()
            write_atomic(self._path, data)
            self._digest = digest(data)
            note = {"epoch": epoch, "seen": self._seen, "count": self._count, "sha256": self._digest}
            write_atomic(self._note, json.dumps(note))
            self._saved = self._count

    def compact(self, store: Store, epoch: str) -> bool:
        """Leave out what SQLite no longer holds, in memory and in the snapshot; say whether there was anything."""
        with self._lock:
            live = int(store.connection().execute("SELECT count(*) FROM vectors").fetchone()[0])
            note = read_bytes(self._note)
            is_ours = note is None or json_value(note, "sha256") == self._digest
            if self._count == live and is_ours:
                return False
            was_saved = self._path.exists()
            self.remove()
            self.clear()
            self.follow(store, epoch)
            if was_saved:
                self.save(epoch)
            return True

    def remove(self) -> None:
        """Remove the snapshot."""
        self._note.unlink(missing_ok=True)
        self._path.unlink(missing_ok=True)

    def search(self, query: Vectors, count: int) -> tuple[Ids, Scores]:
        """Return the passages nearest to a query (one row) and their inner products, nearest first."""
        with self._lock:
            if self._count == 0:
                return np.zeros(0, np.int64), np.zeros(0, np.float32)
            # FAISS reads a question as whole numbers of one signed byte, and larger ones come out as anything.
            scale = _LARGEST / max(float(np.abs(query).max()), 1e-9)
            asked = np.ascontiguousarray(np.rint(query * scale), np.float32)
            products, places = self._index.search(asked, min(count, self._count))
            found = places[0] >= 0
            return self._ids[places[0][found]], (products[0][found] / (SCALE * scale)).astype(np.float32)

    def vectors_of(self, ids: Ids) -> Vectors:
        """Return the vectors of passages; zeros where there is none yet."""
        with self._lock:
            if self._count == 0 or len(ids) == 0:
                return np.zeros((len(ids), 1), np.float32)
            known = ids < len(self._place)
            places = np.where(known, self._place[np.minimum(ids, len(self._place) - 1)], -1).astype(np.int64)
            result = np.zeros((len(ids), self._index.d), np.float32)
            has = places >= 0
            if has.any():
                result[has] = self._index.reconstruct_batch(places[has]) / np.float32(SCALE)
            return result

    def missing(self, ids: Ids) -> npt.NDArray[np.bool_]:
        """Tell which passages have no vector yet."""
        with self._lock:
            known = ids < len(self._place)
            if not len(self._place):
                return ~known
            return ~known | (self._place[np.minimum(ids, len(self._place) - 1)] < 0)

    @property
    def _note(self) -> Path:
        return self._path.with_suffix(".json")

    def _add(self, ids: Ids, codes: bytes) -> None:
        faiss = _faiss()

        data = np.frombuffer(codes, np.int8).reshape(len(ids), -1).astype(np.float32)
        if self._index is None:
            self._index = faiss.IndexScalarQuantizer(
                data.shape[1], faiss.ScalarQuantizer.QT_8bit_direct_signed, faiss.METRIC_INNER_PRODUCT
            )
        self._index.add(data)
        self._remember(ids)

    def _remember(self, ids: Ids) -> None:
        end = self._count + len(ids)
        self._ids = _room(self._ids, end, 0)
        self._ids[self._count : end] = ids
        self._place = _room(self._place, int(ids.max()) + 1, -1)
        self._place[ids] = np.arange(self._count, end)
        self._count = end

    def _load(self, epoch: str) -> None:
        """Read the snapshot if it is whole and of this epoch; otherwise SQLite fills in from the start."""
        note, data = read_bytes(self._note), read_bytes(self._path)
        if note is None or data is None:
            return
        try:
            facts = json.loads(note)
        except ValueError:
            return
        if facts.get("epoch") != epoch or facts.get("sha256") != digest(data):
            return
        faiss = _faiss()

        count = int(facts["count"])
        split = len(data) - 8 * count
        self._index = faiss.deserialize_index(np.frombuffer(data, np.uint8, split))
        self._remember(np.frombuffer(data, np.int64, count, split))
        self._seen, self._saved = int(facts["seen"]), count
        self._digest = str(facts["sha256"])


def json_value(data: bytes, key: str) -> object:
    """Return a value of a JSON object, None where there is none."""
    try:
        held = json.loads(data)
    except ValueError:
        return None
    return held.get(key) if isinstance(held, dict) else None


def _room(array: npt.NDArray[Whole], size: int, fill: int) -> npt.NDArray[Whole]:
    if size <= len(array):
        return array
    wider = np.full(max(size, len(array) + len(array) // 4, 1024), fill, array.dtype)
    wider[: len(array)] = array
    return wider
