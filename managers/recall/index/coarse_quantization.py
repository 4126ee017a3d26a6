"""The vectors of very many passages: coarse codes in memory tell which few are compared exactly.

A scan of a million vectors of a thousand bytes reads a gigabyte for each question. Here a vector is
at most 256 codes of four bits, each for a few dimensions (product quantisation: Jégou, Douze & Schmid,
2011), whose shares in the product FAISS adds up within the processor's registers (André, Kermarrec &
Le Scouarnec, 2017). Of what looks nearest so, the exact codes are read, from a file that is mapped.
"""

from __future__ import annotations

import mmap
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from managers.recall.embedders import Vectors
from managers.recall.index.scalar_quantization import Bytes, Ids, Scores, load_faiss, products
from managers.recall.index.sparse_rows import SparseRows
from managers.storage.files import open_binary
from managers.storage.residence import give_back

COARSE_FROM = 1 << 16
"""From so many vectors on it pays."""

COMPARED = 2000
"""How many are compared exactly."""

GOOD_ENOUGH = 0.95
"""Which share of a vector's true ten nearest must be found, or all are scanned as before."""

_MOST_CODES = 256
"""Codes of a vector, of four bits each: more of them could not be added up in two bytes."""
_TRIED, _NEAREST = 20, 10
_LEARNT_FROM = 1 << 14
_ROUNDS = 10
_SEED = 1
_BATCH = 4096

_mapped: set[str] = set()


class Coarse:
    """Which of very many vectors may be near, by four bits for a few dimensions each."""

    def __init__(self, width: int, index: Any = None) -> None:  # noqa: ANN401  # FAISS ships no types
        """Begin untaught, or with what FAISS dumped, for vectors of so many dimensions."""
        faiss = load_faiss()
        together = -(-width // _MOST_CODES)
        groups = -(-width // together)
        self._padded = groups * together
        self._width = width
        self._index = index or faiss.IndexPQFastScan(self._padded, groups, 4, faiss.METRIC_INNER_PRODUCT)

    @classmethod
    def load(cls, width: int, data: Bytes) -> Coarse:
        """Return what `dump` returned the bytes of."""
        return cls(width, load_faiss().deserialize_index(data.view(np.uint8)))

    @classmethod
    def made(cls, width: int, rows: Callable[[Ids], Bytes], count: int) -> Coarse:
        """Learn from a sample of so many vectors, the same each time, and take all of them in."""
        coarse = cls(width)
        sample = np.sort(np.random.default_rng(_SEED).choice(count, min(count, _LEARNT_FROM), replace=False))
        coarse._index.pq.cp.niter = _ROUNDS
        coarse._index.train(coarse._numbers(rows(sample)))
        for at in range(0, count, _BATCH):
            coarse.add(rows(np.arange(at, min(at + _BATCH, count))))
        return coarse

    def finds(self, rows: Callable[[Ids], Bytes]) -> float:
        """Return which share of the true ten nearest of some vectors is found: by trying it on vectors that it holds."""
        tried = np.linspace(0, len(self) - 1, _TRIED).astype(np.int64)
        asked = rows(tried).astype(np.float32)
        true = np.empty((_TRIED, len(self)), np.float32)
        for at in range(0, len(self), _BATCH):
            some = rows(np.arange(at, min(at + _BATCH, len(self)))).astype(np.float32)
            true[:, at : at + len(some)] = asked @ some.T
        true[np.arange(_TRIED), tried] = -np.inf  # each is nearest to itself
        found = []
        for products_, query in zip(true, asked, strict=True):
            least = np.partition(products_, -_NEAREST)[-_NEAREST]
            among = int(np.count_nonzero(products_[self.promising(query[None], COMPARED)] >= least))
            found.append(min(among, _NEAREST) / _NEAREST)
        return float(np.mean(found))

    def dump(self) -> Bytes:
        data: Bytes = load_faiss().serialize_index(self._index).view(np.int8)
        return data

    def __len__(self) -> int:
        return int(self._index.ntotal)

    def add(self, codes: Bytes) -> None:
        self._index.add(self._numbers(codes))

    def remove(self, places: Ids) -> None:
        """Take some out; those after them move up."""
        self._index.remove_ids(places)

    def promising(self, asked: Vectors, count: int) -> Ids:
        """Return the places of those that look nearest, in order."""
        load_faiss()
        _, places = self._index.search(self._numbers(asked), min(count, len(self)))
        found: Ids = np.sort(places[0][places[0] >= 0])
        return found

    def _numbers(self, codes: Bytes | Vectors) -> Vectors:
        numbers = np.zeros((len(codes), self._padded), np.float32)
        numbers[:, : self._width] = codes
        return numbers


class Refined:
    """Vectors of which the coarse codes are in memory, the exact ones in a mapped file and, what came since, here."""

    def __init__(self, coarse: Coarse, held: WholeRows | SparseRows) -> None:
        self.coarse = coarse
        self.width = held.width
        self._held = held
        self._since = np.zeros((0, self.width), np.int8)

    def __len__(self) -> int:
        return len(self.coarse)

    def add(self, codes: Bytes) -> None:
        self._since = np.concatenate([self._since, codes])
        self.coarse.add(codes)

    def rows(self, places: Ids) -> Bytes:
        new = places >= len(self._held)
        if not new.any():
            return self._held.rows(places)
        found = np.empty((len(places), self.width), np.int8)
        found[~new] = self._held.rows(places[~new])
        found[new] = self._since[places[new] - len(self._held)]
        return found

    def products(self, places: Ids, query: Vectors) -> Scores:
        new = places >= len(self._held)
        if not new.any():
            return self._held.products(places, query)
        found = np.empty(len(places), np.float32)
        found[~new] = self._held.products(places[~new], query)
        found[new] = products(self._since.__getitem__, places[new] - len(self._held), query)
        return found

    def nearest(self, asked: Vectors, count: int) -> tuple[Ids, Scores]:
        places = self.coarse.promising(asked, max(COMPARED, count))
        found = self.products(places, asked)
        best = np.argsort(-found, kind="stable")[:count]
        return places[best], found[best]


class WholeRows:
    """Rows of which most numbers are not nought, as they are."""

    def __init__(self, held: Bytes) -> None:
        self.width = held.shape[1]
        self._held = held

    def __len__(self) -> int:
        return len(self._held)

    def rows(self, chosen: Ids) -> Bytes:
        return self._held[chosen]

    def products(self, chosen: Ids, query: Vectors) -> Scores:
        return products(self.rows, chosen, query)


def mapped_rows(path: Path, offset: int, count: int, width: int, *, is_replaced: bool = True) -> Bytes:
    """Return rows of a file that is only read where somebody looks.

    Windows replaces no file that is mapped, and a snapshot is replaced by every newer one: there it is read.
    """
    if is_replaced and sys.platform == "win32":
        return np.fromfile(path, np.int8, count * width, offset=offset).reshape(count, width)
    _mapped.add(path.name)
    with open_binary(path) as file:
        held = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    return np.frombuffer(held, np.int8, count * width, offset).reshape(count, width)


def let_rest() -> None:
    """Keep no page of the exact codes in memory for the sake of what was read once: for idle moments."""
    for name in _mapped:
        give_back(name)
