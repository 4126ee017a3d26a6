"""Who may come in: the hosts that the server answers for, and a password where others could knock."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping
from html import escape
from urllib.parse import parse_qs, urlsplit

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
    the server by giving its own name our address (DNS rebinding). Nor is a page from elsewhere answered
    that knows ours, be it one of another program on this computer: Gradio would let those in.
    """

    def __init__(self, app: ASGIApp, password: str) -> None:
        """Guard `app`; an empty password means loopback only."""
        self._app = app
        self._password = password.encode()
        self._key = secrets.token_urlsafe(32)
        self._wrong: set[str] = set()
        """Who has just given a wrong password, by their addresses."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it here."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        answer = await self._answer(scope, receive)
        await (answer or self._app)(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive) -> Response | None:
        headers = Headers(scope=scope)
        if not self._password and not _is_loopback(headers.get("host", "")):
            return _refused("login.wrong_host", 421)
        request = Request(scope, receive)
        if self._password and request.method == "POST" and request.url.path == "/login":
            return await self._log_in(request)  # a form of a page that tells no referrer has no origin to show
        if _is_of_another_page(headers):
            return _refused("login.other_page", 403)
        if not self._password or request.url.path.startswith(_OPEN) or self._has_key(request):
            return None
        if request.method == "GET" and "text/html" in request.headers.get("accept", ""):
            return _login_page(_texts(request))
        return PlainTextResponse(_texts(request)("login.needed"), status_code=401)

    def _has_key(self, request: Request) -> bool:
        return hmac.compare_digest(request.cookies.get(_COOKIE, "").encode(), self._key.encode())

    async def _log_in(self, request: Request) -> Response:
        if int(request.headers.get("content-length") or _LARGEST_FORM + 1) > _LARGEST_FORM:
            return _login_page(_texts(request), "login.wrong")
        fields = parse_qs((await request.body()).decode(errors="replace"))
        who = request.client.host if request.client else ""
        if who in self._wrong:  # not even looked at, or a thousand guesses at once would take no longer than one
            return _login_page(_texts(request), "login.wait", status=429)
        if not hmac.compare_digest(fields.get("password", [""])[0].encode(), self._password):
            self._wrong.add(who)
            try:
                await anyio.sleep(_SECONDS_AFTER_WRONG_PASSWORD)  # guessing takes its time
            finally:
                self._wrong.discard(who)
            return _login_page(_texts(request), "login.wrong")
        answer = RedirectResponse("/", status_code=303)
        answer.set_cookie(_COOKIE, self._key, httponly=True, samesite="strict", secure=request.url.scheme == "https")
        return answer


def _is_loopback(host: str) -> bool:
    name = host.rsplit(":", 1)[0] if not host.endswith("]") else host
    return name.strip("[]").lower() in LOOPBACK


def _is_of_another_page(headers: Headers) -> bool:
    """Tell whether a page of another origin asks. A link that somebody follows names no origin, nor does a program."""
    origin = headers.get("origin")
    if origin is None or headers.get("sec-fetch-site") == "same-origin":  # the browser's own word, also behind a proxy
        return False
    return urlsplit(origin).netloc.lower() != headers.get("host", "").lower()


def _refused(sentence: str, status: int) -> Response:
    sentences = "\n".join(texts(lang)(sentence) for lang in ("ja", "en"))
    return PlainTextResponse(sentences, status_code=status)


def _texts(request: Request) -> Texts:
    return texts(choose_language("", request.headers.get("accept-language", "")))


def _login_page(t: Texts, wrong: str = "", *, status: int = 401) -> Response:
    complaint = f'<p role="alert">{escape(t(wrong))}</p>' if wrong else ""
    return HTMLResponse(
        f'<!doctype html><html lang="{t.lang}"><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>{escape(t("page.name"))}</title>'
        f'<link rel="icon" href="/page/moon.svg"><link rel="stylesheet" href="/page/login.css">'
        f'<form method="post" action="/login"><img src="/page/moon.svg" alt="" width="72" height="72">'
        f"<h1>{escape(t('page.name'))}</h1>{complaint}"
        f'<label>{escape(t("login.password"))}<input type="password" name="password" autofocus '
        f'autocomplete="current-password"></label><button>{escape(t("login.enter"))}</button></form></html>',
        status_code=status,
        headers=dict(SECURITY_HEADERS),
    )
