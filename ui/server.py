"""The server of the page: one Gradio page per language, the files beside them, the gate before them."""

from __future__ import annotations

import gc
import os
import shutil
import socket
import threading
import webbrowser
from collections.abc import Callable
from functools import partial

import gradio as gr
import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import RedirectResponse, Response
from starlette.types import ASGIApp

from agent.errors import PasswordNeededError, PortInUseError
from agent.services import Services
from managers.storage.errors import Lang
from ui.files import add_files
from ui.gate import LOOPBACK, Gate
from ui.languages import LanguagePages
from ui.locales import choose_language
from ui.memory_tables import memory_tables
from ui.page import create_page
from ui.shaping import Shaping
from ui.tables import room_tables
from ui.theme import create_theme

LANGUAGE_COOKIE = "utatane_language"
_YEAR = 365 * 24 * 3600
LARGEST_UPLOAD = "100mb"


def launch(
    services: Services,
    host: str,
    port: int,
    password: str = "",
    *,
    language: str = "",
    on_ready: Callable[[str], None] = lambda _address: None,
    open_browser: bool = False,
    show: Callable[[str, Callable[[], bool]], None] | None = None,
) -> None:
    """Serve the page until the process is asked to stop.

    Args:
        services: what the page works with.
        host: where to listen; anything but loopback demands a password.
        port: where to listen; 0 takes a free one.
        password: asked of every visitor, where not empty.
        language: what this computer speaks.
        on_ready: called with the page's address as soon as it can be opened.
        open_browser: open the page in the person's browser, where there is one.
        show: shows the page at its address, in a loop of its own that needs this thread; the server ends with it.
            Its second argument tells whether the server is alive.

    Raises:
        PasswordNeededError: other machines could knock, and there is no password.
        PortInUseError: somebody else listens there.
    """
    if host not in LOOPBACK and not password:
        raise PasswordNeededError(host=host)
    listener = _listen(host, port)
    address = _address(host, listener.getsockname()[1])
    server = uvicorn.Server(uvicorn.Config(create_app(services, password, language), log_level="warning", ws="none"))
    on_ready(address)
    if open_browser:
        threading.Thread(target=webbrowser.open, args=[address], daemon=True).start()
    gc.freeze()  # what is loaded by now stays: no look for garbage need go through it again
    try:
        if show is None:
            server.run(sockets=[listener])
        else:
            _run_beside(server, listener, partial(show, address))
    finally:
        services.close()


def _run_beside(server: uvicorn.Server, listener: socket.socket, show: Callable[[Callable[[], bool]], None]) -> None:
    running = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, name="server")
    running.start()
    try:
        show(running.is_alive)
    finally:
        server.should_exit = True
        running.join()


def create_app(services: Services, password: str = "", language: str = "") -> ASGIApp:
    """Return the whole server as an ASGI application.

    Args:
        services: what the page works with.
        password: asked of every visitor, where not empty.
        language: what this computer speaks; the page in this language is built first, unless the settings name one.
    """
    uploads = services.home.folder / ".uploads"
    shutil.rmtree(uploads, ignore_errors=True)  # what a killed process left behind
    uploads.mkdir(parents=True, mode=0o700)
    os.environ["GRADIO_TEMP_DIR"] = str(uploads)
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    add_files(app, services)
    app.include_router(room_tables(services))
    app.include_router(memory_tables(services))
    _add_languages(app, services)
    first = choose_language(services.settings().page.language, language)
    pages = LanguagePages(app, lambda lang: _page_app(services, lang), first)
    return Gate(Shaping(pages), password)


def _page_app(services: Services, lang: Lang) -> FastAPI:
    app: FastAPI = gr.mount_gradio_app(
        FastAPI(docs_url=None, redoc_url=None, openapi_url=None),
        create_page(services, lang),
        path=f"/{lang}",
        theme=create_theme(),
        footer_links=[],
        run_history=False,
        show_error=True,
        ssr_mode=False,
        pwa=False,
        mcp_server=False,
        enable_monitoring=False,
        max_file_size=LARGEST_UPLOAD,
    )
    return app


def _add_languages(app: FastAPI, services: Services) -> None:
    @app.get("/")
    def front(request: Request) -> Response:
        wish = request.cookies.get(LANGUAGE_COOKIE) or services.settings().page.language
        lang = choose_language(wish, request.headers.get("accept-language", ""))
        query = f"?{request.url.query}" if request.url.query else ""
        return RedirectResponse(f"/{lang}/{query}", headers={"cache-control": "no-store"})

    @app.get("/language/{lang}")
    def choose(lang: Lang) -> Response:
        answer = RedirectResponse(f"/{lang}/", headers={"cache-control": "no-store"})
        answer.set_cookie(LANGUAGE_COOKIE, lang, max_age=_YEAR, samesite="strict", httponly=True)
        return answer


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    if os.name != "nt":  # there it would let two servers share the port
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise PortInUseError(host=host, port=port, cause=error.strerror or error) from error
    return listener


def _address(host: str, port: int) -> str:
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)  # noqa: S104  # compared, not bound
    return f"http://{shown}:{port}/"
