"""What a persona would learn from its own talks: looked through, changed, learned, and which adapter speaks."""

from typing import Final
from urllib.parse import quote

from fastapi import APIRouter
from fastapi.responses import Response

from agent.growing import Growth
from managers.storage.errors import UtataneError
from ui.components.corpus_facts import corpus_facts
from ui.rooms.memories.shelves import page_of
from ui.rooms.settings.routes import settings_address
from ui.server.visit import FormText, With

router = APIRouter(prefix="/p/{persona}/persona/growth")
_ON_A_PAGE: Final = 20


@router.get("")
def show(visit: With, page: int = 0) -> Response:
    """Show what was last drawn, how a training goes, and a page of the examples, counted from 0."""
    growth = Growth(visit.memories)
    corpus = growth.corpus.load()
    return visit.show(
        "rooms/persona/learning.html",
        corpus=corpus,
        facts=list(corpus_facts(growth.card(corpus), visit.t, visit.day)),
        held_out={one.id for one in corpus.held_out},
        pages=page_of(visit, corpus.examples[::-1], page, _ON_A_PAGE),
        progress=visit.services.trainings.of(visit.name),
        base=growth.settings.base,
        is_set_up=growth.is_set_up,
        is_due=growth.is_due(),
        to_settings=f"{settings_address(visit, 'details')}#option-growth-base",
    )


@router.post("")
def use(visit: With, version: FormText) -> Response:
    """Let an adapter speak, or what spoke before it."""
    adapters = Growth(visit.memories).adapters
    if version == "back":
        used = adapters.roll_back()
    else:
        used = int(version) if version.isdecimal() else 0
        adapters.use(used)
    told = visit.t("growth.in_use", version=used) if used else visit.t("growth.none")
    return visit.lead(f"{visit.at('persona')}#growth", told)


@router.post("/look")
def look(visit: With) -> Response:
    """Draw anew what there is to learn from."""
    Growth(visit.memories).look()
    return visit.lead(visit.at("persona/growth"))


@router.post("/example")
def change(visit: With, example: FormText, drop: FormText = "", reply: FormText = "", back: FormText = "") -> Response:
    """Leave an example out, take it in again, or let another answer be learned."""
    growth = Growth(visit.memories)
    if drop:
        growth.corpus.drop([example], on=drop == "yes")
    else:
        growth.corpus.edit(example, reply.replace("\r\n", "\n").strip())
        growth.look()
    number = int(back) if back.isascii() and back.isdigit() else 0
    return visit.lead(f"{visit.at('persona/growth', page=number or '')}#example-{quote(example, safe='')}")


@router.post("/train")
def train(visit: With) -> Response:
    """Begin to learn; it goes on while one talks."""
    try:
        visit.services.trainings.begin(visit.memories)
    except UtataneError as error:
        return visit.lead(visit.at("persona/growth"), problem=error.sentence(visit.lang))
    return visit.lead(visit.at("persona/growth"))


@router.post("/stop")
def stop(visit: With) -> Response:
    """Stop; what was done is kept."""
    visit.services.trainings.stop(visit.name)
    return visit.lead(visit.at("persona/growth"))
