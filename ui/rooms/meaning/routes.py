"""Settings: how meanings are compared; a model is fetched after a yes, with progress, and can be stopped."""

from fastapi import APIRouter
from fastapi.responses import Response

from agent.minds.endpoint import checked_address
from agent.services import Services
from managers.addresses import key_name
from managers.fetching.fetch import Fetch
from managers.known_servers import KnownServers
from managers.recall.embedders.offered import offered
from managers.recall.embedders.openai_embeddings import ServerEmbedder
from managers.storage.errors import InvalidSettingError, UtataneError
from managers.storage.files import remove_tree
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
        servers=[*view.server_ways(services, recall, t)],
        server=view.typed_server_way(recall, t),
        at={name: settings_address(visit, f"meaning{name}") for name in ("", "/fetch", "/stop", "/remove")},
        mind=settings_address(visit, "mind"),
    )


@router.post("")
def choose(
    visit: Here, embedder: FormText, model: FormText = "", address: FormText = "", key: FormText = ""
) -> Response:
    """Choose a way; a server is asked first, and has to answer."""
    services, persona = visit.services, visit.persona_name
    chosen: dict[str, object] = {"model": model}
    try:
        if embedder == "server":
            chosen |= _asked(services, checked_address(address, "/embeddings"), model, key)
        for name, value in (
            *((f"recall.embedder_{key}", value) for key, value in chosen.items()),
            ("recall.embedder", embedder),
        ):
            change(services, name, value, visit.own, persona)
    except UtataneError as error:
        raise worded(error, visit.t) from error
    return _back(visit)


@router.post("/fetch")
def fetch(visit: Here, name: FormText) -> Response:
    """Begin to fetch a model, or go on."""
    if name not in offered():
        raise InvalidSettingError(key="recall.embedder_model", value=name, reason="")
    visit.services.fetches.start(Fetch(offered()[name].source, visit.services.home.models))
    return _back(visit)


@router.post("/stop")
def stop(visit: Here) -> Response:
    """Stop fetching; what has come is kept."""
    visit.services.fetches.stop()
    return _back(visit)


@router.post("/remove")
def remove(visit: Here, name: FormText) -> Response:
    """Remove a model that was fetched, or what has come of it, unless it is under way."""
    fetches = visit.services.fetches
    is_busy = fetches.current is not None and fetches.current.is_going_on and fetches.current.name == name
    if name in offered() and not is_busy:
        fetches.forget()
        remove_tree(visit.services.home.models / name)
    return _back(visit)


def _asked(services: Services, address: str, model: str, key: str) -> dict[str, object]:
    """Return the settings of a server that makes vectors; its key is kept where it answered to it.

    Raises:
        EmbeddingError: it does not make any.
    """
    known = KnownServers(services.home, services.clock)
    account = services.meter.account("", "embedding")
    held = key.strip() or services.secrets.get(key_name(address))
    numbers = ServerEmbedder(address, model, held, services.home.models, 0, known, account=account).ask_dimensions()
    if key:
        services.secrets.set(key_name(address), key)
    return {"model": model, "address": address, "dimensions": numbers}


def _back(visit: Visit) -> Response:
    return visit.lead(settings_address(visit, "meaning"))
