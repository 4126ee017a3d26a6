"""The conversation around a message: where a memory, a feeling or an answer comes from."""

from fastapi import APIRouter
from fastapi.responses import Response

from ui.rooms.around.view import BESIDE, around_of
from ui.server.visit import With

router = APIRouter(prefix="/p/{persona}/around")


@router.get("/{message_id}")
def show(visit: With, message_id: str, beside: int = BESIDE) -> Response:
    """Show a message with what was said right before and after it."""
    return visit.part("rooms/around/around.html", around=around_of(visit, message_id, beside))
