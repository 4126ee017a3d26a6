"""What `ui/server/engine.py` knows of Gradio's inside: each of these fails when Gradio has changed it."""

import asyncio

import pytest
from gradio import Blocks, Server
from gradio.events import api
from gradio.routes import App
from starlette.testclient import TestClient

from agent.services import Services
from managers.storage.access import Access
from tests.ui.server.routes import addresses_of
from tests.ui.visitors import ORIGIN
from ui.server.access import Gate
from ui.server.app import create_app
from ui.server.engine import ALLOWED, MOST_WAITING
from ui.server.programs.ways import API, CONFIG, MCP, way_to

GIVEN_OUT = frozenset({"BrotliMiddleware", "CustomCORSMiddleware"})
"""The middleware that Gradio adds and `engine.py` takes out again: packing, and which other origins may ask."""


def greet(name: str) -> str:
    """Say hello."""
    return f"Hello {name}"


def gradio_alone() -> Server:
    """Return what Gradio makes of a server by itself."""

    async def made() -> Server:
        server = Server(docs_url=None, redoc_url=None, openapi_url=None)
        with Blocks(mode="server", analytics_enabled=False) as blocks:
            api(greet, api_name="greet")
        App.create_app(blocks, app=server, mcp_server=False)
        return server

    return asyncio.run(made())


@pytest.fixture(scope="module")
def gradios() -> Server:
    return gradio_alone()


def server_of(services: Services) -> tuple[Server, TestClient]:
    """Return the server, and somebody who shows both the page's cookie and the programs' token."""
    access = Access(services.home)
    gate = create_app(services, access)
    assert isinstance(gate, Gate)
    assert isinstance(gate._app, Server)
    headers = {"authorization": f"Bearer {access.programs_token}"}
    knocking = TestClient(gate, base_url=ORIGIN, headers=headers, client=("127.0.0.1", 50_000))
    knocking.cookies.set(access.cookie, access.come_in())
    return gate._app, knocking


def test_of_gradio_s_addresses_no_other_is_answered_whoever_asks(services: Services, gradios: Server) -> None:
    paths = {address.path.rstrip("/") for address in addresses_of(gradios.router.routes)}
    assert {path for path in paths if path.startswith(API.rstrip("/")) or path == CONFIG} > ALLOWED
    assert all(way_to(path) == "api" for path in ALLOWED)
    services.settings_file.change("programs", api=True, mcp=True)
    server, knocking = server_of(services)
    found = {address.path.rstrip("/") for address in addresses_of(server.router.routes)}
    services.settings_file.change("programs", api=False, mcp=False)
    plain, outside = server_of(services)
    ours = {address.path.rstrip("/") for address in addresses_of(plain.router.routes)}
    assert found - ours == ALLOWED | {MCP}
    assert not ours & (ALLOWED | {MCP})  # nothing of Gradio's is there while no program is let in
    assert getattr(plain, "blocks", None) is None
    assert {outside.get(path).status_code for path in (CONFIG, MCP, f"{API}info")} == {404}
    closed = [one for one in addresses_of(gradios.router.routes) if one.path.rstrip("/") not in ALLOWED | ours]
    assert len(closed) > 40
    for address in closed:
        for method in address.methods or {"GET"}:
            answer = knocking.request(method, address.filled(path_or_url="etc/passwd", page="nobody"))
            assert answer.status_code == 404, address
            assert "gradio_config" not in answer.text


@pytest.mark.slow
def test_the_queue_and_the_middleware_are_as_they_are_set(services: Services, gradios: Server) -> None:
    before = gradios.get_blocks()
    assert before._queue.server_app is None
    assert before._queue.sleep_when_free < 1
    assert before._queue.progress_update_sleep_when_free < 1
    assert before.run_history is True
    services.settings_file.change("programs", api=True)
    server, knocking = server_of(services)
    assert {getattr(one.cls, "__name__", "") for one in gradios.user_middleware} == GIVEN_OUT
    assert server.user_middleware == []
    queue = server.get_blocks()._queue
    assert queue.server_app is server
    assert queue.max_size == MOST_WAITING
    assert (queue.sleep_when_free, queue.progress_update_sleep_when_free) == (0.05, 3600)
    assert server.get_blocks().run_history is False
    assert not server.get_blocks().is_running
    with knocking:  # the queue runs as long as the server: without `run_startup_events` a call would be waited for
        assert server.get_blocks().is_running
        assert not queue.stopped
        asked = knocking.post(f"{API}call/personas", json={"data": []}).json()
        assert "Hazel" in knocking.get(f"{API}call/personas/{asked['event_id']}").text
