"""Who may come in: the hosts that the server answers for, and a password where others could knock."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping
from html import escape
from urllib.parse import parse_qs

import anyio
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from ui.locales import Texts, choose_language, texts

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_COOKIE = "utatane_key"
_LARGEST_FORM = 4_096
_SECONDS_AFTER_WRONG_PASSWORD = 1.0
_OPEN = ("/page/",)
"""Style and icons of the login page; nothing personal is under it."""

SECURITY_HEADERS: Mapping[str, str] = {
    # Gradio's templates are compiled in the browser, hence the unsafe words; nothing may be fetched
    # from, or sent to, anywhere else.
    "content-security-policy": (
        "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data: blob:; media-src 'self' data: blob:; font-src 'self' data:; connect-src 'self' data: blob:; "
        "worker-src 'self' blob:; object-src 'none'; frame-ancestors 'none'; base-uri 'self'; form-action 'self'"
    ),
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}


class Gate:
    """ASGI middleware before everything else.

    Without a password only loopback names are answered, so that a web page elsewhere cannot reach
    the server by giving its own name our address (DNS rebinding).
    """

    def __init__(self, app: ASGIApp, password: str) -> None:
        """Guard `app`; an empty password means loopback only."""
        self._app = app
        self._password = password.encode()
        self._key = secrets.token_urlsafe(32)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it here."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        answer = await self._answer(scope, receive)
        await (answer or self._app)(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive) -> Response | None:
        if not self._password:
            return None if _is_loopback(Headers(scope=scope).get("host", "")) else _wrong_host()
        request = Request(scope, receive)
        if request.url.path.startswith(_OPEN) or self._has_key(request):
            return None
        if request.method == "POST" and request.url.path == "/login":
            return await self._log_in(request)
        if request.method == "GET" and "text/html" in request.headers.get("accept", ""):
            return _login_page(_texts(request), wrong=False)
        return PlainTextResponse(_texts(request)("login.needed"), status_code=401)

    def _has_key(self, request: Request) -> bool:
        return hmac.compare_digest(request.cookies.get(_COOKIE, "").encode(), self._key.encode())

    async def _log_in(self, request: Request) -> Response:
        if int(request.headers.get("content-length") or _LARGEST_FORM + 1) > _LARGEST_FORM:
            return _login_page(_texts(request), wrong=True)
        fields = parse_qs((await request.body()).decode(errors="replace"))
        if not hmac.compare_digest(fields.get("password", [""])[0].encode(), self._password):
            await anyio.sleep(_SECONDS_AFTER_WRONG_PASSWORD)  # guessing takes its time
            return _login_page(_texts(request), wrong=True)
        answer = RedirectResponse("/", status_code=303)
        answer.set_cookie(_COOKIE, self._key, httponly=True, samesite="strict", secure=request.url.scheme == "https")
        return answer


def _is_loopback(host: str) -> bool:
    name = host.rsplit(":", 1)[0] if not host.endswith("]") else host
    return name.strip("[]").lower() in LOOPBACK


def _wrong_host() -> Response:
    sentences = "\n".join(texts(lang)("login.wrong_host") for lang in ("ja", "en"))
    return PlainTextResponse(sentences, status_code=421)


def _texts(request: Request) -> Texts:
    return texts(choose_language("", request.headers.get("accept-language", "")))


def _login_page(t: Texts, *, wrong: bool) -> Response:
    complaint = f'<p role="alert">{escape(t("login.wrong"))}</p>' if wrong else ""
    return HTMLResponse(
        f'<!doctype html><html lang="{t.lang}"><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>{escape(t("page.name"))}</title>'
        f'<link rel="icon" href="/page/moon.svg"><link rel="stylesheet" href="/page/login.css">'
        f'<form method="post" action="/login"><img src="/page/moon.svg" alt="" width="72" height="72">'
        f"<h1>{escape(t('page.name'))}</h1>{complaint}"
        f'<label>{escape(t("login.password"))}<input type="password" name="password" autofocus '
        f'autocomplete="current-password"></label><button>{escape(t("login.enter"))}</button></form></html>',
        status_code=401,
        headers=dict(SECURITY_HEADERS),
    )
