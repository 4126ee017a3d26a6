"""The C-value of a memory: from 0.1 to 1.0, how far it is trusted and how much it is needed.

It begins at a value that follows from its origin, rises when the memory is used or found again, falls when it is
contradicted, and fades while nobody needs it. The fading is worked out when the value is looked at, from the day of
the last use: no file is written because time passes. What a person wrote or pinned never fades.
"""

import math
from datetime import date
from typing import Annotated, Any, Final, Literal, NamedTuple

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

Origin = Literal["experience", "insight", "contradiction"]
Why = Literal["used", "found_again", "contradicted", "merged", "split"]

LOWEST: Final = 0.1
HIGHEST: Final = 1.0
START: Final[dict[Origin, float]] = {"experience": 0.5, "insight": 0.3, "contradiction": 0.4}
"""Where a memory begins: what was lived through, what was concluded, what came out of a contradiction."""
USED: Final = 0.1
FOUND_AGAIN: Final = 0.05
CONTRADICTED: Final = -0.2
REST_DAYS: Final = 30
"""So long after its last use a memory does not fade."""
HALF_LIFE_DAYS: Final = 365
"""After each of these further days without a use half of the value is left; of what was needed in more months, later."""
_NEEDED: Final[frozenset[Why]] = frozenset({"used", "found_again", "merged"})
KEPT_MOVES: Final = 12


def _in_range(value: object) -> float | None:
    """Return a C-value that somebody wrote by hand as one that can be; None where it is no number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return min(HIGHEST, max(LOWEST, float(value)))


def _day(value: object) -> str:
    return value if isinstance(value, str) and day_of(value) else ""


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _moves(value: object) -> list[Any]:
    return [one for one in value if _is_move(one)] if isinstance(value, list) else []


def _is_empty(value: object) -> bool:
    return not value


class Move(BaseModel):
    """What moved a C-value: on which day, by how much, why, and how grave it was where it was a contradiction."""

    model_config = ConfigDict(frozen=True)

    day: str
    by: float
    why: Why
    severity: float = Field(0.0, exclude_if=_is_empty)


def _is_move(value: object) -> bool:
    if isinstance(value, Move):
        return True
    try:
        return bool(Move.model_validate(value))
    except ValueError:
        return False


class Standing(BaseModel):
    """How a memory stands: what every memory carries beside its words.

    Attributes:
        confidence: the C-value as it was on the day of the last use; None: as it began.
        last_accessed: the day (ISO) of the last use; empty: never since it was made.
        generation: how many merges lie behind it.
        moves: what moved the value last, oldest first.
        splits: how many times contradictions have split it.
    """

    confidence: Annotated[float | None, BeforeValidator(_in_range)] = None
    generation: Annotated[int, BeforeValidator(_count)] = 0
    last_accessed: Annotated[str, BeforeValidator(_day)] = Field("", exclude_if=_is_empty)
    moves: Annotated[list[Move], BeforeValidator(_moves)] = Field(default_factory=list, exclude_if=_is_empty)
    splits: Annotated[int, BeforeValidator(_count)] = Field(0, exclude_if=_is_empty)


def value_of(standing: Standing, origin: Origin, made: date | None, today: date) -> float:
    """Return the C-value as it is today.

    C(d) = max(0.1, C × 2^(-(d - 30) / (365 × (1 + n)))) with d the days since the last use, or since the memory was
    made; nothing is taken off in the first 30 days. n is the number of months in which it was needed, as far as its
    moves tell: what is used again and again over time is kept longer, as with people (the spacing effect; Settles and
    Meeder 2016 let the half-life of a word grow in the same way).

    Args:
        standing: how it stood at its last use.
        origin: what it came from, for the value it began with.
        made: when it was made; None where nobody knows: it does not fade.
        today: when it is looked at.
    """
    fading = fading_of(standing, origin, made)
    unused = (today - fading.since).days - REST_DAYS if fading.since else 0
    return max(LOWEST, fading.began * math.exp2(-max(0, unused) / fading.half_life))


class Fading(NamedTuple):
    """How a C-value fades: from what value on, since which day (None: it does not), and in how many days by half."""

    began: float
    since: date | None = None
    half_life: int = HALF_LIFE_DAYS


NEVER_FADES: Final = Fading(HIGHEST)
"""How it is with what a person pinned or wrote."""


def fading_of(standing: Standing, origin: Origin, made: date | None) -> Fading:
    """Return how the C-value of a memory fades; everything is as `value_of` takes it."""
    began = standing.confidence if standing.confidence is not None else START[origin]
    months = {move.day[:7] for move in standing.moves if move.why in _NEEDED}
    return Fading(began, day_of(standing.last_accessed) or made, HALF_LIFE_DAYS * (1 + len(months)))


def moved(standing: Standing, origin: Origin, made: date | None, today: date, why: Why, by: float) -> dict[str, Any]:
    """Return the values of a standing after something moved it today: its fields by name, for `model_copy(update=…)`.

    The value is raised or lowered from what it has faded to; being used or found again also begins a new rest.
    """
    before = value_of(standing, origin, made, today)
    after = round(min(HIGHEST, max(LOWEST, before + by)), 4)
    move = Move(day=today.isoformat(), by=round(after - before, 4), why=why)
    last = standing.last_accessed if why == "contradicted" else today.isoformat()
    return {
        "confidence": after,
        "last_accessed": last or today.isoformat(),
        "moves": [*standing.moves, move][-KEPT_MOVES:],
    }


def day_of(day: str) -> date | None:
    """Return the day that an ISO date names; None where it names none."""
    try:
        return date.fromisoformat(day)
    except ValueError:
        return None
