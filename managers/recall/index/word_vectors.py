"""Japanese words by meaning: the word vectors that the PyPI package `ja-ginza` carries, without the rest of it.

Each word of a question also finds passages that hold one of the words nearest to it (食事 finds 昼食),
at the worth of their similarity. Only the table of 20,000 vectors and the list of words are read, 24 MB
in a memory map and 6 MB of keys; neither spaCy nor the package itself is imported.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import struct
import threading
from array import array
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from managers.recall.index.scalar_quantization import STEP, Bytes, Scanned, encode
from managers.storage.errors import Notice
from managers.storage.residence import give_back
from managers.storage.texts import Texts

_say = Texts("notices/recall")

NEAREST = 20
LEAST_SIMILARITY = 0.4
_ROWS = 2048
PLACE = "\x03"
"""Marks the place of a word in the table, kept apart from words in the posting lists."""

_MASK = (1 << 64) - 1
_M = 0xC6A4A7935BD1E995
_SEED = 1
_WIDTHS = {0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8}
"""How many bytes follow MessagePack's marks of unsigned numbers; any other is the number itself."""


def find_table() -> Path | None:
    """Return the folder with `vectors` and `key2row`, None if the package is not installed."""
    spec = importlib.util.find_spec("ja_ginza")
    if spec is None or not spec.submodule_search_locations:
        return None
    for folder in spec.submodule_search_locations:
        for table in sorted(Path(folder).glob("ja_ginza-*/vocab")):
            if (table / "vectors").is_file() and (table / "key2row").is_file():
                return table
    return None


@lru_cache(maxsize=1)
def table_version() -> str:
    """Return the version of the package."""
    try:
        return importlib.metadata.version("ja_ginza")
    except importlib.metadata.PackageNotFoundError:
        return "?"


@lru_cache(maxsize=1)
def opened(table: Path) -> WordVectors:
    """Return the one table for all personas."""
    return WordVectors(table)


class WordVectors:
    """Which words are near to which; loaded at the first use (half a second)."""

    def __init__(self, table: Path) -> None:
        self._table = table
        self._lock = threading.Lock()
        self._keys: npt.NDArray[np.uint64] | None = None
        self._rows: npt.NDArray[np.int32] = np.zeros(0, np.int32)
        self._vectors: npt.NDArray[np.float32] = np.zeros((0, 0), np.float32)
        self._norms: npt.NDArray[np.float32] = np.zeros(0, np.float32)
        self._codes: Scanned | None = None
        """The directions, a byte each: what is nearest is looked for among them and compared exactly."""
        self.place = lru_cache(maxsize=50_000)(self._place)
        self.near = lru_cache(maxsize=2048)(self._near)

    def _place(self, word: str) -> int | None:
        """Return a word's row in the table, None if it is not there."""
        self.load()
        assert self._keys is not None
        key = np.uint64(_murmur(word.encode("utf-8", "surrogatepass")))
        at = int(np.searchsorted(self._keys, key))
        return int(self._rows[at]) if at < len(self._keys) and self._keys[at] == key else None

    def _near(self, word: str) -> tuple[tuple[int, float], ...]:
        """Return the rows nearest to a word's, with their similarity, nearest first; its own is the first."""
        place = self.place(word)
        if place is None or word.isascii():
            return ()
        assert self._codes is not None
        found, _ = self._codes.nearest(self._codes.rows(np.array([place])).astype(np.float32), 2 * NEAREST)
        similar = self.directions(found.astype(np.int32)) @ self.directions(np.array([place], np.int32))[0]
        order = np.argsort(-similar, kind="stable")[: min(NEAREST, np.count_nonzero(similar >= LEAST_SIMILARITY))]
        return tuple(zip(found[order].tolist(), similar[order].tolist(), strict=True))

    @property
    def shape(self) -> tuple[int, int]:
        """How many words the table has, and how many numbers each."""
        self.load()
        count, width = self._vectors.shape
        return count, width

    def directions(self, rows: npt.NDArray[np.int32]) -> npt.NDArray[np.float32]:
        self.load()
        found: npt.NDArray[np.float32] = self._vectors[rows] / self._norms[rows, None]
        return found

    def terms(self, words: list[str]) -> list[str]:
        """Return the marked places of some words, for the posting lists."""
        found = [self.place(word) for word in words if not word.isascii()]
        return [f"{PLACE}{row}" for row in found if row is not None]

    @property
    def is_loaded(self) -> bool:
        """Whether a word can be looked up at once."""
        return self._keys is not None

    def load(self) -> None:
        """Read the table; once, whoever needs it first."""
        with self._lock:
            if self._keys is not None:
                return
            vectors: npt.NDArray[np.float32] = np.load(self._table / "vectors", mmap_mode="r")
            self._norms = np.maximum(np.linalg.norm(vectors, axis=1), 1e-9).astype(np.float32)
            self._vectors = np.asarray(vectors)  # the same map, without what numpy does at each look into a memmap
            self._codes = Scanned(-(-vectors.shape[1] // STEP) * STEP)
            for at in range(0, len(vectors), _ROWS):
                self._codes.add(_coded(vectors[at : at + _ROWS] / self._norms[at : at + _ROWS, None]))
            give_back("vectors")  # all of it was read once; few words are asked for
            keys, rows = _read_map((self._table / "key2row").read_bytes())
            order = np.argsort(keys)
            self._rows = rows[order]
            self._keys = keys[order]


def _coded(directions: npt.NDArray[np.float32]) -> Bytes:
    """Return unit vectors as bytes, as wide as FAISS likes."""
    return encode(np.pad(directions, ((0, 0), (0, -directions.shape[1] % STEP))))


def _read_map(data: bytes) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int32]]:
    """Read a MessagePack map of unsigned numbers to unsigned numbers."""
    if data[0] == 0xDF:  # noqa: PLR2004  # map 32
        count, at = struct.unpack_from(">I", data, 1)[0], 5
    elif data[0] == 0xDE:  # noqa: PLR2004  # map 16
        count, at = struct.unpack_from(">H", data, 1)[0], 3
    else:
        count, at = data[0] & 0x0F, 1
    numbers = np.zeros(2 * count, np.uint64)
    begins, step = array("q", bytes(16 * count)), [_WIDTHS.get(first, 0) + 1 for first in range(256)]
    for place in range(2 * count):
        begins[place] = at
        at += step[data[at]]
    starts, held = np.frombuffer(begins, np.int64), np.frombuffer(data, np.uint8)
    widths = np.array(step)[held[starts]] - 1
    numbers[widths == 0] = held[starts[widths == 0]]
    for width in _WIDTHS.values():
        here = np.flatnonzero(widths == width)
        for byte in range(1, width + 1):
            numbers[here] = numbers[here] << np.uint64(8) | held[starts[here] + byte]
    return numbers[0::2], numbers[1::2].astype(np.int32)


def _murmur(data: bytes) -> int:
    """MurmurHash64A (Austin Appleby), by which spaCy's tables name words."""
    mixed = (_SEED ^ (len(data) * _M)) & _MASK
    whole = len(data) // 8 * 8
    for (part,) in struct.iter_unpack("<Q", data[:whole]):
        key = (part * _M) & _MASK
        key = ((key ^ (key >> 47)) * _M) & _MASK
        mixed = ((mixed ^ key) * _M) & _MASK
    if rest := data[whole:]:
        mixed = ((mixed ^ int.from_bytes(rest, "little")) * _M) & _MASK
    mixed = ((mixed ^ (mixed >> 47)) * _M) & _MASK
    return mixed ^ (mixed >> 47)


def missing_notice() -> Notice:
    """Say that the package is not installed, and how to install it."""
    return _say.notice("embedder-missing.words")
