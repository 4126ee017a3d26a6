"""What a search may show, one row each: hundreds are ranked, weighed and merged, and few of them are ever looked at."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from managers.recall.index.memory_index import MemoryIndex, Passage

PARTS = ("lexical", "semantic", "neighbour", "time")
PART_WORTH = 0.8
"""What answers one of several questions in one is worth beside what answers all of them."""

CANDIDATE = np.dtype(
    [
        ("index", "i8"),
        ("number", "i8"),
        ("kind", "i8"),
        ("score", "f8"),
        ("coverage", "f8"),
        ("cosine", "f8"),
        ("parts", "f8", len(PARTS)),
    ]
)
"""A passage and why it stands where it stands.

index: which of the searched indexes it is in.
number: its number there.
kind: which kind of memory, by its place in `KINDS`.
score: what it is ranked by, higher is better; comparable within one search.
coverage: which share of the question's words it and its neighbours hold, weighted by rarity: 0 none, about 1 all;
    comparable between searches.
cosine: of its own vector and the question's.
parts: what each of `PARTS` gave to the score.
"""

Candidates = npt.NDArray[np.void]
"""Rows of `CANDIDATE`."""


def candidates_of(count: int, **values: npt.ArrayLike) -> Candidates:
    """Return so many candidates with these values, one for all or one for each; what is not named is nought."""
    found = np.zeros(count, CANDIDATE)
    for name, some in values.items():
        found[name] = some
    return found


def scaled(some: Candidates, factors: npt.ArrayLike) -> Candidates:
    """Return candidates with other scores, of which each part has the same share."""
    found = some.copy()
    found["score"] *= factors
    found["parts"] *= np.reshape(factors, (-1, 1))
    return found


def best_first(some: Candidates) -> Candidates:
    """Return candidates by score."""
    return some[np.lexsort((some["number"], some["index"], -some["score"]))]


def merged(whole: Candidates, parts: Sequence[Candidates]) -> Candidates:
    """Return the candidates of a question and of the questions within it in one ranking, by what each answers best."""
    found = np.concatenate([whole, *(scaled(part, PART_WORTH) for part in parts)])
    found = found[np.lexsort((-found["score"], keys(found)))]
    first = np.flatnonzero(np.diff(keys(found), prepend=-1))
    best = found[first]
    for name in ("coverage", "cosine"):
        best[name] = np.maximum.reduceat(found[name], first)
    return best_first(best)


def keys(some: Candidates) -> npt.NDArray[np.int64]:
    """Return a number for each candidate that tells it from all others, whatever its score."""
    found: npt.NDArray[np.int64] = some["index"] << 48 | some["number"]
    return found


def passages_of(some: Candidates, indexes: Sequence[MemoryIndex]) -> list[Passage | None]:
    """Return the candidates' passages; None for one that is gone by now."""
    held = [index.passages(some["number"][some["index"] == at].tolist()) for at, index in enumerate(indexes)]
    places = zip(some["index"].tolist(), some["number"].tolist(), strict=True)
    return [held[index].get(number) for index, number in places]


def why(one: np.void) -> tuple[tuple[str, float], ...]:
    """Return what each part gave to a candidate's score, in shares that add up to one."""
    shares = (one["parts"] / max(one["parts"].sum(), 1e-9)).round(3).tolist()
    return tuple((name, share) for name, share in zip(PARTS, shares, strict=True) if share > 0)
