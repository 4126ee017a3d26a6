"""How close a candidate is, on a scale that compares between searches, and the hit that it becomes."""

from collections.abc import Container

import numpy as np
import numpy.typing as npt

from managers.recall.hits import LOG_TYPES, SUMMARY_TYPES, Hit, Layer
from managers.recall.index.memory_index import Passage
from managers.recall.ranking.candidates import PARTS, Candidates

WORDS_STRICTNESS = 2.5
"""Makes the distance of a passage that covers 0.39 of a question's words 0.75. With it 21 of 100 questions about
another conversation (which have no answer in this one) bring anything into a prompt, and 93 of 100 that have one."""


def excluded_by(hit: Hit | Passage, shown: Container[str]) -> bool:
    """Whether a hit is one of some messages, which are shown already or stand aside; a summary of it is something else."""
    return hit.type in LOG_TYPES and any(one in shown for one in hit.message_ids)


def hit_of(passage: Passage, distance: float, why: tuple[tuple[str, float], ...]) -> Hit:
    """Return a passage as those outside see it."""
    source: Layer = "summary" if passage.type in SUMMARY_TYPES else "semantic"
    return Hit(
        text=passage.text,
        type=passage.type,
        source=source,
        path=passage.path,
        message_ids=passage.message_ids,
        score=distance,
        time=passage.time,
        speaker=passage.speaker,
        is_others=passage.role == "other",
        heading=passage.heading,
        why=why,
    )


def distances(some: Candidates, factor: float) -> npt.NDArray[np.float64]:
    """Return how far passages are, each by what speaks for it most: its vector or the words it covers."""
    by_words = 2 * np.exp(-WORDS_STRICTNESS * some["coverage"])
    found: npt.NDArray[np.float64] = np.minimum(_by_vector(some, factor), by_words).clip(0, 2).round(4)
    return found


def fit(some: Candidates, factor: float, limit: float) -> npt.NDArray[np.bool_]:
    """Tell which passages are what somebody looks for, and do not merely stand beside it.

    They are no farther than `limit`, and not by their neighbours' words alone: one holds a word itself, or its own
    vector is near.
    """
    holds_a_word = some["parts"][:, PARTS.index("lexical")] > 0
    found: npt.NDArray[np.bool_] = (distances(some, factor) <= limit) & (
        holds_a_word | (_by_vector(some, factor) <= limit)
    )
    return found


def _by_vector(some: Candidates, factor: float) -> npt.NDArray[np.float64]:
    found: npt.NDArray[np.float64] = (2 - 2 * some["cosine"]) * factor
    return found
