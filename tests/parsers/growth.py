"""Inputs that grow: what is built of the same pieces takes time in proportion to its length, or something is amiss."""

from __future__ import annotations

import gc
import json
import time
from collections.abc import Callable
from typing import NamedTuple

MOST_GROWTH = 24
"""An input eight times as long takes eight times as long; where time grows with the square it is sixty-four times."""
_TIMES = 8
_ENOUGH = 0.02
"""Seconds: less than this is measured too badly to say anything."""
_LEAST = 0.001
"""Seconds: less is taken for this much, so that an input that is refused at once is no measure."""
_SHORTEST = 1 << 9
_LONGEST = 1 << 22
"""Bytes: what takes no time at this length takes none."""


class Recipe(NamedTuple):
    """An input of any length: a beginning, pieces over and over, an end."""

    start: bytes
    piece: bytes
    end: bytes

    def made(self, size: int) -> bytes:
        """Return the input with so many bytes of pieces."""
        return self.start + self.piece * (size // len(self.piece)) + self.end

    def dumps(self) -> str:
        """Return it as JSON that people can read."""
        return json.dumps([part.decode("latin-1") for part in self])

    @classmethod
    def loads(cls, text: str) -> Recipe:
        """Return what `dumps` wrote."""
        return cls(*(part.encode("latin-1") for part in json.loads(text)))


def growth(read: Callable[[bytes], object], recipe: Recipe, most: int = 0, patience: float = 0.1) -> float:
    """Return how many times as long a parser takes for an input eight times as long, at the worst of all lengths.

    The lengths are those at which it can be measured: until an input takes so long, or is as long as any is; 0 where
    none ever takes long enough.

    Args:
        read: the parser.
        recipe: what the input is made of.
        most: as many bytes are ever given to it; 0: any number.
        patience: seconds; an input that takes longer is the last.
    """
    worst, size = 0.0, _SHORTEST
    before = _seconds(read, recipe.made(size))
    while before < patience and size * _TIMES <= (most or _LONGEST):
        after = _seconds(read, recipe.made(size * _TIMES))
        if after > _ENOUGH:
            for more in range(1, 4):  # what disturbed it is not there each time; some inputs have to be of even length
                if after < MOST_GROWTH * before:
                    break
                before = max(before, _seconds(read, recipe.made(size + more * len(recipe.piece))))
                after = min(after, _seconds(read, recipe.made(size * _TIMES + more * len(recipe.piece))))
            worst = max(worst, after / before)
        if worst >= MOST_GROWTH:
            break
        size, before = size * _TIMES, after
    return worst


def _seconds(read: Callable[[bytes], object], data: bytes) -> float:
    """Return the time that this thread worked: others on the machine do not count, nor does a look for garbage."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        begun = time.thread_time()
        read(data)
        return max(time.thread_time() - begun, _LEAST)
    finally:
        if was_enabled:
            gc.enable()
