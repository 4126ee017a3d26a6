"""The built-in embedder with Japanese words by meaning: beside the n-grams the mean of the words' vectors.

What a short message is about shows in the mean of its words' vectors, weighted by how rare each word is,
without the direction that all of a persona's messages share (smooth inverse frequency: Arora, Liang & Ma,
2017). Both stand side by side in one vector, so that one inner product compares spelling and meaning.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from managers.recall.embedders import Vectors
from managers.recall.embedders.ngrams import DIMENSIONS, TRUSTED_FROM, NgramEmbedder
from managers.recall.index.scalar_quantization import STEP
from managers.recall.index.terms import is_japanese, terms
from managers.recall.index.word_vectors import WordVectors

MEANING_SHARE = 0.5
"""How much of a Japanese text's vector its meaning is."""
RARE = 1e-3
"""A word that makes up this share of all that is said has half the weight of a rare one (the paper's constant)."""
_SAMPLE = 5000
"""So many texts tell the direction that all share."""

Rows = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Habits:
    """How a persona's memories use the words of the table.

    Attributes:
        frequencies: how often each is said.
        common: the direction that the means of all texts share, of unit length.
    """

    frequencies: npt.NDArray[np.uint32]
    common: Floats

    def dump(self) -> bytes:
        """Return what `load` reads."""
        return self.frequencies.tobytes() + self.common.tobytes()

    @classmethod
    def load(cls, data: bytes, words: WordVectors) -> Habits | None:
        """Return the habits that were kept; None if there are none for this table."""
        count, width = words.shape
        if len(data) != 4 * (count + width):
            return None
        return cls(np.frombuffer(data, np.uint32, count), np.frombuffer(data, np.float32, width, 4 * count))


class HabitCounter:
    """Reads along while something else goes through the texts."""

    def __init__(self, words: WordVectors) -> None:
        self._words = words
        self._texts: list[Rows] = []
        self.japanese = 0
        """How many of the texts are."""

    def reading(self, texts: Iterable[str]) -> Iterator[str]:
        """Yield the texts as they come."""
        for text in texts:
            if is_japanese(text):
                self.japanese += 1
                self._texts.append(rows_of(text, self._words))
            yield text

    def habits(self) -> Habits | None:
        """Return what was read; None if it held no word of the table."""
        self._texts = [rows for rows in self._texts if len(rows)]
        if not self._texts:
            return None
        count, width = self._words.shape
        frequencies = np.bincount(np.concatenate(self._texts), minlength=count).astype(np.uint32)
        weights = _weights(frequencies)
        step = -(-len(self._texts) // _SAMPLE)
        means = np.stack([_mean(rows, weights, self._words) for rows in self._texts[::step]])
        common = np.linalg.eigh(means.T.astype(np.float64) @ means)[1][:, -1]
        return Habits(frequencies, common.astype(np.float32).reshape(width))


class WordMeansEmbedder(NgramEmbedder):
    """Hashed character n-grams and the mean of the words' vectors, in one; deterministic."""

    def __init__(
        self,
        words: WordVectors,
        frequencies: npt.NDArray[np.uint32] | None = None,
        passages: int = 0,
        habits: Habits | bytes | None = None,
    ) -> None:
        """Take the table, and corpus weights or none; nothing of the table is read yet.

        Args:
            words: the table of word vectors.
            frequencies: of the n-grams.
            passages: of how many.
            habits: how often each word is said, also as `dump` gave it; None: all weigh the same, nothing is common to all.
        """
        super().__init__(frequencies, passages)
        self.words = words
        self.dumped: Final = habits.dump() if isinstance(habits, Habits) else habits or b""
        self.name = f"{self.name}+means2-{zlib.crc32(self.dumped):08x}"

    @property
    def is_ready(self) -> bool:
        return self.words.is_loaded

    def load(self) -> None:
        self.words.load()

    @cached_property
    def habits(self) -> Habits | None:
        """Return how often each word is said; None if that is not known."""
        return Habits.load(self.dumped, self.words)

    @cached_property
    def _word_weights(self) -> Floats | None:
        return None if self.habits is None else _weights(self.habits.frequencies)

    @property
    def factor(self) -> float:
        """As measured: 97 of 100 Japanese questions without an answer find no cosine above 0.35; see the n-grams'."""
        return 0.58 if self.counted >= TRUSTED_FROM else 1.0

    def _embed(self, texts: Sequence[str]) -> Vectors:
        spelling = super()._embed(texts)
        start, end = spelling.shape[1], spelling.shape[1] + self.words.shape[1]
        vectors = np.zeros((len(texts), -(-end // STEP) * STEP), np.float32)
        for place, text in enumerate(texts):
            rows = rows_of(text, self.words)
            meaning = self._meaning(rows)
            share = 0.0 if meaning is None else MEANING_SHARE
            vectors[place, :start] = spelling[place] * np.float32(np.sqrt(1 - share))
            if meaning is not None:
                vectors[place, start:end] = meaning * np.float32(np.sqrt(share))
        return vectors

    def spelling(self, query: Vectors) -> Vectors:
        """Return a question's vector as it is asked of documents, by spelling alone.

        The mean of as many words as a document's passage has says little about any of them. Longer than one,
        so that the product is that of the n-grams by themselves.
        """
        asked: Vectors = query.copy()
        asked[:, DIMENSIONS:] = 0
        length = max(float(np.linalg.norm(asked)), 1e-9) * np.sqrt(1 - MEANING_SHARE)
        asked /= np.float32(length)
        return asked

    def _meaning(self, rows: Rows) -> Floats | None:
        """Return the mean of some words without what is common to all, of unit length; None if nothing is left."""
        if not len(rows):
            return None
        mean = _mean(rows, self._word_weights, self.words)
        if self.habits is not None:
            mean = mean - (mean @ self.habits.common) * self.habits.common
        length = np.linalg.norm(mean)
        return None if length < 1e-6 else mean / length  # noqa: PLR2004  # rounding, no direction


def rows_of(text: str, words: WordVectors) -> Rows:
    """Return the rows of a text's words in the table; of texts without Japanese none."""
    if not is_japanese(text):
        return np.zeros(0, np.int32)
    places = (words.place(word) for word in terms(text) if not word.isascii())
    return np.array([place for place in places if place is not None], np.int32)


def _weights(frequencies: npt.NDArray[np.uint32]) -> Floats:
    share = np.maximum(frequencies, 1) / max(int(frequencies.sum()), 1)
    weights: Floats = (RARE / (RARE + share)).astype(np.float32)
    return weights


def _mean(rows: Rows, weights: Floats | None, words: WordVectors) -> Floats:
    mean: Floats = words.directions(rows).T @ (np.ones(len(rows), np.float32) if weights is None else weights[rows])
    return mean / np.float32(max(float(np.linalg.norm(mean)), 1e-9))
