"""Saying when something was, as people say it: earlier today, yesterday, on 13 August last year."""

from __future__ import annotations

from datetime import date, datetime, time
from typing import Any

from managers.language.lexicons import load
from managers.storage.errors import Lang

_JUST_NOW_SECONDS = 3600
_NOON = 12


def say_when(moment: datetime | None, now: datetime, lang: Lang) -> str:
    """Return a moment in natural words, relative to now; `before` where it is not known."""
    said = _forms(lang)
    if moment is None:
        return str(said["unknown"])
    days = (now.date() - moment.date()).days
    if days <= 0:
        is_fresh = abs((now - moment).total_seconds()) < _JUST_NOW_SECONDS
        return _filled(said, "just_now" if is_fresh else "today", moment)
    if str(days) in said["near"]:
        return str(said["near"][str(days)])
    weeks = (_monday(now) - _monday(moment)) // 7
    if weeks == 0 or days < said["weekday_for"]:
        return _filled(said, "this_week", moment)
    if weeks == 1:
        return _filled(said, "last_week", moment)
    years = now.year - moment.year
    return _filled(said, {0: "this_year", 1: "last_year"}.get(years, "other_year"), moment)


def _forms(lang: Lang) -> dict[str, Any]:
    """Return how a language says days and hours (`day_words.toml`)."""
    found: dict[str, Any] = load(f"{lang}/day_words")
    return found


def _monday(moment: datetime) -> int:
    return moment.toordinal() - moment.weekday()


def _filled(said: dict[str, Any], form: str, moment: datetime) -> str:
    return str(said[form]).format(
        year=moment.year,
        month=said["months"].split()[moment.month - 1],
        day=moment.day,
        weekday=said["weekdays"].split()[moment.weekday()],
        part=next(name for until, name in said["parts"] if moment.hour < until),
        half=said["halves"][moment.hour >= _NOON],
        hour=moment.hour % _NOON or said["hour_of_noon"],
        minute=moment.minute,
    )


def say_day(day: date, today: date, lang: Lang) -> str:
    """Return a day as people name it, today's neighbours by their own names: 昨日, on Tuesday, on 17 November 2025."""
    said = _forms(lang)
    days = (today - day).days
    if str(days) in said["near"]:
        return str(said["near"][str(days)])
    then = datetime.combine(day, time())
    if days > 0:
        return say_when(then, datetime.combine(today, time()), lang)
    return _filled(said, "this_year" if day.year == today.year else "other_year", then)


def say_calendar_day(day: date, lang: Lang) -> str:
    """Return a day with its year, as it may stand in a note that is read years later: 2026年11月17日, 17 November 2026."""
    return _filled(_forms(lang), "calendar", datetime.combine(day, time()))


def say_date(now: datetime, lang: Lang) -> str:
    """Return a date with its weekday."""
    return _filled(_forms(lang), "full", now)


def say_time(now: datetime, lang: Lang) -> str:
    """Return a time of day."""
    return _filled(_forms(lang), "time" if now.minute else "sharp", now)


def part_of_day(now: datetime) -> str:
    """Return which greeting fits: morning, day, evening."""
    if 4 <= now.hour < 11:  # noqa: PLR2004  # hours
        return "morning"
    return "day" if 11 <= now.hour < 18 else "evening"  # noqa: PLR2004  # hours
