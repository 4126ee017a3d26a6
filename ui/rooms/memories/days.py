"""The shelf of days: a calendar, and for each day what it was and where that comes from."""

import calendar
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any, Final

from fastapi import APIRouter, HTTPException
from fastapi.responses import Response

from managers.hygiene.inventory import of_episode
from managers.memory.forgotten import FORGOTTEN
from managers.memory.json_documents import USER
from managers.memory.periods import Span, span_named
from managers.storage.errors import ExternallyChangedError
from managers.storage.history.parts import file_part
from ui.components.times import WEEKDAYS
from ui.errors import MemoryGoneError
from ui.locales import Texts
from ui.rooms.memories.shelves import evidence_of, gone, maker_name, past_of_path, shorten, show
from ui.rooms.memories.trust import trust_in
from ui.server.visit import FormText, PersonaVisit, With

_SHELF: Final = "days"
_MONTH: Final = re.compile(r"\d{4}-(0[1-9]|1[0-2])")
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")
_NO_TONE: Final = "neutral"

router = APIRouter(prefix="/p/{persona}/memories/days")


@dataclass(frozen=True, slots=True)
class Cell:
    """A day of the calendar; no number where it belongs to another month, an address where it has its page."""

    number: int = 0
    name: str = ""
    address: str = ""


@router.get("")
def shelf(visit: With, month: str = "") -> Response:
    """Show a month of the calendar, the last one if none is asked for."""
    return _calendar(visit, month)


@router.get("/{day}")
def read(visit: With, day: str, edit: str = "") -> Response:
    """Show what a day was, or the fields to edit that in; or a month, by its number."""
    if _MONTH.fullmatch(day):
        return _calendar(visit, day)
    if span := span_named(day):
        return _period(visit, span, is_edited=bool(edit))
    episode = visit.memories.episodes.get(_date(day))
    if episode is None:
        return gone(visit, _SHELF)
    if edit:
        return _editor(visit, day, episode.summary, episode.key_events)
    path = file_part(visit.memories.paths.folder, visit.memories.episodes.path(episode.date))
    *of_each, evidence = evidence_of(visit, [*(event.evidence for event in episode.events), episode.evidence])
    trust, *of_events = (trust_in(visit, memory) for memory in of_episode(episode))
    return show(
        visit,
        "memories/day.html",
        _SHELF,
        name=visit.day(episode.date),
        day=episode,
        tone="" if episode.emotional_tone == _NO_TONE else tone(episode.emotional_tone, visit.t),
        maker=maker_name(episode.mind, visit.t),
        events=list(zip(episode.key_events, of_each, of_events, strict=True)),
        evidence=evidence,
        trust=trust,
        at=_address(visit, episode.date),
        month=visit.at(f"memories/days/{episode.date:%Y-%m}"),
        past=past_of_path(visit, path),
        table=visit.at("tables/history.csv", item=path),
    )


@router.post("/{day}/people")
def note_people(visit: With, day: str) -> Response:
    """Begin to write down whom and what a day told something about; it goes on while one talks."""
    visit.services.sleep.dream_of(visit.memories.paths.name, _date(day), ["entities"])
    visit.wake()
    return visit.lead(visit.at("dreams"))


@router.post("/{day}")
def save(visit: With, day: str, summary: FormText = "", events: FormText = "", based_on: FormText = "") -> Response:
    """Write what a person made of a day, a week or a month; if the file has changed meanwhile, both versions are shown."""
    store, span = visit.memories.episodes, span_named(day)
    edit = partial(store.periods.edit, span) if span else partial(store.edit, _date(day))
    told = [line.strip() for line in events.splitlines() if line.strip()]
    summary = summary.strip()
    try:
        kept = edit(summary, told, based_on=based_on, author=USER, reason="edited")
    except ExternallyChangedError as error:
        return _editor(visit, day, summary, told, theirs=str(error.facts["theirs"]))
    if kept is None:
        raise MemoryGoneError(name=day)
    visit.memories.recall.keep_up()
    return visit.lead(visit.at(f"memories/days/{day}"), visit.t("notes.saved"))


@router.post("/{day}/pin")
def pin(visit: With, day: str, on: FormText = "") -> Response:
    """Pin a day, a week or a month, or take the pin off; who wrote it stays as it is."""
    store, span = visit.memories.episodes, span_named(day)
    pinned = partial(store.periods.pin, span) if span else partial(store.pin, _date(day))
    if pinned(on=bool(on), author=USER) is None:
        raise MemoryGoneError(name=day)
    return visit.lead(visit.at(f"memories/days/{day}"))


@router.post("/{day}/forget")
def forget(visit: With, day: str) -> Response:
    """Take a day out of search and prompts; the history keeps it, and no dream makes it anew."""
    which = _date(day)
    visit.memories.episodes.delete(which, author=USER, reason=FORGOTTEN)
    visit.memories.recall.keep_up()
    return visit.lead(
        visit.at(f"memories/days/{which:%Y-%m}"), visit.t("memories.was_forgotten"), way=visit.at("memories/forgotten")
    )


def month_of(visit: PersonaVisit, days: Sequence[date], wanted: str) -> dict[str, Any]:
    """Return a month of the calendar: its weeks from Monday, its days that have a page, the ways to other months.

    Args:
        visit: the request.
        days: all that have a page; not empty.
        wanted: as `YYYY-MM`; one in which nothing stands gives way to the last in which anything does.
    """
    t, months = visit.t, sorted({f"{day:%Y-%m}" for day in days})
    chosen = wanted if wanted in months else months[-1]
    at = months.index(chosen)
    year, month = int(chosen[:4]), int(chosen[5:])
    here = [day for day in days if (day.year, day.month) == (year, month)]
    told = set(here)
    return {
        "chosen": chosen,
        "name": month_name(chosen, t),
        "weeks": [
            [_cell(visit, day, month, is_told=day in told) for day in week]
            for week in calendar.Calendar().monthdatescalendar(year, month)
        ],
        "days": [episode for day in sorted(here, reverse=True) if (episode := visit.memories.episodes.get(day))],
        "periods": [
            (visit.at(f"memories/days/{period.date}"), _span_name(visit, period.span), period.summary)
            for span in visit.memories.episodes.periods.spans()
            if f"{span.first:%Y-%m}" == chosen and (period := visit.memories.episodes.periods.get(span))
        ],
        "earlier": visit.at(f"memories/days/{months[at - 1]}") if at else "",
        "later": visit.at(f"memories/days/{months[at + 1]}") if at + 1 < len(months) else "",
        "months": [(one, month_name(one, t)) for one in reversed(months)],
    }


def month_name(month: str, t: Texts) -> str:
    """Return a month (`YYYY-MM`) in words."""
    year, number = int(month[:4]), int(month[5:])
    return t("memories.month", year=year, month=number, month_name=t(f"times.month_{number}"))


def tone(name: str, t: Texts) -> str:
    """Return the name of a day's feeling; one that is not ours stands as it is."""
    return t.section("memories").get(f"tone_{name}", name)


def _calendar(visit: PersonaVisit, wanted: str) -> Response:
    days = visit.memories.episodes.days()
    month = month_of(visit, days, wanted) if days else None
    table = visit.at("tables/episodes.csv")
    return show(visit, "memories/days.html", _SHELF, month=month, weekdays=WEEKDAYS, shorten=shorten, table=table)


def _period(visit: PersonaVisit, span: Span, *, is_edited: bool) -> Response:
    period = visit.memories.episodes.periods.get(span)
    if period is None:
        return gone(visit, _SHELF)
    if is_edited:
        return _editor(visit, str(span), period.summary, period.key_events)
    of_events = [*period.key_event_evidence, *([] for _ in period.key_events)]
    evidence = evidence_of(visit, of_events[: len(period.key_events)])
    path = file_part(visit.memories.paths.folder, visit.memories.episodes.periods.path(span))
    return show(
        visit,
        "memories/period.html",
        _SHELF,
        name=_span_name(visit, span),
        period=period,
        tone="" if period.emotional_tone == _NO_TONE else tone(period.emotional_tone, visit.t),
        maker=maker_name(period.mind, visit.t),
        events=list(zip(period.key_events, evidence, strict=True)),
        days=[(_address(visit, day), visit.day(day)) for day in map(date.fromisoformat, period.days)],
        at=visit.at(f"memories/days/{span}"),
        month=visit.at(f"memories/days/{span.first:%Y-%m}"),
        past=past_of_path(visit, path),
        table=visit.at("tables/history.csv", item=path),
    )


def _span_name(visit: PersonaVisit, span: Span) -> str:
    key = "memories.span_week" if span.is_week else "memories.span_month"
    return visit.t(
        key, first=visit.day(span.first), last=visit.day(span.last), month=month_name(f"{span.first:%Y-%m}", visit.t)
    )


def _cell(visit: PersonaVisit, day: date, month: int, *, is_told: bool) -> Cell:
    if day.month != month:
        return Cell()
    name = visit.day(day)
    return Cell(day.day, name, _address(visit, day)) if is_told else Cell(day.day, name)


def _editor(
    visit: PersonaVisit, day: str, summary: str, events: Sequence[str], *, theirs: str | None = None
) -> Response:
    """Show the fields of a day, a week or a month, by what stands in its address."""
    store, span, at = visit.memories.episodes, span_named(day), visit.at(f"memories/days/{day}")
    return show(
        visit,
        "memories/day_edit.html",
        _SHELF,
        name=_span_name(visit, span) if span else visit.day(_date(day)),
        summary=summary,
        events="\n".join(events),
        theirs=theirs,
        digest=store.periods.digest_of(span) if span else store.digest_of(_date(day)),
        at=at,
        back=at,
    )


def _address(visit: PersonaVisit, day: date) -> str:
    return visit.at(f"memories/days/{day:%Y-%m-%d}")


def _date(text: str) -> date:
    """Return the day that an address names.

    Raises:
        HTTPException: it names none.
    """
    try:
        return date.fromisoformat(text if _DAY.fullmatch(text) else "")
    except ValueError as error:
        raise HTTPException(404) from error
