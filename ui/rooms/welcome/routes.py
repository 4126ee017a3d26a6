"""The first meeting: choose a persona and a mind on one short page, or decide later."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from fastapi import APIRouter
from fastapi.responses import Response

from agent.persona_words import openings
from managers.personas import Persona
from managers.storage.settings import MindSettings
from ui.components.faces import face
from ui.rooms.front.routes import onward
from ui.rooms.mind.choice import SentMind, answer_offer, chosen_mind, fields_of, keep_key, keep_mind, mark_of
from ui.rooms.mind.trying import Tried, trial
from ui.rooms.mind.ways import begin_pull, is_fetching, was_fetched, ways_of
from ui.server.addresses import address_of, with_query
from ui.server.visit import Beside, FormText, Visit

_NAMES: Final = ("/ways", "/look", "/pull", "/pull/stop")
_ADDRESSES: Final[Mapping[str, Any]] = {
    "at": {name: f"/welcome{name}" for name in _NAMES},
    "looking": "/welcome?look=1",
}

router = APIRouter(prefix="/welcome")


@router.get("")
def show(visit: Beside, look: str = "", chosen: str = "") -> Response:
    """Ask who it shall be, and with which mind; nothing must be answered."""
    return _page(visit, visit.services.settings().mind, chosen or visit.last_spoken_to(), look=bool(look))


@router.get("/ways")
def ways(visit: Beside) -> Response:
    """Show what is offered, and the way to a model; finding that out may take a second."""
    return visit.part("rooms/mind/ways.html", ways=ways_of(visit, visit.services.settings().mind), **_ADDRESSES)


@router.post("/look")
def look_again(visit: Beside, persona: FormText = "") -> Response:
    """Look again for what can be used on this computer."""
    return _lead_back(visit, persona)


@router.post("/pull")
def pull(visit: Beside, persona: FormText = "", pull: FormText = "") -> Response:
    """Have a model fetched, and let it speak when it is there."""
    is_begun = begin_pull(visit.services, pull, visit.t)
    return _lead_back(visit, persona, problem="" if is_begun else visit.t("mind.not_there"))


@router.post("/pull/stop")
def stop(visit: Beside, persona: FormText = "") -> Response:
    """Stop fetching a model."""
    visit.services.pulls.stop()
    return _lead_back(visit, persona)


@router.post("/later")
def decide_later(visit: Beside) -> Response:
    """Leave everything as it is, and begin."""
    return _begin(visit, "")


@router.post("")
def choose(
    visit: Beside,
    sent: SentMind,
    persona: FormText = "",
    offer: FormText = "",
    tried: FormText = "",
    anyway: FormText = "",
) -> Response:
    """Try the mind that was entered; where it was tried already, or whatever it says, keep it and begin.

    Args:
        visit: the request.
        sent: the mind's fields.
        persona: who was chosen.
        offer: what was said yes or no to; then nothing begins yet.
        tried: stands for what was tried when the page was shown.
        anyway: begin whatever the trial said.
    """
    services = visit.services
    chosen = chosen_mind(sent)
    del chosen["internal_processing_model"]  # not asked here
    settings = services.settings().mind.model_copy(update=chosen)
    if offer:
        taken = answer_offer(services, settings, offer)
        return _page(visit, settings.model_copy(update=dict(taken or {})), persona)
    keep_key(services, settings, sent.key)
    is_tried = not sent.key and (tried == mark_of(settings) or was_fetched(services, settings))
    if not anyway and not is_tried and services.minds.choose(settings).status.is_language_model:
        return _page(visit, settings, persona, trial(services, settings, visit.t))
    keep_mind(services, chosen)
    return _begin(visit, persona)


def _begin(visit: Visit, persona: str) -> Response:
    visit.services.settings_file.change("page", onboarded=True)
    is_here = persona in visit.services.personas.list_names()
    return visit.lead(f"{address_of(persona)}#latest" if is_here else onward(visit))


def _greeting(persona: Persona, user_name: str) -> str:
    return next(iter(openings(persona, user_name)), "")


def _lead_back(visit: Visit, persona: str, problem: str = "") -> Response:
    return visit.lead(with_query("/welcome", {"look": "1", "chosen": persona}), problem=problem)


def _page(
    visit: Visit, mind: MindSettings, persona: str, tried: Sequence[Tried] = (), *, look: bool = False
) -> Response:
    services, works = visit.services, bool(tried) and all(one.works for one in tried)
    return visit.show(
        "rooms/welcome/welcome.html",
        personas=[(face(one), _greeting(one, services.settings().user.name)) for one in services.personas.list()],
        chosen=persona,
        fields=fields_of(services, mind),
        tried=tried,
        works=works,
        mark=mark_of(mind) if works else "",
        ways=ways_of(visit, mind) if look or is_fetching(services) else None,
        **_ADDRESSES,
    )
