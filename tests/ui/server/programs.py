"""Other programs, as they are: Gradio's own client and MCP's, against the server on loopback."""

import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import httpx
from gradio import Server
from gradio_client import Client
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, TextContent

from agent.services import Services, open_services
from managers.storage.access import Access
from managers.storage.paths import Home
from tests.fakes import HandClock
from tests.ui.rooms import House
from ui.server.access import Gate
from ui.server.app import _listen, _Server, create_app
from ui.server.programs.ways import MCP


@dataclass(frozen=True, slots=True)
class Served:
    """A running server."""

    services: Services
    access: Access
    origin: str
    server: Server

    @property
    def headers(self) -> dict[str, str]:
        """What a program sends that was let in."""
        return {"Authorization": f"Bearer {self.access.programs_token}"}

    def get(self, path: str, **headers: str) -> httpx.Response:
        """Ask as a program without a client of its own would."""
        return httpx.get(f"{self.origin}{path}", headers=headers or self.headers, timeout=60)

    def post(self, path: str, data: object) -> httpx.Response:
        """Send JSON as such a program would."""
        return httpx.post(f"{self.origin}{path}", json=data, headers=self.headers, timeout=60)

    @contextmanager
    def browser(self) -> Iterator[httpx.Client]:
        """Come in as the person whose page it is."""
        cookies = {self.access.cookie: self.access.come_in()}
        with httpx.Client(base_url=self.origin, cookies=cookies, timeout=60) as browser:
            yield browser

    @contextmanager
    def client(self) -> Iterator[Client]:
        """Come in as `gradio_client` does."""
        client = Client(self.origin, headers=self.headers, verbose=False, httpx_kwargs={"timeout": 60})
        try:
            yield client
        finally:
            client.close()
            for executor in (client.executor, client.helper_executor, client.stream_executor):
                executor.shutdown()

    @asynccontextmanager
    async def session(self) -> AsyncIterator[ClientSession]:
        """Come in as an MCP client does."""
        async with (
            httpx.AsyncClient(headers=self.headers, timeout=60) as http,
            streamable_http_client(f"{self.origin}{MCP}", http_client=http) as (receive, send, _),
            ClientSession(receive, send) as session,
        ):
            await session.initialize()
            yield session


@contextmanager
def home_served(folder: Path, *, api: bool = False, mcp: bool = False) -> Iterator[Served]:
    """Serve a new home folder, in which 花 lives with the samples and the built-in mind."""
    services = open_services(Home(folder), HandClock(), Random(3))
    services.settings_file.change("mind", provider="builtin")
    services.settings_file.change("user", name="花")
    try:
        with serving(services, api=api, mcp=mcp) as served:
            yield served
    finally:
        services.close()


@contextmanager
def new_house(served: Served, name: str) -> Iterator[House]:
    """Let somebody new live there, for one test: what it sets and who speaks is as before afterwards."""
    services = served.services
    minds, settings = services.minds, services.home.settings.read_bytes()
    assert isinstance(services.clock, HandClock)
    yield House(services, services.clock, services.personas.create(name, language="ja").name)
    services.minds = minds
    services.home.settings.write_bytes(settings)


@contextmanager
def serving(services: Services, *, api: bool = False, mcp: bool = False) -> Iterator[Served]:
    """Serve a home folder with some ways open."""
    services.settings_file.change("programs", api=api or None, mcp=mcp or None)
    access, listener = Access(services.home), _listen("127.0.0.1", 0)
    gate = create_app(services, access)
    assert isinstance(gate, Gate)
    assert isinstance(gate._app, Server)
    server = _Server(gate)
    running = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    running.start()
    try:
        yield Served(services, access, f"http://127.0.0.1:{listener.getsockname()[1]}", gate._app)
    finally:
        server.should_exit = True
        running.join()


def said(result: CallToolResult) -> str:
    """Return what a tool answered."""
    assert not result.isError, result.content
    return _text(result)


def refused(result: CallToolResult) -> str:
    """Return why a tool did not do what it was asked for."""
    assert result.isError, result.content
    return _text(result)


def _text(result: CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


def paths_in(answer: Any) -> bool:
    """Tell whether `gradio_client` would take some part of an answer for a file."""
    if isinstance(answer, dict):
        return "path" in answer or any(map(paths_in, answer.values()))
    return isinstance(answer, list) and any(map(paths_in, answer))
