"""Which minds may be given a memory or a message: any, or those on this computer only."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import Response

from managers.hygiene.inventory import KINDS, find, mark
from managers.memory.audience import AUDIENCES, with_answers
from managers.memory.errors import MessageNotFoundError, NoSuchMemoryError
from ui.server.visit import FormText, With

router = APIRouter(prefix="/audience")


@router.post("")
def change(
    visit: With, memory: FormText, audience: FormText, kind: FormText = "", place: FormText = "", back: FormText = ""
) -> Response:
    """Let a memory be for other minds than before; without a kind it is a message."""
    held = visit.memories
    chosen = next((one for one in AUDIENCES if one == audience), AUDIENCES[-1])
    if kind:
        known = next((one for one in KINDS if one == kind), None)
        found = find(held.working_copy(), known, place, memory) if known else None
        if found is None:
            raise NoSuchMemoryError(id=memory)
        mark(held.audiences, held.log, found, chosen)
    else:
        if held.log.get(memory) is None:
            raise MessageNotFoundError(message_id=memory)
        held.audiences.mark(memory, chosen, with_answers(held.log, [memory]))
    back = back if back.startswith(visit.at()) else visit.at("memories")
    return visit.lead(back, visit.t(f"memories.audience_{'any' if chosen == 'any' else 'here'}"))
