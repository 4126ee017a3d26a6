"""The addresses of the memories: a shelf each, the map and the network among them."""

from collections.abc import Mapping
from typing import Final

from fastapi import APIRouter
from fastapi.responses import Response

from agent.audience import let_be_for
from managers.memory.audience import AUDIENCES, LIMITS, Audience
from ui.rooms.map import routes as memory_map
from ui.rooms.memories import (
    archive,
    audit_shelf,
    days,
    diaries,
    erasing,
    forgotten,
    helping,
    inner,
    lorebook,
    people,
    search,
)
from ui.rooms.network import routes as network
from ui.server.visit import FormText, With

_TOLD: Final[Mapping[Audience, str]] = {
    "any": "memories.audience_any",
    "this-computer": "memories.audience_here",
    "this-persona": "memories.audience_own",
}
router = APIRouter(prefix="/p/{persona}/memories")
router.add_api_route("", search.shelf)


@router.post("/audience")
def change(visit: With, memory: FormText, audience: FormText, back: FormText = "") -> Response:
    """Let a memory, a message or a whole file be for others than before."""
    chosen = next((one for one in AUDIENCES if one == audience), LIMITS[0])
    let_be_for(visit.memories, memory, chosen)
    back = back if back.startswith(visit.at()) else visit.at("memories")
    return visit.lead(back, visit.t(_TOLD[chosen]))


ROUTERS: Final = (
    router,
    *(
        shelf.router
        for shelf in (
            people,
            days,
            forgotten,
            archive,
            audit_shelf,
            erasing,
            memory_map,
            network,
            diaries,
            helping,
            lorebook,
            inner,
        )
    ),
)
