"""What the ranking reads of an index at one moment: facts of all passages, side by side in memory."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property

import numpy as np
import numpy.typing as npt

from managers.recall.hits import ALL_TYPES, LOG_TYPES, MemoryType
from managers.recall.index.store import GOES_ON, IS_QUESTION

REACH = 2
"""How far the share of neighbours reaches."""

FULL_LENGTH = 10
"""A passage of fewer words than this counts for less, by the square root of its share."""

SHORT = 3
"""A message of no more passages is one of a chat, and shares with those beside it."""

QUESTION_WORTH = 0.8

_FEW = 8
"""Kinds that are less than one passage in so many are looked at by themselves."""

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class View:
    """An index as the ranking reads it, at one moment. What no question has asked for yet is not worked out.

    Attributes:
        columns: facts of each passage, by number.
        lengths: one of them, side by side: every word of every question reads it.
        joined: for one and two steps, whether a passage and the one so many places on are of one run, and each a
            whole message: what stands beside a piece of a long answer says little of it.
        factors: what a passage's score is multiplied by for itself alone (`standing`).
        living: the same, but nought or one.
        speakers: (number, name, role) of all who have spoken.
        alive: how many passages there are.
        words: how many words they hold in all.
    """

    columns: npt.NDArray[np.void]
    lengths: npt.NDArray[np.uint8]
    joined: tuple[npt.NDArray[np.bool_], ...]
    factors: npt.NDArray[np.float32]
    speakers: list[tuple[int, str, str]]
    alive: int
    words: int

    @classmethod
    def of(cls, columns: npt.NDArray[np.void], speakers: list[tuple[int, str, str]]) -> View:
        """Work out what only depends on the columns."""
        run, alive = columns["run"].copy(), columns["alive"] > 0
        lengths = columns["length"].copy()
        whole = alive & ~_is_of_long_message(columns["flags"])
        joined = tuple((run[step:] == run[:-step]) & whole[step:] & whole[:-step] for step in range(1, REACH + 1))
        words = int(lengths.sum(where=alive))
        return cls(columns, lengths, joined, standing(columns), speakers, int(alive.sum()), words)

    def __len__(self) -> int:
        """Return how many numbers there are, those of dead passages included."""
        return len(self.columns)

    @cached_property
    def living(self) -> npt.NDArray[np.float32]:
        return (self.columns["alive"] > 0).astype(np.float32)

    @cached_property
    def _by_kind(self) -> npt.NDArray[np.int64]:
        """How many passages there are of each kind, dead ones included."""
        return np.bincount(self.columns["kind"], minlength=len(ALL_TYPES))

    @cached_property
    def _places_by_kind(self) -> dict[int, Numbers]:
        return {}

    def only(self, kinds: Collection[MemoryType] | None) -> tuple[npt.NDArray[np.bool_] | None, Numbers | None]:
        """Say what it means to look at some kinds alone.

        Returns:
            which kinds count, by number (None: all that are here), and the passages themselves, in
            order, where they are so few that it is better to look at them than at all (None: they are not).
        """
        if kinds is None:
            return None, None
        wanted = np.zeros(max(len(ALL_TYPES), len(self._by_kind)), np.bool_)
        wanted[[ALL_TYPES.index(kind) for kind in kinds]] = True
        if not self._by_kind[~wanted[: len(self._by_kind)]].any():
            return None, None
        if self._by_kind[wanted[: len(self._by_kind)]].sum() * _FEW > len(self):
            return wanted, None
        found = [self._of_kind(number) for number in np.flatnonzero(wanted).tolist()]
        return wanted, np.sort(np.concatenate(found))

    def _of_kind(self, number: int) -> Numbers:
        if number not in self._places_by_kind:
            self._places_by_kind[number] = np.flatnonzero(self.columns["kind"] == number)
        return self._places_by_kind[number]

    @cached_property
    def _dated(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """The days of all living passages that have one, in order, and whose they are."""
        days = np.where(self.columns["alive"] > 0, self.columns["day"], 0)
        order = np.argsort(days, kind="stable").astype(np.int32)
        first = int(np.count_nonzero(days == 0))
        return days[order[first:]], order[first:]

    @property
    def newest(self) -> int:
        """The ordinal of the newest passage's day; 0 where none has one."""
        days, _ = self._dated
        return int(days[-1]) if len(days) else 0

    def said_before(self, day: date) -> npt.NDArray[np.bool_]:
        """Tell of each passage whether it is talk of before a day."""
        kinds = [ALL_TYPES.index(kind) for kind in LOG_TYPES]
        days = self.columns["day"]
        found: npt.NDArray[np.bool_] = np.isin(self.columns["kind"], kinds) & (days > 0) & (days < day.toordinal())
        return found

    def within(self, spans: Sequence[tuple[int, int]]) -> Numbers:
        """Return the living passages of some spans of days, in order."""
        days, places = self._dated
        parts = [places[np.searchsorted(days, first) : np.searchsorted(days, last, "right")] for first, last in spans]
        return self.in_order(*parts)

    def in_order(self, *some: npt.NDArray[np.integer]) -> Numbers:
        """Return places that are named anywhere, each once, in order: they are marked, which is quicker than sorting."""
        named = np.zeros(len(self), np.bool_)
        for places in some:
            named[places] = True
        return np.flatnonzero(named)


def _is_of_long_message(flags: npt.NDArray[np.uint8]) -> npt.NDArray[np.bool_]:
    """Tell which passages are pieces of a message of more than `SHORT` of them."""
    message = np.cumsum(flags & GOES_ON == 0)
    found: npt.NDArray[np.bool_] = (np.bincount(message) > SHORT)[message]
    return found


def standing(columns: npt.NDArray[np.void]) -> npt.NDArray[np.float32]:
    """Return what a passage is worth for itself: a bare question and a word or two tell little.

    Dead passages are worth nothing.
    """
    length = np.minimum((columns["length"].astype(np.float32) + 1) / FULL_LENGTH, 1)
    asks = np.where(columns["flags"] & IS_QUESTION, np.float32(QUESTION_WORTH), np.float32(1))
    worth: npt.NDArray[np.float32] = np.sqrt(length) * asks * (columns["alive"] > 0)
    return worth
