"""The first meeting: who it shall be, and nothing else; the talk begins at once, and a mind is chosen beside it."""

from fastapi import APIRouter
from fastapi.responses import Response

from agent.persona_words import openings
from managers.personas import Persona
from ui.components.faces import face
from ui.rooms.front.routes import onward
from ui.server.addresses import address_of
from ui.server.visit import Beside, FormText

router = APIRouter(prefix="/welcome")


@router.get("")
def show(visit: Beside) -> Response:
    """Ask who it shall be."""
    services = visit.services
    return visit.show(
        "rooms/welcome/welcome.html",
        personas=[(face(one), _greeting(one, services.settings().user.name)) for one in services.personas.list()],
        chosen=visit.last_spoken_to(),
    )


@router.post("")
def begin(visit: Beside, persona: FormText = "", make: FormText = "") -> Response:
    """Begin with whom was chosen, or where somebody new is made."""
    visit.services.settings_file.change("page", onboarded=True)
    if make:
        return visit.lead("/new")
    is_here = persona in visit.services.personas.list_names()
    return visit.lead(f"{address_of(persona)}#latest" if is_here else onward(visit))


def _greeting(persona: Persona, user_name: str) -> str:
    return next(iter(openings(persona, user_name)), "")
