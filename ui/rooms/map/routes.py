"""The map of memory: a picture of all that is remembered, by likeness or along time, with a memory open beside it."""

from typing import Literal

from fastapi import APIRouter
from fastapi.responses import Response

from managers.memory_map.scene import Scope
from ui.rooms.map.panel import opened_dot
from ui.rooms.map.view import Arrangement, Part, map_page
from ui.rooms.memories.shelves import show
from ui.server.visit import PersonaVisit, With

_SHELF = "map"

router = APIRouter(prefix="/p/{persona}/memories/map")


@router.get("")
def whole(visit: With, by: Arrangement = "like", dot: str = "", size: Literal["wide", "narrow"] = "wide") -> Response:
    """Show all of the map."""
    return _shown(visit, Part(Scope(), by), dot, size)


@router.get("/{region}")
def region(
    visit: With, region: int, by: Arrangement = "like", dot: str = "", size: Literal["wide", "narrow"] = "wide"
) -> Response:
    """Show a region of the map."""
    return _shown(visit, Part(Scope(region), by), dot, size)


@router.get("/{region}/{quarter}")
def quarter(
    visit: With,
    region: int,
    quarter: int,
    by: Arrangement = "like",
    dot: str = "",
    size: Literal["wide", "narrow"] = "wide",
) -> Response:
    """Show a quarter of a region."""
    return _shown(visit, Part(Scope(region, quarter), by), dot, size)


def _shown(visit: PersonaVisit, part: Part, dot: str, size: str) -> Response:
    """Answer with the map, or why there is none yet."""
    memory_map = visit.memories.map
    atlas = memory_map.look()
    if atlas is None:
        return show(visit, "map/drawing.html", _SHELF, progress=memory_map.progress)
    if all(piece.kind == "note" for piece in atlas.pieces):  # what stands under Notes is no landscape yet
        reason = "waiting" if atlas.is_waiting else "empty"
        return show(visit, "map/empty.html", _SHELF, sentence=visit.t(f"map.{reason}"), whole="")
    page = map_page(visit, atlas, part)
    if page is None:
        return show(
            visit, "map/empty.html", _SHELF, sentence=visit.t("memories.gone"), whole=part.address(visit, Scope())
        )
    return show(
        visit,
        "map/map.html",
        _SHELF,
        page=page,
        opened=opened_dot(visit, atlas, part, dot, size) if dot else None,
        chosen=dot,
        table=visit.at("tables/map.csv", region=part.scope.region, quarter=part.scope.quarter),
    )
