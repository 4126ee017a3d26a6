"""What the server hands out besides the page: pictures, attachments, whole messages, what was recalled.

Each address leads to one kind of file of one persona; no address leads to a log, a memory or a
secret.
"""

from __future__ import annotations

from pathlib import Path
from secrets import token_hex

from fastapi import APIRouter, FastAPI
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse, PlainTextResponse, Response
from fastapi.staticfiles import StaticFiles

from agent.services import Services
from managers.storage.errors import Lang, PersonaNotFoundError, UtataneError
from managers.storage.paths import CHECKOUT, safe_name
from ui import presenters
from ui.around import around_router
from ui.chat import revision_of
from ui.history import SHOWN_ENTRIES, changed_files, entry_list
from ui.installing import installing_router
from ui.knowledge import knowledge_router
from ui.letters import letters_router
from ui.locales import texts
from ui.map_files import map_router
from ui.usage_tables import usage_router

ASSETS = CHECKOUT / "assets" / "page"
_PICTURE_TYPES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".svg": "image/svg+xml",
}
_PLAIN = {
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    "cache-control": "private",
}
"""For what people and minds made: shown, never run, not even when opened by itself."""


def add_files(app: FastAPI, services: Services) -> None:
    """Add the addresses to the server."""
    app.mount("/page", StaticFiles(directory=ASSETS), name="page")
    app.include_router(_persona_files(services))
    app.include_router(around_router(services))
    app.include_router(knowledge_router(services))
    app.include_router(map_router(services))
    app.include_router(installing_router(services))
    app.include_router(letters_router(services))
    app.include_router(usage_router(services))

    @app.get("/favicon.ico")
    def favicon() -> Response:
        return FileResponse(ASSETS / "moon.svg", media_type="image/svg+xml")

    @app.exception_handler(UtataneError)
    def say(_request: object, error: UtataneError) -> Response:
        return PlainTextResponse(str(error), status_code=404)


def _persona_files(services: Services) -> APIRouter:
    router = APIRouter(prefix="/personas/{name}")
    boot = token_hex(8)  # tells a window that the server was started anew

    @router.get("/avatar")
    def avatar(name: str) -> Response:
        path = services.personas.get(name).avatar
        return _file(path, inline=True) if path else _nothing()

    @router.get("/attachments/{file}")
    def attachment(name: str, file: str) -> Response:
        path = services.personas.get(name).paths.attachments / safe_name(file)
        return _file(path, inline=path.suffix.lower() in presenters.PICTURES)

    @router.get("/messages/{message_id}")
    def message(name: str, message_id: str) -> Response:
        found = services.companion(name).memories.log.get(message_id)
        return PlainTextResponse(found.text, headers=_PLAIN) if found else _nothing()

    @router.get("/why/{message_id}")
    def why(name: str, message_id: str, lang: Lang = "en") -> Response:
        found = services.companion(name).why(message_id)
        now = services.clock.now()
        query, hits = (found.query, found.hits) if found else ("", ())
        return HTMLResponse(presenters.recollections(query, hits, now, texts(lang)))

    @router.get("/history/{entry_id}")
    def changes(name: str, entry_id: str, lang: Lang = "en", part: str = "") -> Response:
        found = services.companion(name).memories.history.diff(entry_id, part)
        return HTMLResponse(changed_files(found, texts(lang), part))

    @router.get("/past")
    def past(name: str, part: str, lang: Lang = "en") -> Response:
        entries = services.companion(name).memories.history.entries(SHOWN_ENTRIES, part=part)
        return HTMLResponse(entry_list(entries, name, services.clock.now(), texts(lang), part))

    @router.get("/revision")
    def revision(name: str) -> Response:
        try:
            companion = services.companion(name)
            turn, token = companion.turn, revision_of(companion)
        except PersonaNotFoundError:
            turn, token = None, ""  # renamed or deleted; whoever asks has not heard of it yet
        told = {"revision": token, "turn": turn.number if turn else 0, "boot": boot}
        return JSONResponse(told, headers={"cache-control": "no-store"})

    return router


def _file(path: Path, *, inline: bool) -> Response:
    if not path.is_file():
        return _nothing()
    return FileResponse(
        path,
        media_type=_PICTURE_TYPES.get(path.suffix.lower(), "application/octet-stream"),
        filename=path.name,
        content_disposition_type="inline" if inline else "attachment",
        headers=_PLAIN,
    )


def _nothing() -> Response:
    return Response(status_code=404)
