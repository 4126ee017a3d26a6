"""The shelf one looks for things on: a question or some words, kinds and days."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from html import escape
from pathlib import PurePosixPath

from managers.recall.hits import Hit, MemoryType
from managers.recall.kinds import ALL_TYPES
from ui.locales import Texts
from ui.shelves import Shelf, View, around, button, empty, page_of, pager, saving
from ui.times import day_name, when

PAGE = 20
MOST_BEFORE_DAYS = 600
"""Where days are asked for, more is looked at: what lies outside of them goes."""
_PLACES: Mapping[MemoryType, tuple[str, str, bool]] = {
    "entity_memory": ("go", "entities", True),
    "episodic_memory": ("go", "episodes", True),
    "dream_insight": ("go", "insights", False),
    "diary": ("go", "main_memory", False),
    "note": ("room", "notes", False),
    "knowledge": ("room", "knowledge", False),
}
"""Where each kind is opened: a shelf or a room, and whether each memory has a page of its own there."""
MOST = 200
"""Nobody reads further; a better question is the better way."""


def show(view: View) -> str:
    """Return the form and, once something is asked, what was found."""
    place, t = view.place, view.t
    if not place.query.strip():
        return form(view) + empty(t("memories.search_intro"))
    hits = find(view)
    if not hits:
        return form(view) + empty(t("memories.found_nothing"))
    count = escape(t("memories.found", count=len(hits)))
    rows = "".join(_hit(view, hit) for hit in page_of(place, hits, PAGE))
    return (
        f'{form(view)}<p class="quiet" role="status">{count}</p><ol class="found">{rows}</ol>'
        f"{pager(place, len(hits), PAGE, t)}"
        f"{saving(view, 'found', query=place.query, kinds=place.kinds, since=place.since, until=place.until)}"
    )


def find(view: View) -> list[Hit]:
    """Return the memories that are looked for, best first."""
    place = view.place
    kinds: tuple[MemoryType, ...] = tuple(kind for kind in ALL_TYPES if kind in place.kinds)
    first, last = _day(place.since), _day(place.until)
    most = MOST if first is None and last is None else MOST_BEFORE_DAYS
    hits = view.memories.recall.search(place.query, most, types=kinds or None)
    return [hit for hit in hits if _within(hit, first, last)][:MOST]


def form(view: View) -> str:
    """Return the fields: words, kinds, first and last day."""
    place, t = view.place, view.t
    kinds = "".join(
        f'<label class="check"><input type="checkbox" name="kinds" value="{kind}"'
        f"{' checked' if kind in place.kinds else ''}>{escape(t(f'types.{kind}'))}</label>"
        for kind in ALL_TYPES
    )
    opened = " open" if place.kinds or place.since or place.until else ""
    return (
        f'<form class="lookup" role="search" data-submit="search"><div class="line">'
        f'<input type="search" id="memory-query" name="query" value="{escape(place.query)}" '
        f'aria-label="{escape(t("memories.query"))}" placeholder="{escape(t("memories.query_hint"))}" autocomplete="off">'
        f'<button class="small primary">{escape(t("memories.look"))}</button></div>'
        f"<details{opened}><summary>{escape(t('memories.narrow'))}</summary>"
        f'<fieldset><legend>{escape(t("memories.kinds"))}</legend><div class="checks">{kinds}</div></fieldset>'
        f'<div class="days">{_date_field(view, "since", place.since)}{_date_field(view, "until", place.until)}</div>'
        f"</details></form>"
    )


def _date_field(view: View, name: str, value: str) -> str:
    return (
        f"<label>{escape(view.t(f'memories.{name}'))}"
        f'<input type="date" name="{name}" value="{escape(value)}" max="{view.now:%Y-%m-%d}"></label>'
    )


def _hit(view: View, hit: Hit) -> str:
    t = view.t
    stamp = ""
    if hit.time:
        day_only = hit.time.time() == hit.time.time().min
        said = day_name(hit.time.date(), view.now.date(), t) if day_only else when(hit.time, view.now, t)
        stamp = f"<time>{escape(said)}</time>"
    speaker = f"<b>{escape(hit.speaker)}</b>" if hit.speaker else ""
    heading = f"<b>{escape(hit.heading)}</b>" if hit.heading else ""
    fold = around(view, hit.message_ids[0], t("memories.in_conversation")) if hit.message_ids else ""
    return (
        f'<li><p class="from"><span class="kind">{escape(t(f"types.{hit.type}"))}</span>{stamp}{speaker}{heading}</p>'
        f"<blockquote>{marked(hit.text, view.place.query)}</blockquote>"
        f'<div class="foot">{open_button(hit.type, hit.path, view.t)}{fold}</div></li>'
    )


def open_button(kind: MemoryType, path: str, t: Texts) -> str:
    """Return the button that opens a memory in its own place."""
    place = _PLACES.get(kind)
    if place is None:
        return ""  # a message: it is shown in the conversation
    action, where, has_own_page = place
    told = {"shelf" if action == "go" else "room": where}
    if has_own_page:
        told["item"] = PurePosixPath(path).stem
    return button(t("memories.open"), action, **told)


def marked(text: str, query: str) -> str:
    """Return a passage with the words that were looked for marked."""
    words = sorted({word for word in query.split() if len(word) > 1}, key=len, reverse=True)[:8]
    if not words:
        return escape(text)
    pieces = re.split(f"({'|'.join(map(re.escape, words))})", text, flags=re.IGNORECASE)
    return "".join(f"<mark>{escape(piece)}</mark>" if at % 2 else escape(piece) for at, piece in enumerate(pieces))


def _within(hit: Hit, first: date | None, last: date | None) -> bool:
    if first is None and last is None:
        return True
    if hit.time is None:
        return False
    day = hit.time.date()
    return (first is None or day >= first) and (last is None or day <= last)


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


SHELF = Shelf(show)
