"""When the memories are from: a small column chart that is also the legend of the colours, and marks along the time."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from managers.memory_map.sheet import Placed
from ui.components.charts import Tick
from ui.components.times import short_day
from ui.locales import Texts
from ui.rooms.map.canvas import Look

WIDTH, HEIGHT = 680, 46
_COLUMNS: Final = 48
_FEW_DAYS, _MONTHS = 45, 800
_DAYS_IN_MONTH: Final = 31


@dataclass(frozen=True, slots=True)
class Column:
    """How many memories are of some days, in the chart's unit, and the colour of their age."""

    x: float
    height: float
    age: int


@dataclass(frozen=True, slots=True)
class TimeRange:
    """The columns, and the days (ordinals, and in words) between which the handles below them go."""

    columns: Sequence[Column]
    width: float
    first: int
    last: int
    first_day: str
    last_day: str


def time_range(pieces: Sequence[Placed], look: Look) -> TimeRange | None:
    """Return the columns; None where all is of one day."""
    first, last = look.first_day, look.last_day
    if not first or last <= first:
        return None
    count = min(_COLUMNS, last - first + 1)
    counts = [0] * count
    for piece in pieces:
        if piece.day:
            counts[min(count - 1, (piece.day - first) * count // (last - first + 1))] += 1
    most, width = max([*counts, 1]), WIDTH / count
    columns = [
        Column(
            round(at * width + 0.5, 1),
            round(max(2.0, (HEIGHT - 2) * one / most), 1),
            look.age(first + (2 * at + 1) * (last - first + 1) // (2 * count)),
        )
        for at, one in enumerate(counts)
        if one
    ]
    days = [day_in_full(date.fromordinal(day), look.t) for day in (first, last)]
    return TimeRange(columns, round(width - 1, 1), first, last, days[0], days[1])


def day_in_full(day: date, t: Texts) -> str:
    """Return a day with its year."""
    name = t(f"times.month_{day.month}")
    return t("map.day_form", year=day.year, month=day.month, month_name=name, day=day.day)


def time_ticks(first: int, last: int, t: Texts, most: int) -> list[Tick]:
    """Return marks along the time between two days: days, months or years; at most so many."""
    span = max(last - first, 1)
    if span <= _FEW_DAYS:
        step = -(-(span + 1) // most)
        days = [date.fromordinal(first + n) for n in range(0, span + 1, step)]
        return [Tick((day.toordinal() - first) / span, short_day(day, t)) for day in days]
    months = _month_starts(date.fromordinal(first), date.fromordinal(last))
    if span > _MONTHS:
        months = [month for month in months if month.month == 1]
    months = months[:: -(-len(months) // most) or 1]
    return [
        Tick((month.toordinal() - first) / span, _short_month(month, t, only_year=span > _MONTHS)) for month in months
    ]


def _month_starts(first: date, last: date) -> list[date]:
    found = []
    month = (first.replace(day=1) + timedelta(days=_DAYS_IN_MONTH)).replace(day=1)
    while month <= last:
        found.append(month)
        month = (month + timedelta(days=_DAYS_IN_MONTH)).replace(day=1)
    return found


def _short_month(month: date, t: Texts, *, only_year: bool) -> str:
    if only_year or month.month == 1:
        return str(month.year)
    return t(f"heart.short_{month.month}")
