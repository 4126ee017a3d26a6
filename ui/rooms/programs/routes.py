"""Settings: which other programs come in, their token, and the lines that are pasted there."""

from typing import Final

from fastapi import APIRouter
from fastapi.responses import Response

from ui.rooms.programs import view
from ui.rooms.settings.options import options_of, spoken
from ui.rooms.settings.routes import settings_address, shelf_of
from ui.server.programs.ways import Way, Ways
from ui.server.visit import Here, Visit

_WAYS: Final[tuple[Way, ...]] = ("api", "mcp")

router = APIRouter(prefix="/settings/programs")


@router.get("")
def show(visit: Here) -> Response:
    """Show the switches; a switch is set like any other setting (`ui/rooms/settings`)."""
    ways = _ways(visit)
    later = visit.t("programs.later")
    return visit.show(
        "rooms/programs/programs.html",
        shelf=shelf_of(visit, "programs"),
        options=[option for option in options_of(visit.services) if option.section == "programs"],
        spoken=spoken,
        problems={way: view.problem(ways, way, visit.lang, later) for way in _WAYS},
        is_any_on=any(map(ways.is_on, _WAYS)),
        fold="/settings/programs/token",
    )


@router.get("/token")
def show_token(visit: Here) -> Response:
    """Show the token, and what holds it."""
    token = visit.access.programs_token
    words = {key: visit.t(f"programs.{key}") for key in ("words", "query", "quiet")}
    pastes = view.pastes(_ways(visit), str(visit.request.base_url), token, visit.persona_name, words)
    shown = visit.part("rooms/programs/token.html", token=token, pastes=pastes)
    shown.headers["cache-control"] = "no-store"
    return shown


@router.post("/token")
def renew(visit: Here) -> Response:
    """Make another token."""
    visit.access.renew_programs_token()
    return visit.lead(settings_address(visit, "programs"), visit.t("programs.renewed"))


def _ways(visit: Visit) -> Ways:
    ways: Ways = visit.request.app.state.ways
    return ways
