"""How well passages hold a question's words: BM25 over posting lists, of several indexes as if they were one.

A word counts where it stands, and for less where something of the same meaning does: a synonym,
something of the kind that it names, another word of its field, one that is near to it in the table of word vectors, or pairs of its characters.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from managers.recall.index import MemoryIndex
from managers.recall.related import FIELD, KIND
from managers.recall.terms import Meaning, pairs
from managers.recall.view import View
from managers.recall.word_vectors import PLACE, WordVectors

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


def score_words(
    works: Sequence[Work], words: Sequence[str], meanings: Sequence[Meaning], nearby: WordVectors | None
) -> float:
    """Add the scores of a question's words; return the score of a perfect match.

    Args:
        works: what is searched; their `words` grow.
        words: the question's, each once.
        meanings: which of them have synonyms, or stand for others.
        nearby: Japanese words by meaning.
    """
    scoring = _WordScoring(works, nearby)
    scoring.look_up([*words, *(group for meaning in meanings for group in meaning.groups), *scoring.look_around(words)])
    said_otherwise = {word for meaning in meanings for word in meaning.words}
    sums = [_Sums(work.words) for work in works]
    apart = {word: [_Sums.like(work.words) for work in works] for word in words if word in said_otherwise}
    ideal = sum(scoring.add_word(word, apart.get(word) or sums) for word in words)
    for meaning in meanings:
        scoring.raise_to_synonyms(meaning, [apart[word] for word in meaning.words if word in apart])
    for parts in apart.values():
        for part, whole in zip(parts, sums, strict=True):
            part.pour_into(whole)
    return ideal


class _Sums:
    """A number for every passage, most of them nought, and which are not: nobody has to look at all of them."""

    def __init__(self, values: Floats) -> None:
        self.values = values
        self._touched: list[Numbers] = []

    @classmethod
    def like(cls, values: Floats) -> _Sums:
        return cls(np.zeros(len(values), np.float32))

    def add(self, places: Numbers, values: Floats) -> None:
        """Add to some passages, each named once."""
        if len(places):
            self.values[places] += values
            self._touched.append(places)

    def set(self, places: Numbers, values: Floats) -> None:
        """Give some passages so much; of one that is named several times the last counts."""
        if len(places):
            self.values[places] = values
            self._touched.append(places)

    def pour_into(self, other: _Sums, weight: float = 1.0) -> None:
        """Add all of it to another, and be empty."""
        for places in self._touched:
            other.add(places, self.values[places] * np.float32(weight))
            self.values[places] = 0
        self._touched.clear()


class _WordScoring:
    """BM25 with the numbers of all indexes together."""

    def __init__(self, works: Sequence[Work], nearby: WordVectors | None) -> None:
        self.works = works
        self._lists: list[dict[str, tuple[Numbers, Counts]]] = [{} for _ in works]
        self.nearby = nearby
        self.total = sum(work.view.alive for work in works)
        mean = max(sum(work.view.words for work in works) / self.total, 1.0) if self.total else 1.0
        self._best = [_Sums.like(work.words) for work in works] if nearby else []
        relative = np.arange(256, dtype=np.float32) / np.float32(mean)
        self.lengths: Floats = (K1 * (1 - B + B * relative)).astype(np.float32)

    def look_up(self, terms: Collection[str]) -> None:
        """Fetch the posting lists of some words together."""
        for work, lists in zip(self.works, self._lists, strict=True):
            missing = [term for term in terms if term not in lists]
            if missing:
                lists.update(work.index.store.postings_of(missing))

    def look_around(self, words: Sequence[str]) -> list[str]:
        """Return the marked places of all words near to some words."""
        near = self.nearby.near if self.nearby else lambda _: ()
        return [f"{PLACE}{row}" for word in words for row, _ in near(word)]

    def _listed(self, at: int, term: str) -> tuple[Numbers, Counts]:
        """Return which passages of an index hold a word, and how often."""
        places, counts = self._lists[at][term]
        if not len(places):
            return places, counts
        inside = int(np.searchsorted(places, len(self.works[at].view)))  # another process may have added since
        return places[:inside], counts[:inside]

    def add_word(self, word: str, scores: Sequence[_Sums]) -> float:
        """Add a word's scores, for each index to its own; return the word's rarity."""
        lists = [self._listed(at, word) for at in range(len(self.works))]
        frequency = sum(len(places) for places, _ in lists)
        rarity = self._rarity(frequency)
        near = self.nearby.near(word) if self.nearby else ()
        for at, (score, (places, counts)) in enumerate(zip(scores, lists, strict=True)):
            if near:
                self._match_best(at, places, counts, near).pour_into(score, rarity)
            else:
                score.add(places, np.float32(rarity) * self._saturated(at, places, counts))
        if frequency == 0 and not near:
            self._add_pairs(word, scores)
        return rarity

    def raise_to_synonyms(self, meaning: Meaning, parts: Sequence[Sequence[_Sums]]) -> None:
        """Let passages that say the same in other words have a share of what the words themselves give.

        A group is as rare as all of its words together.
        """
        if not parts:
            return
        for group in meaning.groups:
            lists = [self._listed(at, group) for at in range(len(self.works))]
            rarity = np.float32(worth_of(group) * self._rarity(sum(len(places) for places, _ in lists)))
            for at, (places, counts) in enumerate(lists):
                held = sum(part[at].values[places] for part in parts)
                parts[0][at].add(places, np.maximum(rarity * self._saturated(at, places, counts) - held, 0))

    def _add_pairs(self, word: str, scores: Sequence[_Sums]) -> None:
        """Score a Japanese word that is listed nowhere by its pairs of characters: it was cut otherwise, or is new."""
        marked = list(dict.fromkeys(pairs(word)))
        self.look_up(marked)
        for pair in marked:
            lists = [self._listed(at, pair) for at in range(len(self.works))]
            rarity = self._rarity(sum(len(places) for places, _ in lists)) / len(marked)
            for at, (score, (places, counts)) in enumerate(zip(scores, lists, strict=True)):
                score.add(places, np.float32(rarity) * self._saturated(at, places, counts))

    def _match_best(self, at: int, places: Numbers, counts: Counts, near: Sequence[tuple[int, float]]) -> _Sums:
        """Return for the passages of an index the share of the word, or of the one nearest to it that they hold."""
        lists = [(places, counts), *(self._listed(at, f"{PLACE}{row}") for row, _ in near)]
        worths = np.array([1.0, *(similarity * NEAR_WORTH for _, similarity in near)], np.float32)
        held = np.concatenate([numbers for numbers, _ in lists])
        shares = self._saturated(at, held, np.concatenate([often for _, often in lists]))
        shares *= np.repeat(worths, [len(numbers) for numbers, _ in lists])
        best, order = self._best[at], np.argsort(shares)
        best.set(held[order], shares[order])
        return best

    def _saturated(self, at: int, places: Numbers, counts: Counts) -> Floats:
        """Return BM25's share of a word in each of some passages of an index, 0 to 1."""
        often = counts.astype(np.float32)
        share: Floats = often / (often + self.lengths[self.works[at].view.lengths[places]])
        return share

    def _rarity(self, frequency: int) -> float:
        return float(np.log1p(max(self.total - frequency + 0.5, 0.5) / (frequency + 0.5)))
