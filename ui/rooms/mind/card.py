"""The quiet card beside a talk: the way to a language model while the built-in mind speaks, and one that is joining."""

from fastapi import APIRouter
from fastapi.responses import Response

from ui.rooms.mind.choice import has_own_mind, mind_of
from ui.rooms.mind.here import Here, begin_joining, here_of
from ui.server.visit import FormText, PersonaVisit, With

router = APIRouter(prefix="/p/{persona}/mind")


def card_of(visit: PersonaVisit) -> Here | None:
    """Return what the card shows; None where there is nothing to say, or it was put away."""
    services, joining = visit.services, visit.services.joinings.current
    is_told = joining is not None and joining.state == "done" and _has_spoken(visit)
    is_wanted = joining is not None or (services.settings().page.offers_models and _is_built_in(visit))
    if services.only_look or is_told or not is_wanted:
        return None
    return here_of(visit, mind_of(services, visit.name))


@router.post("/join")
def join(visit: With, model: FormText = "") -> Response:
    """Let a model join, for the persona alone where it has a mind of its own, else for everybody."""
    own = visit.name if has_own_mind(visit.services, visit.name) else ""
    return _back(visit, problem=begin_joining(visit.services, model, visit.t, own))


@router.post("/stop")
def stop(visit: With) -> Response:
    """Stop fetching a model."""
    visit.services.joinings.stop()
    return _back(visit)


@router.post("/away")
def put_away(visit: With) -> Response:
    """Put the card away; it does not come again by itself."""
    is_first = visit.services.settings().page.offers_models
    visit.services.settings_file.change("page", offers_models=False)
    visit.services.joinings.forget()
    return _back(visit, *([visit.t("ways.card_away")] if is_first and _is_built_in(visit) else []))


def _has_spoken(visit: PersonaVisit) -> bool:
    """Tell whether the mind that speaks now has spoken just before: who it is stands there."""
    last, choice = visit.memories.log.tail(5), visit.companion.known_choice()
    name = choice.mind.name if choice is not None and choice.status.is_language_model else ""
    return any(name and message.mind == name for message in last)


def _is_built_in(visit: PersonaVisit) -> bool:
    """Tell whether nobody speaks but the built-in mind, and no server waits for a yes: a notice asks for that one."""
    choice = visit.companion.known_choice()
    return choice is not None and not choice.status.is_language_model and not choice.notices


def _back(visit: PersonaVisit, *done: str, problem: str = "") -> Response:
    return visit.lead(f"{visit.at()}#latest", *done, problem=problem)
