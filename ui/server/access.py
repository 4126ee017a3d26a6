"""Who may come in: one gate around everything that the server answers, whoever answers it.

What it goes by, in this order; whoever is refused gets one and the same answer, whatever they asked for, and
nothing behind the gate has worked for it:

1. The request is plain: its target a path, nothing said twice that must be said once.
2. It is made to one of our names, for a page elsewhere may give its own name our address (DNS rebinding). Where no
   password is asked for these are loopback's, and it is made by the account that Utatane runs under, where the system
   tells; else also this computer's own name, addresses in numbers, and the names that the settings list.
3. No page of another origin makes it, be it one of another program on this computer. Browsers say so
   (`Sec-Fetch-Site`), and those that do not name the origin of whatever could change something. A link is answered
   with a page that leads to the front door by itself: it comes with the cookie then, and with nothing of the link.
   A browser that says neither is told from a stranger by the cookie, which it sends along for no other site.
4. It brings the token (`/?token=…`), the password, or the cookie that either of them gave.

Addresses for other programs (`ui.server.programs`) are another matter from the fourth point on: while their way is shut there
is nothing, for nobody; while it is open, the programs' own token opens them (`Authorization: Bearer …`), and no cookie does.
Nor does that token open, or lead to a cookie for, anything else.
"""

import re
import socket
from collections.abc import Callable, Mapping, Sequence
from urllib.parse import parse_qs, parse_qsl, quote, urlencode, urlsplit

import anyio.to_thread
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from managers.storage.access import TOKEN, Access
from managers.storage.peers import is_of_another_account
from managers.storage.settings import ProgramsSettings
from managers.storage.texts import table
from managers.storage.visits import LONGEST_UNSEEN, BrowserVisit
from ui.locales import LANGUAGES, Texts, choose_language, texts
from ui.server.guesses import Guesses, TooManyGuessesError, parsed_address
from ui.server.programs.ways import Way, Ways, way_to
from ui.server.templates import DOOR_HEADERS, render

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[^\[\]:]+)(?::[0-9]+)?")
_SAID_ONCE = ("host", "origin", "authorization", "content-length", "sec-fetch-site", "sec-fetch-mode", "sec-fetch-dest")
_LARGEST_FORM = 4_096
_COOKIE_SECONDS = round(LONGEST_UNSEEN.total_seconds())
"""It begins anew with every page that is opened."""

SECURITY_HEADERS: Mapping[str, str] = {
    "content-security-policy": (
        "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
        "media-src 'self'; font-src 'self'; connect-src 'self'; worker-src 'self'; object-src 'none'; "
        "frame-ancestors 'none'; base-uri 'self'; form-action 'self'"
    ),
    "x-content-type-options": "nosniff",
    # Our own pages name themselves to us: a form of a page that told nobody would have no origin to show.
    "referrer-policy": "same-origin",
}
"""What an answer has unless it says otherwise."""
_FOR_NOBODY_ELSE: Mapping[str, str] = {
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}
"""What every answer has, whatever it says."""
_INVITATIONS = ("access-control-allow-origin", "access-control-allow-credentials", "access-control-expose-headers")
"""What no answer has: Gradio lets other origins read some of its."""


def visit_shown(access: Access, headers: Headers) -> tuple[str, BrowserVisit | None]:
    """Return the cookie that opens the page, and its visit. Another server under our name may have set more of that name."""
    pairs = [pair.strip().partition("=") for line in headers.getlist("cookie") for pair in line.split(";")]
    shown = ((value, access.visit(value)) for name, _, value in pairs if name == access.cookie)
    return next((one for one in shown if one[1] is not None), ("", None))


async def begin_visit(access: Access, scope: Scope) -> str:
    """Let a browser in; return the header that lets it keep what opens the page."""
    browser, system = _browser_of(Headers(scope=scope).get("user-agent", ""))
    return _cookie_line(access, await anyio.to_thread.run_sync(access.come_in, browser, system), scope)


class Gate:
    """ASGI middleware before everything else."""

    def __init__(
        self,
        app: ASGIApp,
        access: Access,
        *,
        ways: Ways | None = None,
        guesses: Guesses | None = None,
        names: Callable[[], Sequence[str]] = tuple,
        when_entered: Callable[[], None] = lambda: None,
    ) -> None:
        """Guard an application.

        Args:
            app: what lies behind.
            access: what opens the gate.
            ways: which ways in for other programs are open; none, if not given.
            guesses: how fast a password may be guessed.
            names: what else the page is called, where a password is asked for.
            when_entered: called when somebody has come in with the token.
        """
        self._app = app
        self._access = access
        self._ways = ways or Ways(ProgramsSettings)
        self._guesses = guesses or Guesses()
        self._names = names
        self._when_entered = when_entered

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it here."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            headers = Headers(scope=scope)
            answer = await self._answer(scope, receive, headers)
            is_page = way_to(scope["path"]) is None and _opens_page(scope, headers)
            cookie, visit = visit_shown(self._access, headers) if answer is None and is_page else ("", None)
            if visit is not None:
                await anyio.to_thread.run_sync(self._access.see, visit)
                cookie = _cookie_line(self._access, cookie, scope)
            await (answer or self._app)(scope, receive, _guarded(send, cookie))
        elif scope["type"] == "websocket":
            headers = Headers(scope=scope)
            is_page = way_to(scope["path"]) is None
            if is_page and self._refuse(scope, headers) is None and self._is_known(headers):
                await self._app(scope, receive, send)
            else:
                await send({"type": "websocket.close", "code": 1008})

    async def _answer(self, scope: Scope, receive: Receive, headers: Headers) -> Response | None:
        """Return what is answered here; None for a request that may go on."""
        if (refused := self._refuse(scope, headers)) is not None:
            return refused
        if (way := way_to(scope["path"])) is not None:
            return await self._answer_program(way, headers)
        if (led := await self._lead_on(scope, headers)) is not None:
            return led
        if _is_of_another_page(headers):
            return HTMLResponse(render("stepping_stone.html"), headers=DOOR_HEADERS)
        if self._access.needs_password and (scope["method"], scope["path"]) == ("POST", "/login"):
            return await self._log_in(Request(scope, receive))
        return None if self._is_known(headers) else await self._turn_away(scope, headers)

    async def _answer_program(self, way: Way, headers: Headers) -> Response | None:
        """Return what another program is answered here; None where it may go on."""
        if not await anyio.to_thread.run_sync(self._ways.is_open, way):
            return _said("access.no_programs", 404)
        kind, _, token = headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer" and self._access.is_programs_token(token.strip()):
            return None
        refused = _said("access.programs_token", 401)
        refused.headers["www-authenticate"] = "Bearer"
        return refused  # at once: it is too long to be guessed, and a program that asks on and on is in nobody's way

    def _refuse(self, scope: Scope, headers: Headers) -> Response | None:
        """Return what answers a request that is not made to us, or not by us; None for any other."""
        if not scope["path"].startswith("/") or any(len(headers.getlist(name)) > 1 for name in _SAID_ONCE):
            return _said("access.not_plain", 400)
        if not self._is_called(headers.get("host", "").lower()):
            return _said("access.unknown_host" if self._access.needs_password else "access.wrong_host", 421)
        if not self._access.needs_password and is_of_another_account(scope.get("client"), scope.get("server")):
            return _said("access.other_account", 403)
        if _is_of_another_page(headers) and not _is_link(scope, headers):
            return _said("access.other_page", 403)
        return None

    def _is_called(self, host: str) -> bool:
        found, own = _HOST.fullmatch(host), socket.gethostname().lower()
        name, short = found[1].strip("[]") if found else "", own.partition(".")[0]
        if name in LOOPBACK or not self._access.needs_password:
            return name in LOOPBACK
        names = {own, short, f"{short}.local", *map(str.lower, self._names())}
        return parsed_address(name) is not None or name in names - {""}

    async def _lead_on(self, scope: Scope, headers: Headers) -> Response | None:
        """Return what leads to an address without its token; None where there is none, or a wrong one."""
        token = _token_of(scope)
        if token is None:
            return None
        if self._access.is_token(token):
            self._when_entered()
            return _led_on(scope, await begin_visit(self._access, scope))
        is_of_no_use = self._access.needs_password or self._is_known(headers)  # an old bookmark
        return _led_on(scope) if is_of_no_use and not _is_of_another_page(headers) else None

    def _is_known(self, headers: Headers) -> bool:
        return visit_shown(self._access, headers)[1] is not None

    async def _turn_away(self, scope: Scope, headers: Headers) -> Response:
        """Say what opens the page; whoever tried another token waits for that, as for a wrong password."""
        status = 401
        if _token_of(scope) is not None:
            try:
                async with self._guesses.turn(peer(scope)) as was_wrong:
                    await was_wrong()
            except TooManyGuessesError:
                status = 429
        if not _opens_page(scope, headers):
            return _said("access.needed", status)
        if self._access.needs_password:
            return _login_page(headers, status=status)
        return HTMLResponse(render("locked.html"), status, DOOR_HEADERS)

    async def _log_in(self, request: Request) -> Response:
        password = await _password_of(request)
        try:
            async with self._guesses.turn(peer(request.scope)) as was_wrong:
                if not await anyio.to_thread.run_sync(self._access.is_password, password):
                    await was_wrong()
                    return _login_page(request.headers, "access.wrong")
        except TooManyGuessesError:
            return _login_page(request.headers, "access.wait", status=429)
        answer = RedirectResponse("/", status_code=303)
        answer.headers["set-cookie"] = await begin_visit(self._access, request.scope)
        return answer


def _cookie_line(access: Access, cookie: str, scope: Scope) -> str:
    """Return a cookie's header; `Secure`, if the browser's side of a proxy is encrypted: that makes it stricter at most."""
    seen_by_proxy = Headers(scope=scope).get("x-forwarded-proto", "").partition(",")[0].strip().lower()
    line = f"{access.cookie}={cookie}; Max-Age={_COOKIE_SECONDS}; Path=/; HttpOnly; SameSite=Strict"
    return f"{line}; Secure" if "https" in {scope["scheme"], seen_by_proxy} else line


def _is_of_another_page(headers: Headers) -> bool:
    """Tell whether a page of another origin makes the request."""
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site == "same-origin":  # the browser's own word, which no page can put into its mouth; also behind a proxy
        return False
    if site not in {None, "none"}:
        return True
    return origin is not None and urlsplit(origin).netloc.lower() != headers.get("host", "").lower()


def _is_link(scope: Scope, headers: Headers) -> bool:
    """Tell whether somebody follows a link in a window of their own."""
    how = headers.get("sec-fetch-mode"), headers.get("sec-fetch-dest")
    return scope.get("method") in {"GET", "HEAD"} and how == ("navigate", "document")


def _opens_page(scope: Scope, headers: Headers) -> bool:
    return scope["method"] in {"GET", "HEAD"} and "text/html" in headers.get("accept", "")


def _token_of(scope: Scope) -> str | None:
    if scope["method"] not in {"GET", "HEAD"}:
        return None
    return next((value for name, value in _query(scope) if name == TOKEN), None)


def _led_on(scope: Scope, cookie: str = "") -> Response:
    """Lead to the same address without the token: no history, no bookmark and no link of the page shall hold it."""
    path = "/" + quote(scope["path"].lstrip("/"), safe="/")  # `//name` and `/\name` would be another server's
    query = urlencode([(name, value) for name, value in _query(scope) if name != TOKEN])
    answer = Response(status_code=303, headers={"location": f"{path}?{query}" if query else path})
    answer.headers.update({"referrer-policy": "no-referrer", "cache-control": "no-store"})
    if cookie:
        answer.headers["set-cookie"] = cookie
    return answer


def _query(scope: Scope) -> list[tuple[str, str]]:
    return parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)


def peer(scope: Scope) -> str:
    """Return the socket's other end; what a request says of itself (`X-Forwarded-For`) anybody can make up."""
    return scope["client"][0] if scope.get("client") else ""


async def _password_of(request: Request) -> str:
    """Return the password of a form; an empty one for what is too long to be one."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > _LARGEST_FORM:
            return ""
    return parse_qs(body.decode(errors="replace")).get("password", [""])[0]


def _said(sentence: str, status: int) -> Response:
    """Return a sentence in every language."""
    return PlainTextResponse("\n".join(texts(lang)(sentence) for lang in LANGUAGES), status, DOOR_HEADERS)


def _login_page(headers: Headers, wrong: str = "", *, status: int = 401) -> Response:
    t: Texts = texts(choose_language("", headers.get("accept-language", "")))
    return HTMLResponse(render("login.html", t=t, wrong=wrong), status, DOOR_HEADERS)


def _guarded(send: Send, cookie: str) -> Send:
    """Give every answer what keeps it from other pages."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in SECURITY_HEADERS.items():
                headers.setdefault(name, value)
            headers.update(_FOR_NOBODY_ELSE)
            for name in _INVITATIONS:
                del headers[name]
            if cookie:
                headers.append("set-cookie", cookie)
        await send(message)

    return sending


def _browser_of(agent: str) -> tuple[str, str]:
    """Return browser and system by a `User-Agent` header, in words of ours; empty for what is not known."""
    kinds = table("browsers")
    browser, system = (
        next((name for sign, name in kinds[kind].items() if sign in agent), "") for kind in ("browser", "system")
    )
    return browser, system
