"""What the ranking reads of an index at one moment: facts of all passages, side by side in memory."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from managers.recall.hits import MemoryType
from managers.recall.store import IS_QUESTION

KINDS: tuple[MemoryType, ...] = (
    "log_archive",
    "current_log",
    "episodic_memory",
    "dream_insight",
    "diary",
    "entity_memory",
    "knowledge",
    "note",
)
"""The order is part of the format: columns hold the place of a kind in it."""

REACH = 2
"""How far the share of neighbours reaches."""

FULL_LENGTH = 10
"""A passage of fewer words than this counts for less, by the square root of its share."""

QUESTION_WORTH = 0.8


@dataclass(frozen=True, slots=True)
class View:
    """An index as the ranking reads it, at one moment.

    Attributes:
        columns: facts of each passage, by number.
        joined: for one and two steps, whether a passage and the one so many places on are of one run.
        factors: what a passage's score is multiplied by for itself alone (`standing`).
        speakers: (number, name, role) of all who have spoken.
        alive: how many passages there are.
        words: how many words they hold in all.
    """

    columns: npt.NDArray[np.void]
    joined: tuple[npt.NDArray[np.bool_], ...]
    factors: npt.NDArray[np.float32]
    speakers: list[tuple[int, str, str]]
    alive: int
    words: int

    @classmethod
    def of(cls, columns: npt.NDArray[np.void], speakers: list[tuple[int, str, str]]) -> View:
        """Work out what only depends on the columns."""
        run, alive = columns["run"], columns["alive"] > 0
        joined = tuple((run[step:] == run[:-step]) & alive[step:] & alive[:-step] for step in range(1, REACH + 1))
        return cls(columns, joined, standing(columns), speakers, int(alive.sum()), int(columns["length"][alive].sum()))


def standing(columns: npt.NDArray[np.void]) -> npt.NDArray[np.float32]:
    """Return what a passage is worth for itself: a bare question and a word or two tell little.

    Dead passages are worth nothing.
    """
    length = np.minimum((columns["length"].astype(np.float32) + 1) / FULL_LENGTH, 1)
    asks = np.where(columns["flags"] & IS_QUESTION, np.float32(QUESTION_WORTH), np.float32(1))
    worth: npt.NDArray[np.float32] = np.sqrt(length) * asks * (columns["alive"] > 0)
    return worth
