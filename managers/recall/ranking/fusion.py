"""From candidates to one ranking: words and vectors, neighbours, speakers, times; then variety.

relevance = words/best words + SHARE · vector/best vector          of the passage itself
own       = relevance + share·(neighbours' relevance) + share²·(those one further)
score     = own · standing · (speaker) · (tells when) + (in the time asked for)
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

import numpy as np
import numpy.typing as npt

from managers.language.reading.times import TimeSpan, find_times
from managers.memory.confidence import HIGHEST, LOWEST, REST_DAYS, START
from managers.recall.embedders import VECTOR_SHARE
from managers.recall.hits import ALL_TYPES, MemoryType
from managers.recall.index.store import IS_WISH, TELLS_WHEN
from managers.recall.index.view import REACH
from managers.recall.question.cues import Cues
from managers.recall.ranking.asked import Asked
from managers.recall.ranking.bm25 import K1, Floats, Numbers, WordScoring, Work
from managers.recall.ranking.candidates import Candidates, best_first, candidates_of

OTHERS_WORTH = 0.6
"""What somebody else's words are worth when one person's are asked for."""
TELLING_GAIN = 0.3
WISH_GAIN = 1.0
"""What a wish that holds from now on gains when somebody asks for help."""
TIME_GAIN = 0.5
TRUST_SHARE = 0.2
"""How much the C-value of a dreamt memory moves its score: from 1 - share·0.4 at 0.1 to 1 + share·0.5 at 1."""
POOL = 200
"""How many candidates the words and the vectors each give."""

_ALL = 1 << 15
"""Of so many passages all that hold a word are scored; of more, those that may be among the best."""
_SAMPLE = 1000
_PIECE = 1 << 14
_LESS = np.float32(0.999)
"""Sums made in another order differ in their last digits."""

STEPS = tuple(range(-REACH, REACH + 1))


@dataclass(frozen=True, slots=True)
class Ways:
    """Which parts take part, and how much: for settings, and for measuring what each is worth."""

    lexical: bool = True
    vector: bool = True
    neighbour_share: float = 0.5
    trust_share: float = TRUST_SHARE
    speakers: bool = True
    times: bool = True
    standing: bool = True


def rank(
    words: WordScoring,
    cues: Cues,
    queries: Sequence[Asked | None],
    kinds: Collection[MemoryType] | None,
    ways: Ways,
    now: datetime,
    vector_share: float = VECTOR_SHARE,
) -> Candidates:
    """Return the candidates of all indexes in one ranking, best first.

    Args:
        words: of the indexes.
        cues: what is looked for.
        queries: its vectors, as they are asked of each index; None: words only.
        kinds: only memories of these kinds.
        ways: which parts take part.
        now: what times are reckoned from.
        vector_share: what a vector is worth beside words, but for documents.
    """
    works, ideal = words.score(cues.words, cues.meanings) if ways.lexical else words.score((), ())
    for work, query in zip(works, queries, strict=True):
        if query is not None and ways.vector:
            work.near, work.cosines = query.nearest(work.index, POOL)
    best_word = max((float(work.words.max(initial=0)) for work in works), default=0.0)
    best_cosine = max((float(work.cosines.max(initial=0)) for work in works), default=0.0)
    measure = _Measure(best_word, best_cosine, ideal, now.toordinal())
    spans = _reckoned(works, cues.spans, now) if ways.times else []
    scorings = [_Scoring(work, cues, kinds, ways, spans, measure, vector_share) for work in works]
    found = [scoring.candidates(place, queries[place]) for place, scoring in enumerate(scorings)]
    return best_first(np.concatenate(found))


def _reckoned(works: Sequence[Work], spans: Sequence[TimeSpan], now: datetime) -> list[tuple[int, int]]:
    """Return the spans as day ordinals.

    A question about "last May" in memories that end years ago means their last May: where a span
    reckoned from the clock holds no memory at all, it is reckoned from the newest one.
    """
    if not spans:
        return []
    newest = max((work.view.newest for work in works), default=0)
    found = []
    for span in spans:
        first, last = span.first.toordinal(), span.last.toordinal()
        if newest and not any(len(work.view.within([(first, last)])) for work in works):
            then = datetime.combine(date.fromordinal(newest) + timedelta(days=1), now.time())
            again = find_times(span.text, then)
            if again:
                first, last = again[0].first.toordinal(), again[0].last.toordinal()
        found.append((first, last))
    return found


@dataclass(frozen=True, slots=True)
class _Measure:
    """What scores are measured by: the best word score and cosine of all indexes, a perfect match's words, and today."""

    word: float
    cosine: float
    ideal: float
    today: int


class _Scoring:
    """The scores of one index's passages."""

    def __init__(
        self,
        work: Work,
        cues: Cues,
        kinds: Collection[MemoryType] | None,
        ways: Ways,
        spans: Sequence[tuple[int, int]],
        measure: _Measure,
        vector_share: float,
    ) -> None:
        self.vector_share = vector_share if ways.lexical else 1.0
        self.least_share = VECTOR_SHARE if ways.lexical else 1.0
        self.work = work
        self.view = work.view
        self.share = ways.neighbour_share
        self.weights = np.array([self.share ** abs(step) if step else 1.0 for step in STEPS], np.float32)
        self.ways = ways
        self.ideal = measure.ideal
        self.today = measure.today
        self.spans = spans
        self.best_word = np.float32(measure.word if measure.word > 0 else 1)
        self.best_cosine = measure.cosine
        self.standing = self.view.factors if ways.standing else self.view.living
        self.kinds, self.few = self.view.only(kinds)
        self.by_speaker = self._by_speaker(cues) if ways.speakers and cues.speakers else None
        self.telling = np.float32(1 + TELLING_GAIN if ways.times and cues.asks_when else 1)
        self.wishing = np.float32(1 + WISH_GAIN if cues.asks_help else 1)

    def _by_speaker(self, cues: Cues) -> Floats:
        """Return what the words of each speaker are worth."""
        numbers = [number for number, name, role in self.view.speakers if (name, role) in cues.speakers]
        worth = np.full(1 << 16, OTHERS_WORTH, np.float32)
        worth[numbers] = 1
        worth[0] = 1  # memories that are nobody's words
        return worth

    def _factors(self, places: Numbers) -> Floats:
        """Return what the scores of some passages are multiplied by; nought: they are not wanted."""
        columns = self.view.columns
        factors = self.standing[places]
        if self.by_speaker is not None:
            factors = factors * self.by_speaker[columns["speaker"][places]]
        if self.telling > 1:
            factors = factors * np.where(columns["flags"][places] & TELLS_WHEN, self.telling, np.float32(1))
        if self.wishing > 1:
            factors = factors * np.where(columns["flags"][places] & IS_WISH, self.wishing, np.float32(1))
        if self.ways.trust_share > 0:
            factors = factors * self._trust(places)
        return factors * self.kinds[columns["kind"][places]] if self.kinds is not None else factors

    def _trust(self, places: Numbers) -> Floats:
        """Return by what the C-values of dreamt memories, as they are today (`value_of`), move their scores."""
        columns = self.view.columns
        worth = np.ones(len(places), np.float32)
        dreamt = np.flatnonzero(columns["trust"][places])
        if len(dreamt):
            rows = columns[places[dreamt]]
            unused = np.where(rows["fades_from"] > 0, self.today - rows["fades_from"] - REST_DAYS, 0)
            faded = rows["trust"] / 100 * np.exp2(-np.maximum(0, unused) / rows["half_life"])
            worth[dreamt] += self.ways.trust_share * (np.maximum(LOWEST, faded) - START["experience"])
        return worth

    def _timely(self, places: Numbers) -> npt.NDArray[np.bool_]:
        """Tell which passages are of the times that were asked for."""
        days = self.view.columns["day"][places]
        inside = np.zeros(len(days), np.bool_)
        for first, last in self.spans:
            inside |= (days >= first) & (days <= last)
        return inside

    def candidates(self, place: int, query: Asked | None) -> Candidates:
        pool = self._pool()
        if not len(pool):
            return candidates_of(0)
        around, places = self._around(pool)
        cosines = self._cosines(around, query)
        share = self._vector_shares(around)
        by_vector = (
            np.maximum(cosines, 0) * share / np.float32(self.best_cosine) if self.best_cosine > 0 else cosines * 0
        )
        valid = places >= 0
        word_part = np.where(valid, self._words(around)[places], 0)
        vector_part = np.where(valid, by_vector[places], 0)
        own_words, own_vector = word_part[:, REACH], vector_part[:, REACH]
        shared = self._weighed(word_part + vector_part) - own_words - own_vector
        relevance = own_words + own_vector + shared
        factor = self._factors(pool)
        in_time = (
            self._timely(pool) * np.float32(TIME_GAIN) * (factor > 0) * np.sqrt(np.maximum(self.view.factors[pool], 0))
        )
        score = relevance * factor + in_time
        order = _top(score, POOL)
        return candidates_of(
            len(order),
            index=place,
            number=pool[order],
            kind=self.view.columns["kind"][pool[order]],
            score=score[order],
            coverage=self._coverage(around, places[order]),
            cosine=1 - (1 - cosines[places[order, REACH]]) * (query.strictness if query else 1.0),
            parts=np.stack([own_words * factor, own_vector * factor, shared * factor, in_time], axis=1)[order],
        )

    def _words(self, places: Numbers) -> Floats:
        """Return how well some passages hold the words; the best of all holds 1."""
        return self.work.words[places] / self.best_word

    def _pool(self) -> Numbers:
        """Return the passages that may come to stand high: by words, by vector, by date."""
        places = self._promising()
        by_words = places[_top(self._smooth(places), POOL)]
        near = self.work.near[self.work.near < len(self.view)]
        near = near[self._factors(near) > 0]
        return self.view.in_order(by_words, near)

    def _smooth(self, places: Numbers) -> Floats:
        """Return the scores of some passages by words, neighbours and dates."""
        smooth = self._words(places)
        if self.share > 0:
            for step, joined in enumerate(self.view.joined, 1):
                weight = np.float32(self.share**step)
                before, after = np.maximum(places - step, 0), np.minimum(places, len(joined) - 1)
                if not len(joined):
                    continue
                smooth += weight * (self._words(before) * (joined[before] & (places >= step)))
                smooth += weight * (self._words(after + step) * (joined[after] & (places == after)))
        factors = self._factors(places)
        smooth *= factors
        if self.spans:
            smooth += self._timely(places) * np.float32(TIME_GAIN) * factors
        return smooth

    def _promising(self) -> Numbers:
        """Return all passages that may be among the best by words and dates, in order, and few others.

        What a passage holds together with those beside it, as if they were all of one conversation, is
        more than its score can be; a sample of those that hold most tells how high a score must be.
        """
        reach = self._reach(self.few)
        chosen = self._highest(reach) if len(reach) > _ALL else np.flatnonzero(reach > 0)
        places = chosen if self.few is None else self.few[chosen]
        return self.view.in_order(places, self._promising_by_date()) if self.spans else places

    def _highest(self, reach: Floats) -> Numbers:
        """Return where in `reach` the passages are that may be among the best by words."""
        reach *= self.standing if self.few is None else self.standing[self.few]
        height = _height(reach, _SAMPLE)
        if height <= 0:
            return np.flatnonzero(reach > 0)
        sample = np.flatnonzero(reach >= height)
        least = _least(self._smooth(sample if self.few is None else self.few[sample]), POOL)
        trusted = np.float32(1 + self.ways.trust_share * (HIGHEST - START["experience"]))
        needed = least * _LESS * self.best_word / (self.telling * self.wishing * trusted)
        return np.flatnonzero(reach >= needed) if needed > 0 else np.flatnonzero(reach > 0)

    def _reach(self, places: Numbers | None = None) -> Floats:
        """Return the words that some passages (None: all) and those beside them hold, if all were of one run."""
        held = self.work.words
        if places is not None:
            beside = (np.clip(places + step, 0, len(held) - 1) for step in STEPS)
            parts = [weight * held[at] for weight, at in zip(self.weights, beside, strict=True)]
            total: Floats = np.sum(parts, axis=0, dtype=np.float32)
            return total
        reach = held.copy()
        for begin in range(0, len(held), _PIECE) if self.share > 0 else ():  # a piece stays near the processor
            end = min(begin + _PIECE, len(held))
            for step, weight in zip(STEPS, self.weights, strict=True):
                low, high = max(begin + step, 0), min(end + step, len(held))
                if step and low < high:
                    reach[low - step : high - step] += weight * held[low:high]
        return reach

    def _promising_by_date(self) -> Numbers:
        """Return the passages of the times that were asked for; of many those that hold most."""
        places = self.view.within(self.spans)
        if self.few is not None:
            places = places[np.isin(places, self.few)]
        if len(places) <= _ALL:
            return places
        factors = self._factors(places)
        gained = factors * np.float32(TIME_GAIN)
        least = _least(self._words(places) * factors + gained, POOL)
        most = self._reach(places) / self.best_word * factors + gained
        return places[most >= least * _LESS]

    def _around(self, pool: Numbers) -> tuple[Numbers, Numbers]:
        """Return all passages within reach of the pool, and for each of the pool where its neighbours are in them."""
        grid = pool[:, None] + np.array(STEPS)[None, :]
        valid = (grid >= 0) & (grid < len(self.view))
        for column, step in enumerate(STEPS):
            if step:
                joined = self.view.joined[abs(step) - 1]
                at = np.minimum(np.maximum(np.minimum(grid[:, column], pool), 0), max(len(joined) - 1, 0))
                valid[:, column] &= joined[at] if len(joined) else False
        around = self.view.in_order(grid[valid])
        return around, np.where(valid, np.searchsorted(around, np.where(valid, grid, 0)), -1)

    def _cosines(self, around: Numbers, query: Asked | None) -> Floats:
        if query is None or not self.ways.vector:
            return np.zeros(len(around), np.float32)
        return query.cosines(self.work.index, around)

    def _weighed(self, scores: Floats) -> Floats:
        """Return the sums of some passages' and their neighbours' scores, each by its distance.

        Not `@`: the library behind it may read beyond so narrow rows, and then warns of numbers that are not there.
        """
        sums: Floats = np.einsum("ij,j->i", scores, self.weights)
        return sums

    def _vector_shares(self, around: Numbers) -> Floats:
        """Return what some passages' vectors are worth: the mean of many words tells little, as in documents."""
        is_document = self.view.columns["kind"][around] == ALL_TYPES.index("knowledge")
        shares: Floats = np.where(is_document, self.least_share, self.vector_share).astype(np.float32)
        return shares

    def _coverage(self, around: Numbers, places: Numbers) -> Floats:
        """Return which share of the question's words, by rarity, a passage and its neighbours hold."""
        if self.ideal <= 0:
            return np.zeros(len(places), np.float32)
        held = self._weighed(np.where(places >= 0, self.work.words[around][places], 0))
        share: Floats = held * np.float32((1 + K1) / self.ideal)
        return share


def _height(values: Floats, count: int) -> float:
    """Return a height that at least so many of very many values reach, about the greatest: by the best of each sixteen."""
    groups = values[: len(values) // 16 * 16].reshape(16, -1).max(axis=0)
    return float(np.partition(groups, -count)[-count])


def _least(scores: Floats, count: int) -> np.float32:
    """Return the so-manieth highest score; nought if there are fewer above it."""
    return np.float32(max(np.partition(scores, -count)[-count], 0)) if len(scores) >= count else np.float32(0)


def _top(scores: Floats, count: int) -> Numbers:
    """Return the places of the highest positive scores."""
    places = np.flatnonzero(scores > 0)
    if len(places) > count:
        places = places[np.argpartition(scores[places], -count)[-count:]]
    return places
