"""Saying when something was, as people say it: earlier today, yesterday, on 13 August last year."""

from datetime import date, datetime, time
from typing import Any

from managers.language.lexicons import load
from managers.storage.errors import Lang

_JUST_NOW_SECONDS = 3600
_NOON = 12


def say(form: str, moment: date, lang: Lang) -> str:
    """Return a day or a moment in one of the forms of `day_words.toml`: `full` has its weekday, `calendar` its year."""
    said = _forms(lang)
    at = moment if isinstance(moment, datetime) else datetime.combine(moment, time())
    return str(said[form]).format(
        year=at.year,
        month=said["months"].split()[at.month - 1],
        day=at.day,
        weekday=said["weekdays"].split()[at.weekday()],
        part=next(name for until, name in said["parts"] if at.hour < until),
        half=said["halves"][at.hour >= _NOON],
        hour=at.hour % _NOON or said["hour_of_noon"],
        minute=at.minute,
        numbers=at.date().isoformat(),
        clock=f"{at:%H:%M}",
    )


def say_when(moment: datetime | None, now: datetime, lang: Lang) -> str:
    """Return a moment in natural words, relative to now; `before` where it is not known."""
    said = _forms(lang)
    if moment is None:
        return str(said["unknown"])
    days = (now.date() - moment.date()).days
    if days == 0:
        is_fresh = abs((now - moment).total_seconds()) < _JUST_NOW_SECONDS
        return say("just_now" if is_fresh else "today", moment, lang)
    if days > 0 and str(days) in said["near"]:
        return str(said["near"][str(days)])
    weeks = (_monday(now) - _monday(moment)) // 7
    if days > 0 and (weeks == 0 or days < said["weekday_for"]):
        return say("this_week", moment, lang)
    if weeks == 1:
        return say("last_week", moment, lang)
    years = now.year - moment.year
    return say({0: "this_year", 1: "last_year"}.get(years, "other_year"), moment, lang)


def _forms(lang: Lang) -> dict[str, Any]:
    """Return how a language says days and hours (`day_words.toml`)."""
    found: dict[str, Any] = load(f"{lang}/day_words")
    return found


def _monday(moment: datetime) -> int:
    return moment.toordinal() - moment.weekday()


def say_day(day: date, today: date, lang: Lang) -> str:
    """Return a day as people name it, today's neighbours by their own names: 昨日, on Tuesday, on 17 November 2025."""
    said = _forms(lang)
    days = (today - day).days
    if str(days) in said["near"]:
        return str(said["near"][str(days)])
    if days > 0:
        return say_when(datetime.combine(day, time()), datetime.combine(today, time()), lang)
    return say("this_year" if day.year == today.year else "other_year", day, lang)


def say_time(now: datetime, lang: Lang) -> str:
    """Return a time of day."""
    return say("time" if now.minute else "sharp", now, lang)


def part_of_day(now: datetime) -> str:
    """Return which greeting fits: morning, day, evening."""
    if 4 <= now.hour < 11:  # noqa: PLR2004  # hours
        return "morning"
    return "day" if 11 <= now.hour < 18 else "evening"  # noqa: PLR2004  # hours
