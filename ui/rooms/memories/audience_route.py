"""For whom a memory or a message is: any mind or those on this computer only, every persona or this one alone."""

from collections.abc import Mapping
from typing import Final

from fastapi import APIRouter
from fastapi.responses import Response

from managers.hygiene.inventory import KINDS, find, listed, mark, mark_listed, mark_said
from managers.memory.audience import AUDIENCES, LIMITS, Audience, file_named
from managers.memory.errors import MessageNotFoundError, NoSuchMemoryError
from ui.server.visit import FormText, With

router = APIRouter(prefix="/p/{persona}/memories/audience")
_TOLD: Final[Mapping[Audience, str]] = {
    "any": "memories.audience_any",
    "this-computer": "memories.audience_here",
    "this-persona": "memories.audience_own",
}


@router.post("")
def change(
    visit: With, memory: FormText, audience: FormText, kind: FormText = "", place: FormText = "", back: FormText = ""
) -> Response:
    """Let a memory be for others than before; without a kind it is a message, `file` is a whole file.

    `listed` is a goal, a question or what was learned about helping.
    """
    held = visit.memories
    chosen = next((one for one in AUDIENCES if one == audience), LIMITS[0])
    if kind == "file":
        path = file_named(held.paths, memory)
        if path is None:
            raise NoSuchMemoryError(id=memory)
        held.audiences.mark(path, chosen)
    elif kind == "listed":
        one = listed(held.working_copy(), memory)
        if one is None:
            raise NoSuchMemoryError(id=memory)
        mark_listed(held.audiences, held.log, one, chosen)
    elif kind:
        known = next((one for one in KINDS if one == kind), None)
        found = find(held.working_copy(), known, place, memory) if known else None
        if found is None:
            raise NoSuchMemoryError(id=memory)
        mark(held.audiences, held.log, found, chosen)
    else:
        if held.log.get(memory) is None:
            raise MessageNotFoundError(message_id=memory)
        mark_said(held.audiences, held.log, memory, chosen)
    back = back if back.startswith(visit.at()) else visit.at("memories")
    return visit.lead(back, visit.t(_TOLD[chosen]))
