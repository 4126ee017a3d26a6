"""The shelves of the memories: which there are, where each is, and what they have in common."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Generic, TypeVar
from urllib.parse import quote

from fastapi.responses import Response

from managers.storage.history.parts import record_part
from ui.locales import Texts
from ui.server.addresses import with_query
from ui.server.visit import PersonaVisit

Item = TypeVar("Item")

SHOWN_EVIDENCE: Final = 12
"""A memory may rest on hundreds of messages; the first few say where it comes from."""
GROUPS: Final[Mapping[str, Sequence[str]]] = {
    "find": ("search", "map"),
    "known": ("people", "network", "lorebook"),
    "time": ("days", "diary"),
    "inner": ("insights", "goals", "questions", "helping", "secret-diary"),
    "let_go": ("forgotten", "archive", "audit", "erase"),
}
"""All shelves, in the groups in which they stand."""
_GONE: Final = "memories/gone.html"
_SHOWN_LETTERS: Final = 60


@dataclass(frozen=True, slots=True)
class Page(Generic[Item]):
    """One page of a shelf, and the addresses of those beside it, if any (`pieces.pager`)."""

    items: Sequence[Item]
    count: int
    number: int
    total: int
    newer: str | None
    older: str | None


@dataclass(frozen=True, slots=True)
class Evidence:
    """The messages that a memory rests on.

    Attributes:
        count: how many there are.
        said: the first of them that are still in the conversation: address of the conversation around it, and words.
        more: how many are not among the first.
    """

    count: int
    said: Sequence[tuple[str, str]]
    more: int


def show(visit: PersonaVisit, template: str, shelf: str, **values: object) -> Response:
    """Answer with a shelf, or with what lies open on it.

    Args:
        visit: the request.
        template: one that extends `shelf.html`.
        shelf: its name.
        values: what the template shows; `theirs` what the file says where it was changed while one wrote.
    """
    status = 404 if template == _GONE else 200 if values.get("theirs") is None else 409
    groups = {group: {name: shelf_address(visit, name) for name in names} for group, names in GROUPS.items()}
    return visit.show(f"rooms/{template}", status=status, shelf=shelf, groups=groups, **values)


def gone(visit: PersonaVisit, shelf: str) -> Response:
    """Answer for a memory that is not there any more."""
    return show(visit, _GONE, shelf, whole=shelf_address(visit, shelf))


def shelf_address(visit: PersonaVisit, shelf: str) -> str:
    """Return the address of a shelf; the search is the room itself."""
    return visit.at("memories" if shelf == "search" else f"memories/{shelf}")


def page_of(visit: PersonaVisit, items: Sequence[Item], number: int, size: int) -> Page[Item]:
    """Return a page of a shelf, counted from 0; the last one where there are fewer."""
    total = max(1, -(-len(items) // size))
    number = min(max(number, 0), total - 1)
    told = visit.request.query_params
    query: dict[str, object] = {key: tuple(told.getlist(key)) for key in told if key != "said"}

    def address(other: int) -> str:
        return with_query(quote(visit.request.scope["path"]), {**query, "page": other or ""})

    return Page(
        items[number * size : (number + 1) * size],
        len(items),
        number,
        total,
        address(number - 1) if number else None,
        address(number + 1) if number + 1 < total else None,
    )


def evidence_of(visit: PersonaVisit, several: Sequence[Sequence[str]]) -> list[Evidence | None]:
    """Return what each of several memories rests on, as it reads now; None for one that names no message."""
    log = visit.memories.log
    shown = [list(dict.fromkeys(ids))[:SHOWN_EVIDENCE] for ids in several]
    found = log.originals({one for ids in shown for one in ids})
    now = log.corrections() if found else {}
    words = {
        one: f"{message.speaker}: {shorten(text)}"
        for one, message in found.items()
        if (text := now.get(one, message.text))
    }
    return [
        Evidence(
            len(set(ids)),
            [(visit.at("around", one), words[one]) for one in first if one in words],
            len(set(ids)) - len(first),
        )
        if ids
        else None
        for ids, first in zip(several, shown, strict=True)
    ]


def shorten(text: str, letters: int = _SHOWN_LETTERS) -> str:
    """Return the beginning of a text, in one line."""
    line = " ".join(text.split())
    return line if len(line) <= letters else f"{line[:letters]}…"


def past_of_record(visit: PersonaVisit, record_id: str) -> str:
    """Return the address of the history of one memory among many in a file; empty for one without an id."""
    return visit.at("history", part=record_part(record_id), back=visit.here) if record_id else ""


def past_of_path(visit: PersonaVisit, path: str) -> str:
    """Return the address of the history of one file, by its path in the persona's folder."""
    return visit.at("history", part=path, back=visit.here)


def maker_name(mind: str, t: Texts) -> str:
    """Return who made a memory; empty where nobody is named."""
    return {"user": t("history.by_user"), "built-in": t("mind.builtin_name")}.get(mind, mind)


def day_of(text: str, visit: PersonaVisit) -> str:
    """Return the day in a memory's timestamp as people say it; the text itself where it is none."""
    try:
        return visit.day(datetime.fromisoformat(text).date())
    except ValueError:
        return text
