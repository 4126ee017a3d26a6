"""Settings: how meanings are compared; a model is fetched after a yes, with progress, and can be stopped."""

from fastapi import APIRouter
from fastapi.responses import Response

from managers.recall.embedders.offered import offered
from managers.storage.errors import InvalidSettingError, UtataneError
from ui.rooms.meaning import view
from ui.rooms.settings.options import change, worded
from ui.rooms.settings.routes import settings_address, shelf_of
from ui.server.visit import FormText, Here, Visit

router = APIRouter(prefix="/settings/meaning")


@router.get("")
def show(visit: Here) -> Response:
    """Show the ways there are, and which one holds."""
    services, t = visit.services, visit.t
    settings = services.companion(visit.own).memories.settings() if visit.own else services.settings()
    recall = settings.recall
    return visit.show(
        "rooms/meaning/meaning.html",
        shelf=shelf_of(visit, "meaning"),
        ways=[*view.own_ways(recall, t)],
        models=[*view.fetchable(services, recall, t)],
        typed=[view.folder_way(services, recall, t), view.library_way(recall, t)],
        remote=view.remote_way(services, recall, t),
        at={name: settings_address(visit, f"meaning{name}") for name in ("", "/fetch", "/stop", "/remove")},
        mind=settings_address(visit, "mind"),
    )


@router.post("")
def choose(visit: Here, embedder: FormText, model: FormText = "") -> Response:
    """Choose a way."""
    services, persona = visit.services, visit.persona_name
    try:
        for name, value in (("recall.embedder_model", model), ("recall.embedder", embedder)):
            change(services, name, value, visit.own, persona)
    except UtataneError as error:
        raise worded(error, visit.t) from error
    return _back(visit)


@router.post("/fetch")
def fetch(visit: Here, name: FormText) -> Response:
    """Begin to fetch a model, or go on."""
    if name not in offered():
        raise InvalidSettingError(key="recall.embedder_model", value=name, reason="")
    visit.services.fetches.start(offered()[name].source)
    return _back(visit)


@router.post("/stop")
def stop(visit: Here) -> Response:
    """Stop fetching; what has come is kept."""
    visit.services.fetches.stop()
    return _back(visit)


@router.post("/remove")
def remove(visit: Here, name: FormText) -> Response:
    """Remove a model that was fetched, or what has come of it."""
    if name in offered():
        visit.services.fetches.remove(name)
    return _back(visit)


def _back(visit: Visit) -> Response:
    return visit.lead(settings_address(visit, "meaning"))
