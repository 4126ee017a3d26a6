"""When the memories are from: a small column chart that is also the legend of the colours, and the range to choose."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from html import escape

from managers.memory_map.sheet import Placed
from ui.charts import Tick
from ui.locales import Texts
from ui.map_canvas import Look

_COLUMNS = 48
_WIDTH, _HEIGHT = 680, 46
_FEW_DAYS, _MONTHS, _MANY_MONTHS = 45, 800, 3
_DAYS_IN_MONTH = 31


def time_range(pieces: Sequence[Placed], look: Look) -> str:
    """Return the columns and two handles below them; nothing where all is of one day."""
    first, last = look.first_day, look.last_day
    if not first or last <= first:
        return ""
    t = look.t
    handles = "".join(
        f'<input type="range" class="{name}" min="{first}" max="{last}" value="{first if name == "from" else last}" '
        f'aria-label="{escape(t(f"map.{name}"))}" data-says="{escape(t("map.day_form"))}">'
        for name in ("from", "until")
    )
    days = [day_name(date.fromordinal(day), t) for day in (first, last)]
    return (
        f'<div class="when" data-months="{escape("|".join(t(f"times.month_{n}") for n in range(1, 13)))}">'
        f"{_columns(pieces, look)}"
        f'<div class="handles">{handles}</div>'
        f'<p class="ends"><output>{escape(days[0])}</output><span>{escape(t("map.old_to_new"))}</span>'
        f"<output>{escape(days[1])}</output></p></div>"
    )


def _columns(pieces: Sequence[Placed], look: Look) -> str:
    first, last = look.first_day, look.last_day
    count = min(_COLUMNS, last - first + 1)
    counts = [0] * count
    for piece in pieces:
        if piece.day:
            counts[min(count - 1, (piece.day - first) * count // (last - first + 1))] += 1
    most, wide = max([*counts, 1]), _WIDTH / count
    bars = "".join(
        f'<rect x="{at * wide + 0.5:.1f}" y="{_HEIGHT - high:.1f}" width="{wide - 1:.1f}" height="{high:.1f}" rx="1.5" '
        f'style="fill:var(--age-{look.age(first + (2 * at + 1) * (last - first + 1) // (2 * count))})"/>'
        for at, one in enumerate(counts)
        if (high := max(2.0, (_HEIGHT - 2) * one / most) if one else 0)
    )
    label = escape(look.t("map.when_title"))
    return f'<svg class="columns" viewBox="0 0 {_WIDTH} {_HEIGHT}" preserveAspectRatio="none" role="img" aria-label="{label}">{bars}</svg>'


def day_name(day: date, t: Texts) -> str:
    """Return a day in full."""
    facts = {"[year]": day.year, "[month]": day.month, "[day]": day.day, "[name]": t(f"times.month_{day.month}")}
    said = t("map.day_form")  # square brackets, for the page's script fills it in too
    for key, value in facts.items():
        said = said.replace(key, str(value))
    return said


def time_ticks(first: int, last: int, t: Texts, most: int) -> list[Tick]:
    """Return marks along the time between two days: days, months or years."""
    span = max(last - first, 1)
    if span <= _FEW_DAYS:
        step = -(-(span + 1) // most)
        days = [date.fromordinal(first + n) for n in range(0, span + 1, step)]
        return [Tick((day.toordinal() - first) / span, _short_day(day, t)) for day in days]
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


def _short_day(day: date, t: Texts) -> str:
    return t("heart.tick_date", month=day.month, month_name=t(f"heart.short_{day.month}"), day=day.day)


def _short_month(month: date, t: Texts, *, only_year: bool) -> str:
    if only_year or month.month == 1:
        return str(month.year)
    return t(f"heart.short_{month.month}")
