"""Where a memory comes from: the address that answers with the conversation around a message."""

from __future__ import annotations

from html import escape
from urllib.parse import quote

from fastapi import APIRouter
from fastapi.responses import HTMLResponse, Response

from agent.services import Services
from managers.storage.errors import Lang
from ui.locales import Texts, texts
from ui.neighbours import BESIDE, in_place, neighbours
from ui.presenters import persona_address

MOST_BESIDE = 30


def around_router(services: Services) -> APIRouter:
    """Return the address."""
    router = APIRouter(prefix="/personas/{name}")

    @router.get("/around/{message_id}")
    def show(name: str, message_id: str, lang: Lang = "en", beside: int = BESIDE) -> Response:
        log, t = services.companion(name).memories.log, texts(lang)
        found = neighbours(log, message_id, min(max(beside, 0), MOST_BESIDE))
        more = _more(name, message_id, t) if found and beside < MOST_BESIDE else ""
        return HTMLResponse(in_place(found, message_id, services.clock.now(), t) + more)

    return router


def around_address(persona: str, message_id: str, t: Texts) -> str:
    """Return where the conversation around a message is handed out."""
    return f"{persona_address(persona)}/around/{quote(message_id, safe='')}?lang={t.lang}"


def _more(name: str, message_id: str, t: Texts) -> str:
    address = f"{around_address(name, message_id, t)}&beside={MOST_BESIDE}"
    return (
        f'<details class="around" data-fetch="{escape(address)}"><summary>{escape(t("memories.more_around"))}</summary>'
        f'<div class="fetched"></div></details>'
    )
