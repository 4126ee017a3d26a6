"""Weeks and months in brief: `episodic_memory/YYYY-MM-DD~YYYY-MM-DD.json` beside the days that each sums up, which stay."""

from __future__ import annotations

import calendar
import re
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Final, NamedTuple

from pydantic import Field, field_validator

from managers.memory.dated_files import DatedFiles, Summary
from managers.memory.json_documents import USER, Apply, JsonFile, short_id
from managers.storage.clock import Clock
from managers.storage.locks import writing
from managers.storage.paths import PersonaPaths
from managers.storage.watching import listing

_NAME: Final = re.compile(r"(\d{4}-\d{2}-\d{2})~(\d{4}-\d{2}-\d{2})")
_LONGEST_WEEK: Final = 7
WEEKS_IN_PROMPT: Final = 4
MONTHS_IN_PROMPT: Final = 6


class Span(NamedTuple):
    """A week or a month: its first and its last day."""

    first: date
    last: date

    def __str__(self) -> str:
        return f"{self.first}~{self.last}"

    @property
    def is_week(self) -> bool:
        return (self.last - self.first).days < _LONGEST_WEEK


def week_of(day: date) -> Span:
    """Return the week of a day, from Monday to Sunday."""
    monday = day - timedelta(days=day.weekday())
    return Span(monday, monday + timedelta(days=6))


def month_of(day: date) -> Span:
    """Return the calendar month of a day."""
    return Span(day.replace(day=1), day.replace(day=calendar.monthrange(day.year, day.month)[1]))


def spans_of(day: date) -> tuple[Span, Span]:
    """Return the week and the month of a day."""
    return week_of(day), month_of(day)


def span_named(name: str) -> Span | None:
    """Return the span that a file's stem or an address names; None where it names none."""
    found = _NAME.fullmatch(name)
    try:
        return Span(*map(date.fromisoformat, found.groups())) if found else None
    except ValueError:
        return None


class Period(Summary):
    """What a week or a month was.

    Attributes:
        date: its first and its last day, `A~B`.
        key_events: what mattered most of its days, in their order.
        compressed: always true: what tells it from a day.
        days: the days that it sums up, each with the digest of its words.
        written: digest of the text as a dream wrote it; another digest means that a person changed it.
    """

    FIRST = (*Summary.FIRST, "compressed")

    date: str
    compressed: bool = True
    days: dict[str, str] = Field(default_factory=dict)
    written: str = ""

    @field_validator("date")
    @classmethod
    def _is_span(cls, value: str) -> str:
        if span_named(value) is None:
            raise ValueError(value)
        return value

    @property
    def span(self) -> Span:
        span = span_named(self.date)
        assert span is not None  # as it was validated
        return span

    @property
    def is_users(self) -> bool:
        """A person wrote or corrected it: no dream may overwrite it."""
        return self.mind == USER or (self.written != "" and self.written != self.text_digest())

    @property
    def stays(self) -> bool:
        """It is a person's, or pinned: it stays as it is though its days change."""
        return self.is_users or self.is_pinned

    def told(self, summary: str, key_events: Sequence[str]) -> Period:
        rests = dict(zip(self.key_events, self.key_event_evidence, strict=False))
        events = {"key_events": list(key_events), "key_event_evidence": [rests.get(one, []) for one in key_events]}
        return self.model_copy(update={"summary": summary, **events})

    def sealed(self) -> Period:
        """Return it with its id and the digest by which later edits are noticed."""
        return self.model_copy(update={"id": self.id or short_id("pe_", self.date), "written": self.text_digest()})


class PeriodStore(DatedFiles[Span, Period]):
    """The weeks and months of a persona."""

    def __init__(self, paths: PersonaPaths, clock: Clock, apply: Apply | None = None) -> None:
        super().__init__(paths, clock, apply)
        self._files = listing(paths.episodic_memory, _is_of_span)

    def path(self, span: Span) -> Path:
        return self._paths.episodic_memory / f"{span}.json"

    def spans(self) -> list[Span]:
        """Return what is summed up, oldest first; of those that begin together the shorter one."""
        found = (span_named(name.removesuffix(".json")) for name in self._files.files())
        return sorted(span for span in found if span)

    def get(self, span: Span) -> Period | None:
        """Return one; None if there is none, or nothing that we understand: that is left alone."""
        file = JsonFile(self._paths, self.path(span), self._clock, dict)
        period = file.read_as(Period, date=str(span))
        self.notices += file.take_notices()
        return period

    def for_prompt(self, before: date) -> list[Period]:
        """Return the weeks that had ended before a day, and the months before those, a few of each, oldest first."""
        ended = [span for span in self.spans() if span.last < before]
        weeks = [span for span in ended if span.is_week][-WEEKS_IN_PROMPT:]
        until = weeks[0].first if weeks else before
        months = [span for span in ended if not span.is_week and span.last < until][-MONTHS_IN_PROMPT:]
        found = (self.get(span) for span in (*months, *weeks))
        return [period for period in found if period is not None]

    def outdated_by(self, day: date) -> Mapping[Path, None]:
        """Return which files go when the words of a day change: the next night sums up anew; a person's own stay."""
        found = ((span, self.get(span)) for span in spans_of(day))
        return {self.path(span): None for span, period in found if period is not None and not period.stays}

    def save(self, kept: Period, *, author: str, reason: str) -> Period:
        kept = kept.sealed().model_copy(update={"mind": USER})
        with writing(self._paths):
            self._apply({self.path(kept.span): kept.dump()}, author=author, reason=reason)
        return kept


def _is_of_span(name: str) -> bool:
    return "~" in name and name.endswith(".json")
