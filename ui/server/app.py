"""The server: pages of the rooms, the files beside them, Gradio's engine behind them, the gate before them."""

import gc
import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Final

import uvicorn
from starlette.types import ASGIApp

from agent.services import Services
from managers.storage import opening
from managers.storage.access import Access
from managers.storage.errors import Lang, as_notice
from ui.errors import NoMcpPackageError, PasswordNeededError, PortInUseError
from ui.locales import choose_language
from ui.server import failures
from ui.server.access import LOOPBACK, Gate
from ui.server.engine import Endpoint, add_engine, make_server
from ui.server.guesses import Guesses
from ui.server.letters import Letters
from ui.server.live import Live
from ui.server.once import Once
from ui.server.programs.endpoints import Endpoints
from ui.server.programs.tools import Tools
from ui.server.programs.ways import Ways
from ui.server.routers import ROUTES
from ui.server.uploads import forget_uploads
from ui.server.visit import ToldOnce

_LAST_ANSWERS_SECONDS: Final = 2
"""How long a server that was asked to stop goes on with answers that are under way; a stream may have no end."""


def launch(
    services: Services,
    access: Access,
    host: str,
    port: int,
    *,
    on_ready: Callable[[str], None] = lambda _origin: None,
    show: Callable[[str, Callable[[], bool]], None] | None = None,
) -> None:
    """Serve the page until the process is asked to stop.

    Args:
        services: what the page works with.
        access: what opens the page; other machines need a password.
        host: where to listen.
        port: where to listen; 0 takes a free one.
        on_ready: called as soon as the page can be opened, with where its addresses begin (`http://127.0.0.1:7860/`).
        show: shows the page at an address that opens it, in a loop of its own that needs this thread; the server ends
            with it. Its second argument tells whether the server is alive.

    Raises:
        PasswordNeededError: other machines could knock, and there is no password.
        PortInUseError: somebody else listens there.
    """
    if host not in LOOPBACK and not access.needs_password:
        raise PasswordNeededError(host=host)
    listener = _listen(host, port)
    origin = _origin(host, listener.getsockname()[1])
    server = _Server(create_app(services, access, host))
    on_ready(origin)
    gc.freeze()  # what is loaded by now stays: no look for garbage need go through it again
    try:
        if show is None:
            server.run(sockets=[listener])
        else:
            _run_beside(server, listener, partial(show, access.address(origin)))
    finally:
        opening.unlink(services.home.opening)


class _Server(uvicorn.Server):
    """The server as this page needs it. A terminal that is closed ends it as the others' requests to stop do."""

    def __init__(self, app: ASGIApp) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                log_config=None,  # what fails goes into the program's own log
                access_log=False,  # addresses hold tokens and names
                proxy_headers=False,  # who says from elsewhere that they are somebody else is not believed
                server_header=False,
                ws="websockets-sansio",
                timeout_graceful_shutdown=_LAST_ANSWERS_SECONDS,
            )
        )

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # an answer that is cut off now is no failure
        await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        with super().capture_signals():
            if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
                yield  # there a closing console is another signal (`commands/stop_signals.py`)
                return
            before = signal.getsignal(signal.SIGHUP)
            if before is not signal.SIG_IGN:  # nohup
                signal.signal(signal.SIGHUP, self.handle_exit)
            try:
                yield
            finally:
                signal.signal(signal.SIGHUP, before)


def _run_beside(server: uvicorn.Server, listener: socket.socket, show: Callable[[Callable[[], bool]], None]) -> None:
    running = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, name="server")
    running.start()
    try:
        show(running.is_alive)
    finally:
        server.should_exit = True
        running.join()


def create_app(services: Services, access: Access, host: str = "") -> ASGIApp:
    """Return the whole server as an ASGI application.

    Args:
        services: what the page works with.
        access: what opens the page.
        host: where the server listens, a name of the page.
    """
    forget_uploads(services)
    server, ways = make_server(), Ways(lambda: services.settings().programs)
    server.state.services, server.state.access, server.state.ways = services, access, ways
    server.state.guesses, server.state.told, server.state.live = Guesses(), ToldOnce(), Live(services)
    server.state.once, server.state.letters = Once(), Letters(services)
    failures.add_to(server)
    server.router.routes.extend(ROUTES)
    add_engine(server, *_offered(services, ways, server.state.live.wake), partial(_language, services))
    entered = partial(opening.unlink, services.home.opening)

    def names() -> list[str]:
        return [host, *services.settings_file.load()[0].page.hosts]

    return Gate(server, access, ways=ways, guesses=server.state.guesses, names=names, when_entered=entered)


def _offered(
    services: Services, ways: Ways, wake: Callable[[str], None]
) -> tuple[Sequence[Endpoint], Sequence[Endpoint]]:
    """Return the endpoints and the tools that other programs may call, as far as they are switched on."""
    if ways.is_on("mcp") and not ways.has_begun("mcp"):
        services.notices.post(as_notice("programs", NoMcpPackageError()))
    lang = partial(_language, services)
    endpoints = Endpoints(services, lang, wake).all() if ways.has_begun("api") else ()
    return endpoints, Tools(services, lang, wake).all() if ways.has_begun("mcp") else ()


def _language(services: Services) -> Lang:
    return choose_language(services.settings().page.language, "")


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With the protocol named, asyncio sends at once: else a second piece of an answer waits 40 ms for the first one's receipt.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    if os.name != "nt":  # there it would let two servers share the port
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise PortInUseError(host=host, port=port, cause=error.strerror or error) from error
    return listener


def _origin(host: str, port: int) -> str:
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)  # noqa: S104  # compared, not bound
    return f"http://{shown}:{port}/"
