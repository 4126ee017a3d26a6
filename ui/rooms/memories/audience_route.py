"""For whom a memory or a message is: any mind or those on this computer only, every persona or this one alone."""

from collections.abc import Mapping
from typing import Final

from fastapi import APIRouter
from fastapi.responses import Response

from agent.audience import let_be_for
from managers.memory.audience import AUDIENCES, LIMITS, Audience
from ui.server.visit import FormText, With

router = APIRouter(prefix="/p/{persona}/memories/audience")
_TOLD: Final[Mapping[Audience, str]] = {
    "any": "memories.audience_any",
    "this-computer": "memories.audience_here",
    "this-persona": "memories.audience_own",
}


@router.post("")
def change(visit: With, memory: FormText, audience: FormText, back: FormText = "") -> Response:
    """Let a memory, a message or a whole file be for others than before."""
    chosen = next((one for one in AUDIENCES if one == audience), LIMITS[0])
    let_be_for(visit.memories, memory, chosen)
    back = back if back.startswith(visit.at()) else visit.at("memories")
    return visit.lead(back, visit.t(_TOLD[chosen]))
