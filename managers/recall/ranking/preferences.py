"""Wishes that hold from now on, brought in where somebody asks for advice or for something to be done.

"Never more than two things a day" shares no word with "Draw up a plan for our Sunday", and yet it was said for it.
So a few places are kept for such wishes: for those that are most like what else is found, for they were said when the
same was talked about.
"""

from collections.abc import Collection, Sequence

import numpy as np

from managers.recall.hits import ALL_TYPES, MemoryType
from managers.recall.index.memory_index import MemoryIndex
from managers.recall.index.store import IS_WISH
from managers.recall.ranking.bm25 import Floats
from managers.recall.ranking.candidates import PARTS, Candidates, candidates_of, keys, scaled

SEATS = (3, 5, 7)
"""The places that are kept for wishes, counted from nought."""
_LIKE = 10
"""How many of the best tell what is talked about."""
_NEWEST = 500
"""Of more wishes the last ones are looked at."""


def with_wishes(
    candidates: Candidates, indexes: Sequence[MemoryIndex], kinds: Collection[MemoryType] | None
) -> Candidates:
    """Return a ranking in which the wishes that bear on it have their places."""
    wishes = np.concatenate([_wishes(place, index, candidates, kinds) for place, index in enumerate(indexes)])
    wishes = wishes[~np.isin(keys(wishes), keys(candidates[: max(SEATS) + 1]))]
    best = wishes[np.argsort(-wishes["score"], kind="stable")][: len(SEATS)]
    found = candidates[~np.isin(keys(candidates), keys(best))]
    for place, seat in enumerate(SEATS[: len(best)]):
        at, wish = min(seat, len(found)), best[place : place + 1]
        above = found["score"][at - 1] if len(found) else 1.0
        found = np.insert(found, at, scaled(wish, above / wish["score"]))
    return found


def _wishes(place: int, index: MemoryIndex, candidates: Candidates, kinds: Collection[MemoryType] | None) -> Candidates:
    """Return the wishes of one index, each with how like it is to what else is found there."""
    columns = index.view.columns
    numbers = np.flatnonzero((columns["flags"] & IS_WISH > 0) & (columns["alive"] > 0))[-_NEWEST:]
    if kinds is not None:
        numbers = numbers[np.isin(columns["kind"][numbers], [ALL_TYPES.index(kind) for kind in kinds])]
    here = candidates[candidates["index"] == place]
    near = here["number"][:_LIKE]
    if not len(numbers) or not len(near):
        return candidates_of(0)
    vectors = index.vectors.vectors_of(np.concatenate([near, numbers]))  # at one moment: they may be made anew
    alike: Floats = vectors[len(near) :] @ vectors[: len(near)].mean(axis=0)
    parts = np.zeros((len(numbers), len(PARTS)))
    parts[:, PARTS.index("semantic")] = alike
    found = candidates_of(
        len(numbers), index=place, number=numbers, kind=columns["kind"][numbers], score=alike, cosine=alike, parts=parts
    )
    _, wished, held = np.intersect1d(numbers, here["number"], return_indices=True)
    top = max(candidates["score"][0], 1e-9)
    scores = np.maximum(here["score"][held], 1e-9)
    found[wished] = scaled(here[held], (alike[wished] + scores / top) / scores)
    return found[alike > 0]
