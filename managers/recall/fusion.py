"""From candidates to one ranking: words and vectors, neighbours, speakers, times; then variety.

relevance = words/best words + SHARE · vector/best vector          of the passage itself
own       = relevance + share·(neighbours' relevance) + share²·(those one further)
score     = own · standing · (speaker) · (tells when) + (in the time asked for)
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

import numpy as np
import numpy.typing as npt

from managers.language.times import TimeSpan, find_times
from managers.recall.cues import Cues, speaker_numbers
from managers.recall.embedders import Vectors
from managers.recall.hits import MemoryType
from managers.recall.index import MemoryIndex
from managers.recall.lexical import K1, Floats, Numbers, Work, score_words
from managers.recall.store import TELLS_WHEN
from managers.recall.terms import terms
from managers.recall.view import KINDS, REACH
from managers.recall.word_vectors import WordVectors

VECTOR_SHARE = 0.25
"""What a passage's vector is worth beside its words, if it tells spelling more than meaning."""
OTHERS_WORTH = 0.6
"""What somebody else's words are worth when one person's are asked for."""
TELLING_GAIN = 0.3
TIME_GAIN = 0.5
POOL = 200
"""How many candidates the words and the vectors each give."""

PARTS = ("lexical", "semantic", "neighbour", "time")


@dataclass(frozen=True, slots=True)
class Ways:
    """Which parts take part, and how much: for settings, and for measuring what each is worth."""

    lexical: bool = True
    vector: bool = True
    neighbour_share: float = 0.5
    speakers: bool = True
    times: bool = True
    standing: bool = True


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage and why it stands where it stands.

    Attributes:
        index: which of the searched indexes it is in.
        number: its number there.
        kind: which kind of memory.
        score: what it is ranked by, higher is better; comparable within one search.
        coverage: which share of the question's words it and its neighbours hold, weighted by rarity:
            0 none, about 1 all; comparable between searches.
        cosine: of its own vector and the question's.
        parts: what each of `PARTS` gave to the score.
    """

    index: int
    number: int
    kind: MemoryType
    score: float
    coverage: float
    cosine: float
    parts: tuple[float, ...]

    @property
    def why(self) -> tuple[tuple[str, float], ...]:
        """What each part gave to the score, in shares that add up to one."""
        total = sum(self.parts)
        return tuple(
            (name, round(float(part / total), 3)) for name, part in zip(PARTS, self.parts, strict=True) if part > 0
        )


def rank(
    indexes: Sequence[MemoryIndex],
    cues: Cues,
    queries: Sequence[Vectors | None],
    kinds: Collection[str] | None,
    ways: Ways,
    now: datetime,
    nearby: WordVectors | None = None,
    vector_share: float = VECTOR_SHARE,
) -> list[Candidate]:
    """Return the candidates of all indexes in one ranking, best first.

    Args:
        indexes: refreshed.
        cues: what is looked for.
        queries: its vector, a row, as it is asked of each index; None: words only.
        kinds: only memories of these kinds.
        ways: which parts take part.
        now: what times are reckoned from.
        nearby: Japanese words by meaning.
        vector_share: what a vector is worth beside words, but for documents.
    """
    works = [Work(index, index.view, np.zeros(len(index.view.columns), np.float32)) for index in indexes]
    ideal = score_words(works, cues.words, cues.meanings, nearby) if ways.lexical else 0.0
    for work in works:
        if kinds is not None:
            wanted = np.isin(work.view.columns["kind"], [KINDS.index(kind) for kind in kinds])
            work.allowed = wanted
    for work, query in zip(works, queries, strict=True):
        if query is not None and ways.vector:
            work.near, work.cosines = work.index.vectors.search(query, POOL)
    best_word = max((float(work.words.max(initial=0)) for work in works), default=0.0)
    best_cosine = max((float(work.cosines.max(initial=0)) for work in works), default=0.0)
    spans = _reckoned(works, cues.spans, now) if ways.times else []
    found: list[Candidate] = []
    for place, work in enumerate(works):
        scoring = _Scoring(work, cues, ways, best_word, best_cosine, spans, ideal, vector_share)
        found += scoring.candidates(place, queries[place])
    return sorted(found, key=lambda one: (-one.score, one.index, one.number))


def _reckoned(works: Sequence[Work], spans: Sequence[TimeSpan], now: datetime) -> list[tuple[int, int]]:
    """Return the spans as day ordinals.

    A question about "last May" in memories that end years ago means their last May: where a span
    reckoned from the clock holds no memory at all, it is reckoned from the newest one.
    """
    if not spans:
        return []
    days = [work.view.columns["day"][work.view.columns["alive"] > 0] for work in works]
    dated = [some[some > 0] for some in days]
    newest = max((int(some.max(initial=0)) for some in dated), default=0)
    found = []
    for span in spans:
        first, last = span.first.toordinal(), span.last.toordinal()
        if newest and not any(((some >= first) & (some <= last)).any() for some in dated):
            then = datetime.combine(date.fromordinal(newest) + timedelta(days=1), now.time())
            again = find_times(span.text, then)
            if again:
                first, last = again[0].first.toordinal(), again[0].last.toordinal()
        found.append((first, last))
    return found


class _Scoring:
    """The scores of one index's passages."""

    def __init__(
        self,
        work: Work,
        cues: Cues,
        ways: Ways,
        best_word: float,
        best_cosine: float,
        spans: Sequence[tuple[int, int]],
        ideal: float,
        vector_share: float,
    ) -> None:
        self.vector_share = vector_share if ways.lexical else 1.0
        self.least_share = VECTOR_SHARE if ways.lexical else 1.0
        self.work = work
        self.view = work.view
        self.share = ways.neighbour_share
        self.ways = ways
        self.ideal = ideal
        self.spans = spans
        self.words = work.words / np.float32(best_word) if best_word > 0 else work.words
        self.best_cosine = best_cosine
        self.factors = self._factors(cues)
        self.in_time = self._in_time()

    def _factors(self, cues: Cues) -> Floats:
        columns = self.view.columns
        factors = self.view.factors if self.ways.standing else (columns["alive"] > 0).astype(np.float32)
        if self.ways.speakers and cues.speakers:
            numbers = speaker_numbers(self.view.speakers, cues.speakers)
            worth = np.full(int(columns["speaker"].max(initial=0)) + 1, OTHERS_WORTH, np.float32)
            worth[[number for number in numbers if number < len(worth)]] = 1
            worth[0] = 1  # memories that are nobody's words
            factors = factors * worth[columns["speaker"]]
        if self.ways.times and cues.asks_when:
            factors = factors * np.where(columns["flags"] & TELLS_WHEN, np.float32(1 + TELLING_GAIN), np.float32(1))
        return factors * self.work.allowed if self.work.allowed is not None else factors

    def _in_time(self) -> npt.NDArray[np.bool_] | None:
        if not self.spans:
            return None
        days = self.view.columns["day"]
        inside = np.zeros(len(days), np.bool_)
        for first, last in self.spans:
            inside |= (days >= first) & (days <= last)
        return inside

    def candidates(self, place: int, query: Vectors | None) -> list[Candidate]:
        if not len(self.words):
            return []
        pool = self._pool()
        if not len(pool):
            return []
        around, places = self._around(pool)
        cosines = self._cosines(around, query)
        share = self._vector_shares(around)
        by_vector = (
            np.maximum(cosines, 0) * share / np.float32(self.best_cosine) if self.best_cosine > 0 else cosines * 0
        )
        weights = np.array([self.share ** abs(step) if step else 1.0 for step in _STEPS], np.float32)
        valid = places >= 0
        word_part = np.where(valid, self.words[around][places], 0)
        vector_part = np.where(valid, by_vector[places], 0)
        centre = REACH
        own_words, own_vector = word_part[:, centre], vector_part[:, centre]
        shared = (word_part + vector_part) @ weights - own_words - own_vector
        relevance = own_words + own_vector + shared
        factor = self.factors[pool]
        timely = self.in_time[pool] if self.in_time is not None else np.zeros(len(pool), np.bool_)
        in_time = timely * np.float32(TIME_GAIN) * (factor > 0) * np.sqrt(np.maximum(self.view.factors[pool], 0))
        score = relevance * factor + in_time
        coverage = self._coverage(around, places, weights)
        own_cosine = cosines[places[:, centre]]
        order = _top(score, POOL)
        kinds = self.view.columns["kind"][pool]
        parts = np.stack([own_words * factor, own_vector * factor, shared * factor, in_time], axis=1)
        return [
            Candidate(
                place,
                int(pool[at]),
                KINDS[kinds[at]],
                float(score[at]),
                float(coverage[at]),
                float(own_cosine[at]),
                tuple(parts[at]),
            )
            for at in order
        ]

    def _pool(self) -> Numbers:
        """Return the passages that may come to stand high: by words, by vector, by date."""
        smooth = self.words.copy()
        if self.share > 0:
            for step, joined in enumerate(self.view.joined, 1):
                weight = np.float32(self.share**step)
                smooth[step:] += weight * (self.words[:-step] * joined)
                smooth[:-step] += weight * (self.words[step:] * joined)
        smooth *= self.factors
        if self.in_time is not None:
            smooth += self.in_time * np.float32(TIME_GAIN) * self.factors
        by_words = _top(smooth, POOL)
        near = self.work.near[self.work.near < len(self.words)]
        near = near[self.factors[near] > 0]
        return np.union1d(by_words, near)

    def _around(self, pool: Numbers) -> tuple[Numbers, Numbers]:
        """Return all passages within reach of the pool, and for each of the pool where its neighbours are in them."""
        grid = pool[:, None] + np.array(_STEPS)[None, :]
        valid = (grid >= 0) & (grid < len(self.words))
        for column, step in enumerate(_STEPS):
            if step:
                joined = self.view.joined[abs(step) - 1]
                at = np.minimum(np.maximum(np.minimum(grid[:, column], pool), 0), max(len(joined) - 1, 0))
                valid[:, column] &= joined[at] if len(joined) else False
        around = np.unique(grid[valid])
        return around, np.where(valid, np.searchsorted(around, np.where(valid, grid, 0)), -1)

    def _cosines(self, around: Numbers, query: Vectors | None) -> Floats:
        if query is None or not self.ways.vector:
            return np.zeros(len(around), np.float32)
        vectors = self.work.index.vectors.vectors_of(around)
        if vectors.shape[1] != query.shape[1]:
            return np.zeros(len(around), np.float32)
        # Not `@`: threads for so small a product cost more than they bring, and all the more when busy.
        cosines: Floats = np.einsum("ij,j->i", vectors, query[0])
        return cosines

    def _vector_shares(self, around: Numbers) -> Floats:
        """Return what some passages' vectors are worth: the mean of many words tells little, as in documents."""
        is_document = self.view.columns["kind"][around] == KINDS.index("knowledge")
        shares: Floats = np.where(is_document, self.least_share, self.vector_share).astype(np.float32)
        return shares

    def _coverage(self, around: Numbers, places: Numbers, weights: Floats) -> Floats:
        """Return which share of the question's words, by rarity, a passage and its neighbours hold."""
        if self.ideal <= 0:
            return np.zeros(len(places), np.float32)
        held = np.where(places >= 0, self.work.words[around][places], 0) @ weights
        share: Floats = held * np.float32((1 + K1) / self.ideal)
        return share


_STEPS = tuple(range(-REACH, REACH + 1))


def _top(scores: Floats, count: int) -> Numbers:
    """Return the places of the highest positive scores."""
    places = np.flatnonzero(scores > 0)
    if len(places) > count:
        places = places[np.argpartition(scores[places], -count)[-count:]]
    return places


def varied(
    scores: Sequence[float],
    vectors: Vectors,
    count: int,
    lambda_: float,
    duplicate: float,
    texts: Sequence[str] | None = None,
) -> list[int]:
    """Choose by maximal marginal relevance (Carbonell & Goldstein, 1998); near duplicates once only.

    Args:
        scores: of the candidates, best first.
        vectors: theirs, unit length, a row each; zeros where unknown.
        count: how many to choose.
        lambda_: 1: by score alone; 0: by difference alone.
        duplicate: similarity from which on two are the same.
        texts: theirs, where vectors tell spelling rather than meaning: two that are nearly spelled the
            same are the same only if they hold the same words ("room 12" is not "room 13").

    Returns:
        places in `scores`, in the order chosen.
    """
    if not scores:
        return []
    relevance = np.array(scores, np.float32) / max(scores[0], 1e-9)
    chosen: list[int] = []
    nearest = np.zeros(len(scores), np.float32)
    open_ = np.ones(len(scores), np.bool_)
    while len(chosen) < count and open_.any():
        gain = np.where(open_, lambda_ * relevance - (1 - lambda_) * nearest, -np.inf)
        best = int(gain.argmax())
        chosen.append(best)
        similar = np.einsum("ij,j->i", vectors, vectors[best])
        nearest = np.maximum(nearest, similar)
        same = similar >= duplicate
        if texts is not None:
            for place in (int(at) for at in np.flatnonzero(same) if at != best):
                same[place] = set(terms(texts[place])) == set(terms(texts[best]))
        open_ &= ~same
        open_[best] = False
    return chosen
