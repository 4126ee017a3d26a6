"""What opens the page, to be seen and changed on the page: its address with the token, or a password; and who came in."""

from collections.abc import Callable
from typing import Final

from anyio import to_thread
from fastapi import APIRouter
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from managers.storage.access import LEAST_PASSWORD
from managers.storage.errors import UtataneError
from ui.server.access import begin_visit, peer, visit_shown
from ui.server.guesses import Guesses, TooManyGuessesError
from ui.server.templates import DOOR_HEADERS, render
from ui.server.visit import FormText, Here, Visit

_DONE: Final = ("renewed", "kept", "removed", "logged_out")

router = APIRouter(prefix="/access")
"""Whoever changes what opens the page stays in, every other browser has to come in anew."""


@router.get("")
def show(visit: Here) -> Response:
    """Show what opens the page, and what was just changed about it."""
    return _page(visit)


@router.post("/address")
async def renew(visit: Here) -> Response:
    """Make a new address."""
    return await _change(visit, visit.access.renew_token, "renewed")


@router.post("/password")
async def set_password(visit: Here, new: FormText = "", current: FormText = "") -> Response:
    """Ask for this password from now on."""
    refused = await _refusal(visit, current)
    return refused or await _change(visit, lambda: visit.access.set_password(new), "kept")


@router.post("/no-password")
async def remove_password(visit: Here, current: FormText = "") -> Response:
    """Ask for no password any more."""
    refused = await _refusal(visit, current)
    return refused or await _change(visit, visit.access.remove_password, "removed")


@router.post("/log-out")
async def log_out(visit: Here, digest: FormText = "") -> Response:
    """End a visit; without its digest every one."""
    ended = [one for one in visit.access.visits() if digest in {"", one.digest}]
    try:
        await to_thread.run_sync(visit.access.end, *ended)
    except UtataneError as error:
        return _page(visit, error.sentence(visit.lang), 500)
    is_here = visit_shown(visit.access, visit.request.headers)[1] is not None
    return RedirectResponse("/access?done=logged_out" if is_here else "/", status_code=303)


def _page(visit: Visit, wrong: str = "", status: int = 200) -> Response:
    asked = visit.request.query_params.get("done", "")
    values = {
        "t": visit.t,
        "access": visit.access,
        "origin": str(visit.request.base_url),
        "least": LEAST_PASSWORD,
        "visits": visit.access.visits(),
        "here": visit_shown(visit.access, visit.request.headers)[1],
        "visit": visit,
        "done": asked if asked in _DONE and not wrong else "",
        "wrong": wrong,
    }
    return HTMLResponse(render("access.html", **values), status, DOOR_HEADERS)


async def _refusal(visit: Visit, current: str) -> Response | None:
    """Return what is said to one who does not know the password that holds now."""
    access = visit.access
    if not access.needs_password:
        return None
    guesses: Guesses = visit.request.app.state.guesses
    try:
        async with guesses.turn(peer(visit.request.scope)) as was_wrong:
            if await to_thread.run_sync(access.is_password, current):
                return None
            await was_wrong()
    except TooManyGuessesError:
        return _page(visit, visit.t("access.wait"), 429)
    return _page(visit, visit.t("access.wrong"), 403)


async def _change(visit: Visit, do: Callable[[], object], done: str) -> Response:
    access = visit.access
    if access.is_given:
        return _page(visit, visit.t("access.given"), 409)
    try:
        await to_thread.run_sync(do)
    except UtataneError as error:
        return _page(visit, error.sentence(visit.lang), 400)
    answer = RedirectResponse(f"/access?done={done}", status_code=303)
    answer.headers["set-cookie"] = await begin_visit(access, visit.request.scope)
    return answer
