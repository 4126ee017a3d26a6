"""A new persona: a page of its own, and then straight to the talk."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Form
from fastapi.responses import Response

from managers.storage.errors import Lang, UtataneError
from ui.server.addresses import address_of
from ui.server.once import new_number
from ui.server.visit import Beside, FormText, Visit

router = APIRouter(prefix="/new")


@dataclass(frozen=True, slots=True)
class NewPersona:
    """What the form holds."""

    name: FormText = ""
    language: Annotated[Lang | None, Form()] = None
    prompt: FormText = ""
    greeting: FormText = ""


@router.get("")
def show(visit: Beside) -> Response:
    """Ask for a name, and for whatever else is known already."""
    return _page(visit, NewPersona())


@router.post("")
def welcome(visit: Beside, sent: Annotated[NewPersona, Depends()], number: FormText = "") -> Response:
    """Make the persona, and lead to it."""

    def make() -> str:
        persona = visit.services.personas.create(
            sent.name,
            language=sent.language or visit.lang,
            system_prompt=sent.prompt,
            greeting=sent.greeting,
        )
        return persona.name

    try:
        name = visit.once.make("welcome", number, make)
    except UtataneError as error:
        return _page(visit, sent, error)
    return visit.lead(f"{address_of(name)}#latest", visit.t("persona.created", name=name))


def _page(visit: Visit, sent: NewPersona, problem: UtataneError | None = None) -> Response:
    return visit.show(
        "rooms/persona/new.html",
        status=400 if problem else 200,
        problem=problem,
        sent=sent,
        new_number=new_number,
        is_first=not visit.services.personas.list_names(),
        trash=visit.services.personas.trashed(),
    )
