"""How close a candidate is, on a scale that compares between searches, and the hit that it becomes."""

from __future__ import annotations

import math
from collections.abc import Container

from managers.recall.fusion import PARTS, Candidate
from managers.recall.hits import Hit, Layer
from managers.recall.index import Passage
from managers.recall.kinds import SUMMARY_TYPES

WORDS_STRICTNESS = 2.5
"""Makes the distance of a passage that covers 0.39 of a question's words 0.75. With it 21 of 100 questions about
another conversation (which have no answer in this one) bring anything into a prompt, and 93 of 100 that have one."""


def excluded_by(hit: Hit, shown: Container[str]) -> bool:
    """Whether a hit is one of some messages, which are shown already or stand aside; a summary of it is something else."""
    return hit.type in ("log_archive", "current_log") and any(one in shown for one in hit.message_ids)


def hit_of(one: Candidate, passage: Passage, factor: float) -> Hit:
    """Return a candidate as those outside see it."""
    source: Layer = "summary" if passage.type in SUMMARY_TYPES else "semantic"
    return Hit(
        text=passage.text,
        type=passage.type,
        source=source,
        path=passage.path,
        message_ids=passage.message_ids,
        score=distance(one, factor),
        time=passage.time,
        speaker=passage.speaker,
        heading=passage.heading,
        why=one.why,
    )


def distance(one: Candidate, factor: float) -> float:
    """Return how far a passage is, by what speaks for it most: its vector or the words it covers."""
    by_words = 2 * math.exp(-WORDS_STRICTNESS * one.coverage)
    return round(max(0.0, min(_by_vector(one, factor), by_words, 2.0)), 4)


def fits(one: Candidate, factor: float, limit: float) -> bool:
    """Tell whether a passage is what somebody looks for, and not what merely stands beside it.

    It is no farther than `limit`, and not by its neighbours' words alone: it holds one itself, or its own vector is near.
    """
    holds_a_word = one.parts[PARTS.index("lexical")] > 0
    return distance(one, factor) <= limit and (holds_a_word or _by_vector(one, factor) <= limit)


def _by_vector(one: Candidate, factor: float) -> float:
    return (2 - 2 * one.cosine) * factor
