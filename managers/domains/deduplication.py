"""What is there already: the same text, or nearly the same one under another headline.

Near duplicates are told as merging tells statements that say the same: by the vectors of the built-in embedder
(`hygiene.similarity`), whatever embedder the search has. A news agency's report comes from five feeds with a word changed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from managers.hygiene.similarity import vectors
from managers.storage.files import digest

NEAR: Final = 0.86
"""From this cosine on two texts count as one. Measured (`make bench ARGS=domains`, and by hand): copies with a word or two
changed have 0.87 and more (one with a third cut off 0.83), different texts of the same few words 0.85 at most, two reports on
one event in words of their own 0.71."""
_LETTERS: Final = 1500
"""Of a text that are compared."""
SHORT: Final = 40
"""Shorter texts are duplicates only where they are the same: of headlines one word may tell all."""


def text_digest(text: str) -> str:
    """Return what exact duplicates have in common: letters without blanks and case."""
    return digest("".join(text.casefold().split()))


class NearDuplicates:
    """The texts that are there, to be asked whether another one is nearly one of them."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._rows = _rows(texts) if texts else np.zeros((0, 1), np.float32)
        self._numbers = [*map(_numbers, texts)]

    def add(self, text: str) -> bool:
        """Add a text; tell whether one nearly like it was there already, in which case it is not added."""
        if len(text) < SHORT:
            return False
        row, numbers = _rows([text]), _numbers(text)
        if len(self._rows):
            near = np.flatnonzero(self._rows @ row[0] >= NEAR)
            if any(numbers <= self._numbers[at] or numbers >= self._numbers[at] for at in near):
                return True
        self._rows = np.concatenate([self._rows, row]) if len(self._rows) else row
        self._numbers.append(numbers)
        return False


def _numbers(text: str) -> frozenset[str]:
    """Return the numbers of a text: tomorrow's weather differs from today's in nothing else."""
    return frozenset(re.findall(r"\d+", text[:_LETTERS]))


def _rows(texts: Sequence[str]) -> npt.NDArray[np.float32]:
    return np.asarray(vectors([text[:_LETTERS] for text in texts]), np.float32)
