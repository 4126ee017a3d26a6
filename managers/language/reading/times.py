"""Time expressions in Japanese and English: which days a person means by 先週の金曜 or "two weeks ago".

The expressions are rules (`times.toml`); `find_times` reckons their days from a clock. A day without a year is the last one that was, a span that
names no day ("last month") is all of its days. Weeks begin on Monday.
"""

import unicodedata
from calendar import monthrange
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from managers.language.reading.bounds import MOST
from managers.language.reading.rules import fits_any, rules


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """Some days that a text speaks of.

    Attributes:
        first, last: the days, both inclusive.
        text: the expression.
        start, end: where it stands in the text that was read (after NFKC).
        is_relative: it was reckoned from the clock ("last week"), not from the calendar alone.
    """

    first: date
    last: date
    text: str
    start: int
    end: int
    is_relative: bool


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun", *"月火水木金土日")
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12, "春": 3, "夏": 6, "秋": 9, "冬": 12}
_NUMBERS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "couple": 2, "three": 3, "few": 3, "four": 4, "five": 5, "six": 6,
    "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
    "一": 1, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "十": 10,
}  # fmt: skip
_YEARS_BACK = {"今年": 0, "去年": 1, "昨年": 1, "一昨年": 2, "おととし": 2}
_WEEKS_BACK = {"今週": 0, "先週": 1, "先々週": 2, "前の週": 1}
_FIRST_DAYS = frozenset({"early", "beginning", "start", "初め", "はじめ", "頭", "上旬", "初旬"})
_MIDDLE_DAYS = frozenset({"mid", "middle", "中旬", "半ば", "中頃"})
_LATELY = timedelta(days=30)

Days = tuple[date, date]
Groups = Mapping[str, Any]
"""What a rule found and what it means: `month`, `unit`, `back`, ...; None for a group that is not there."""


def _day(moment: date) -> Days:
    return moment, moment


def _month(year: int, month: int) -> Days:
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    return date(year, month, 1), date(year, month, monthrange(year, month)[1])


def _week(moment: date) -> Days:
    monday = moment - timedelta(days=moment.weekday())
    return monday, monday + timedelta(days=6)


def _season(year: int, month: int) -> Days:
    return _month(year, month)[0], _month(year, month + 2)[1]


def _count(text: str) -> int:
    text = text.removeprefix("a ").removesuffix(" of")
    if text.isdecimal():
        return int(text)
    tens, ten, ones = text.rpartition("十")
    return _NUMBERS.get(tens, 1) * 10 + _NUMBERS.get(ones, 0) if ten else _NUMBERS.get(text, 1)


def _month_number(name: str) -> int:
    return int(name) if name.isdecimal() else _MONTHS.index(name[:3]) + 1


def _year_named(found: Groups, now: date) -> int | None:
    """Return the year that stands with a month or a season: 2019, 去年."""
    if found.get("year"):
        return int(found["year"])
    back = _YEARS_BACK.get(found.get("which") or "")
    return None if back is None else now.year - back


def _reckon_date(found: Groups, now: date) -> Days:
    year, month, day = found["year"], _month_number(found["month"]), int(found["day"])
    moment = date(int(year) if year else now.year, month, day)
    return _day(moment if year or moment <= now else date(now.year - 1, month, day))


def _reckon_month(found: Groups, now: date) -> Days:
    """Return that month of the year, or the last one that has begun; or a part of it."""
    month, part = _month_number(found["month"]), found["part"]
    first, last = _month(_year_named(found, now) or (now.year if month <= now.month else now.year - 1), month)
    if part in _FIRST_DAYS:
        return first, first + timedelta(days=9)
    if part in _MIDDLE_DAYS:
        return first + timedelta(days=9), first + timedelta(days=19)
    return (first + timedelta(days=19) if part else first), last


def _reckon_season(found: Groups, now: date) -> Days:
    month = _SEASONS[found["season"]]
    named = _year_named(found, now)
    year = named or (now.year if date(now.year, month, 1) <= now else now.year - 1)
    if named is None and found["which"] == "last" and _season(year, month)[1] >= now:
        year -= 1
    return _season(year, month)


def _reckon_year(found: Groups, _: date) -> Days:
    return date(int(found["year"]), 1, 1), date(int(found["year"]), 12, 31)


def _reckon_ago(found: Groups, now: date) -> Days:
    """Return some days around then: nobody counts so exactly."""
    unit, count = found["unit"], _count(found["number"])
    if unit == "week":
        middle = now - timedelta(weeks=count)
        return middle - timedelta(days=3), middle + timedelta(days=3)
    first, last = _reckon_back({"unit": unit, "back": count}, now)
    if unit != "month":
        return first, last
    return first - timedelta(days=7), last + timedelta(days=7) if count > 1 else last


def _reckon_back(found: Groups, now: date) -> Days:
    unit, back = found["unit"], found["back"]
    if unit == "day":
        return _day(now - timedelta(days=back))
    if unit == "month":
        return _month(now.year, now.month - back)
    if unit == "year":
        return date(now.year - back, 1, 1), date(now.year - back, 12, 31)
    monday, sunday = _week(now - timedelta(weeks=back))
    return (sunday - timedelta(days=1) if unit == "weekend" else monday), sunday


def _reckon_weekday(found: Groups, now: date) -> Days:
    weekday = _WEEKDAYS.index(found["weekday"][:3]) % 7
    back = _WEEKS_BACK.get(found.get("week") or "")
    if back is None:
        return _day(now - timedelta(days=(now.weekday() - weekday - 1) % 7 + 1))
    return _day(_week(now - timedelta(weeks=back))[0] + timedelta(days=weekday))


def _reckon_lately(_: Groups, now: date) -> Days:
    return now - _LATELY, now


_RECKON: dict[str, Callable[[Groups, date], Days]] = {
    "date": _reckon_date,
    "month": _reckon_month,
    "season": _reckon_season,
    "year": _reckon_year,
    "ago": _reckon_ago,
    "back": _reckon_back,
    "weekday": _reckon_weekday,
    "lately": _reckon_lately,
}


def tells_when(text: str) -> bool:
    """Whether a text says when something is or was."""
    return fits_any("times", "tells_when", text)


def find_times(text: str, now: datetime) -> list[TimeSpan]:
    """Return the times that a text speaks of, in order; the longer of two that overlap.

    Args:
        text: a question or a message.
        now: what "yesterday" is reckoned from; for a message the time at which it was said.
    """
    plain = unicodedata.normalize("NFKC", text[:MOST]).lower()
    found = sorted(_all(plain, now.date()), key=lambda span: (span.start, -span.end))
    kept: list[TimeSpan] = []
    for span in found:
        if kept and span.start < kept[-1].end:
            if span.end - span.start > kept[-1].end - kept[-1].start:
                kept[-1] = span
            continue
        kept.append(span)
    return kept


def _all(plain: str, now: date) -> Iterator[TimeSpan]:
    for one in (*rules("ja", "times").values(), *rules("en", "times").values()):
        for match in one.pattern.finditer(plain) if "reckon" in one.means else ():
            text = match.group().strip()
            if text in one.means.get("not_bare", ()):
                continue
            try:
                first, last = _RECKON[one.means["reckon"]]({**one.means, **match.groupdict()}, now)
            except (ValueError, OverflowError):
                continue  # 31 February, or a year before the calendar
            start = match.start() + len(match.group()) - len(match.group().lstrip())
            yield TimeSpan(first, last, text, start, match.end(), one.means.get("is_relative", False))


def without_times(text: str, spans: list[TimeSpan]) -> str:
    """Return a text (NFKC, lower case) without its time expressions."""
    plain = unicodedata.normalize("NFKC", text).lower()
    for span in reversed(spans):
        plain = plain[: span.start] + " " + plain[span.end :]
    return plain
