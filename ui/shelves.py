"""What the shelves of the memories room have in common: where one is, and the pieces they are built of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from html import escape
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlencode

from agent.memories import Memories
from managers.storage.history.parts import file_part, record_part
from ui.around import around_address
from ui.charts import table_link
from ui.csv_files import table_address
from ui.history import SHOWN_ENTRIES, entry_list
from ui.locales import Texts
from ui.presenters import persona_address
from ui.times import day_name

SHOWN_EVIDENCE = 12
"""A memory may rest on hundreds of messages; the first few say where it comes from."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where one is in the room.

    Attributes:
        shelf: which kind of memory is shown.
        item: the one that is open; empty: the whole shelf.
        page: which page of the shelf, from 0.
        query, kinds, since, until: what is looked for; days as `YYYY-MM-DD`.
        editing: the open one is being edited.
        uncovered: the secret diary lies open.
        persona: whose shelves they are; empty: nobody's yet.
        whence: where one opened memories of other shelves from (what was found, the map), to come back to.
    """

    shelf: str = "search"
    item: str = ""
    page: int = 0
    query: str = ""
    kinds: tuple[str, ...] = ()
    since: str = ""
    until: str = ""
    editing: bool = False
    uncovered: bool = False
    persona: str = ""
    whence: Place | None = None


@dataclass(frozen=True, slots=True)
class Conflict:
    """An edit that met another one: what the person wrote, and what the file says now."""

    mine: str
    theirs: str


@dataclass(frozen=True, slots=True)
class View:
    """What a shelf needs to show itself."""

    memories: Memories
    place: Place
    now: datetime
    t: Texts
    conflict: Conflict | None = None

    @property
    def persona(self) -> str:
        return self.memories.paths.name


class Pin(Protocol):
    """Pins a memory, or takes the pin off."""

    def __call__(self, memories: Memories, item: str, /, *, on: bool) -> None:
        """Do so."""
        ...


@dataclass(frozen=True, slots=True)
class Shelf:
    """One shelf of the room: how it shows itself, and what a person can do to a memory on it.

    Attributes:
        show: returns what is there.
        save: writes what a person made of a memory; a `Conflict` where another edit came first.
        forget: takes a memory out of search and prompts.
        left_at: tells what is open on the shelf when a memory has been forgotten; empty: the whole shelf.
        pin: pins a memory, or takes the pin off.
    """

    show: Callable[[View], str]
    save: Callable[[Memories, str, Mapping[str, Any]], Conflict | None] | None = None
    forget: Callable[[Memories, str], None] | None = None
    left_at: Callable[[str], str] = lambda _: ""
    pin: Pin | None = None


def button(label: str, action: str, *, style: str = "small", **data: object) -> str:
    """Return a button; `data` is told to the server when it is pressed."""
    told = "".join(f' data-{key}="{escape(str(value))}"' for key, value in data.items() if value != "")
    return f'<button type="button" class="{style}" data-action="{action}"{told}>{escape(label)}</button>'


def asking(label: str, action: str, question: str, **data: object) -> str:
    """Return a button that asks before it does something."""
    return button(label, action, style="small danger", ask=question, yes=label, **data)


def pager(place: Place, total: int, size: int, t: Texts) -> str:
    """Return the way to the other pages of a shelf; nothing where there is one page only."""
    pages = -(-total // size)
    if pages <= 1:
        return ""
    before = button(t("memories.newer"), "page", page=place.page - 1) if place.page > 0 else ""
    after = button(t("memories.older"), "page", page=place.page + 1) if place.page < pages - 1 else ""
    where = t("memories.page_of", page=place.page + 1, pages=pages)
    label = escape(t("memories.pages"))
    return f'<nav class="pager" aria-label="{label}">{before}<span>{escape(where)}</span>{after}</nav>'


def page_of(place: Place, items: Sequence[Any], size: int) -> Sequence[Any]:
    """Return the items of the page that one is on."""
    return items[place.page * size : (place.page + 1) * size]


def evidence(view: View, ids: Sequence[str]) -> str:
    """Return a fold for each message that a memory rests on; the conversation around it is fetched when opened."""
    if not ids:
        return ""
    shown = list(dict.fromkeys(ids))[:SHOWN_EVIDENCE]
    found = view.memories.log.originals(shown)
    rows = "".join(
        around(view, found[one].id, _words(found[one].speaker, found[one].text)) for one in shown if one in found
    )
    more = len(set(ids)) - len(shown)
    rest = f'<p class="quiet">{escape(view.t("memories.more_evidence", count=more))}</p>' if more > 0 else ""
    title = escape(view.t("memories.evidence", count=len(set(ids))))
    if not rows:
        return f'<p class="quiet">{escape(view.t("memories.evidence_gone"))}</p>'
    return f'<details class="evidence"><summary>{title}</summary>{rows}{rest}</details>'


def around(view: View, message_id: str, label: str) -> str:
    """Return a fold that shows the conversation around a message."""
    address = around_address(view.persona, message_id, view.t)
    return (
        f'<details class="around" data-fetch="{escape(address)}"><summary>{escape(label)}</summary>'
        f'<div class="fetched" aria-live="polite"></div></details>'
    )


def made_by(mind: str, view: View) -> str:
    """Return who made a memory."""
    if not mind:
        return ""
    t = view.t
    name = {"user": t("history.by_user"), "built-in": t("mind.builtin_name")}.get(mind, mind)
    return f'<span class="by">{escape(t("memories.made_by", name=name))}</span>'


def history_of(view: View, path: Path) -> str:
    """Return a file's history, folded, each entry with what it did to this file and the way back from that."""
    part = file_part(view.memories.paths.folder, path)
    entries = view.memories.history.entries(SHOWN_ENTRIES, part=part)
    title = escape(view.t("history.title"))
    listed = entry_list(entries, view.persona, view.now, view.t, part)
    file = path.relative_to(view.memories.paths.folder).as_posix()
    save = saving(view, "history", item=file) if entries else ""
    return f'<details class="past"><summary>{title}</summary>{listed}{save}</details>'


def past_of(view: View, record_id: str) -> str:
    """Return a fold that holds the history of one memory among many in a file; it is fetched when opened."""
    told = urlencode({"part": record_part(record_id), "lang": view.t.lang})
    title = escape(view.t("history.title"))
    return (
        f'<details class="past" data-fetch="{escape(f"{persona_address(view.persona)}/past?{told}")}">'
        f'<summary>{title}</summary><div class="fetched" aria-live="polite"></div></details>'
    )


def saving(view: View, table: str, **chosen: object) -> str:
    """Return the link that saves a whole shelf as a table (`ui/memory_tables.py`), not only the page that is shown."""
    return table_link(table_address(view.persona, f"memories/{table}", view.t, **chosen), view.t)


def crumbs(view: View, title: str, part: str = "") -> str:
    """Return the heading of an open memory and the ways back: to its shelf (a part of it), and whence one came."""
    t, place = view.t, view.place
    back = button(
        t("memories.back", shelf=t(f"memories.{place.shelf}")), "go", shelf=place.shelf, page=place.page, item=part
    )
    if place.whence is not None:
        shelf = place.whence.shelf
        to_found = (
            t("memories.back_to_found") if shelf == "search" else t("memories.back", shelf=t(f"memories.{shelf}"))
        )
        back = button(to_found, "go", shelf=shelf) + back
    return f'<div class="crumbs">{back}</div><h3 tabindex="-1" data-focus>{escape(title)}</h3>'


def day_of(text: str, view: View) -> str:
    """Return the day in a memory's timestamp as people say it; the text itself where it is none."""
    try:
        return day_name(datetime.fromisoformat(text).date(), view.now.date(), view.t)
    except ValueError:
        return text


def pin_button(view: View, item: str, *, pinned: bool) -> str:
    """Return the button that pins a memory, or takes the pin off."""
    return button(view.t("memories.unpin" if pinned else "memories.pin"), "unpin" if pinned else "pin", item=item)


def forget_button(view: View, item: str) -> str:
    """Return the button that takes a memory out of search and prompts."""
    t = view.t
    return asking(t("memories.forget"), "forget", t("memories.forget_ask"), item=item)


def leave_button(view: View) -> str:
    """Return the button that leaves an editor (the page's script asks first if something was written)."""
    return button(view.t("script.cancel"), "go", shelf=view.place.shelf, item=view.place.item)


def pin_mark(t: Texts, *, pinned: bool) -> str:
    """Return the mark of a pinned memory."""
    return f'<span class="pinned">{escape(t("memories.pinned"))}</span>' if pinned else ""


def conflict_note(view: View) -> str:
    """Return what the file says now, where somebody else changed it meanwhile."""
    if view.conflict is None:
        return ""
    t = view.t
    return (
        f'<div class="conflict" role="alert"><h4>{escape(t("notes.conflict_title"))}</h4>'
        f'<p>{escape(t("memories.conflict"))}</p><pre tabindex="0">{escape(view.conflict.theirs)}</pre></div>'
    )


def answer_to(told: Mapping[str, Any]) -> str:
    """Return the mark by which the page's script knows to what it was answered."""
    return f'<i hidden data-answer="{escape(str(told.get("number", "")))}"></i>'


def empty(sentence: str) -> str:
    """Return the sentence of an empty shelf."""
    return f'<p class="nothing">{escape(sentence)}</p>'


def _words(speaker: str, text: str) -> str:
    line = " ".join(text.split())
    return f"{speaker}: {shorten(line)}"


def shorten(line: str, characters: int = 60) -> str:
    """Return the beginning of a line."""
    return line if len(line) <= characters else line[:characters] + "…"
