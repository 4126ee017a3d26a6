"""Hits spread over time, for questions about an order of events or the sum of a subject.

What is ranked is an exchange: what a user said, together with what was answered. The subject may be named in
either; what is shown is what the user said. Of the exchanges about the subject those are taken that bring something
new, each from another stretch of time.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from managers.recall.hits import ALL_TYPES
from managers.recall.index.memory_index import Passage
from managers.recall.index.store import GOES_ON
from managers.recall.index.view import View
from managers.recall.question.cues import Cues
from managers.recall.ranking.bm25 import K1, Floats, Numbers, WordScoring, Work
from managers.recall.ranking.candidates import PARTS, Candidates, candidates_of, keys, passages_of, scaled
from managers.recall.ranking.repetition import words_in

STRETCHES = 10
"""How many stretches of time each give their best before any gives a second."""
_POOL = 80
_LEAST = 0.35
"""An exchange that has less of the best one's score is about something else."""
_OWN = 0.2
"""What the user's own words count beside the best passage of the whole exchange."""

_LOGS = tuple(ALL_TYPES.index(kind) for kind in ("log_archive", "current_log"))


@dataclass(frozen=True, slots=True)
class _Exchange:
    index: int
    number: int
    score: float
    coverage: float


def spread_over_time(words: WordScoring, cues: Cues) -> Candidates:
    """Return what users said about a subject, so that any beginning of the list is spread over time."""
    works, ideal = words.score(cues.words, cues.meanings)
    found = [one for place, work in enumerate(works) for one in _exchanges(place, work, ideal)]
    found = sorted(found, key=lambda one: -one.score)[:_POOL]
    if not found:
        return candidates_of(0)
    best = found[0].score
    numbers = candidates_of(len(found), index=[one.index for one in found], number=[one.number for one in found])
    told = [
        (one, passage)
        for one, passage in zip(found, passages_of(numbers, words.indexes), strict=True)
        if one.score >= _LEAST * best and passage is not None
    ]
    told.sort(key=lambda pair: (str(pair[1].time or ""), pair[0].index, pair[0].number))
    news = _news([passage for _, passage in told])
    scores = [one.score / best * new for (one, _), new in zip(told, news, strict=True)]
    order = _in_turn(scores)
    chosen = [told[place][0] for place in order]
    score = 1 - np.arange(len(order)) / (2 * len(order))
    return candidates_of(
        len(order),
        index=[one.index for one in chosen],
        number=[one.number for one in chosen],
        kind=[ALL_TYPES.index(told[place][1].type) for place in order],
        score=score,
        coverage=[one.coverage for one in chosen],
        parts=score[:, None] * [part == "lexical" for part in PARTS],
    )


def behind(first: Candidates, others: Candidates) -> Candidates:
    """Return candidates that are to stand behind some others, with scores that keep them there."""
    left = others[~np.isin(keys(others), keys(first))]
    return scaled(left, first["score"].min() / (2 * left["score"].max(initial=1e-9)))


def _exchanges(place: int, work: Work, ideal: float) -> list[_Exchange]:
    """Return the exchanges that hold anything of the subject, each as the user's first passage in it."""
    view = work.view
    starts = _starts(view)
    if not len(starts) or ideal <= 0:
        return []
    user = _of_users(view)
    best = np.maximum.reduceat(work.words, starts)
    own = np.maximum.reduceat(np.where(user, work.words, 0), starts)
    scores: Floats = best + np.float32(_OWN) * own
    order = np.argsort(-scores, kind="stable")[:_POOL]
    share = (1 + K1) / ideal
    return [
        _Exchange(place, int(starts[at]), float(scores[at]), float(best[at] * share))
        for at in order.tolist()
        if scores[at] > 0
    ]


def _starts(view: View) -> Numbers:
    """Return the passages with which users begin to say something."""
    columns = view.columns
    begins = _of_users(view) & (columns["flags"] & GOES_ON == 0) & (columns["alive"] > 0)
    return np.flatnonzero(begins & np.isin(columns["kind"], _LOGS))


def _of_users(view: View) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    users = [number for number, _, role in view.speakers if role == "user"]
    found: np.ndarray[tuple[int], np.dtype[np.bool_]] = np.isin(view.columns["speaker"], users)
    return found


def _news(passages: Sequence[Passage]) -> list[float]:
    """Return how much each passage, in order of time, says that none before it does: words, the tenth less than the first."""
    seen: set[str] = set()
    found = []
    for passage in passages:
        words = words_in(passage.text)
        found.append(math.sqrt(len(words - seen)))
        seen |= words
    return found


def _in_turn(scores: Sequence[float]) -> list[int]:
    """Return places in order of time so that each stretch gives its best, then each its second, and so on."""
    size = max(1, -(-len(scores) // STRETCHES))
    ranked = []
    for begin in range(0, len(scores), size):
        stretch = sorted(range(begin, min(begin + size, len(scores))), key=lambda place: -scores[place])
        ranked += [(turn, -scores[place], place) for turn, place in enumerate(stretch)]
    return [place for *_, place in sorted(ranked)]
