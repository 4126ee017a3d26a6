"""The vectors of an index as one signed byte a dimension, and how the nearest of them are found.

Inner products are off by 0.001 or so. Up to some ten thousand passages all of them are looked at, which
takes a millisecond or two; for more there is `coarse`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from managers.recall.embedders import Vectors

SCALE = 360.0
"""A component of ±0.353 becomes ±127; larger ones, which only the shortest texts have, are cut."""

LARGEST = 127

STEP = 64
"""Vectors whose width is a multiple of this are compared eight times as fast: by whole registers of the processor."""

_AT_ONCE = 256
"""Rows that are made into numbers together: what stays near the processor costs half."""

Bytes = npt.NDArray[np.int8]
Ids = npt.NDArray[np.int64]
Scores = npt.NDArray[np.float32]


class RowsByPlace(Protocol):
    """Vectors by place: 0, 1, 2 ... in the order in which they came."""

    width: int
    """How many dimensions a vector has."""

    def __len__(self) -> int:
        """Return how many there are."""

    def rows(self, places: Ids) -> Bytes:
        """Return some rows."""


class Codes(RowsByPlace, Protocol):
    """Vectors that can be searched, and added to. Not for several threads at once."""

    def add(self, codes: Bytes) -> None:
        """Add rows at the end."""

    def products(self, places: Ids, query: Vectors) -> Scores:
        """Return the inner products of some rows and a query (one row)."""

    def nearest(self, asked: Vectors, count: int) -> tuple[Ids, Scores]:
        """Return the places of the rows nearest to a question (one row of whole numbers), nearest first, and the products."""


def load_faiss() -> Any:  # noqa: ANN401  # it ships no types
    """Return the library, with one thread for what the calling thread does: OpenMP holds that for each thread apart.

    A scan takes milliseconds; threads that wait for it burn the other cores, and one that is put off delays the rest.
    """
    import faiss  # noqa: PLC0415  # a fifth of a second that nobody needs before the first vector

    faiss.omp_set_num_threads(1)
    return faiss


def encode(vectors: Vectors) -> Bytes:
    """Return unit vectors as bytes."""
    codes: Bytes = np.clip(np.rint(vectors * SCALE), -LARGEST, LARGEST).astype(np.int8)
    return codes


def products(rows: Callable[[Ids], Bytes], places: Ids, query: Vectors) -> Scores:
    """Return the inner products of some rows and a query (one row)."""
    found = np.empty(len(places), np.float32)
    for at in range(0, len(places), _AT_ONCE):
        some = rows(places[at : at + _AT_ONCE]).astype(np.float32)
        # Not `@`: threads for so small a product cost more than they bring, and all the more when busy.
        found[at : at + len(some)] = np.vecdot(some, query[0])
    return found


class Scanned:
    """Vectors that are all compared with every question, by FAISS."""

    def __init__(self, width: int, room: int = 0) -> None:
        """Begin with none, with room for so many: it is taken once, and not bit by bit."""
        faiss = load_faiss()
        self.width = width
        self._index = faiss.IndexScalarQuantizer(
            width, faiss.ScalarQuantizer.QT_8bit_direct_signed, faiss.METRIC_INNER_PRODUCT
        )
        for size in (room * width, 0) if room else ():
            self._index.codes.resize(size)

    def __len__(self) -> int:
        return int(self._index.ntotal)

    def add(self, codes: Bytes) -> None:
        self._index.add_sa_codes(codes.view(np.uint8) ^ 0x80)  # FAISS counts from the lowest one

    def rows(self, places: Ids) -> Bytes:
        held = load_faiss().rev_swig_ptr(self._index.codes.data(), len(self) * self.width)
        found: Bytes = (held.reshape(-1, self.width)[places] ^ 0x80).view(np.int8)
        return found

    def products(self, places: Ids, query: Vectors) -> Scores:
        return products(self.rows, places, query)

    def nearest(self, asked: Vectors, count: int) -> tuple[Ids, Scores]:
        load_faiss()
        found, places = self._index.search(asked, min(count, len(self)))
        there = places[0] >= 0
        return places[0][there], found[0][there]
