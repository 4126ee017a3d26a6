"""Saying when something was, as people say it: earlier today, yesterday, on 13 August last year."""

from __future__ import annotations

from datetime import date, datetime

from managers.storage.errors import Lang

_DAYS = {"ja": "月火水木金土日", "en": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")}
_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_JUST_NOW_SECONDS = 3600


def say_when(time: datetime | None, now: datetime, lang: Lang) -> str:
    """Return a moment in natural words, relative to now; `before` where it is not known."""
    if time is None:
        return "以前" if lang == "ja" else "some time ago"
    return _japanese(time, now) if lang == "ja" else _english(time, now)


def _japanese(time: datetime, now: datetime) -> str:  # noqa: PLR0911  # one return per distance reads best
    days = (now.date() - time.date()).days
    if days <= 0:
        return "さっき" if abs((now - time).total_seconds()) < _JUST_NOW_SECONDS else f"今日の{_part_of_day(time)}"
    if days == 1:
        return "昨日"
    if days == 2:  # noqa: PLR2004  # days
        return "おととい"
    weekday = _DAYS["ja"][time.weekday()]
    if _weeks_between(time, now) == 0:
        return f"{weekday}曜日"
    if _weeks_between(time, now) == 1:
        return f"先週の{weekday}曜日"
    if time.year == now.year:
        return f"{time.month}月{time.day}日"
    if time.year == now.year - 1:
        return f"去年の{time.month}月{time.day}日"
    return f"{time.year}年{time.month}月{time.day}日"


def _part_of_day(time: datetime) -> str:
    if time.hour < 5:  # noqa: PLR2004  # hours
        return "未明"
    if time.hour < 11:  # noqa: PLR2004  # hours
        return "朝"
    if time.hour < 16:  # noqa: PLR2004  # hours
        return "昼間"
    return "夕方" if time.hour < 19 else "夜"  # noqa: PLR2004  # hours


def _english(time: datetime, now: datetime) -> str:
    days = (now.date() - time.date()).days
    if days <= 0:
        return "a little while ago" if abs((now - time).total_seconds()) < _JUST_NOW_SECONDS else "earlier today"
    if days == 1:
        return "yesterday"
    if days < 7:  # noqa: PLR2004  # days
        return f"on {_DAYS['en'][time.weekday()]}"
    if _weeks_between(time, now) == 1:
        return f"last {_DAYS['en'][time.weekday()]}"
    date = f"on {time.day} {_MONTHS[time.month - 1]}"
    if time.year == now.year:
        return date
    return f"{date} last year" if time.year == now.year - 1 else f"{date} {time.year}"


def _weeks_between(time: datetime, now: datetime) -> int:
    monday_then = time.toordinal() - time.weekday()
    return (now.toordinal() - now.weekday() - monday_then) // 7


def say_day(day: date, today: date, lang: Lang) -> str:
    """Return a day as people name it, today's neighbours by their own names: 昨日, on Tuesday, on 17 November 2025."""
    days = (today - day).days
    near = {
        "ja": {0: "今日", 1: "昨日", 2: "おととい", -1: "明日", -2: "あさって"},
        "en": {0: "today", 1: "yesterday", -1: "tomorrow"},
    }
    if days in near[lang]:
        return near[lang][days]
    then, now = (datetime(one.year, one.month, one.day) for one in (day, today))
    if days > 0:
        return say_when(then, now, lang)
    date_said = f"{day.month}月{day.day}日" if lang == "ja" else f"on {day.day} {_MONTHS[day.month - 1]}"
    if day.year == today.year:
        return date_said
    return f"{day.year}年{date_said}" if lang == "ja" else f"{date_said} {day.year}"


def say_calendar_day(day: date, lang: Lang) -> str:
    """Return a day with its year, as it may stand in a note that is read years later: 2026年11月17日, 17 November 2026."""
    return f"{day.year}年{day.month}月{day.day}日" if lang == "ja" else f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


def say_date(now: datetime, lang: Lang) -> str:
    """Return a date with its weekday."""
    if lang == "ja":
        return f"{now.year}年{now.month}月{now.day}日、{_DAYS['ja'][now.weekday()]}曜日"
    return f"{_DAYS['en'][now.weekday()]}, {now.day} {_MONTHS[now.month - 1]} {now.year}"


def say_time(now: datetime, lang: Lang) -> str:
    """Return a time of day."""
    if lang == "ja":
        half = "午前" if now.hour < 12 else "午後"  # noqa: PLR2004  # noon
        return f"{half}{now.hour % 12}時{f'{now.minute}分' if now.minute else ''}"
    return f"{(now.hour - 1) % 12 + 1}:{now.minute:02d} {'a.m.' if now.hour < 12 else 'p.m.'}"  # noqa: PLR2004  # noon


def part_of_day(now: datetime) -> str:
    """Return which greeting fits: morning, day, evening."""
    if 4 <= now.hour < 11:  # noqa: PLR2004  # hours
        return "morning"
    return "day" if 11 <= now.hour < 18 else "evening"  # noqa: PLR2004  # hours
