"""The menu in the head of a persona's rooms: which mind speaks, and those that one click chooses."""

from collections.abc import Mapping
from typing import Final

from fastapi import APIRouter
from fastapi.responses import Response

from agent.minds.model_files import model_files
from agent.minds.server_discovery import list_models
from agent.services import Services
from managers.known_servers import Server
from managers.storage.settings import MindSettings
from ui.rooms.mind.choice import (
    MindFields,
    all_offers,
    answer_offer,
    chosen_mind,
    has_own_mind,
    keep_mind,
    mark_of,
    mind_of,
    through,
)
from ui.rooms.mind.here import is_chosen
from ui.rooms.mind.view import Entry, beside, former_provider
from ui.rooms.settings.routes import settings_address
from ui.server.addresses import local_path
from ui.server.visit import FormText, PersonaVisit, With

_MOST_MODELS: Final = 12
"""Of one server; the settings take any name."""

router = APIRouter(prefix="/p/{persona}/mind")


@router.get("")
def show(visit: With, back: str = "") -> Response:
    """Show the menu; asking the servers of this computer may take a second."""
    services, own = visit.services, _own(visit)
    mind = mind_of(services, own)
    companion = visit.companion
    speaking = companion.choice().mind
    at = (speaking.endpoint.address, speaking.name) if speaking.endpoint else ("", "")
    found = [Entry(f"engine {one}", one, visit.t("mind.stays")) for one in _files(services) if not is_chosen(mind, one)]
    for server, model in _models(services):
        if (server.address, model) != at:
            found.append(Entry(f"server {server.address} {model}", model, server.service))
    former = former_provider(mind, services.secrets.get)
    return visit.part(
        "rooms/mind/menu.html",
        status=companion.mind_status(),
        entries=[*found, *beside(mind, former, visit.t, is_model=any(at))],
        offers=all_offers(services, mind),
        mark=mark_of(mind),
        back=local_path(back),
        whose=visit.t("mind.for_one", name=visit.name) if own else visit.t("mind.for_all"),
        settings=settings_address(visit, "mind", own=bool(own)),
    )


@router.post("")
def choose(
    visit: With, choice: FormText = "", offer: FormText = "", based_on: FormText = "", back: FormText = ""
) -> Response:
    """Let another mind speak: for the persona alone where it has one of its own, else for everybody."""
    services, own = visit.services, _own(visit)
    there = local_path(back) or f"{visit.at()}#latest"
    mind = mind_of(services, own)
    if based_on != mark_of(mind):
        return visit.lead(there, problem=visit.t("mind.changed_meanwhile"))
    changes = answer_offer(services, mind, offer) if offer else _changes(services, mind, choice)
    if changes is None:
        return visit.lead(there, problem=visit.t("mind.not_there"))
    if changes:
        keep_mind(services, changes, own)
    status = visit.companion.mind_status()  # asks whoever speaks now, so that the head can say so
    visit.wake()
    return visit.lead(there, status.sentence(visit.lang))


def _own(visit: PersonaVisit) -> str:
    """Return whose choice the menu changes: the persona's own where it has one, else everybody's."""
    return visit.name if has_own_mind(visit.services, visit.name) else ""


def _welcome(services: Services) -> list[Server]:
    return [server for server, answer in services.minds.local_servers() if answer]


def _models(services: Services) -> list[tuple[Server, str]]:
    return [(server, model) for server in _welcome(services) for model in list_models(server.address)[:_MOST_MODELS]]


def _files(services: Services) -> list[str]:
    return [one.name for one in model_files(services.home.models) if one.is_here and not services.engine.lacking()]


def _changes(services: Services, mind: MindSettings, choice: str) -> Mapping[str, str] | None:
    """Return what a choice changes in the settings; None for one that there is not, or not any more."""
    kind, _, rest = choice.partition(" ")
    if kind == "server":
        address, _, model = rest.partition(" ")
        return next((through(server, model) for server in _welcome(services) if server.address == address), None)
    if kind == "engine":
        return chosen_mind(MindFields(kind, model=rest)) if rest in _files(services) else None
    if kind == "auto":
        return chosen_mind(MindFields("auto"))
    if kind == "builtin":
        return {"provider": "builtin"}  # address and model stay, for the way back
    former = former_provider(mind, services.secrets.get) if kind == "former" else ""
    return {"provider": former} if former else None
