"""In which sizes the pictures of the map are drawn, and with what colours and words."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from managers.memory_map.scene import Dot
from ui.locales import Texts

AGES = 5
SMALL_TEXT = "font-family:var(--sans);font-size:11px;fill:var(--quiet)"
HALO = "paint-order:stroke;stroke:var(--surface);stroke-width:4px;stroke-linejoin:round"

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Canvas:
    """A size in which the picture is drawn; `most` is how many dots it holds."""

    kind: str
    width: int
    height: int
    most: int
    letters: int
    """So many letters across are seen as one line of a name."""
    scale: float
    """How large signs are."""
    words: int
    """So many words of a name are written."""


WIDE = Canvas("wide", 680, 560, 420, 24, 1.0, 3)
NARROW = Canvas("narrow", 350, 440, 170, 14, 0.85, 2)
CANVASES = {canvas.kind: canvas for canvas in (WIDE, NARROW)}


@dataclass(frozen=True, slots=True)
class Look:
    """What a picture is drawn with besides its scene.

    Attributes:
        label: what is said of a dot.
        first_day, last_day: between which the time goes.
        turns: the days on which the colours change, so that each stands for as many memories.
        title: what the picture shows, for screen readers.
        t: the page's texts.
    """

    label: Callable[[Dot], str]
    first_day: int
    last_day: int
    turns: Sequence[int]
    title: str
    t: Texts

    def age(self, day: int) -> int:
        """Return which of the colours a day has."""
        return bisect_right(self.turns, day) if day else 0


def turns_of(days: Sequence[int]) -> list[int]:
    """Return the days on which the colours change."""
    ordered = sorted(days)
    found = [ordered[len(ordered) * share // AGES] for share in range(1, AGES)] if ordered else []
    return [day for day in found if day > ordered[0]]


def wide(text: str) -> float:
    """Return how wide a text is, in letters of the alphabet."""
    return sum(1.0 if ord(char) < 0x2000 else 1.8 for char in text)  # noqa: PLR2004  # kana and kanji come later


def lot(key: str) -> float:
    """Return a number from 0 to 1 that a key always draws."""
    return int.from_bytes(blake2b(key.encode(), digest_size=4).digest(), "big") / 2**32
