"""The front door: to whom one talked last; and the choices that hold for every room, the look and the language."""

from typing import Final

from fastapi import APIRouter
from fastapi.responses import RedirectResponse, Response

from ui.locales import LANGUAGES
from ui.server.addresses import address_of, local_path
from ui.server.visit import LANGUAGE_COOKIE, LOOK_COOKIE, LOOKS, Beside, FormText, Here, Visit

_YEAR: Final = 365 * 24 * 3600

router = APIRouter()


@router.get("/")
def front(visit: Beside) -> Response:
    """Lead to whatever waits for an answer first, else to whom one talked last."""
    address = "/guests" if visit.services.personas.door.guests() else onward(visit)
    return RedirectResponse(address, headers={"cache-control": "no-store"})


def onward(visit: Visit) -> str:
    """Return where one goes past what waits for a yes: to the first meeting, else to whom one talked last."""
    settings, wrong = visit.services.settings_file.load()
    if (
        not settings.page.onboarded and not wrong
    ):  # a file with a mistake is no first meeting: the notices name the mistake
        return "/welcome"
    name = visit.last_spoken_to()
    return f"{address_of(name)}#latest" if name else "/new"


@router.post("/look")
def choose_look(visit: Here, look: FormText, back: FormText = "/") -> Response:
    """Keep the look in the browser."""
    return _kept(visit, LOOK_COOKIE, look if look in LOOKS else LOOKS[0], back)


@router.post("/language")
def choose_language(visit: Here, language: FormText, back: FormText = "/") -> Response:
    """Keep the language in the browser."""
    return _kept(visit, LANGUAGE_COOKIE, language if language in LANGUAGES else "", back)


def _kept(visit: Here, name: str, value: str, back: str) -> Response:
    answer = visit.lead(local_path(back) or "/")
    answer.set_cookie(name, value, max_age=_YEAR, samesite="strict", httponly=True)
    return answer
