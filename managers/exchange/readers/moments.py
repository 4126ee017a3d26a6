"""When something was said, in the forms in which other programs write it. What is not surely a time is none."""

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta, timezone
from email.utils import parsedate_to_datetime
from typing import Final, Literal

DayOrder = Literal["dmy", "mdy"]
"""Which of two numbers is the day, where a date begins with neither year nor a month's name."""

_EARLIEST: Final = datetime(1990, 1, 1, tzinfo=UTC).timestamp()
_LATEST: Final = datetime(2200, 1, 1, tzinfo=UTC).timestamp()
_UNITS: Final = (1.0, 1e3, 1e6, 1e9)
"""Seconds, milliseconds, microseconds, nanoseconds."""
_LONGEST: Final = 100
_CENTURY: Final = 100
_NOON: Final = 12
_MONTHS: Final = {
    name: number
    for number, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1)  # noqa: SIM905  # as read
}
_WEEKDAY = r"(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6}\.?,? ?)?"
_WEEKDAY_AFTER = r"(?: ?[((][月火水木金土日A-Za-z]{1,9}[))]| ?[月火水木金土日]曜日?| [MTWFS][a-z]{2,8})?"
DATE: Final = (
    rf"{_WEEKDAY}(?:"
    r"(?P<y>\d{4})(?:[-/.]|年) ?(?P<m>\d{1,2})(?:[-/.]|月) ?(?P<d>\d{1,2})日?"
    r"|(?P<month>[A-Z][a-z]{2,8})\.? (?P<day>\d{1,2})(?:st|nd|rd|th)?,? (?P<year>\d{4})"
    r"|(?P<day2>\d{1,2})[. -] ?(?P<month2>[A-Z][a-z]{2,8})\.?[, -] ?(?P<year2>\d{4}|\d{2})"
    r"|(?P<a>\d{1,2})[-/.](?P<b>\d{1,2})[-/.](?P<c>\d{4}|\d{2})"
    rf"){_WEEKDAY_AFTER}"
)
"""A pattern of a date, on one line; `day_of` reads its groups."""
TIME: Final = (
    r"(?:(?P<half>午前|午後|[AaPp][Mm]) ?)?(?P<hour>\d{1,2})(?:[:.]|時|h ?)(?P<minute>\d{2})(?:[:.]|分|m ?)?"
    r"(?:(?P<second>(?<=[:.分m ])\d{1,2})(?:[.,](?P<part>\d{1,9}))?(?:秒|s(?: ?\d{1,3}ms)?)?)?"
    r"(?:[ \u202f\u00a0]?(?P<half2>[AaPp]\.?[Mm]\.?))?"
)
"""A pattern of a time of day; `clock_of` reads its groups."""
_ZONE = r"(?: ?(?P<zone>Z|(?:UTC|GMT)?[+-]\d{2}:?\d{2}|UTC|GMT)(?: \([^)]{1,60}\))?)?"
_MOMENT = re.compile(rf"{DATE}(?:,? (?:at )?|T|,? ?@ ?| - ){TIME}{_ZONE}", re.ASCII)
_NUMBER = re.compile(r"\d{9,19}(?:\.\d{1,9})?", re.ASCII)


def read_moment(value: object, order: DayOrder = "mdy") -> datetime | None:
    """Return the time that a value of another program says; None where it says none.

    Args:
        value: seconds, milliseconds or microseconds since 1970, or a text.
        order: which number of `03/04/2024` is the day.

    Returns:
        with an offset where the value has one, or counts from 1970; as the clock on the wall showed it otherwise.
    """
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, (int, float)):
        return _since_1970(value)
    if not isinstance(value, str) or len(value) > _LONGEST:
        return None
    text = value.strip()
    if _NUMBER.fullmatch(text):
        return _since_1970(float(text))
    try:
        return _sane(datetime.fromisoformat(text))
    except ValueError:
        return _sane(_in_words(text, order)) or _as_in_mail(text)


def day_of(found: re.Match[str], order: DayOrder) -> date | None:
    """Return the day that `DATE` found; None where there is no such day."""
    parts = found.groupdict()
    if parts["y"]:
        year, month, day = parts["y"], int(parts["m"]), parts["d"]
    elif name := parts["month"] or parts["month2"]:
        year, day = parts["year"] or parts["year2"], parts["day"] or parts["day2"]
        month = _MONTHS.get(name[:3].lower(), 0)
    else:
        first, second, year = int(parts["a"]), int(parts["b"]), parts["c"]
        month, day = (first, second) if order == "mdy" else (second, first)
        if month > 12 >= day:  # noqa: PLR2004  # months
            month, day = day, month
    try:
        return date(int(year) + (2000 if int(year) < _CENTURY else 0), month, int(day))
    except ValueError:
        return None


def clock_of(found: re.Match[str]) -> timedelta | None:
    """Return the time of day that `TIME` found; None where there is none such."""
    parts: Mapping[str, str | None] = found.groupdict()
    hour, minute, second = (int(parts[one] or 0) for one in ("hour", "minute", "second"))
    half = (parts["half"] or parts["half2"] or "").replace(".", "").lower()
    if half in {"pm", "午後"} and hour < _NOON:
        hour += _NOON
    elif half in {"am", "午前"} and hour == _NOON:
        hour = 0
    if hour > 24 or minute > 59 or second > 59:  # noqa: PLR2004  # a clock; 24:00 and later is written in Japan
        return None
    return timedelta(hours=hour, minutes=minute, seconds=second)


def _since_1970(value: float) -> datetime | None:
    for unit in _UNITS:
        if _EARLIEST <= value / unit < _LATEST:
            return datetime.fromtimestamp(value / unit, UTC)
    return None


def _in_words(text: str, order: DayOrder) -> datetime | None:
    found = _MOMENT.fullmatch(text)
    if found is None or (day := day_of(found, order)) is None or (clock := clock_of(found)) is None:
        return None
    moment = datetime(day.year, day.month, day.day) + clock
    return moment if found["zone"] is None else moment.replace(tzinfo=_zone(found["zone"]))


def _zone(written: str) -> timezone:
    digits = written.removeprefix("UTC").removeprefix("GMT").replace(":", "")
    if digits in {"Z", ""}:
        return UTC
    minutes = min(int(digits[1:3]) * 60 + int(digits[3:5]), 24 * 60 - 1)
    return timezone(timedelta(minutes=minutes if digits[0] == "+" else -minutes))


def _as_in_mail(text: str) -> datetime | None:
    try:
        return _sane(parsedate_to_datetime(text)) if re.match(r"[A-Z][a-z]{2}, \d", text) else None
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def _sane(moment: datetime | None) -> datetime | None:
    """Return a time within the years in which people chat."""
    return moment if moment is not None and 1990 <= moment.year < 2200 else None  # noqa: PLR2004  # as for numbers
