"""What models were asked for and what that costs, as it is shown: sums, caps, a chart by day, tables, prices."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final, Literal, get_args

from managers.storage.settings import UsageSettings
from managers.usage.caps import Standing
from managers.usage.ledger import PURPOSES, Call
from managers.usage.prices import NANO, Price
from managers.usage.totals import Costing, Sum, amount, by_day, grouped, total
from ui.components.times import day_name
from ui.locales import Texts

Grouping = Literal["persona", "purpose", "model"]
Span = Literal["today", "month", "days", "all"]
Measure = Literal["tokens", "money"]
GROUPINGS: Final[tuple[Grouping, ...]] = get_args(Grouping)
SPANS: Final[tuple[Span, ...]] = get_args(Span)
MEASURES: Final[tuple[Measure, ...]] = get_args(Measure)
DAYS: Final = 30
_WIDE, _NARROW = (760, 230), (350, 220)
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 8, 14, 30
_GAP: Final = 0.28
"""Of a day's width that stays empty."""


@dataclass(frozen=True, slots=True)
class Look:
    """How the page is looked at: how its chart and its table are made."""

    grouping: Grouping = "persona"
    span: Span = "month"
    measure: Measure = "tokens"


@dataclass(frozen=True, slots=True)
class Bar:
    """A day's bar: two rectangles (x, y, width, height), and what it says."""

    label: str
    lower: tuple[float, float, float, float]
    upper: tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart of bars, drawn for one width.

    Attributes:
        kind: `wide` or `narrow`.
        size: width and height of the picture.
        lines: the height of each line across, and what it says.
        bars: the days.
        ticks: where a day is named below, and how.
    """

    kind: str
    size: tuple[int, int]
    lines: Sequence[tuple[float, str]]
    bars: Sequence[Bar]
    ticks: Sequence[tuple[float, str]]


@dataclass(frozen=True, slots=True)
class Day:
    """What a day's bar shows: the lower and the upper part, in the chart's unit."""

    lower: float
    upper: float
    label: str
    tick: str


def since(span: Span, today: date) -> date | None:
    """Return the first day of a span; None: from the beginning."""
    firsts = {"today": today, "month": today.replace(day=1), "days": today - timedelta(days=DAYS - 1)}
    return firsts.get(span)


def first_day(look: Look, today: date) -> date | None:
    """Return the first day that anything shows; None: all of them. Years of calls are read only if asked for."""
    return None if look.span == "all" else min(today.replace(day=1), today - timedelta(days=DAYS - 1))


def within(calls: Iterable[Call], begins: date | None) -> list[Call]:
    """Return the calls from a day on."""
    return [call for call in calls if begins is None or call.time.date() >= begins]


def tiles(
    calls: Sequence[Call], cost: Costing, limits: UsageSettings, today: date, persona: str, t: Texts
) -> list[dict[str, str]]:
    """Return the sums of today and this month: of all, and of one persona where a name is given."""
    month = within(calls, since("month", today))
    found = [(t("usage.today"), within(month, today)), (t("usage.month"), month)]
    if persona:
        own = [call for call in month if call.persona == persona]
        found += [(t("usage.today_of", name=persona), within(own, today)), (t("usage.month_of", name=persona), own)]
    return [_tile(label, total(some, cost), limits, t) for label, some in found]


def money(sums: Sum, limits: UsageSettings, t: Texts) -> str:
    """Return what calls cost in words; a price that is unknown is said, never taken for nothing."""
    if sums.calls and sums.unpriced == sums.calls:
        return t("usage.unpriced_all")
    said = t("usage.about", amount=amount(sums.cost, limits)) if sums.cost or not sums.calls else t("usage.free")
    return f"{said} · {t('usage.unpriced', count=f'{sums.unpriced:,}')}" if sums.unpriced else said


def cap(standing: Standing, limits: UsageSettings, t: Texts) -> dict[str, object]:
    """Return how much of a cap is used up; `share` in percent, `state` is `near`, `reached` or empty."""
    found = standing.cap
    name = t(f"usage.cap_{found.span}")
    if found.persona:
        name = t("usage.cap_of", name=found.persona, span=name)
    limit = _in_unit(found.limit, found.unit, limits)
    limit = t("usage.tokens", count=limit) if found.unit == "tokens" else limit
    said = t("usage.of", spent=_in_unit(standing.spent, found.unit, limits), limit=limit)
    state = "reached" if standing.left <= 0 else "near" if standing.is_near else ""
    return {"name": name, "said": said, "share": round(100 * min(1.0, standing.share), 1), "state": state}


def course(
    calls: Sequence[Call], cost: Costing, limits: UsageSettings, today: date, measure: Measure, t: Texts
) -> list[Chart]:
    """Return the chart of the last days, for a wide and a narrow window."""
    begins = today - timedelta(days=DAYS - 1)
    days = by_day(within(calls, begins), cost, begins, today)
    shown = [_day(day, sums, limits, today, measure, t) for day, sums in days.items()]
    return [chart(shown, _WIDE, "wide", 1), chart(shown, _NARROW, "narrow", 2)]


def chart(days: Sequence[Day], size: tuple[int, int], kind: str, every: int) -> Chart:
    """Return bars for one width of window; of the names below, each `every`-th stands."""
    width, height = size
    highest = nice_top(max((day.lower + day.upper for day in days), default=0))
    floor, room = height - _BOTTOM, height - _TOP - _BOTTOM
    step = (width - _LEFT - _RIGHT) / max(1, len(days))
    lines = [(floor - share * room, _short(share * highest)) for share in (0.0, 0.5, 1.0)]
    bars = [
        _bar(day, _LEFT + (at + _GAP / 2) * step, step * (1 - _GAP), floor, room / highest)
        for at, day in enumerate(days)
    ]
    named = [(_LEFT + (at + 0.5) * step, day.tick) for at, day in enumerate(days) if day.tick]
    return Chart(kind, size, lines, [bar for bar in bars if bar.lower[3] or bar.upper[3]], named[::every])


def nice_top(highest: float) -> float:
    """Return a round number not below `highest`: 1, 2 or 5 times a power of ten."""
    if highest <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(highest))
    return next((factor * power for factor in (1, 2, 5, 10) if factor * power >= highest), 10 * power)


def rows(
    calls: Sequence[Call], cost: Costing, limits: UsageSettings, grouping: Grouping, here: frozenset[str], t: Texts
) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the table of what was spent: each group's name, and its cells with what they are called."""
    labels = [t(f"usage.head_{key}") for key in ("calls", "read", "written", "tokens", "cost")]
    table = []
    for key, sums in grouped(calls, cost, key_of(grouping)).items():
        numbers = (sums.calls, sums.input_tokens, sums.output_tokens, sums.tokens)
        values = [*(f"{number:,}" for number in numbers), money(sums, limits, t)]
        table.append((name_of(grouping, key, here, t), list(zip(labels, values, strict=True))))
    return table


def key_of(grouping: Grouping) -> Callable[[Call], str]:
    """Return what calls are grouped by."""
    keys: Mapping[Grouping, Callable[[Call], str]] = {
        "persona": lambda call: call.persona,
        "purpose": lambda call: call.purpose,
        "model": lambda call: f"{call.model} ({call.service})",
    }
    return keys[grouping]


def name_of(grouping: Grouping, key: str, here: frozenset[str], t: Texts) -> str:
    """Return what a group is called."""
    if grouping == "purpose":
        return t(f"usage.purpose.{key if key in PURPOSES else 'other'}")
    if grouping == "persona":
        return key if key in here else t("usage.gone", name=key) if key else t("usage.nobody")
    return key


def price_in_words(price: Price | None, t: Texts) -> str:
    """Return what a model costs, and where that is known from."""
    if price is None:
        return t("usage.price_unknown")
    if price.source == "local":
        return t("usage.price_local")
    said = t(f"usage.price_{price.source}", read=f"{price.input:g}", written=f"{price.output:g}", day=price.as_of)
    if price.above:
        read, written, above = f"{price.input_above:g}", f"{price.output_above:g}", f"{price.above:,}"
        return f"{said}; {t('usage.price_above', read=read, written=written, above=above)}"
    return said


def _tile(label: str, sums: Sum, limits: UsageSettings, t: Texts) -> dict[str, str]:
    small = [t("usage.call") if sums.calls == 1 else t("usage.calls", count=f"{sums.calls:,}")]
    if sums.estimated:
        small.append(t("usage.estimated", count=f"{sums.estimated:,}"))
    tokens = t("usage.tokens", count=f"{sums.tokens:,}")
    return {"label": label, "tokens": tokens, "money": money(sums, limits, t), "small": " · ".join(small)}


def _in_unit(value: int, unit: str, limits: UsageSettings) -> str:
    return f"{value:,}" if unit == "tokens" else amount(value, limits)


def _day(day: date, sums: Sum, limits: UsageSettings, today: date, measure: Measure, t: Texts) -> Day:
    tick = f"{day.month}/{day.day}" if (today - day).days % 5 == 0 else ""
    value = money(sums, limits, t)
    if measure == "money":
        label = t("usage.chart_day", day=day_name(day, today, t), value=value)
        return Day(0.0, sums.cost / NANO * limits.per_dollar, label, tick)
    value = f"{t('usage.tokens', count=f'{sums.tokens:,}')}, {value}"
    label = t("usage.chart_day", day=day_name(day, today, t), value=value)
    return Day(sums.input_tokens, sums.output_tokens, label, tick)


def _bar(day: Day, x: float, width: float, floor: float, scale: float) -> Bar:
    lower, upper = day.lower * scale, day.upper * scale
    return Bar(day.label, (x, floor - lower, width, lower), (x, floor - lower - upper, width, upper))


def _short(value: float) -> str:
    for size, letter in ((1_000_000, "M"), (1_000, "k")):
        if value >= size:
            return f"{value / size:g}{letter}"
    return f"{value:.3g}"
