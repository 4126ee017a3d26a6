"""The built-in embedder: character n-grams hashed to a dense vector, weighted by rarity. numpy only.

It needs no model and no network, treats Japanese and English alike, and finds what words miss:
inflections, compounds, spelling variants. Each n-gram of one to three characters adds ± its weight to
the place of the vector that its hash names (feature hashing, Weinberger et al., 2009); the weight is
(1 + log count) · idf, with document frequencies of hash buckets from the persona's own memories.
"""

import re
import unicodedata
import zlib
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from managers.recall.embedders import Vectors

DIMENSIONS = 1024
ORDERS = (1, 2, 3)
BUCKETS = 1 << 17
_BATCH = 512
TRUSTED_FROM = 200
"""So many passages make weights that tell rare from common."""
_MAX_CHARACTERS = 2000
_BLANKS = re.compile(r"\s+")
_U64 = np.uint64
_MULTIPLY = _U64(0x9E3779B97F4A7C15)
_MIX = _U64(0xBF58476D1CE4E5B9)

Hashes = npt.NDArray[np.uint64]


class NgramEmbedder:
    """Hashed character n-grams; deterministic."""

    is_remote = False
    is_slow = False

    def __init__(self, frequencies: npt.NDArray[np.uint32] | None = None, passages: int = 0) -> None:
        """Take corpus weights, or none: then all n-grams weigh the same.

        Args:
            frequencies: for each hash bucket the number of passages that it occurred in.
            passages: of how many.
        """
        self.frequencies = frequencies
        self.counted = passages
        if frequencies is None or passages == 0:
            self._weights = np.ones(BUCKETS, np.float32)
            stamp = 0
        else:
            self._weights = np.log((passages + 1) / (frequencies + 1.0) + 0.1).astype(np.float32)
            self._weights = np.maximum(self._weights, np.float32(0.05))
            stamp = zlib.crc32(frequencies.tobytes())
        self.name = f"ngrams-{DIMENSIONS}-{stamp:08x}"

    @property
    def factor(self) -> float:
        """As measured: 97 of 100 questions without an answer find no cosine above 0.3, so that counts as 0.75.

        Without weights any two English sentences are closer than that, and only what is alike may pass.
        """
        return 0.54 if self.counted >= TRUSTED_FROM else 1.0

    @property
    def is_ready(self) -> bool:
        return True

    def load(self) -> None:
        """Nothing has to be loaded."""

    def passages(self, texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.zeros((0, DIMENSIONS), np.float32)
        return np.concatenate([self._embed(texts[at : at + _BATCH]) for at in range(0, len(texts), _BATCH)])

    def query(self, text: str) -> Vectors:
        return self._embed([text])

    def _embed(self, texts: Sequence[str]) -> Vectors:
        rows, hashes, counts = _counted(texts)
        weights = (1 + np.log(counts)) * self._weights[_bucket(hashes)]
        size = len(texts) * DIMENSIONS
        place = rows * DIMENSIONS + (hashes % _U64(DIMENSIONS)).astype(np.int64)
        sign = 1.0 - 2.0 * ((hashes >> _U64(10)) & _U64(1)).astype(np.float64)
        vectors = np.bincount(place, weights * sign, size).reshape(len(texts), DIMENSIONS)
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit: Vectors = (vectors / np.maximum(norms, 1e-9)).astype(np.float32)
        return unit


def count_frequencies(texts: Iterable[str]) -> tuple[npt.NDArray[np.uint32], int]:
    """Return in how many texts each hash bucket occurs, and how many texts there are."""
    frequencies = np.zeros(BUCKETS, np.uint32)
    number = 0
    batch: list[str] = []

    def add() -> None:
        nonlocal number
        rows, hashes, _ = _counted(batch)
        pairs = np.unique(rows * BUCKETS + _bucket(hashes))
        frequencies[:] += np.bincount(pairs % BUCKETS, minlength=BUCKETS).astype(np.uint32)
        number += len(batch)
        batch.clear()

    for text in texts:
        batch.append(text)
        if len(batch) == _BATCH:
            add()
    if batch:
        add()
    return frequencies, number


def _bucket(hashes: Hashes) -> npt.NDArray[np.int64]:
    return ((hashes * _MULTIPLY) >> _U64(64 - 17)).astype(np.int64)


def _counted(texts: Sequence[str]) -> tuple[npt.NDArray[np.int64], Hashes, npt.NDArray[np.int64]]:
    """Return (text number, hash, count) of all n-grams of some texts."""
    plain = [f" {_plain(text)} " for text in texts]
    points = np.frombuffer("".join(plain).encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.uint64)
    owner = np.repeat(np.arange(len(plain)), [len(text) for text in plain])
    rows, hashes = [], []
    rolling = np.zeros(len(points), np.uint64)
    for order in range(1, max(ORDERS) + 1):
        size = len(points) - order + 1
        if size <= 0:
            break
        rolling = (rolling[:size] * _MULTIPLY) ^ (points[order - 1 :] + _U64(order))
        rolling = rolling * _MIX
        rolling ^= rolling >> _U64(29)
        if order in ORDERS:
            inside = owner[:size] == owner[order - 1 :]
            rows.append(owner[:size][inside])
            hashes.append(rolling[inside])
    row, hashed = np.concatenate(rows), np.concatenate(hashes)
    # One sort of hash-and-row keys counts repetitions; 50 bits of the hash are plenty.
    keys = (hashed >> _U64(14) << _U64(14)) | row.astype(np.uint64)
    found, counts = np.unique(keys, return_counts=True)
    return (found & _U64((1 << 14) - 1)).astype(np.int64), found >> _U64(14), counts


def _plain(text: str) -> str:
    return _BLANKS.sub(" ", unicodedata.normalize("NFKC", text[:_MAX_CHARACTERS])).lower().strip()
