"""What every page has around its room: who is here, which rooms there are, what is to be known."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from agent.growing import Growth
from agent.minds.mind_status import MindStatus
from managers.storage.errors import Lang, Notice, UtataneError
from ui.components.faces import Face, face
from ui.components.revision import revision_of
from ui.locales import Texts
from ui.server.addresses import address_of, with_query

if TYPE_CHECKING:
    from ui.server.visit import Visit

ROOMS: Final = ("talk", "heart", "dreams", "memories", "knowledge", "notes", "persona")
"""The rooms of a persona, in the order of the tabs; their addresses are their names, but for the talk, which is first."""
_HOUSE: Final = frozenset({"settings"})
"""Rooms that are the house's own, with a tab beside the others."""


@dataclass(frozen=True, slots=True)
class Tab:
    """A room's tab."""

    name: str
    address: str


@dataclass(frozen=True, slots=True)
class ShownNotice:
    """A notice as it stands above a room; the browser remembers by its key that it was dismissed."""

    key: str
    level: str
    sentence: str
    code: str


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands around a room.

    Attributes:
        current: whom one talks to; None where nobody does.
        waiting: how many folders wait for a yes.
        mind: which mind speaks, as far as that is known without asking anybody.
        revision: changes whenever a page of this persona would be drawn in another way.
    """

    faces: tuple[Face, ...]
    current: Face | None
    waiting: int
    tabs: tuple[Tab, ...]
    notices: tuple[ShownNotice, ...]
    mind: MindStatus | None
    revision: str


def frame_of(visit: Visit) -> Frame:
    """Return what stands around the room that is visited."""
    personas, name = visit.services.personas.list(), visit.persona_name
    faces = tuple(face(persona) for persona in personas)
    current = next((one for one in faces if one.name == name), None)
    waiting = len(visit.services.personas.door.guests()) + sum(persona.asks for persona in personas)
    notices = visit.services.gather_notices()
    revision, mind, own = (
        _told_of(visit, name) if current else (getattr(visit.request.state, "revision", ""), None, list[Notice]())
    )
    shown = tuple(_shown(notice, visit.lang) for notice in (*notices, *own))
    return Frame(faces, current, waiting, _tabs(name) if current else (), shown, mind, revision)


@cache
def script_texts(t: Texts) -> str:
    """Return what the page's script says, as JSON that can stand in a page."""
    return json.dumps(t.for_script(), ensure_ascii=False).replace("<", "\\u003c")


def _tabs(name: str) -> tuple[Tab, ...]:
    own = [Tab(room, address_of(name, "" if room == "talk" else room)) for room in ROOMS]
    return (*own, *(Tab(room, with_query(f"/{room}", {"persona": name})) for room in sorted(_HOUSE)))


def _told_of(visit: Visit, name: str) -> tuple[str, MindStatus | None, list[Notice]]:
    """Return a persona's revision, which mind speaks, as far as that is known, and what is to be known.

    The revision is as it was before anything was read for this page: what has changed since is noticed.
    """
    revision, mind, notices = getattr(visit.request.state, "revision", ""), None, list[Notice]()
    with suppress(UtataneError):  # the room itself says why
        companion = getattr(visit.request.state, "companion", None) or visit.services.companion(name)
        revision = revision or revision_of(visit.services, companion)
        choice = companion.known_choice()
        mind = choice.status if choice else None
        notices = [*companion.memories.gather_notices(), *(choice.notices if choice else ())]
        notices += Growth(companion.memories).offers()
    return revision, mind, notices


def _shown(notice: Notice, lang: Lang) -> ShownNotice:
    key = notice.code if notice.level == "passing" else f"{notice.code}:{_number(notice.en)}"
    return ShownNotice(key, notice.level, notice.sentence(lang), notice.code)


def _number(text: str) -> int:
    """Return a small number that stays the same: a notice dismissed today stays dismissed tomorrow."""
    number = 0
    for character in text:
        number = (number * 31 + ord(character)) % 1_000_000_007
    return number
