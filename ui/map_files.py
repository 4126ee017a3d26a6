"""What the map and the network hand out besides themselves: what stands behind a dot or a line, and their tables."""

from __future__ import annotations

from datetime import date
from typing import Literal

from fastapi import APIRouter
from fastapi.responses import HTMLResponse, JSONResponse, Response

from agent.services import Services
from managers.memory_map.atlas import Names
from managers.memory_map.scene import Scope, scene_of
from managers.storage.errors import Lang
from ui.csv_files import Rows, csv_answer
from ui.locales import Texts, texts
from ui.map import parsed
from ui.map_canvas import CANVASES
from ui.map_names import place_name
from ui.map_panel import dot_panel
from ui.network import node_panel, tie_panel
from ui.shelves import Place, View


def map_router(services: Services) -> APIRouter:
    """Return the addresses."""
    router = APIRouter(prefix="/personas/{name}")

    def view_of(name: str, lang: Lang) -> View:
        return View(services.companion(name).memories, Place(shelf="map"), services.clock.now(), texts(lang))

    @router.get("/map/state")
    def state(name: str) -> Response:
        memories = services.companion(name).memories
        progress = memories.map.progress
        told: dict[str, int] = {"drawing": memories.map.is_drawing or memories.network.is_drawing}
        if progress is not None:
            told |= {"done": progress.done, "total": progress.total}
        return JSONResponse(told, headers={"cache-control": "no-store"})

    @router.get("/map/dot")
    def dot(
        name: str, key: str, item: str = "", size: Literal["wide", "narrow"] = "wide", lang: Lang = "en"
    ) -> Response:
        view = view_of(name, lang)
        atlas = view.memories.map.look()
        scene = scene_of(atlas, parsed(item)[1], CANVASES[size].most) if atlas else None
        found = next((one for one in scene.dots if one.piece.key == key), None) if scene else None
        if scene is None or found is None:
            return HTMLResponse(f'<p class="quiet">{view.t("memories.gone")}</p>')
        return HTMLResponse(dot_panel(view, scene, found))

    @router.get("/map/memories.csv")
    def memories_table(name: str, item: str = "", lang: Lang = "en") -> Response:
        return csv_answer(_memories(view_of(name, lang), parsed(item)[1]), f"{name}-map.csv")

    @router.get("/network/look")
    def look(name: str, lang: Lang = "en", entity: str = "", one: str = "", other: str = "") -> Response:
        view = view_of(name, lang)
        return HTMLResponse(node_panel(view, entity) if entity else tie_panel(view, one, other))

    @router.get("/network/ties.csv")
    def ties_table(name: str, lang: Lang = "en") -> Response:
        view = view_of(name, lang)
        ties = view.memories.network.all_ties()
        t = view.t
        heads = [t("network.one"), t("network.other"), t("network.messages")]
        return csv_answer([heads, *([tie.one, tie.other, tie.count] for tie in ties)], f"{name}-ties.csv")

    return router


def _memories(view: View, scope: Scope) -> Rows:
    t = view.t
    yield [t(f"map.column_{key}") for key in ("day", "kind", "region", "quarter", "count", "across", "down", "text")]
    atlas = view.memories.map.look()
    if atlas is None:
        return
    scene = scene_of(atlas, scope, len(atlas.pieces) + 1)
    faces = view.memories.map.read([dot.piece.face for dot in scene.dots])
    for dot in scene.dots:
        piece = dot.piece
        passage = faces.get(piece.face)
        if passage is None:
            continue
        region = _named(atlas.names, "region", int(atlas.regions[piece.anchor]), t)
        quarter = _named(atlas.names, "quarter", int(atlas.quarters[piece.anchor]), t)
        day = date.fromordinal(piece.day).isoformat() if piece.day else ""
        spot = [round(piece.x, 4), round(piece.y, 4)]
        yield [day, t(f"map.kind_{piece.kind}"), region, quarter, piece.count, *spot, passage.text]


def _named(names: Names, level: str, number: int, t: Texts) -> str:
    return place_name([word.surface for word in names.get(level, {}).get(number, ())], t)
