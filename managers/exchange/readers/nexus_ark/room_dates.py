"""Lines of a room's log that say when something was said, in all the forms that the years have seen."""

import re
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from managers.exchange.readers.moments import TIME, clock_of

_DATE: Final = r"(?P<year>\d{4})\s?[-/.年]\s?(?P<month>\d{1,2})\s?[-/.月]\s?(?P<day>\d{1,2})日?"
_WEEKDAY: Final = r"[ \t]?(?P<weekday>[(\uff08][^()\uff08\uff09\n]{1,12}[)\uff09])"
_LINE: Final = re.compile(
    rf"[ \t\u3000]*{_DATE}(?:{_WEEKDAY})?(?:[ \t\u3000T]{{0,3}}{TIME})?[ \t\u3000]*(?P<model>[|｜].*)?"
)
_DAY: Final = re.compile(_DATE)
_IN_NAME: Final = re.compile(r"(?<!\d)(\d{4})-?(\d{2})(?:-?(\d{2})(?:[_T-]?(\d{2})(\d{2})(\d{2}))?)?(?!\d)")
_LONGEST: Final = 300


@dataclass(frozen=True, slots=True)
class DateLine:
    """A line that holds a date and nothing else.

    Attributes:
        time: the moment; None where the line has the form of a date and is none (`2026-02-31`).
        has_clock: whether it says the time of day.
        has_second: whether to the second.
        is_formal: whether it has the weekday or the model with it, as the app writes it and people hardly do.
        model: which model spoke.
    """

    time: datetime | None
    has_clock: bool
    has_second: bool
    is_formal: bool
    model: str = ""


def date_line(line: str) -> DateLine | None:
    """Read a line; None where it is anything but a date."""
    if not line.lstrip()[:4].isdigit() or len(line) > _LONGEST:
        return None  # nearly all there is
    found = _LINE.fullmatch(line)
    if found is None or not (found["hour"] or found["weekday"]):
        return None
    return DateLine(
        _moment(found),
        has_clock=found["hour"] is not None,
        has_second=found["second"] is not None,
        is_formal=found["weekday"] is not None or found["model"] is not None,
        model=(found["model"] or "")[1:].strip(),
    )


def day_in(value: str) -> str:
    """Return the day that a text begins with, as `YYYY-MM-DD`; empty where it begins with none."""
    found = _DAY.match(value.strip())
    day = _day(found) if found else None
    return day.isoformat() if day else ""


def moment_in_name(name: str) -> datetime | None:
    """Return the moment that a file's name holds: a month, a day, or a second."""
    for found in _IN_NAME.finditer(name):
        year, month, day, hour, minute, second = (int(part) if part else 0 for part in found.groups())
        try:
            return datetime(year, month, day or 1, hour, minute, second)
        except ValueError:
            continue
    return None


def _moment(found: re.Match[str]) -> datetime | None:
    day = _day(found)
    if day is None:
        return None
    midnight = datetime(day.year, day.month, day.day)
    if found["hour"] is None:
        return midnight
    clock = clock_of(found)
    try:
        return None if clock is None else midnight + clock
    except OverflowError:
        return None


def _day(found: re.Match[str]) -> date | None:
    try:
        return date(int(found["year"]), int(found["month"]), int(found["day"]))
    except ValueError:
        return None
