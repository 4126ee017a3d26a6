"""The level of a persona: what makes it up, and its course over time."""

from __future__ import annotations

import math
from concurrent.futures import TimeoutError as TooLongError
from typing import TYPE_CHECKING, Any, Final

from managers.growth.kpi import WEIGHTS, level_of
from managers.storage.errors import UtataneError
from ui.components.charts import Point, Tick, level_chart
from ui.components.times import short_day
from ui.rooms.heart.look import Look

if TYPE_CHECKING:
    import pandas as pd

_PATIENCE: Final = 1.0
"""Seconds that the room waits for the counts; longer ones are there the next time."""
_MOST_POINTS: Final = 180


def growth(look: Look) -> dict[str, Any] | None:
    """Return the level, what it consists of and its course; None while that is being counted for the first time."""
    try:
        course = look.visit.companion.course().result(_PATIENCE)
    except (TooLongError, UtataneError):  # the notices tell what went wrong
        return None
    t, total = look.visit.t, float(course["total"].iloc[-1]) if len(course) else 0.0
    level = level_of(total)
    counts = {name: int(course[name].sum()) for name in WEIGHTS}
    return {
        "level": level,
        "share": round(100 * (total - 10 * level**2) / (10 * (2 * level + 1))),  # of the way to the next one
        "next": level + 1,
        "missing": math.ceil(10 * (level + 1) ** 2 - total),
        "said": t("heart.growth_said", level=level, next=level + 1),
        "counts": [(t(f"heart.kpi_{name}"), count) for name, count in counts.items()],
        "pictures": _pictures(course, level, look) if len(course) else (),
    }


def _pictures(course: pd.DataFrame, level: int, look: Look) -> list[dict[str, Any]]:
    """Return the course of the level from the first day until now; the broken line is the next level."""
    t, now = look.visit.t, look.visit.now
    begun = course["day"].iloc[0]
    span = max((now.date() - begun).days, 1)
    rows = list(zip(course["day"], course["total"], strict=True))
    shown = rows[:: -(-len(rows) // _MOST_POINTS)]
    points = [Point((day - begun).days / span, math.sqrt(total / 10) / (level + 1)) for day, total in shown]
    points.append(Point(1, math.sqrt(rows[-1][1] / 10) / (level + 1)))
    ends = (short_day(begun, t), t("heart.now"))
    return level_chart([Point(0, 0), *points], Tick(1, t("heart.next_level", level=level + 1)), ends)
