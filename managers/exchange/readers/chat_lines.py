"""How programs and people write a conversation as plain text: each form is a few patterns of lines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import islice
from pathlib import PurePosixPath
from typing import Final, Literal

from managers.exchange.readers.moments import DATE, TIME, DayOrder, clock_of, day_of

Form = Literal["stamped", "discord", "line", "line_spaced", "clocked", "named"]

_UNSEEN: Final = "[\u200e\u200f\u202a-\u202e\ufeff]*"
_SPOKEN: Final = r"(?P<name>[^\n:：\t]{1,60}?)[:：](?P<text>.*)"
_IN_NAMES: Final = r"\n:：\t\[\](){}<>「」『』。、!?！？\"#|/\\"
_SHORT_NAME: Final = rf"(?!https?[:：]|\d+[:：])(?P<name>[^\s*_,.{_IN_NAMES}][^*{_IN_NAMES}]{{0,29}})"
_PATTERNS: Final[dict[Form, tuple[str, ...]]] = {
    "stamped": (
        rf"\[{DATE},? {TIME}\] ?{_UNSEEN}{_SPOKEN}",
        rf"{DATE},? {TIME} - {_UNSEEN}{_SPOKEN}",
        rf"\[?{DATE},? {TIME}(?:\]| -) ?(?P<record>.+)",
    ),
    "discord": (
        rf"\[{DATE},? {TIME}\] (?P<name>[^:：\n]{{1,60}})",
        rf"(?P<name>[^:：\n—]{{1,60}}) — {DATE},? {TIME}",
        rf"(?P<name>[^:：\n—]{{1,60}}) — (?:(?:Today|Yesterday)(?: at)? |今日 ?|昨日 ?)?{TIME}",
    ),
    "line": (
        rf"{TIME}\t(?P<name>[^\t\n]{{1,60}})\t(?P<text>.*)",
        rf"{TIME}\t\t?(?P<record>[^\t]+)",
        rf"(?P<date>{DATE})",
    ),
    "line_spaced": (rf"{TIME} (?P<name>\S{{1,60}}) (?P<text>.*)", rf"(?P<date>{DATE})"),
    "clocked": (
        rf"[\[(［]{TIME}[\])］] ?{_SPOKEN}",
        rf"{TIME}[ \t]+{_SHORT_NAME}[:：](?P<text>.*)",
        rf"(?:[-=#]+ ?)?(?P<date>{DATE})(?: ?[-=#]+)?",
    ),
    "named": (rf"(?:[*_]{{2}}|#{{1,4}} |> ?|- )?{_SHORT_NAME}(?:[*_]{{2}})?[:：](?:[*_]{{2}})?(?P<text>.*)",),
}
_FORMS: Final = {
    form: tuple(re.compile(rf"{_UNSEEN}{one}", re.DOTALL) for one in patterns) for form, patterns in _PATTERNS.items()
}
_LINE_HEAD: Final = re.compile(
    rf"{_UNSEEN}\[LINE\] ?(?:Chat history (?:with|in) )?(?P<who>.+?)(?:との?(?:トーク|の).*)?"
)
_CHANNEL: Final = re.compile(r"Channel: (?:Private|Direct Messages) / (?P<who>.+)")
_IN_FILE_NAMES: Final = (
    re.compile(r".{0,20}WhatsApp.{0,20}? (?:with|mit|avec|con|com|-) (?P<who>.+)", re.IGNORECASE),
    re.compile(r"(?P<who>.+?)との ?WhatsApp.*", re.IGNORECASE),
    re.compile(r"Direct Messages - (?:Private - )?(?P<who>.+)"),
    _LINE_HEAD,
)
"""What programs call the file of a talk of two, after the other one."""
_NUMBERED: Final = re.compile(r" ?(?:\(\d{1,4}\)|\[\d{1,30}\])$")
_QUOTING: Final[frozenset[Form]] = frozenset({"line", "line_spaced"})
"""They put a message of several lines in quotes; a date alone on one of its lines begins no day."""
_MIDNIGHT: Final = timedelta(0)
_LONGEST: Final = 2_000
"""Only so much of a line is compared with the patterns of its beginning."""
_LONGEST_NAME: Final = 255
_HEAD_LINES: Final = 4
_FEW: Final = 10
_AT_A_TIME: Final = 4_000
_MOST_LOOKED_AT: Final = 1_000_000
"""Of so many lines at most the form is told: decades of talk, within the time that a reader may be silent."""
_RARE: Final = 200


@dataclass(frozen=True, slots=True)
class Piece:
    """What one line is.

    Attributes:
        kind: the beginning of a `message` or a `record` of the program's, a `day` that begins, or `more` of what came before.
        time: when, where the line or the day above it tells.
        is_quoted: the program puts a message of several lines in quotes, so quotes around this one may be its own.
    """

    kind: Literal["message", "record", "day", "more"]
    text: str = ""
    speaker: str = ""
    time: datetime | None = None
    is_quoted: bool = False


class LineForm:
    """The form of one text; reads its lines in their order."""

    def __init__(self, form: Form, order: DayOrder, names: frozenset[str]) -> None:
        """Take the form that was found.

        Args:
            form: which one.
            order: which number of a date is the day.
            names: in the form `named`, who speaks: whatever else stands before a colon is no speaker.
        """
        self.form = form
        self._order = order
        self.names = names
        self._day: date | None = None
        self._in_quotes = False
        self._quoted_day: date | None = None

    def from_the_beginning(self) -> LineForm:
        """Return the form as it is before any line was read."""
        return LineForm(self.form, self._order, self.names)

    def read(self, line: str) -> Piece:
        found = _found(self.form, line)
        if found is None or (self.form == "named" and found["name"].strip() not in self.names):
            self._in_quotes = self._in_quotes and not line.rstrip().endswith('"')
            return Piece("more", line)
        told = found.groupdict()
        day = day_of(found, self._order) if "y" in told else None
        clock = clock_of(found) if "hour" in told else None
        if told.get("date") and self._in_quotes:
            self._quoted_day = day or self._quoted_day
            return Piece("more", line)
        if told.get("date"):
            self._day = day or self._day
            return Piece("day") if day else Piece("more", line)
        if "hour" in told and clock is None:
            return Piece("more", line)
        self._leave_quotes()
        on = day or self._day
        time = datetime(on.year, on.month, on.day) + (clock or _MIDNIGHT) if on and clock is not None else None
        if told.get("record"):
            return Piece("record", told["record"], time=time)
        rest = line[found.end("text") :] if "text" in told else ""
        text = (told.get("text") or "") + rest
        is_quoted = self.form in _QUOTING and text.startswith('"')
        self._in_quotes = is_quoted and not text[1:].rstrip().endswith('"')
        return Piece("message", text, told["name"].strip(" \u3000*_"), time, is_quoted)

    def _leave_quotes(self) -> None:
        """Begin what comes next: where quotes were never closed, they were none, and a date among them began a day."""
        if self._in_quotes and self._quoted_day is not None:
            self._day = self._quoted_day
        self._in_quotes, self._quoted_day = False, None


def form_of(sample: Sequence[str]) -> LineForm | None:
    """Return the form of a text that begins with these lines; None if nobody seems to speak there."""
    hits = {form: [found for line in sample if (found := _speech(form, line))] for form in _PATTERNS}
    form: Form
    if any(_LINE_HEAD.fullmatch(line[:_LONGEST]) for line in sample[:3]):
        form = "line" if hits["line"] else "line_spaced"
    else:
        hits.pop("line_spaced")
        form = max(hits, key=lambda one: (len(hits[one]) > (one == "named"), one != "named", len(hits[one])))
    if not hits[form]:
        return None
    speakers = _speakers(Counter(found["name"].strip() for found in hits[form]), 1)
    if form == "named" and len(speakers) < 2:  # noqa: PLR2004  # two who talk
        return None
    days = _Days()
    for found in filter(None, (_found(form, line) for line in sample)):
        days.hear(found)
    return LineForm(form, days.order, speakers)


def form_of_all(form: LineForm, lines: Iterable[str]) -> LineForm:
    """Return the form of a text as all of its lines tell it: which number of a date is the day, and who speaks.

    Both may show late: after thousands of lines before the 13th of a month, or where somebody goes by another name. So
    many lines at a time are asked for names as the beginning is, so that a long text drowns nobody.

    Args:
        form: as the beginning of the text tells it.
        lines: of the text, from the beginning.
    """
    days, names, told = _Days(), form.names, Counter[str]()
    for number, line in enumerate(islice(lines, _MOST_LOOKED_AT), 1):
        if days.is_sure and form.form != "named":
            break
        if found := _found(form.form, line):
            days.hear(found)
            told.update([found["name"].strip()] if form.form == "named" else [])
        if number % _AT_A_TIME == 0:
            names, told = names | _speakers(told, 2), Counter()
    return LineForm(form.form, days.order, names | _speakers(told, 2))


def partner(sample: Sequence[str]) -> str:
    """Return whom the first lines of LINE's or Discord's export name as the other one; empty for other texts."""
    told = (form.fullmatch(line[:_LONGEST]) for line in sample[:_HEAD_LINES] for form in (_LINE_HEAD, _CHANNEL))
    return next((found["who"].strip() for found in told if found), "")


def partner_in_name(name: str) -> str:
    """Return whom the name of a file or folder names as the other one; empty where it names nobody."""
    stem = _NUMBERED.sub("", PurePosixPath(name[-_LONGEST_NAME:]).stem)
    told = (form.fullmatch(stem) for form in _IN_FILE_NAMES)
    return next((found["who"].strip() for found in told if found), "")


def _found(form: Form, line: str) -> re.Match[str] | None:
    beginning = line[:_LONGEST]
    return next(filter(None, (pattern.fullmatch(beginning) for pattern in _FORMS[form])), None)


def _speech(form: Form, line: str) -> re.Match[str] | None:
    found = _found(form, line)
    return found if found is not None and found.groupdict().get("name") else None


def _speakers(names: Counter[str], least: int) -> frozenset[str]:
    """Return who of those whose names stand before a colon so often speaks; of few, whoever is there `least` times."""
    often = least if names.total() < _FEW else max(2, names.total() // _RARE)
    return frozenset(name for name, times in names.items() if times >= often)


@dataclass
class _Days:
    """Which of two numbers is the day: what is above twelve, or what goes with the clock's halves in America."""

    _first: bool = False
    _second: bool = False
    _halves: bool = False
    _named: bool = False

    def hear(self, found: re.Match[str]) -> None:
        told = found.groupdict()
        if told.get("a"):
            self._first |= int(told["a"]) > 12  # noqa: PLR2004  # months
            self._second |= int(told["b"]) > 12  # noqa: PLR2004  # months
            self._halves |= bool(told.get("half2"))
        else:
            self._named |= bool(told.get("y") or told.get("month") or told.get("month2"))

    @property
    def is_sure(self) -> bool:
        """Whether no other line is needed: also where dates begin with the year, or have the month's name."""
        return self._first or self._second or self._named

    @property
    def order(self) -> DayOrder:
        if self._first or self._second:
            return "dmy" if self._first else "mdy"
        return "mdy" if self._halves else "dmy"
