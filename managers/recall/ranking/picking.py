"""From a ranking to what is shown: repetitions once, variety where it is asked for, nothing whose file is gone.

All of it looks at one candidate after the other, and no further than it has to.
"""

from collections import Counter
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import islice
from pathlib import Path
from typing import TypeVar

import numpy as np

from managers.memory.log.reader import LogReader
from managers.recall.embedders import Vectors
from managers.recall.hits import ALL_TYPES, LOG_TYPES, Hit, MemoryType
from managers.recall.index.memory_index import MemoryIndex, Passage
from managers.recall.index.terms import terms
from managers.recall.index.vectors import vectors_together
from managers.recall.ranking.candidates import Candidates, passages_of, why
from managers.recall.ranking.distances import distances, excluded_by, fit, hit_of
from managers.recall.ranking.joining import Pieces
from managers.recall.ranking.repetition import what_tells_first
from managers.storage.settings import RecallSettings

_MORE = 20
"""Candidates looked at beyond what is asked for: some are repetitions, some in the window already."""
_AT_ONCE = 32


@dataclass(frozen=True, slots=True)
class Ranking:
    """What a search ranked.

    Attributes:
        query, types: what was asked.
        candidates: best first.
        indexes: where they are.
        epochs: of the indexes, as they were.
        factor: the embedder's.
        is_by_spelling: whether vectors tell how something is spelled rather than what it means.
        is_spread: whether the order is spread over time, and must stay as it is.
        is_again: whether it stands for one that was outdated.
    """

    query: str
    types: Collection[MemoryType] | None
    candidates: Candidates
    indexes: Sequence[MemoryIndex]
    epochs: tuple[str, ...] = ()
    factor: float = 1.0
    is_by_spelling: bool = False
    is_spread: bool = False
    is_again: bool = False

    def told(self, hits: Sequence[Hit]) -> list[Hit]:
        """Return hits in the order in which they are told: of an overview from the oldest on."""
        return sorted(hits, key=lambda hit: str(hit.time or "")) if self.is_spread else [*hits]

    def is_outdated(self) -> bool:
        """Whether an index was begun anew since: its numbers mean other passages now."""
        return any(index.store.marks()[0] != epoch for index, epoch in zip(self.indexes, self.epochs, strict=False))


@dataclass
class Picker:
    """Picks what is shown of a ranking.

    Attributes:
        folder: the persona's.
        again: asks something again when its ranking is outdated.
        aside: tells which messages stand aside, before the indexes know it.
        said_since: tells the first day whose talk is in use; None: all of it is.
        log: the conversation: pieces of one message are put together from it.
    """

    folder: Path
    settings: RecallSettings
    log: LogReader
    again: Callable[[Ranking], Ranking]
    aside: Callable[[], Container[str]] = frozenset
    said_since: Callable[[], date | None] = lambda: None

    def pick(
        self,
        ranking: Ranking,
        k: int,
        types: Collection[MemoryType] | None,
        *,
        limit: float | None = None,
        floor: float | None = None,
        excluded: Collection[str] = (),
        mmr: bool = False,
        telling: bool = False,
    ) -> list[Hit]:
        """Return the best of some kinds, without near duplicates.

        Args:
            ranking: of what is asked for.
            k: how many.
            types: which kinds; None: all.
            limit: the greatest distance, and then no more of each index than the settings allow.
            floor: the greatest distance of what fits (see `fit`).
            excluded: messages that are not wanted.
            mmr: with variety.
            telling: what tells something before what only asks or repeats; the user's last word on it among the first.
                Pieces of one message that stand side by side are one.
        """
        settings, aside = self.settings, self.aside()
        mmr, telling = mmr and not ranking.is_spread, telling and not ranking.is_spread
        candidates = _said_since(_wanted(ranking, types, limit, floor), ranking.indexes, self.said_since())
        gone: list[int] = []
        found = _with_passages(candidates, ranking.indexes, gone)
        pieces = Pieces(self.log, settings)
        kept = (one for one in pieces.noting(found) if not any(excluded_by(one[1], some) for some in (excluded, aside)))
        told = distinct(kept, of_the_log=limit is None)
        looked_at = list(islice(told, k * settings.mmr_pool if mmr else k + _MORE))
        if ranking.is_outdated() or (gone and not ranking.is_again):  # what is gone may have moved
            again = replace(self.again(ranking), is_again=True)
            return self.pick(again, k, types, limit=limit, floor=floor, excluded=excluded, mmr=mmr, telling=telling)
        candidates = candidates[np.array([place for place, _ in looked_at], np.int64)]
        passages = [passage for _, passage in looked_at]
        vectors = _vectors(candidates, ranking.indexes)
        texts = [passage.text for passage in passages] if ranking.is_by_spelling else None
        scores = candidates["score"].tolist()
        order: Iterable[int] = varied(
            scores, vectors, settings.mmr_lambda if mmr else 1.0, settings.duplicate_similarity, texts
        )
        if telling:
            order = what_tells_first(order, passages, scores, ranking.query)
        if limit is not None:
            order = _from_each_index(order, candidates["index"].tolist(), settings.per_index)
        chosen = list(islice(self._still_there(order, passages), k))
        far = distances(candidates, ranking.factor).tolist()
        hits = [hit_of(passages[place], far[place], why(candidates[place])) for place in chosen]
        return [pieces.joined(hit) for hit in hits] if telling else hits

    def _still_there(self, order: Iterable[int], passages: Sequence[Passage]) -> Iterator[int]:
        """Leave out what is in two indexes while it moves, and what lies in a file that is gone."""
        found: set[tuple[tuple[str, ...], str]] = set()
        exists: dict[str, bool] = {}
        for place in order:
            one = passages[place]
            if one.path not in exists:
                exists[one.path] = (self.folder / one.path).exists()
            if exists[one.path] and (one.message_ids, one.text) not in found:
                found.add((one.message_ids, one.text))
                yield place


def _said_since(some: Candidates, indexes: Sequence[MemoryIndex], since: date | None) -> Candidates:
    """Return the candidates without the talk from before a day; talk that nobody dated stays."""
    if since is None:
        return some
    kept = np.ones(len(some), bool)
    for at, index in enumerate(indexes):
        here = np.flatnonzero(some["index"] == at)
        kept[here] = ~index.view.said_before(since)[some["number"][here]]
    return some[kept]


def _wanted(
    ranking: Ranking, types: Collection[MemoryType] | None, limit: float | None, floor: float | None
) -> Candidates:
    found = ranking.candidates
    if types is not None:
        found = found[np.isin(found["kind"], [ALL_TYPES.index(kind) for kind in types])]
    if limit is not None:
        found = found[distances(found, ranking.factor) <= limit]
    return found if floor is None else found[fit(found, ranking.factor, floor)]


Thing = TypeVar("Thing")
Told = TypeVar("Told", Hit, Passage)
_FEW = 3
"""What rests on more messages than these sums them up, and says something that each of them does not."""


def distinct(found: Iterable[tuple[Thing, Told]], *, of_the_log: bool = False) -> Iterator[tuple[Thing, Told]]:
    """Leave out what rests on nothing but messages that something before it rests on: it says the same again.

    Args:
        found: best first.
        of_the_log: only where it is a piece of a message itself: whoever looks for a person's card finds it beside the
            message that it rests on.
    """
    covered: set[str] = set()
    seen: set[frozenset[str]] = set()
    for thing, hit in found:
        ids = frozenset[str]() if of_the_log and hit.type not in LOG_TYPES else frozenset(hit.message_ids)
        if ids and (ids in seen or ids <= covered):
            continue
        seen.add(ids)
        if len(ids) <= _FEW:
            covered |= ids
        yield thing, hit


def varied(
    scores: Sequence[float],
    vectors: Vectors,
    lambda_: float,
    duplicate: float,
    texts: Sequence[str] | None = None,
) -> Iterator[int]:
    """Choose by maximal marginal relevance (Carbonell & Goldstein, 1998); near duplicates once only.

    Args:
        scores: of the candidates, best first.
        vectors: theirs, unit length, a row each; zeros where unknown.
        lambda_: 1: by score alone; 0: by difference alone.
        duplicate: similarity from which on two are the same.
        texts: theirs, where vectors tell spelling rather than meaning: two that are nearly spelled the
            same are the same only if they hold the same words ("room 12" is not "room 13").

    Yields:
        places in `scores`, in the order chosen.
    """
    relevance = np.array(scores, np.float32) / max(scores[0], 1e-9) if scores else np.zeros(0, np.float32)
    nearest = np.zeros(len(scores), np.float32)
    open_ = np.ones(len(scores), np.bool_)
    while open_.any():
        gain = np.where(open_, lambda_ * relevance - (1 - lambda_) * nearest, -np.inf)
        best = int(gain.argmax())
        yield best
        similar = np.einsum("ij,j->i", vectors, vectors[best])
        nearest = np.maximum(nearest, similar)
        same = similar >= duplicate
        if texts is not None:
            for place in (int(at) for at in np.flatnonzero(same) if at != best):
                same[place] = set(terms(texts[place])) == set(terms(texts[best]))
        open_ &= ~same
        open_[best] = False


def _from_each_index(order: Iterable[int], indexes: Sequence[int], most: int) -> Iterator[int]:
    """Leave out what an index holds beyond the best so many."""
    taken: Counter[int] = Counter()
    for place in order:
        taken[indexes[place]] += 1
        if taken[indexes[place]] <= most:
            yield place


def _with_passages(
    candidates: Candidates, indexes: Sequence[MemoryIndex], gone: list[int]
) -> Iterator[tuple[int, Passage]]:
    """Yield the candidates' places with their passages, fetched some at a time: most are never looked at.

    The places of those that were taken out since are added to `gone`.
    """
    for begin in range(0, len(candidates), _AT_ONCE):
        some = passages_of(candidates[begin : begin + _AT_ONCE], indexes)
        for place, passage in enumerate(some, begin):
            if passage is None:
                gone.append(place)
            else:
                yield place, passage


def _vectors(candidates: Candidates, indexes: Sequence[MemoryIndex]) -> Vectors:
    """Return the vectors of candidates; rows of zeros where they are of another width than most."""
    found = [(np.flatnonzero(candidates["index"] == place), index) for place, index in enumerate(indexes)]
    parts = ((here, index.vectors, candidates["number"][here]) for here, index in found)
    return vectors_together(len(candidates), parts)
