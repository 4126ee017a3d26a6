"""Settings: how meanings are compared; a model is fetched after a yes, with progress, and can be stopped."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import Response

from managers.recall.embedders.offered import offered
from managers.storage.errors import InvalidSettingError, UtataneError
from ui.rooms.meaning import view
from ui.rooms.settings.options import change, worded
from ui.rooms.settings.routes import settings_address, shelf_of
from ui.server.addresses import with_query
from ui.server.visit import FormText, Here, Visit

router = APIRouter(prefix="/settings/meaning")


@router.get("")
def show(visit: Here, own: str = "") -> Response:
    """Show the ways there are, and which one holds."""
    services, t = visit.services, visit.t
    persona = visit.persona_name if own else ""
    settings = services.companion(persona).memories.settings() if persona else services.settings()
    recall = settings.recall
    asked: dict[str, object] = {"persona": visit.persona_name, "own": "1" if persona else ""}
    return visit.show(
        "rooms/meaning/meaning.html",
        shelf=shelf_of(visit, "meaning", own=bool(persona)),
        ways=[*view.own_ways(recall, t)],
        models=[*view.fetchable(services, recall, t)],
        typed=[view.folder_way(services, recall, t), view.library_way(recall, t)],
        remote=view.remote_way(services, recall, t),
        at={name: with_query(f"/settings/meaning{name}", asked) for name in ("", "/fetch", "/stop", "/remove")},
        mind=settings_address(visit, "mind", own=bool(persona)),
    )


@router.post("")
def choose(visit: Here, embedder: FormText, model: FormText = "", own: str = "") -> Response:
    """Choose a way."""
    services, persona = visit.services, visit.persona_name
    try:
        for name, value in (("recall.embedder_model", model), ("recall.embedder", embedder)):
            change(services, name, value, persona if own else "", persona)
    except UtataneError as error:
        raise worded(error, visit.t) from error
    return _back(visit, own)


@router.post("/fetch")
def fetch(visit: Here, name: FormText, own: str = "") -> Response:
    """Begin to fetch a model, or go on."""
    if name not in offered():
        raise InvalidSettingError(key="recall.embedder_model", value=name, reason="")
    visit.services.fetches.start(offered()[name])
    return _back(visit, own)


@router.post("/stop")
def stop(visit: Here, own: str = "") -> Response:
    """Stop fetching; what has come is kept."""
    visit.services.fetches.stop()
    return _back(visit, own)


@router.post("/remove")
def remove(visit: Here, name: FormText, own: str = "") -> Response:
    """Remove a model that was fetched, or what has come of it."""
    if name in offered():
        visit.services.fetches.remove(offered()[name])
    return _back(visit, own)


def _back(visit: Visit, own: str) -> Response:
    return visit.lead(settings_address(visit, "meaning", own=bool(own)))
