"""Wishes that hold from now on, brought in where somebody asks for advice or for something to be done.

"Never more than two things a day" shares no word with "Draw up a plan for our Sunday", and yet it was said for it.
So a few places are kept for such wishes: for those that are most like what else is found, for they were said when the
same was talked about.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from managers.recall.fusion import Candidate
from managers.recall.hits import MemoryType
from managers.recall.index import MemoryIndex
from managers.recall.lexical import Floats
from managers.recall.store import IS_WISH
from managers.recall.view import KINDS

SEATS = (3, 5, 7)
"""The places that are kept for wishes, counted from nought."""
_LIKE = 10
"""How many of the best tell what is talked about."""
_NEWEST = 500
"""Of more wishes the last ones are looked at."""


def with_wishes(
    candidates: Sequence[Candidate], indexes: Sequence[MemoryIndex], kinds: Collection[MemoryType] | None
) -> list[Candidate]:
    """Return a ranking in which the wishes that bear on it have their places.

    Args:
        candidates: best first.
        indexes: where they are.
        kinds: only memories of these kinds.
    """
    found = list(candidates)
    known = {(one.index, one.number) for one in found[: max(SEATS) + 1]}
    wishes = [
        wish
        for place, index in enumerate(indexes)
        for wish in _wishes(place, index, candidates, kinds)
        if (wish.index, wish.number) not in known
    ]
    best = sorted(wishes, key=lambda one: -one.score)[: len(SEATS)]
    seated = {(one.index, one.number) for one in best}
    found = [one for one in found if (one.index, one.number) not in seated]
    for seat, wish in zip(SEATS, best, strict=False):
        above = found[min(seat, len(found)) - 1].score if found else 1.0
        found.insert(seat, wish.scaled(above / wish.score))
    return found


def _wishes(
    place: int, index: MemoryIndex, candidates: Sequence[Candidate], kinds: Collection[MemoryType] | None
) -> list[Candidate]:
    """Return the wishes of one index, each with how like it is to what else is found there."""
    columns = index.view.columns
    numbers = np.flatnonzero((columns["flags"] & IS_WISH > 0) & (columns["alive"] > 0))[-_NEWEST:]
    if kinds is not None:
        numbers = numbers[np.isin(columns["kind"][numbers], [KINDS.index(kind) for kind in kinds])]
    near = [one.number for one in candidates if one.index == place][:_LIKE]
    if not len(numbers) or not near or not index.vectors.dimensions:
        return []
    talked_of = index.vectors.vectors_of(np.array(near)).mean(axis=0)
    alike: Floats = index.vectors.vectors_of(numbers) @ talked_of
    top = max(candidates[0].score, 1e-9)
    scores = {one.number: one.score / top for one in candidates if one.index == place}
    held = {one.number: one for one in candidates if one.index == place}
    return [
        held[number].scaled((value + scores[number]) / max(held[number].score, 1e-9))
        if number in held
        else Candidate(place, number, KINDS[columns["kind"][number]], value, 0.0, value, (0.0, value, 0.0, 0.0))
        for number, value in zip(numbers.tolist(), alike.tolist(), strict=True)
        if value > 0
    ]
