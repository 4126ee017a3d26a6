"""Letters: what a persona wrote first and nobody has answered, for the browser's notifications.

A browser asks for them only while its person wants notifications (`ui/static/scripts/5-letters.js`); what was written
is told only to one that asked for the words as well.
"""

from typing import Final

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response

from agent.services import Services
from managers.memory.messages import Message
from managers.sleep.autonomy import first_word
from managers.storage.errors import UtataneError
from ui.components.faces import face_of
from ui.server.addresses import address_of
from ui.server.visit import Here

_LOOKED_AT: Final = 60
_SHOWN_CHARACTERS: Final = 180

router = APIRouter()


class Letters:
    """The letters that wait. A log is read only when it has changed, and nobody is woken."""

    def __init__(self, services: Services) -> None:
        """Begin without having looked."""
        self._services = services
        self._seen: dict[
            str, tuple[str, Message | None]
        ] = {}  # of each persona: its log's revision, and the letter then

    def waiting(self, *, words: bool) -> list[dict[str, str]]:
        """Return what waits, one for each persona; what was written only with `words`."""
        found = []
        for name in self._services.personas.list_names():
            try:
                letter, face = self._letter(name), face_of(self._services, name)
            except UtataneError:
                continue  # renamed or deleted meanwhile, or broken: its page says what is wrong
            if letter is not None:
                told = {"persona": name, "id": letter.id, "face": face.picture, "address": address_of(name)}
                found.append(told | ({"words": letter.text[:_SHOWN_CHARACTERS]} if words else {}))
        return found

    def _letter(self, name: str) -> Message | None:
        log = self._services.sleeper(name).log
        revision = log.revision()
        known = self._seen.get(name)
        if known is None or known[0] != revision:
            known = self._seen[name] = revision, first_word(log.tail(_LOOKED_AT))
        return known[1]


@router.get("/letters")
def letters(visit: Here, *, words: bool = False) -> Response:
    """Answer with the letters that wait."""
    found: Letters = visit.request.app.state.letters
    return JSONResponse(found.waiting(words=words), headers={"cache-control": "no-store"})
