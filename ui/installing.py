"""Installable as an app: what a browser needs to know for that, and the page it shows while the server sleeps."""

from __future__ import annotations

from html import escape
from string import Template
from urllib.parse import quote

from fastapi import APIRouter
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse, Response

from agent.services import Services
from managers.storage.errors import Lang
from managers.storage.paths import CHECKOUT
from ui.locales import LANGUAGES, Texts, texts
from ui.theme import PALETTE, palette_css

_ASSETS = CHECKOUT / "assets" / "page"
_START = "make run"
_ALWAYS_ASK = {"cache-control": "no-cache"}
_SHORTCUTS_TO_PERSONAS = 2
_SHORTCUTS_TO_ROOMS = ("heart", "dreams")
"""Systems show four shortcuts at most."""


def installing_router(services: Services) -> APIRouter:
    """Return the addresses; where there is a password they stand behind it (shortcuts name personas)."""
    router = APIRouter()

    @router.get("/manifest.json")
    def manifest(lang: Lang = "en") -> Response:
        personas = sorted(services.personas.list(), key=lambda persona: persona.language != lang)
        names = [persona.name for persona in personas[:_SHORTCUTS_TO_PERSONAS]]
        return JSONResponse(
            manifest_of(texts(lang), names), media_type="application/manifest+json", headers=_ALWAYS_ASK
        )

    @router.get("/worker.js")
    def worker() -> Response:
        return FileResponse(_ASSETS / "app" / "worker.js", media_type="text/javascript", headers=_ALWAYS_ASK)

    @router.get("/asleep")
    def asleep() -> Response:
        return HTMLResponse(asleep_page(), headers=_ALWAYS_ASK)

    return router


def head_of(t: Texts) -> str:
    """Return what the page's head says of the app; `use-credentials`, for the manifest may be behind the password."""
    light, dark = PALETTE["surface"]
    return (
        f'<link rel="manifest" href="/manifest.json?lang={t.lang}" crossorigin="use-credentials">'
        f'<link rel="apple-touch-icon" href="/page/app/touch.png">'
        f'<meta name="apple-mobile-web-app-title" content="{escape(t("app.short_name"))}">'
        f'<meta name="theme-color" content="{light}" data-dark="{dark}">'
    )


def manifest_of(t: Texts, personas: list[str]) -> dict[str, object]:
    """Return the manifest (https://www.w3.org/TR/appmanifest/); one app in either language, hence one id."""
    light, dark = (
        {"theme_color": PALETTE["surface"][look], "background_color": PALETTE["paper"][look]} for look in (0, 1)
    )
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
            {"src": "/page/moon.svg", "sizes": "any", "type": "image/svg+xml", "purpose": "any"},
        ],
        "shortcuts": [
            *(_shortcut(t("app.talk_with", name=name), f"/?persona={quote(name, safe='')}") for name in personas),
            *(_shortcut(t(f"rooms.{room}"), f"/?room={room}") for room in _SHORTCUTS_TO_ROOMS),
        ],
    }


def asleep_page() -> str:
    """Return the page for when the server does not answer: whole in itself, in both languages, naming nobody."""
    page = Template((_ASSETS / "app" / "asleep.html").read_text("utf-8"))
    return page.substitute(
        lang=LANGUAGES[0],
        title=escape(texts(LANGUAGES[0])("asleep.title")),
        palette=palette_css(),
        moon=(_ASSETS / "moon.svg").read_text("utf-8").replace("<svg ", '<svg aria-hidden="true" ', 1),
        sections="".join(_section(texts(lang)) for lang in LANGUAGES),
    )


def _section(t: Texts) -> str:
    title = escape(t("asleep.title"))
    return (
        f'<section lang="{t.lang}" data-title="{title}"><h1>{title}</h1><p>{escape(t("asleep.words"))}</p>'
        f"<p>{escape(t('asleep.start'))}<br><code>{_START}</code></p>"
        f'<p class="quiet">{escape(t("asleep.start_windows"))}</p><p class="quiet">{escape(t("asleep.waking"))}</p></section>'
    )


def _icon(name: str, side: int, purpose: str) -> dict[str, str]:
    return {"src": f"/page/app/{name}.png", "sizes": f"{side}x{side}", "type": "image/png", "purpose": purpose}


def _shortcut(name: str, address: str) -> dict[str, object]:
    return {"name": name, "url": address, "icons": [_icon("icon-192", 192, "any")]}
