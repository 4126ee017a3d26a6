"""The settings: yourself and the look first, the mind, then the finer points; for everybody, or for one persona."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from fastapi import APIRouter
from fastapi.responses import RedirectResponse, Response

from managers.storage.errors import UtataneError
from ui.rooms.settings.options import by_group, change, options_of, spoken, worded
from ui.server.addresses import with_query
from ui.server.visit import FormText, Here, Visit

PAGES: Final = (
    "user",
    "mind",
    "conversation",
    "recall",
    "meaning",
    "sleep",
    "autonomy",
    "details",
    "page",
    "access",
    "programs",
    "usage",
)
"""The pages of the settings in their order: oneself first, the caps last."""
_BESIDE: Final = frozenset({"mind", "meaning", "access", "programs", "usage"})
"""Those that are no group of settings."""
_COMMON: Final = frozenset({"user", "page", "access", "programs"})
"""Those that hold for everybody alone."""


@dataclass(frozen=True, slots=True)
class Shelf:
    """What stands beside a page of the settings.

    Attributes:
        here: the page that is shown.
        own: whether it is one persona's own.
        persona: who is talked to; empty where nobody is.
        entries: each page's name, address, and how many of its settings are not as they are by default.
        common, alone: where the same is shown for everybody, and for that persona alone.
    """

    here: str
    own: bool
    persona: str
    entries: Sequence[tuple[str, str, int]]
    common: str
    alone: str


router = APIRouter(prefix="/settings")


@router.get("")
def first(visit: Here) -> Response:
    """Lead to the first group."""
    return RedirectResponse(settings_address(visit, PAGES[0]))


@router.get("/{group}")
def show(visit: Here, group: str, own: str = "") -> Response:
    """Show a group of settings as they stand in the files."""
    persona = visit.persona_name if own else ""
    groups = by_group(options_of(visit.services, persona))
    if group not in groups:
        return RedirectResponse(settings_address(visit, next(iter(groups)), own=bool(persona)))
    return visit.show(
        "rooms/settings/settings.html",
        shelf=shelf_of(visit, group, own=bool(persona)),
        group=group,
        options=groups[group],
        spoken=spoken,
        own=bool(persona),
    )


@router.post("/{group}")
def set_one(
    visit: Here, group: str, name: FormText, value: FormText = "", own: FormText = "", reset: FormText = ""
) -> Response:
    """Change one setting, or take its default again."""
    persona = visit.persona_name
    try:
        change(visit.services, name, None if reset else value, persona if own else "", persona)
    except UtataneError as error:
        raise worded(error, visit.t) from error
    return visit.lead(settings_address(visit, group, own=bool(own)))


def settings_address(visit: Visit, group: str, *, own: bool = False) -> str:
    """Return where a group of settings is shown, with whom one talks to."""
    return with_query(f"/settings/{group}", {"persona": visit.persona_name, "own": "1" if own else ""})


def shelf_of(visit: Visit, here: str, *, own: bool = False) -> Shelf:
    """Return what stands beside a page of the settings: the other pages, and for whom they are."""
    persona = visit.persona_name
    groups = by_group(options_of(visit.services, persona if own else ""))
    counts = {group: sum(option.is_set for option in options) for group, options in groups.items()}
    pages = [page for page in PAGES if page in groups or page in _BESIDE]
    shown = [page for page in pages if not own or page not in _COMMON]
    entries = [
        (page, "/access" if page == "access" else settings_address(visit, page, own=own), counts.get(page, 0))
        for page in shown
    ]
    return Shelf(
        here,
        own,
        persona,
        entries,
        settings_address(visit, here),
        settings_address(visit, "mind" if here in _COMMON else here, own=True) if persona else "",
    )
