"""The settings: yourself and the look first, the mind, then the finer points; for everybody, or for one persona."""

from typing import Any, Final

from fastapi import APIRouter
from fastapi.responses import RedirectResponse, Response

from managers.storage.errors import UtataneError
from ui.rooms.settings.options import by_group, change, options_of, set_elsewhere, spoken, typed, worded
from ui.server.addresses import with_query
from ui.server.visit import FormText, Here, Visit

PAGES: Final = [
    "user",
    "mind",
    "conversation",
    "recall",
    "meaning",
    "domains",
    "memory",
    "privacy",
    "sleep",
    "autonomy",
    "details",
    "page",
    "access",
    "programs",
    "backup",
    "usage",
]
"""The pages of the settings in their order: oneself first, the caps last."""
_BESIDE: Final = frozenset({"mind", "meaning", "domains", "access", "programs", "backup", "usage"})
"""Those that are no group of settings."""
_COMMON: Final = frozenset({"user", "page", "domains", "access", "programs", "backup"})
"""Those that hold for everybody alone."""


router = APIRouter(prefix="/settings")


@router.get("")
def first(visit: Here) -> Response:
    """Lead to the first group."""
    return RedirectResponse(settings_address(visit, PAGES[0]))


@router.get("/{group}")
def show(visit: Here, group: str) -> Response:
    """Show a group of settings as they stand in the files."""
    groups = by_group(options_of(visit.services, visit.own))
    if group not in groups:
        return RedirectResponse(settings_address(visit, next(iter(groups))))
    return visit.show(
        "rooms/settings/settings.html", shelf=shelf_of(visit, group), group=group, options=groups[group], spoken=spoken
    )


@router.post("/{group}")
def set_one(
    visit: Here, group: str, name: FormText, value: FormText = "", reset: FormText = "", based_on: FormText = ""
) -> Response:
    """Change one setting, or take its default again; where it was changed elsewhere meanwhile, both values are shown."""
    wanted = None if reset else value
    if now := set_elsewhere(visit.services, name, wanted, visit.own, based_on):
        mine = str(now.default) if reset else value
        facts = {"shelf": shelf_of(visit, group), "back": settings_address(visit, group), "spoken": spoken}
        return visit.show("rooms/settings/conflict.html", status=409, now=now, mine=mine, typed=typed, **facts)
    try:
        change(visit.services, name, wanted, visit.own, visit.persona_name)
    except UtataneError as error:
        raise worded(error, visit.t) from error
    return visit.lead(settings_address(visit, group))


def settings_address(visit: Visit, page: str, *, own: bool | None = None, **query: object) -> str:
    """Return where a page of the settings is shown, with whom one talks to.

    Args:
        visit: the request.
        page: of the settings, or an address below it.
        own: for that persona alone; not given: as in the request.
        query: what else the address says.
    """
    is_own = bool(visit.own) if own is None else own
    return with_query(f"/settings/{page}", {"persona": visit.persona_name, "own": "1" if is_own else "", **query})


def shelf_of(visit: Visit, here: str) -> dict[str, Any]:
    """Return what stands beside a page of the settings: the other pages, and for whom they are.

    Of each page its name, address, and how many of its settings are not as they are by default.
    """
    persona, own = visit.persona_name, bool(visit.own)
    groups = by_group(options_of(visit.services, visit.own))
    counts = {group: sum(option.is_set for option in options) for group, options in groups.items()}
    pages = [page for page in PAGES if page in groups or page in _BESIDE]
    shown = [page for page in pages if not own or page not in _COMMON]
    entries = [
        (page, "/access" if page == "access" else settings_address(visit, page), counts.get(page, 0)) for page in shown
    ]
    alone = settings_address(visit, "mind" if here in _COMMON else here, own=True) if persona else ""
    common = settings_address(visit, here, own=False)
    return {"here": here, "own": own, "persona": persona, "entries": entries, "common": common, "alone": alone}
