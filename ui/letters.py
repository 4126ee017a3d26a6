"""Letters: what a persona wrote first and nobody has answered, for the browser's notifications.

A browser asks for it only while its person wants notifications (assets/page/letters.js); what was
written is told only to one that asked for the words as well.
"""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response

from agent.services import Services
from managers.memory.messages import Message
from managers.sleep.autonomy import first_word
from managers.storage.errors import UtataneError
from ui.faces import face_of

_LOOKED_AT = 60
_SHOWN_CHARACTERS = 180


@dataclass(frozen=True, slots=True)
class _Seen:
    """What a persona's log held when it was last looked at."""

    revision: str
    letter: Message | None


def letters_router(services: Services) -> APIRouter:
    """Return the address."""
    router = APIRouter()
    seen: dict[str, _Seen] = {}

    @router.get("/letters")
    def letters(*, words: bool = False) -> Response:
        found = []
        for name in services.personas.list_names():
            try:
                letter = _letter(services, name, seen)
            except UtataneError:
                continue  # renamed or deleted meanwhile, or broken: its page says what is wrong
            if letter is not None:
                told = {"persona": name, "id": letter.id, "face": face_of(services, name).avatar}
                found.append(told | ({"words": letter.text[:_SHOWN_CHARACTERS]} if words else {}))
        return JSONResponse(found, headers={"cache-control": "no-store"})

    return router


def _letter(services: Services, name: str, seen: dict[str, _Seen]) -> Message | None:
    """Return the persona's letter; its log is read only when it has changed, and nobody is woken."""
    log = services.sleeper(name).log
    revision = log.revision()
    known = seen.get(name)
    if known is None or known.revision != revision:
        known = seen[name] = _Seen(revision, first_word(log.tail(_LOOKED_AT)))
    return known.letter
