"""How programs and people write a conversation as plain text: each form is a few patterns of lines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
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
    "line_spaced": (
        rf"{TIME} (?P<name>\S{{1,60}}) (?P<text>.*)",
        rf"(?P<date>{DATE})",
    ),
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
_MIDNIGHT: Final = timedelta(0)
_LONGEST: Final = 2_000
"""Only so much of a line is compared with the patterns of its beginning."""
_FEW: Final = 10
_RARE: Final = 200


@dataclass(frozen=True, slots=True)
class Piece:
    """What one line is.

    Attributes:
        kind: the beginning of a `message` or a `record` of the program's, a `day` that begins, or `more` of what came before.
        time: when, where the line or the day above it tells.
    """

    kind: Literal["message", "record", "day", "more"]
    text: str = ""
    speaker: str = ""
    time: datetime | None = None


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
        self._names = names
        self._day: date | None = None

    def from_the_beginning(self) -> LineForm:
        """Return the form as it is before any line was read."""
        return LineForm(self.form, self._order, self._names)

    def read(self, line: str) -> Piece:
        found = _found(self.form, line)
        if found is None or (self.form == "named" and found["name"].strip() not in self._names):
            return Piece("more", line)
        told = found.groupdict()
        day = day_of(found, self._order) if "y" in told else None
        clock = clock_of(found) if "hour" in told else None
        if told.get("date"):
            self._day = day or self._day
            return Piece("day") if day else Piece("more", line)
        if "hour" in told and clock is None:
            return Piece("more", line)
        on = day or self._day
        time = datetime(on.year, on.month, on.day) + (clock or _MIDNIGHT) if on and clock is not None else None
        if told.get("record"):
            return Piece("record", told["record"], time=time)
        rest = line[found.end("text") :] if "text" in told else ""
        return Piece("message", (told.get("text") or "") + rest, told["name"].strip(" \u3000*_"), time)


def form_of(sample: Sequence[str]) -> LineForm | None:
    """Return the form of a text that begins with these lines; None if nobody seems to speak there."""
    hits = {form: [found for line in sample if (found := _speech(form, line))] for form in _PATTERNS}
    form: Form
    if any(_LINE_HEAD.fullmatch(line[:_LONGEST]) for line in sample[:3]):
        form = "line" if hits["line"] else "line_spaced"
    else:
        hits.pop("line_spaced")
        form = max(hits, key=lambda one: (len(hits[one]) > (one == "named"), one != "named", len(hits[one])))
    names = Counter(found["name"].strip() for found in hits[form])
    if not names:
        return None
    least = 1 if names.total() < _FEW else max(2, names.total() // _RARE)
    speakers = frozenset(name for name, times in names.items() if times >= least)
    if form == "named" and len(speakers) < 2:  # noqa: PLR2004  # two who talk
        return None
    return LineForm(form, _day_order(form, sample), speakers)


def partner(sample: Sequence[str]) -> str:
    """Return whom the first line of LINE's export names; empty for other texts."""
    found = next(filter(None, (_LINE_HEAD.fullmatch(line[:_LONGEST]) for line in sample[:3])), None)
    return found["who"].strip() if found else ""


def _found(form: Form, line: str) -> re.Match[str] | None:
    beginning = line[:_LONGEST]
    return next(filter(None, (pattern.fullmatch(beginning) for pattern in _FORMS[form])), None)


def _speech(form: Form, line: str) -> re.Match[str] | None:
    found = _found(form, line)
    return found if found is not None and found.groupdict().get("name") else None


def _day_order(form: Form, sample: Sequence[str]) -> DayOrder:
    """Return which number is the day: what is above twelve, or what goes with the clock's halves in America."""
    found = [match for line in sample if (match := _found(form, line)) and match.groupdict().get("a")]
    if any(int(match["a"]) > 12 for match in found):  # noqa: PLR2004  # months
        return "dmy"
    if any(int(match["b"]) > 12 for match in found):  # noqa: PLR2004  # months
        return "mdy"
    return "mdy" if any(match.groupdict().get("half2") for match in found) else "dmy"
