"""How well passages hold a question's words: BM25 over posting lists, of several indexes as if they were one.

A word counts where it stands, and for less where something of the same meaning does: a synonym,
something of the kind that it names, another word of its field, one that is near to it in the table of word vectors, or pairs of its characters.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from managers.recall.index.memory_index import MemoryIndex
from managers.recall.index.postings import Postings
from managers.recall.index.related_words import FIELD, KIND
from managers.recall.index.terms import Meaning, pairs
from managers.recall.index.view import View
from managers.recall.index.word_vectors import PLACE, WordVectors

K1, B = 1.2, 0.75
"""BM25's usual constants (Robertson & Zaragoza, 2009)."""

SYNONYM_WORTH = 0.8
"""What a synonym is worth beside the word itself."""
KIND_WORTH = 0.6
"""What something of a kind is worth beside the kind's name."""
FIELD_WORTH = 0.4
"""What another word of the same field of life is worth beside the word itself."""
NEAR_WORTH = 0.8
"""What a word of like meaning is worth beside the word itself, at similarity 1."""

_WORTHS = {KIND: KIND_WORTH, FIELD: FIELD_WORTH}

Floats = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int64]
Counts = npt.NDArray[np.uint8]


Match = tuple[Numbers, Floats]
"""Passages, and how well each holds a word; one that is named several times holds it equally well each time."""


@dataclass(slots=True)
class Work:
    """One index under search.

    Attributes:
        words: how well each passage holds the question's words.
        near, cosines: the passages whose vectors are nearest to the question's.
    """

    index: MemoryIndex
    view: View
    words: Floats
    near: Numbers = field(default_factory=lambda: np.zeros(0, np.int64))
    cosines: Floats = field(default_factory=lambda: np.zeros(0, np.float32))


def worth_of(group: str) -> float:
    """Return what something listed under a group of synonyms, a kind or a field is worth beside the word itself."""
    return _WORTHS.get(group[0], SYNONYM_WORTH)


class _Sums:
    """A number for every passage, most of them nought, and which are not: nobody has to look at all of them."""

    def __init__(self, size: int) -> None:
        self.values: Floats = np.zeros(size, np.float32)
        self._touched: list[Numbers] = []

    def add(self, places: Numbers, values: Floats) -> None:
        """Add to some passages, to each once."""
        if len(places):
            self.values[places] += values
            self._touched.append(places)

    def pour_into(self, other: _Sums) -> None:
        """Add all of it to another, and be empty."""
        for places in self._touched:
            other.add(places, self.values[places])
            self.values[places] = 0


class WordScoring:
    """BM25 with the numbers of all indexes together, for one question or several that share words."""

    def __init__(self, indexes: Sequence[MemoryIndex], nearby: WordVectors | None) -> None:
        self.indexes = indexes
        self._views = [index.view for index in indexes]
        self._nearby = nearby
        self._lists: dict[str, list[Postings]] = {}
        self._matches: dict[str, tuple[float, list[list[Match]]]] = {}
        self._total = sum(view.alive for view in self._views)
        mean = max(sum(view.words for view in self._views) / self._total, 1.0) if self._total else 1.0
        relative = np.arange(256, dtype=np.float32) / np.float32(mean)
        self._lengths: Floats = (K1 * (1 - B + B * relative)).astype(np.float32)

    def score(self, words: Sequence[str], meanings: Sequence[Meaning]) -> tuple[list[Work], float]:
        """Score all passages by a question's words.

        Returns:
            the indexes with the scores, and the score of a perfect match.
        """
        near = [f"{PLACE}{row}" for word in words for row, _ in self._near(word)]
        self._look_up([*words, *(group for meaning in meanings for group in meaning.groups), *near])
        said_otherwise = {word for meaning in meanings for word in meaning.words}
        sums = self._sums()
        apart = {word: self._sums() for word in words if word in said_otherwise}
        ideal = sum(self._add_word(word, apart.get(word) or sums) for word in words)
        for meaning in meanings:
            self._raise_to_synonyms(meaning, [apart[word] for word in meaning.words if word in apart])
        for parts in apart.values():
            for part, whole in zip(parts, sums, strict=True):
                part.pour_into(whole)
        works = zip(self.indexes, self._views, sums, strict=True)
        return [Work(index, view, whole.values) for index, view, whole in works], ideal

    def _sums(self) -> list[_Sums]:
        return [_Sums(len(view)) for view in self._views]

    def _near(self, word: str) -> Sequence[tuple[int, float]]:
        return self._nearby.near(word) if self._nearby else ()

    def _look_up(self, terms: Iterable[str]) -> None:
        """Fetch the posting lists of some words together."""
        missing = [term for term in dict.fromkeys(terms) if term not in self._lists]
        found = [index.store.postings_of(missing) for index in self.indexes] if missing else []
        sizes = [len(view) for view in self._views]
        for term in missing:
            self._lists[term] = [_within(lists[term], size) for lists, size in zip(found, sizes, strict=True)]

    def _add_word(self, word: str, scores: Sequence[_Sums]) -> float:
        """Add a word's scores, for each index to its own; return the word's rarity."""
        if word not in self._matches:
            self._matches[word] = self._match(word)
        rarity, matches = self._matches[word]
        for score, some in zip(scores, matches, strict=True):
            for places, values in some:
                score.add(places, values)
        return rarity

    def _match(self, word: str) -> tuple[float, list[list[Match]]]:
        """Return a word's rarity and, for each index, how well the passages hold it.

        A Japanese word that is listed nowhere is matched by its pairs of characters: it was cut otherwise, or is new.
        """
        frequency = self._frequency(word)
        rarity, near = self._rarity(frequency), self._near(word)
        if frequency or near:
            terms = [(word, 1.0), *((f"{PLACE}{row}", similarity * NEAR_WORTH) for row, similarity in near)]
            return rarity, [[self._best(at, terms, rarity)] for at in range(len(self.indexes))]
        marked = list(dict.fromkeys(pairs(word)))
        self._look_up(marked)
        rarities = [self._rarity(self._frequency(pair)) / len(marked) for pair in marked]
        found = [
            [self._best(at, [(pair, 1.0)], worth) for pair, worth in zip(marked, rarities, strict=True)]
            for at in range(len(self.indexes))
        ]
        return rarity, found

    def _best(self, at: int, terms: Sequence[tuple[str, float]], rarity: float) -> Match:
        """Return for the passages of an index what the best of some words that they hold is worth."""
        lists = [self._lists[term][at] for term, _ in terms]
        places = np.concatenate([numbers for numbers, _ in lists])
        shares = self._saturated(at, places, np.concatenate([counts for _, counts in lists]))
        if len(terms) > 1 and len(places):
            shares *= np.repeat(np.array([worth for _, worth in terms], np.float32), [len(one) for one, _ in lists])
            best, order = self._scratch[at], np.argsort(shares)
            best[places[order]] = shares[order]
            shares = best[places]
            best[places] = 0
        return places, np.float32(rarity) * shares

    @cached_property
    def _scratch(self) -> list[Floats]:
        """Noughts, and noughts again after every use."""
        return [np.zeros(len(view), np.float32) for view in self._views]

    def _raise_to_synonyms(self, meaning: Meaning, parts: Sequence[Sequence[_Sums]]) -> None:
        """Let passages that say the same in other words have a share of what the words themselves give.

        A group is as rare as all of its words together.
        """
        for group in meaning.groups if parts else ():
            rarity = np.float32(worth_of(group) * self._rarity(self._frequency(group)))
            for at, (places, counts) in enumerate(self._lists[group]):
                held = sum(part[at].values[places] for part in parts)
                parts[0][at].add(places, np.maximum(rarity * self._saturated(at, places, counts) - held, 0))

    def _saturated(self, at: int, places: Numbers, counts: Counts) -> Floats:
        """Return BM25's share of a word in each of some passages of an index, 0 to 1."""
        often = counts.astype(np.float32)
        share: Floats = often / (often + self._lengths[self._views[at].lengths[places]])
        return share

    def _frequency(self, term: str) -> int:
        return sum(len(places) for places, _ in self._lists[term])

    def _rarity(self, frequency: int) -> float:
        return float(np.log1p(max(self._total - frequency + 0.5, 0.5) / (frequency + 0.5)))


def _within(postings: Postings, size: int) -> Postings:
    """Return a list without the passages that another process has added since the index was read."""
    places, counts = postings
    if not len(places) or places[-1] < size:
        return postings
    inside = int(np.searchsorted(places, size))
    return places[:inside], counts[:inside]
