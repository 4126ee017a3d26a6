"""How long to wait before asking a busy server again."""

from __future__ import annotations

from random import Random

LONGEST_PAUSE = 60.0
"""A server that asks for more than this is told to the person instead of being waited for."""

_GROWTH = 2.0
_JITTER = 0.25


def pause_before(attempt: int, *, first: float, asked: float | None, rng: Random) -> float | None:
    """Return the seconds to wait before try number `attempt` (1 is the second), None to give up.

    Doubling with jitter, so that several windows do not come back in step; never shorter than what
    the server asked for.
    """
    if asked is not None and asked > LONGEST_PAUSE:
        return None
    grown = first * _GROWTH ** (attempt - 1)
    return min(LONGEST_PAUSE, max(grown * (1 + _JITTER * rng.random()), asked or 0.0))
