"""What waits for a yes: folders that came from elsewhere, and settings that folders ask for.

The page opens before the others do while there are guests. It needs no script, and shows of a folder nothing but what
is told in words.
"""

from collections.abc import Iterable
from typing import Annotated

from fastapi import APIRouter, Form
from fastapi.responses import Response

from agent.services import Services
from managers.storage.errors import UtataneError
from ui.locales import Texts
from ui.rooms.front.routes import onward
from ui.server.visit import Beside, FormText

router = APIRouter(prefix="/guests")


@router.get("")
def show(visit: Beside) -> Response:
    """Show what waits, with what was found in each folder."""
    services = visit.services
    door = services.personas.door
    questions = [question for name in door.waiting() if (question := door.question(name)) is not None]
    mind = services.minds.choose(services.settings().mind).status if questions else None
    return visit.show(
        "rooms/guests/guests.html",
        questions=questions,
        guests=[question for question in questions if question.is_guest and question.obstacle is None],
        mind=mind.sentence(visit.lang) if mind else "",
        onward=onward(visit),
    )


@router.post("")
def answer(
    visit: Beside,
    deed: FormText = "",
    whom: Annotated[list[str] | None, Form()] = None,
) -> Response:
    """Do what was answered, to each who was chosen: `whom` is what stands for the wishes that were shown, and the name."""
    done, wrong = list[str](), list[str]()
    for shown, _, one in (chosen.partition(" ") for chosen in whom or []):
        try:
            done += _do(visit.services, deed, one, shown, visit.t)
        except UtataneError as error:
            wrong.append(error.sentence(visit.lang))
    return visit.lead("/guests", *done, problem=" ".join(wrong), way="/new#trash" if deed == "trash" else "")


def _do(services: Services, deed: str, name: str, seen: str, t: Texts) -> Iterable[str]:
    door = services.personas.door
    if deed in {"admit", "admit_with"}:
        put_aside = door.admit(name, wishes=seen, grant=deed == "admit_with")
        return [t("guests.admitted", name=name), *(notice.sentence(t.lang) for notice in put_aside)]
    if deed in {"grant", "refuse"}:
        door.answer(name, wishes=seen, yes=deed == "grant")
        return [t("guests.granted" if deed == "grant" else "guests.refused", name=name)]
    if deed == "trash" and name in door.guests():
        services.personas.delete(name)
        return [t("guests.trashed", name=name)]
    return []
