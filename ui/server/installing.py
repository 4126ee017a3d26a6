"""Installable as an app: what a browser needs to know for that, and the page it shows while the server sleeps."""

import hashlib
from typing import Final

from fastapi import APIRouter
from fastapi.responses import HTMLResponse, JSONResponse, Response

from managers.storage.errors import Lang
from ui.components.palette import PALETTE, palette_css
from ui.locales import Texts, texts
from ui.server.addresses import address_of
from ui.server.assets import FOLDER, static
from ui.server.templates import render
from ui.server.visit import Here

_ALWAYS_ASK: Final = {"cache-control": "no-cache"}
_SHORTCUTS_TO_PERSONAS: Final = 2
_SHORTCUTS_TO_ROOMS: Final = ("heart", "dreams")
"""Systems show four shortcuts at most."""

router = APIRouter()


@router.get("/manifest.json")
def manifest(visit: Here, lang: Lang = "en") -> Response:
    """Answer with the manifest; where there is a password it stands behind it (shortcuts name personas)."""
    personas = sorted(visit.services.personas.list(), key=lambda persona: persona.language != lang)
    names = [persona.name for persona in personas[:_SHORTCUTS_TO_PERSONAS]]
    return JSONResponse(manifest_of(texts(lang), names), media_type="application/manifest+json", headers=_ALWAYS_ASK)


@router.get("/worker.js")
def worker() -> Response:
    """Answer with the app's service worker; its last line changes with the page that it keeps, so that it asks anew."""
    script = (FOLDER / "app" / "worker.js").read_text("utf-8")
    kept = hashlib.sha256(_asleep().encode()).hexdigest()[:12]
    return Response(f"{script}// keeps {kept}\n", media_type="text/javascript", headers=_ALWAYS_ASK)


@router.get("/asleep")
def asleep() -> Response:
    """Answer with the page for when the server does not answer: whole in itself, in both languages, naming nobody."""
    policy = {
        "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'"
    }
    return HTMLResponse(_asleep(), headers=_ALWAYS_ASK | policy)


def _asleep() -> str:
    return render("server/asleep.html", palette=palette_css())


def manifest_of(t: Texts, personas: list[str]) -> dict[str, object]:
    """Return the manifest (https://www.w3.org/TR/appmanifest/); one app in either language, hence one id."""
    light, dark = (
        {"theme_color": PALETTE["surface"][look], "background_color": PALETTE["paper"][look]} for look in (0, 1)
    )
    rooms = [(room, address_of(name, room)) for name in personas[:1] for room in _SHORTCUTS_TO_ROOMS]
    return {
        "id": "/",
        "name": t("app.name"),
        "short_name": t("app.short_name"),
        "description": t("page.description"),
        "lang": t.lang,
        "dir": "ltr",
        "start_url": "/",
        "scope": "/",
        "display": "standalone",
        **light,
        "color_scheme_dark": dark,
        "categories": ["lifestyle", "personalization"],
        "icons": [
            *(_icon(f"icon-{side}", side, "any") for side in (192, 512)),
            *(_icon(f"maskable-{side}", side, "maskable") for side in (192, 512)),
            {"src": static("moon.svg"), "sizes": "any", "type": "image/svg+xml", "purpose": "any"},
        ],
        "shortcuts": [
            *(_shortcut(t("app.talk_with", name=name), address_of(name)) for name in personas),
            *(_shortcut(t(f"rooms.{room}"), address) for room, address in rooms),
        ],
    }


def _icon(name: str, side: int, purpose: str) -> dict[str, str]:
    return {"src": static(f"app/{name}.png"), "sizes": f"{side}x{side}", "type": "image/png", "purpose": purpose}


def _shortcut(name: str, address: str) -> dict[str, object]:
    return {"name": name, "url": address, "icons": [_icon("icon-192", 192, "any")]}
