"""The finishing touch to Gradio's page: its language, our style and script, nothing of anybody else's."""

from __future__ import annotations

import json
import re
from functools import cache
from html import escape

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from managers.storage.errors import Lang
from managers.storage.paths import CHECKOUT
from ui.gate import SECURITY_HEADERS
from ui.installing import head_of
from ui.locales import LANGUAGES, texts
from ui.theme import palette_css

_PAGES: dict[str, Lang] = {f"/{lang}/": lang for lang in LANGUAGES}
_NOT_OURS = re.compile(r"<meta\s+(?:property|name)=\"(?:og|twitter):[^>]*?/?>|<link rel=\"manifest\"[^>]*>", re.DOTALL)
_CLOSED = re.compile(r"^/\w\w/gradio_api/(?:file|proxy|info|openapi|call|api|runs)|^/\w\w/(?:monitoring|file=|proxy=)")
"""Doors of Gradio's that this page has no use for."""
_HEARTBEAT = re.compile(r'("connect_heartbeat":\s*)true')
"""A line that Gradio keeps open from each window. It holds one of the six that a browser has for a server, and whoever
was cut off (a laptop asleep) is forgotten an hour later, the window still open: its rooms would then be nobody's."""
_FIRST, _LAST = ("page.js", "style.css", "rooms.css", "shelves.css"), ("access.css",)
"""What the other scripts and style sheets build upon, and what has the last word, in this order."""
_OF_OTHER_PAGES = frozenset({"login.css"})
ASSETS = CHECKOUT / "assets" / "page"


class Shaping:
    """ASGI middleware around the application."""

    def __init__(self, app: ASGIApp) -> None:
        """Wrap `app`."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Close unused doors, add the security headers, and shape the page itself."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
        elif _CLOSED.match(scope["path"]):
            await send({"type": "http.response.start", "status": 404, "headers": []})
            await send({"type": "http.response.body", "body": b""})
        elif scope["method"] == "GET" and (lang := _PAGES.get(scope["path"])):
            await self._app(_uncompressed(scope), receive, _Shaper(send, lang))
        else:
            await self._app(scope, receive, _with_headers(send))


class _Shaper:
    """Collects a page's body and sends it shaped."""

    def __init__(self, send: Send, lang: Lang) -> None:
        self._send = send
        self._lang = lang
        self._start: Message = {}
        self._body: list[bytes] = []

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._start = message
            return
        if message["type"] != "http.response.body":  # a test client's debug messages
            await self._send(message)
            return
        self._body.append(message.get("body", b""))
        if message.get("more_body"):
            return
        headers = MutableHeaders(scope=self._start)
        body = b"".join(self._body)
        if headers.get("content-type", "").startswith("text/html"):
            body = shape(body.decode(), self._lang).encode()
        headers["content-length"] = str(len(body))
        headers["cache-control"] = "no-store"
        _add_security(headers)
        await self._send(self._start)
        await self._send({"type": "http.response.body", "body": body})


def shape(html: str, lang: Lang) -> str:
    """Return Gradio's page in our language, with our style and script, and without foreign addresses."""
    html = _NOT_OURS.sub("", html).replace('lang="en"', f'lang="{lang}"', 1)
    html = _HEARTBEAT.sub(r"\1false", html)
    return html.replace("<head>", f"<head>{_ours(lang)}", 1).replace("</head>", f"{_style(lang)}</head>", 1)


def _ours(lang: Lang) -> str:
    t = texts(lang)
    script = json.dumps(t.for_script(), ensure_ascii=False).replace("<", "\\u003c")
    return (
        f'<meta name="description" content="{escape(t("page.description"))}">'
        f'<link rel="icon" href="/page/moon.svg" type="image/svg+xml">{head_of(t)}'
        # Gradio's own words (uploads, for one) follow the browser's language; let them follow the page's.
        f"<script>Object.defineProperty(navigator,'language',{{get:()=>'{lang}'}});"
        f"Object.defineProperty(navigator,'languages',{{get:()=>['{lang}']}});"
        f"window.utataneLanguage='{lang}';window.utataneTexts={script};</script>"
        + "".join(f'<script src="{address}"></script>' for address in _addresses("js"))
    )


def _style(lang: Lang) -> str:
    """Return the palette and the headings of Gradio's toasts, which it would write in English."""
    t = texts(lang)
    headings = "".join(
        f"--toast-{kind}:{json.dumps(t(key), ensure_ascii=False)};"
        for kind, key in (("info", "page.done"), ("warning", "page.problem"), ("error", "page.problem"))
    )
    sheets = "".join(f'<link rel="stylesheet" href="{address}">' for address in _addresses("css"))
    return f"<style>{palette_css()}:root{{{headings}}}</style>{sheets}"


@cache
def _addresses(suffix: str) -> list[str]:
    """Return the addresses of our scripts or style sheets: a feature brings its own, and takes it along when it goes."""
    names = {path.name for path in ASSETS.glob(f"*.{suffix}")} - _OF_OTHER_PAGES
    first, last = ([name for name in some if name in names] for some in (_FIRST, _LAST))
    return [f"/page/{name}?{asset_version()}" for name in (*first, *sorted(names.difference(first, last)), *last)]


@cache
def asset_version() -> int:
    """Return a number that changes with our files, for their addresses: after an update no browser shows an old one."""
    return max(path.stat().st_mtime_ns for path in ASSETS.rglob("*"))


def _uncompressed(scope: Scope) -> Scope:
    """Return the request without its wish for compression: a body is shaped as text."""
    headers = [(name, value) for name, value in Headers(scope=scope).raw if name != b"accept-encoding"]
    return {**scope, "headers": headers}


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            _add_security(MutableHeaders(scope=message))
        await send(message)

    return sending


def _add_security(headers: MutableHeaders) -> None:
    for name, value in SECURITY_HEADERS.items():
        headers.setdefault(name, value)
