"""In which sizes the pictures of the map are drawn, and with what colours and words."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ui.locales import Texts

AGES: Final = 5
Floats = npt.NDArray[np.float64]
Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""


@dataclass(frozen=True, slots=True)
class Canvas:
    """A size in which the picture is drawn.

    Attributes:
        kind: its name, by which the style sheet shows the one that fits.
        width, height: in the picture's own unit.
        most: how many dots it holds.
        letters: how many letters across are seen as one line of a name.
        scale: how large signs are.
        words: how many words of a name are written.
    """

    kind: str
    width: int
    height: int
    most: int
    letters: int
    scale: float
    words: int


WIDE: Final = Canvas("wide", 680, 560, 420, 24, 1.0, 3)
NARROW: Final = Canvas("narrow", 350, 440, 170, 14, 0.85, 2)
CANVASES: Final = (WIDE, NARROW)


@dataclass(frozen=True, slots=True)
class Look:
    """What a picture is drawn with besides its scene.

    Attributes:
        first_day, last_day: between which the time goes.
        turns: the days on which the colours change, so that each stands for as many memories.
    """

    first_day: int
    last_day: int
    turns: tuple[int, ...]
    t: Texts

    def age(self, day: int) -> int:
        """Return which of the colours a day has."""
        return bisect_right(self.turns, day) if day else 0


def turns_of(days: Sequence[int]) -> tuple[int, ...]:
    """Return the days on which the colours change."""
    ordered = sorted(days)
    found = [ordered[len(ordered) * share // AGES] for share in range(1, AGES)] if ordered else []
    return tuple(day for day in found if day > ordered[0])


def wide(text: str) -> float:
    """Return how wide a text is, in letters of the alphabet."""
    return sum(1.0 if ord(char) < 0x2000 else 1.8 for char in text)  # noqa: PLR2004  # kana and kanji come later


def do_meet(one: Box, other: Box) -> bool:
    """Tell whether two boxes overlap."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
