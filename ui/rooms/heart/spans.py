"""Spans of the emotion curve: which time is shown, how it is called, and what stands below it."""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Literal

from managers.memory.emotion_curve import Step, end_of
from ui.components.charts import Tick
from ui.components.times import clock_time, day_name, short_day
from ui.locales import Texts

Length = Literal["day", "week", "month", "year", "all"]
LENGTHS: tuple[Length, ...] = ("day", "week", "month", "year", "all")
_SHORT_LIFE_DAYS = 100
"""A persona younger than this has its whole life shown by days."""
_MOST_TICKS = 12


@dataclass(frozen=True, slots=True)
class Span:
    """A time from `since` on and before `until`; `step` is what is averaged where there are many readings."""

    length: Length
    since: datetime
    until: datetime
    step: Step

    def at(self, moment: datetime) -> float:
        """Return where a moment lies, from 0 to 1."""
        return (moment - self.since) / (self.until - self.since)


def span_of(length: Length, anchor: date, first: datetime | None, now: datetime) -> Span:
    """Return the day, week (from Monday), month or year that holds a day, or all since the first reading."""
    start = datetime.combine(anchor, time(0))
    if length == "day":
        return Span(length, start, start + timedelta(days=1), "hour")
    if length == "week":
        start -= timedelta(days=start.weekday())
        return Span(length, start, start + timedelta(days=7), "hour")
    if length == "month":
        start = start.replace(day=1)
        return Span(length, start, end_of(start, "month"), "day")
    if length == "year":
        start = start.replace(month=1, day=1)
        return Span(length, start, start.replace(year=start.year + 1), "week")
    tomorrow = datetime.combine(now.date(), time(0)) + timedelta(days=1)
    start = min(datetime.combine((first or now).date(), time(0)), tomorrow - timedelta(days=7))
    is_young = (tomorrow - start).days <= _SHORT_LIFE_DAYS
    return Span(length, start, tomorrow, "day" if is_young else "month")


def shifted(span: Span, direction: int) -> date:
    """Return a day in the span before (-1) or after (1)."""
    return (span.since - timedelta(days=1) if direction < 0 else span.until).date()


def narrower(step: Step) -> Length:
    """Return the span that shows what one point of an average stands for."""
    lengths: dict[Step, Length] = {"hour": "day", "day": "day", "week": "week", "month": "month"}
    return lengths[step]


def span_name(span: Span, today: date, t: Texts) -> str:
    """Return how a span is called."""
    start = span.since
    if span.length == "day":
        return day_name(start.date(), today, t)
    if span.length == "week":
        return t("heart.week_of", day=day_name(start.date(), today, t))
    if span.length == "month":
        return t("heart.month_name", year=start.year, month=t(f"times.month_{start.month}"))
    return t("heart.year_name", year=start.year) if span.length == "year" else t("heart.span_all")


def step_name(start: datetime, step: Step, today: date, t: Texts) -> str:
    """Return how an averaged hour, day, week or month is called."""
    if step == "hour":
        return f"{day_name(start.date(), today, t)} {clock_time(start)}"
    length: Length = narrower(step)
    return span_name(Span(length, start, end_of(start, step), step), today, t)


def ticks(span: Span, t: Texts) -> list[Tick]:
    """Return the marks below the curve."""
    start = span.since
    if span.length == "day":
        return [Tick(hour / 24, f"{hour}:00") for hour in range(0, 25, 3)]
    if span.length == "week":
        days = [start + timedelta(days=n) for n in range(7)]
        return [Tick(span.at(day) + 0.5 / 7, _day_of_week(day, t)) for day in days]
    if span.length == "month":
        return [
            Tick(span.at(start.replace(day=day)), short_day(start.replace(day=day), t))
            for day in (1, 6, 11, 16, 21, 26)
        ]
    if span.length == "all" and span.step == "day":
        days_between = max(1, (span.until - start).days // 6)
        moments = [start + timedelta(days=n) for n in range(0, (span.until - start).days, days_between)]
        return [Tick(span.at(moment), short_day(moment, t)) for moment in moments]
    return _month_ticks(span, t)


def _month_ticks(span: Span, t: Texts) -> list[Tick]:
    months = []
    month = span.since.replace(day=1)
    while month < span.until:
        if month >= span.since:
            months.append(month)
        month = end_of(month, "month")
    every = -(-len(months) // _MOST_TICKS)
    shown = [m for m in months if m.month == 1] if every > 1 else months
    shown = shown[:: -(-len(shown) // _MOST_TICKS) or 1]
    return [Tick(span.at(m), str(m.year) if every > 1 or m.month == 1 else t(f"heart.short_{m.month}")) for m in shown]


def _day_of_week(day: datetime, t: Texts) -> str:
    return t("heart.tick_day", month=day.month, day=day.day, weekday=t(f"heart.weekday_{day.weekday()}"))
