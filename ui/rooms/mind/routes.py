"""Settings: which mind speaks, for everybody or for one persona; it is kept, tried, and given back."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from fastapi import APIRouter
from fastapi.responses import Response

from agent.minds.model_files import file_named
from managers.storage.errors import InvalidSettingError
from managers.storage.settings import MindSettings
from ui.rooms.mind.choice import (
    MindFields,
    SentMind,
    answer_offer,
    chosen_mind,
    fields_of,
    forget_key,
    give_mind_back,
    has_own_mind,
    keep_key,
    keep_mind,
    mark_of,
    mind_of,
)
from ui.rooms.mind.here import begin_joining, here_of, users_of
from ui.rooms.mind.trying import Tried, trial
from ui.rooms.mind.view import differences
from ui.rooms.mind.ways import ways_of
from ui.rooms.settings.options import worded
from ui.rooms.settings.routes import settings_address, shelf_of
from ui.server.once import new_number
from ui.server.visit import FormText, Here, Visit

router = APIRouter(prefix="/settings/mind")


@router.get("")
def show(visit: Here, look: str = "") -> Response:
    """Show the choice as it stands in the files; with `look`, what there is on this computer is waited for."""
    return _page(visit, mind_of(visit.services, visit.own), look=bool(look))


@router.get("/ways")
def ways(visit: Here) -> Response:
    """Show what there is on this computer already; finding that out may take a second."""
    mind = mind_of(visit.services, visit.own)
    return visit.part("rooms/mind/ways.html", ways=ways_of(visit, mind), **_addresses(visit))


@router.post("/join")
def join(visit: Here, model: FormText = "") -> Response:
    """Let a model join: it is fetched where it is not here, tried, and speaks then."""
    return _lead_back(visit, problem=begin_joining(visit.services, model.strip(), visit.t, visit.own))


@router.post("/stop")
def stop(visit: Here) -> Response:
    """Stop fetching a model."""
    visit.services.joinings.stop()
    return _lead_back(visit)


@router.post("/remove")
def remove(visit: Here, remove: FormText = "") -> Response:
    """Remove a model that was fetched, or what has come of it, unless it is joining or speaks."""
    services, joining = visit.services, visit.services.joinings.current
    file = file_named(remove, services.home.models)
    is_busy = joining is not None and joining.is_going_on and joining.wanted == file
    if file is None or is_busy:
        return _lead_back(visit, problem=visit.t("mind.not_there"))
    if users := ", ".join(users_of(services).get(remove, ())):  # another persona's, too
        who = users.replace("*", visit.t("ways.everybody"))
        return _lead_back(visit, problem=visit.t("ways.used_by", model=remove, users=who))
    file.remove()
    services.joinings.forget()
    return _lead_back(visit)


@router.post("")
def choose(visit: Here, sent: SentMind, based_on: FormText = "", offer: FormText = "") -> Response:
    """Keep what was entered, then try it; what was chosen elsewhere meanwhile is shown instead, beside what was entered.

    Args:
        visit: the request.
        sent: the fields.
        based_on: stands for the choice that the form began from.
        offer: what was said yes or no to; then the fields are left as they are.
    """
    services, persona = visit.services, visit.own
    now = mind_of(services, persona)
    if offer:
        taken = answer_offer(services, now, offer)
        if taken:
            keep_mind(services, taken, persona)
        return _lead_back(visit, problem=visit.t("mind.not_there") if taken is None else "")
    try:
        chosen = chosen_mind(sent)
    except InvalidSettingError as error:
        raise worded(error, visit.t) from error
    wanted = now.model_copy(update=chosen)
    keep_key(services, wanted, sent.key)  # it belongs to its server, whichever mind is chosen in the end
    if based_on != mark_of(now) != mark_of(wanted):
        return _page(visit, now, sent=replace(sent, has_key=fields_of(services, wanted).has_key))
    mind = keep_mind(services, chosen, persona)
    return _page(visit, mind, trial(services, mind, visit.t, persona))


@router.post("/forget-key")
def forget(visit: Here, based_on: FormText = "") -> Response:
    """Delete the key of the server that was shown."""
    mind = mind_of(visit.services, visit.own)
    if based_on != mark_of(mind):
        return _lead_back(visit, problem=visit.t("mind.changed_meanwhile"))
    forget_key(visit.services, mind)
    return _lead_back(visit, visit.t("mind.key_forgotten"))


@router.post("/back")
def give_back(visit: Here, based_on: FormText = "") -> Response:
    """Let the persona that is talked to speak with everybody's mind again."""
    if based_on != mark_of(mind_of(visit.services, visit.own)):
        return _lead_back(visit, problem=visit.t("mind.changed_meanwhile"))
    give_mind_back(visit.services, visit.own)
    return _lead_back(visit)


def _lead_back(visit: Visit, *done: str, problem: str = "") -> Response:
    return visit.lead(settings_address(visit, "mind"), *done, problem=problem)


def _page(
    visit: Visit, mind: MindSettings, tried: Sequence[Tried] = (), *, sent: MindFields | None = None, look: bool = False
) -> Response:
    """Answer with the page."""
    services, persona = visit.services, visit.own
    kept = fields_of(services, mind)
    return visit.show(
        "rooms/mind/mind.html",
        status=409 if sent else 200,
        shelf=shelf_of(visit, "mind"),
        fields=sent or kept,
        has_key=kept.has_key,
        theirs=differences(sent, kept, visit.t) if sent else (),
        mark=mark_of(mind),
        is_own=bool(persona) and has_own_mind(services, persona),
        tried=tried,
        here=here_of(visit, mind),
        models=services.home.models,
        ways=ways_of(visit, mind) if look else None,
        ways_key=new_number() if tried or look else mark_of(mind),
        **_addresses(visit),
    )


def _addresses(visit: Visit) -> dict[str, Any]:
    """Return the addresses of the room, as its templates use them."""
    names = ("", "/ways", "/join", "/stop", "/remove", "/forget-key", "/back")
    return {"at": {name: settings_address(visit, f"mind{name}") for name in names}, "looking": _looking(visit)}


def _looking(visit: Visit) -> str:
    """Return where the page is shown after a look for what there is."""
    return settings_address(visit, "mind", look=1)
