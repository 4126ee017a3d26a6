"""The shelf of days: a calendar, and for each day what it was and where that comes from."""

from __future__ import annotations

import calendar
from collections.abc import Mapping, Sequence
from datetime import date
from html import escape

from agent.errors import MemoryGoneError
from agent.memories import Memories
from managers.memory.documents import USER
from managers.memory.episodes import Episode
from managers.memory.forgotten import FORGOTTEN
from managers.storage.errors import ExternallyChangedError
from ui.locales import Texts
from ui.shelves import (
    Conflict,
    Shelf,
    View,
    button,
    conflict_note,
    crumbs,
    empty,
    evidence,
    forget_button,
    history_of,
    leave_button,
    made_by,
    pin_button,
    pin_mark,
    saving,
)
from ui.times import day_name

_MONTH_LENGTH = 7
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def show(view: View) -> str:
    """Return a month of the calendar, or the day that is open."""
    place, store = view.place, view.memories.episodes
    if len(place.item) > _MONTH_LENGTH:
        episode = store.get(date.fromisoformat(place.item))
        if episode is None:
            return empty(view.t("memories.gone"))
        return _editor(view, episode) if place.editing else _opened(view, episode)
    days = store.days()
    if not days:
        return empty(view.t("memories.episodes_empty"))
    return _calendar(view, days)


def forget(memories: Memories, item: str) -> None:
    """Take a day out of search and prompts; the history keeps it, and no dream makes it anew."""
    memories.episodes.delete(date.fromisoformat(item), author=USER, reason=FORGOTTEN)


def pin(memories: Memories, item: str, *, on: bool) -> None:
    """Pin a day, or take the pin off; who wrote it stays as it is."""
    if memories.episodes.pin(date.fromisoformat(item), on=on, author=USER) is None:
        raise MemoryGoneError(name=item)


def save(memories: Memories, item: str, told: Mapping[str, str]) -> Conflict | None:
    """Write what a person made of a day; where the file has changed meanwhile, nothing is written."""
    summary = told.get("summary", "").strip()
    events = [line.strip() for line in told.get("events", "").splitlines() if line.strip()]
    based_on = told.get("digest", "")
    try:
        kept = memories.episodes.edit(
            date.fromisoformat(item), summary, events, based_on=based_on, author=USER, reason="edited"
        )
    except ExternallyChangedError as error:
        return Conflict(told.get("summary", ""), str(error.facts["theirs"]))
    if kept is None:
        raise MemoryGoneError(name=item)
    return None


def _calendar(view: View, days: Sequence[date]) -> str:
    months = sorted({f"{day:%Y-%m}" for day in days})
    chosen = view.place.item if view.place.item in months else months[-1]
    year, month = int(chosen[:4]), int(chosen[5:])
    here = {day for day in days if (day.year, day.month) == (year, month)}
    t = view.t
    head = "".join(
        f'<th scope="col"><abbr title="{escape(t(f"times.{day}"))}">{escape(t(f"memories.{day}"))}</abbr></th>'
        for day in _WEEKDAYS
    )
    weeks = "".join(
        f"<tr>{''.join(_day(view, day, month, here) for day in week)}</tr>"
        for week in calendar.Calendar().monthdatescalendar(year, month)
    )
    title = escape(t("memories.month", year=year, month=month, month_name=t(f"times.month_{month}")))
    latest = "".join(_line(view, day) for day in sorted(here, reverse=True))
    return (
        f'<div class="months">{_to(view, months, chosen, -1)}{_month_choice(view, months, chosen)}{_to(view, months, chosen, 1)}</div>'
        f'<table class="calendar"><caption class="visually-hidden">{title}</caption><thead><tr>{head}</tr></thead>'
        f'<tbody>{weeks}</tbody></table><ul class="days-told">{latest}</ul>{saving(view, "episodes")}'
    )


def _to(view: View, months: Sequence[str], chosen: str, step: int) -> str:
    at = months.index(chosen) + step
    if not 0 <= at < len(months):
        return "<span></span>"
    label = view.t("memories.month_before" if step < 0 else "memories.month_after")
    return button(label, "go", shelf="episodes", item=months[at])


def _month_choice(view: View, months: Sequence[str], chosen: str) -> str:
    t = view.t
    options = "".join(
        f'<option value="{month}"{" selected" if month == chosen else ""}>'
        f"{escape(t('memories.month', year=int(month[:4]), month=int(month[5:]), month_name=t(f'times.month_{int(month[5:])}')))}"
        f"</option>"
        for month in reversed(months)
    )
    return (
        f'<select id="episode-month" aria-label="{escape(t("memories.choose_month"))}" data-change="go" '
        f'data-shelf="episodes" data-as="item">{options}</select>'
    )


def _day(view: View, day: date, month: int, here: set[date]) -> str:
    if day.month != month:
        return "<td></td>"
    if day not in here:
        return f'<td><span class="day">{day.day}</span></td>'
    label = escape(day_name(day, view.now.date(), view.t))
    return (
        f'<td><button type="button" class="day told" data-action="go" data-shelf="episodes" '
        f'data-item="{day:%Y-%m-%d}">{day.day}<span class="visually-hidden"> {label}</span></button></td>'
    )


def _line(view: View, day: date) -> str:
    episode = view.memories.episodes.get(day)
    if episode is None:
        return ""
    pinned = episode.is_pinned
    return (
        f'<li><button type="button" data-action="go" data-shelf="episodes" data-item="{day:%Y-%m-%d}">'
        f'<span class="from"><time>{escape(day_name(day, view.now.date(), view.t))}</time>'
        f"{pin_mark(view.t, pinned=pinned)}</span><span>{escape(episode.summary[:160])}</span></button></li>"
    )


def _opened(view: View, episode: Episode) -> str:
    t, item = view.t, episode.date.isoformat()
    events = "".join(
        f"<li><p>{escape(event)}</p>"
        f"{evidence(view, episode.key_event_evidence[n] if n < len(episode.key_event_evidence) else ())}</li>"
        for n, event in enumerate(episode.key_events)
    )
    listed = f'<h4>{escape(t("memories.key_events"))}</h4><ul class="facts">{events}</ul>' if events else ""
    pinned = episode.is_pinned
    return (
        f"{crumbs(view, day_name(episode.date, view.now.date(), t), item[:_MONTH_LENGTH])}"
        f'<p class="from"><span class="kind">{escape(tone(episode.emotional_tone, t))}</span>'
        f"{made_by(episode.mind, view)}{pin_mark(t, pinned=pinned)}</p>"
        f'<div class="words">{escape(episode.summary)}</div>{listed}{evidence(view, episode.evidence)}'
        f'<div class="deeds">{button(t("memories.edit"), "edit", item=item)}{pin_button(view, item, pinned=pinned)}'
        f"{forget_button(view, item)}</div>{history_of(view, view.memories.episodes.path(episode.date))}"
    )


def tone(name: str, t: Texts) -> str:
    """Return the name of a day's feeling; one that is not ours stands as it is."""
    return t.section("memories").get(f"tone_{name}", name)


def _editor(view: View, episode: Episode) -> str:
    t, item = view.t, episode.date.isoformat()
    summary = view.conflict.mine if view.conflict else episode.summary
    return (
        f"{crumbs(view, day_name(episode.date, view.now.date(), t), item[:_MONTH_LENGTH])}{conflict_note(view)}"
        f'<form class="editing-memory" id="memory-editor" data-editor data-submit="save" data-item="{item}" '
        f'data-digest="{view.memories.episodes.digest_of(episode.date)}">'
        f"<label>{escape(t('memories.summary'))}"
        f'<textarea name="summary" rows="8">{escape(summary)}</textarea></label>'
        f"<label>{escape(t('memories.key_events'))}"
        f'<textarea name="events" rows="6">{escape(chr(10).join(episode.key_events))}</textarea></label>'
        f'<p class="quiet">{escape(t("memories.one_a_line"))}</p>'
        f'<div class="deeds"><button class="small primary">{escape(t("notes.save"))}</button>{leave_button(view)}</div></form>'
    )


SHELF = Shelf(show, save=save, forget=forget, left_at=lambda day: day[:_MONTH_LENGTH], pin=pin)
