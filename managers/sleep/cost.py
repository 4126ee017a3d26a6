"""What a dream of the days that wait would cost, said before it begins."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from managers.sleep.dream_days import Days
from managers.sleep.tasks import DreamMind

_LOOKED_AT = 30
"""So many days tell what all of them cost."""


@dataclass(frozen=True, slots=True)
class DreamCost:
    """What a dream of the days that wait would cost; no calls where no model is asked.

    Attributes:
        tokens: read and written, roughly.
    """

    mind: str
    days: int = 0
    calls: int = 0
    tokens: int = 0


def estimated(mind: DreamMind, days: Days, waiting: Sequence[date], beside: int, *, anew: bool) -> DreamCost:
    """Estimate what a dream would ask of a mind; nothing is asked.

    Args:
        mind: what dreams.
        days: reads the days.
        waiting: those that it would dream of.
        beside: how often it would ask about more than a day: look back, and tell a week or a month.
        anew: each day is dreamt of as if for the first time.
    """
    looked_at = waiting[:: -(-len(waiting) // _LOOKED_AT) or 1]
    calls = tokens = 0
    for day in looked_at:
        material = days.material(day, anew=anew)
        each = mind.tokens_of(material)
        asked = len(days.tasks_of(material, anew=anew)) if each else 0
        calls, tokens = calls + asked, tokens + asked * each
    if not calls:
        return DreamCost(mind.name, len(waiting))
    each, calls = tokens // calls, calls * len(waiting) // len(looked_at) + beside
    return DreamCost(mind.name, len(waiting), calls, calls * each)
