"""Time expressions in Japanese and English: which days a person means by 先週の金曜 or "two weeks ago".

`find_times` reads them against a clock. A day without a year is the last one that was, a span that
names no day ("last month") is all of its days. Weeks begin on Monday.
"""

from __future__ import annotations

import re
import unicodedata
from calendar import monthrange
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import lru_cache


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


_MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_JA_DAYS = "月火水木金土日"
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12, "春": 3, "夏": 6, "秋": 9, "冬": 12}
_WORDS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "couple": 2, "three": 3, "few": 3, "four": 4, "five": 5, "six": 6,
    "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
}  # fmt: skip
_KANJI = {"一": 1, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "十": 10}

_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_DAY = r"(?P<weekday>monday|tuesday|wednesday|thursday|friday|saturday|sunday)"
_NUMBER = r"(?P<number>\d{1,4}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:a )?couple(?: of)?|(?:a )?few)"
_JA_NUMBER = r"(?P<number>\d{1,4}|[一二三四五六七八九十]{1,3})"
_SEASON = r"(?P<season>spring|summer|autumn|fall|winter)"

Match = re.Match[str]
Days = tuple[date, date]


def _day(moment: date) -> Days:
    return moment, moment


def _month(year: int, month: int) -> Days:
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    return date(year, month, 1), date(year, month, monthrange(year, month)[1])


def _week(moment: date) -> Days:
    monday = moment - timedelta(days=moment.weekday())
    return monday, monday + timedelta(days=6)


def _year(year: int) -> Days:
    return date(year, 1, 1), date(year, 12, 31)


def _season(year: int, month: int) -> Days:
    return _month(year, month)[0], _month(year, month + 2)[1]


def _count(text: str) -> int:
    text = text.removeprefix("a ").removesuffix(" of")
    if text.isdecimal():
        return int(text)
    if text in _WORDS:
        return _WORDS[text]
    tens, _, ones = text.rpartition("十")
    if "十" in text:
        return (_KANJI.get(tens, 1) if tens else 1) * 10 + _KANJI.get(ones, 0)
    return _KANJI.get(text, 1)


def _ago(unit: str, count: int, now: date) -> Days:
    if unit in ("day", "日"):
        return _day(now - timedelta(days=count))
    if unit in ("week", "週"):
        middle = now - timedelta(weeks=count)
        return middle - timedelta(days=3), middle + timedelta(days=3)
    if unit in ("month", "月"):
        first, last = _month(now.year, now.month - count)
        return first - timedelta(days=7), last + timedelta(days=7) if count > 1 else last
    return _year(now.year - count)


def _month_number(name: str) -> int:
    return next(number for number, month in enumerate(_MONTHS, 1) if month.startswith(name[:3]))


def _past_month(month: int, year: str | None, now: date) -> Days:
    """Return that month of the year, or the last one that has begun."""
    if year:
        return _month(int(year), month)
    return _month(now.year if month <= now.month else now.year - 1, month)


def _past_day(month: int, day: int, year: str | None, now: date) -> Days:
    moment = date(int(year) if year else now.year, month, day)
    if not year and moment > now:
        moment = date(now.year - 1, month, day)
    return _day(moment)


def _last_weekday(weekday: int, now: date) -> Days:
    return _day(now - timedelta(days=(now.weekday() - weekday - 1) % 7 + 1))


def _part_of_month(match: Match, days: Days) -> Days:
    part = match["part"]
    if not part:
        return days
    first, last = days
    if part in ("early", "beginning", "start", "初め", "はじめ", "頭", "上旬", "初旬"):
        return first, first + timedelta(days=9)
    if part in ("mid", "middle", "中旬", "半ば", "中頃"):
        return first + timedelta(days=9), first + timedelta(days=19)
    return first + timedelta(days=19), last


def _en_month(match: Match, now: date) -> Days:
    return _part_of_month(match, _past_month(_month_number(match["month"]), match["year"], now))


def _ja_month(match: Match, now: date) -> Days:
    year = match["year"] or _ja_year(match["which"], now)
    return _part_of_month(match, _past_month(int(match["month"]), year, now))


def _ja_year(which: str | None, now: date) -> str | None:
    if not which:
        return None
    back = {"今年": 0, "去年": 1, "昨年": 1, "一昨年": 2, "おととし": 2}[which]
    return str(now.year - back)


def _ja_weekday(match: Match, now: date) -> Days:
    weekday = _JA_DAYS.index(match["weekday"])
    back = {"今週": 0, "先週": 1, "先々週": 2, "前の週": 1}.get(match["week"] or "")
    if back is None:
        return _last_weekday(weekday, now)
    return _day(_week(now - timedelta(weeks=back))[0] + timedelta(days=weekday))


def _weekend(back: int, now: date) -> Days:
    monday = _week(now - timedelta(weeks=back))[0]
    return monday + timedelta(days=5), monday + timedelta(days=6)


def _en_season(match: Match, now: date) -> Days:
    month = _SEASONS[match["season"]]
    if match["year"]:
        return _season(int(match["year"]), month)
    year = now.year if date(now.year, month, 1) <= now else now.year - 1
    if match["which"] == "last" and _season(year, month)[1] >= now:
        year -= 1
    return _season(year, month)


def _ja_season(match: Match, now: date) -> Days:
    year = match["year"] or _ja_year(match["which"], now)
    month = _SEASONS[match["season"]]
    if year:
        return _season(int(year), month)
    return _season(now.year if date(now.year, month, 1) <= now else now.year - 1, month)


_Rule = tuple[str, Callable[[Match, date], Days], bool]

_RULES: tuple[_Rule, ...] = (
    # calendar
    (r"(?<!\d)(?P<year>\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})(?!\d)", lambda m, n: _past_day(int(m["month"]), int(m["day"]), m["year"], n), False),
    (r"(?:(?P<year>\d{4})年)?(?P<month>\d{1,2})月(?P<day>\d{1,2})日", lambda m, n: _past_day(int(m["month"]), int(m["day"]), m["year"], n), False),
    (rf"\b{_MONTH}\.? (?:the )?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?!\d)(?:,? (?P<year>\d{{4}}))?\b", lambda m, n: _past_day(_month_number(m["month"]), int(m["day"]), m["year"], n), False),
    (rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? {_MONTH}\b(?:,? (?P<year>\d{{4}}))?", lambda m, n: _past_day(_month_number(m["month"]), int(m["day"]), m["year"], n), False),
    (r"(?:(?P<year>\d{4})年|(?P<which>今年|去年|昨年|一昨年|おととし)の?)?(?P<month>1[0-2]|[1-9])月(?!曜)(?:の?(?P<part>初め|はじめ|頭|上旬|初旬|中旬|半ば|中頃|下旬|終わり|末))?", _ja_month, False),
    (rf"\b(?:in|on|during|since|of|the|this past|last)? ?\b(?:(?P<part>early|beginning|start|mid|middle|late|end)(?: of|-)? ?)?\b{_MONTH}\b(?:,? (?P<year>\d{{4}}))?", _en_month, False),
    (rf"\b(?P<which>last|this|in(?: the)?|during(?: the)?) {_SEASON}\b(?: of)?(?:,? (?P<year>\d{{4}}))?", _en_season, True),
    (r"(?:(?P<year>\d{4})年|(?P<which>今年|去年|昨年|一昨年|おととし))の?(?P<season>[春夏秋冬])(?!休)", _ja_season, True),
    (r"(?<!\d)(?P<year>(?:19|20)\d\d)年(?!\d)", lambda m, _: _year(int(m["year"])), False),
    (r"\b(?:in|during|of|since) (?P<year>(?:19|20)\d\d)\b", lambda m, _: _year(int(m["year"])), False),
    # Japanese, reckoned from the clock
    (rf"{_JA_NUMBER}日前", lambda m, n: _ago("日", _count(m["number"]), n), True),
    (rf"{_JA_NUMBER}週間?前", lambda m, n: _ago("週", _count(m["number"]), n), True),
    (rf"{_JA_NUMBER}[かヶケカ箇]?月前", lambda m, n: _ago("月", _count(m["number"]), n), True),
    (rf"{_JA_NUMBER}年前", lambda m, n: _ago("年", _count(m["number"]), n), True),
    (r"(?:(?P<week>今週|先週|先々週|前の週)の?)?(?P<weekday>[月火水木金土日])曜日?", _ja_weekday, True),
    (r"一昨日|おととい", lambda _, n: _day(n - timedelta(days=2)), True),
    (r"昨日|きのう|昨夜|昨晩|ゆうべ", lambda _, n: _day(n - timedelta(days=1)), True),
    (r"今日|きょう|今朝|けさ|さっき|先ほど", lambda _, n: _day(n), True),
    (r"先々週", lambda _, n: _week(n - timedelta(weeks=2)), True),
    (r"先週末|この前の週末|前の週末", lambda _, n: _weekend(1, n), True),
    (r"先週", lambda _, n: _week(n - timedelta(weeks=1)), True),
    (r"今週", lambda _, n: _week(n), True),
    (r"先々月", lambda _, n: _month(n.year, n.month - 2), True),
    (r"先月", lambda _, n: _month(n.year, n.month - 1), True),
    (r"今月", lambda _, n: _month(n.year, n.month), True),
    (r"一昨年|おととし", lambda _, n: _year(n.year - 2), True),
    (r"去年|昨年", lambda _, n: _year(n.year - 1), True),
    (r"今年", lambda _, n: _year(n.year), True),
    (r"この間|この前|こないだ|先日", lambda _, n: (n - timedelta(days=30), n), True),
    # English, reckoned from the clock
    (rf"\b{_NUMBER} (?P<unit>day|week|month|year)s? (?:ago|back|before|earlier)\b", lambda m, n: _ago(m["unit"], _count(m["number"]), n), True),
    (r"\bthe day before yesterday\b", lambda _, n: _day(n - timedelta(days=2)), True),
    (r"\byesterday\b|\blast night\b", lambda _, n: _day(n - timedelta(days=1)), True),
    (r"\btoday\b|\bthis (?:morning|afternoon|evening)\b|\bearlier\b", lambda _, n: _day(n), True),
    (rf"\b(?:last|this past|on|past) {_DAY}\b", lambda m, n: _last_weekday(_DAYS.index(m["weekday"]), n), True),
    (r"\b(?:last|this past|past) weekend\b", lambda _, n: _weekend(1, n), True),
    (r"\b(?:last|previous|past) week\b", lambda _, n: _week(n - timedelta(weeks=1)), True),
    (r"\bthis week\b", lambda _, n: _week(n), True),
    (r"\b(?:last|previous|past) month\b", lambda _, n: _month(n.year, n.month - 1), True),
    (r"\bthis month\b", lambda _, n: _month(n.year, n.month), True),
    (r"\b(?:last|previous|past) year\b", lambda _, n: _year(n.year - 1), True),
    (r"\bthis year\b", lambda _, n: _year(n.year), True),
    (r"\bthe other day\b|\brecently\b|\blately\b", lambda _, n: (n - timedelta(days=30), n), True),
)  # fmt: skip

# What a message says that tells when something was: enough to be asked for by "when".
_TELLS_WHEN = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|ago|last|next|weekend|week|month|year|summer|spring|autumn|winter"
    r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august"
    r"|september|october|november|december|recently|soon|morning|evening|tonight)\b"
    r"|\b(?:19|20)\d\d\b|\b\d{1,2}(?:st|nd|rd|th)\b"
    r"|\d\s{0,4}[年月日週時]|[一二三四五六七八九十][年月日週](?:間|前|後)|[先今来昨去翌毎][年月週日晩夜朝]|一昨|おととい|[月火水木金土日]曜|明日|明後日|週末|年末|午前|午後|[春夏秋冬]",
    re.IGNORECASE,
)


def tells_when(text: str) -> bool:
    """Whether a text says when something is or was."""
    return _TELLS_WHEN.search(text) is not None


@lru_cache(maxsize=1)
def _rules() -> tuple[tuple[re.Pattern[str], Callable[[Match, date], Days], bool], ...]:
    return tuple((re.compile(pattern), reckon, relative) for pattern, reckon, relative in _RULES)


def find_times(text: str, now: datetime) -> list[TimeSpan]:
    """Return the times that a text speaks of, in order; the longer of two that overlap.

    Args:
        text: a question or a message.
        now: what "yesterday" is reckoned from; for a message the time at which it was said.
    """
    plain = unicodedata.normalize("NFKC", text).lower()
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
    for pattern, reckon, is_relative in _rules():
        for match in pattern.finditer(plain):
            if _is_modal_may(match):
                continue
            try:
                first, last = reckon(match, now)
            except (ValueError, OverflowError):
                continue  # 31 February, or a year before the calendar
            lead = len(match.group()) - len(match.group().lstrip())
            yield TimeSpan(first, last, match.group().strip(), match.start() + lead, match.end(), is_relative)


def _is_modal_may(match: Match) -> bool:
    """Tell the month from "may I" and "march on": a bare one needs a preposition or a year."""
    month = match.groupdict().get("month")
    if month not in ("may", "mar", "march", "sep", "jan", "dec"):
        return False
    return match.group().strip() == month


def without_times(text: str, spans: list[TimeSpan]) -> str:
    """Return a text (NFKC, lower case) without its time expressions."""
    plain = unicodedata.normalize("NFKC", text).lower()
    for span in reversed(spans):
        plain = plain[: span.start] + " " + plain[span.end :]
    return plain
