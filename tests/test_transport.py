"""The limits of every client: which bytes pass, which way they go, and that no client is made without them."""

import ast
import asyncio
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest

from managers.transport import Flow, NotAnAnswerError, TooMuchError, client_options, current_flow
from tests.model_server import Endless, ModelServer, Redirect, Refuse

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("library", [httpx, httpx2])
def test_a_blocking_client_of_both_libraries_has_limits(library: Any) -> None:
    with ModelServer() as server:
        url = f"{server.base_url}/chat/completions"
        with library.Client(**client_options(library, url, local=True, blocking=True)) as client:
            for endless in ("body", "line"):
                server.enqueue(Endless(endless))
                with pytest.raises(TooMuchError):
                    client.post(url, json={})
            server.enqueue(Endless("error"), Refuse(404, "no such model"))
            assert len(client.post(url, json={}).content) == 64 * 1024
            assert "no such model" in client.post(url, json={}).text
            for other in (Endless("gzip"), Redirect("http://127.0.0.1:9/")):
                server.enqueue(other)
                with pytest.raises(NotAnAnswerError):
                    client.post(url, json={})


@pytest.mark.parametrize("library", [httpx, httpx2])
def test_a_connection_is_looked_at_before_anything_is_sent_on_it(library: Any) -> None:
    welcome: list[bool] = []

    def look() -> None:
        if not welcome:
            raise PermissionError

    with ModelServer() as server:
        url = f"{server.base_url}/models"

        async def ask() -> int:
            async with library.AsyncClient(**client_options(library, url, local=True, when_connected=look)) as client:
                return int((await client.get(url)).status_code)

        with library.Client(**client_options(library, url, local=True, blocking=True, when_connected=look)) as client:
            for ask_once in (lambda: client.get(url).status_code, lambda: asyncio.run(ask())):
                with pytest.raises(PermissionError):
                    ask_once()
            assert server.requests == []
            welcome.append(True)
            assert client.get(url).status_code == asyncio.run(ask()) == 200


@pytest.mark.parametrize("chunk", [b"x" * 100_000, b"{" * 1_000, b"[" * 1_000])
def test_a_stream_may_be_long_but_not_one_piece_of_it(chunk: bytes) -> None:
    flow = Flow()
    for _ in range(100):
        flow.take(chunk)
        assert flow.piece() == len(chunk)
    for _ in range(10):
        flow.take(chunk)
    with pytest.raises(TooMuchError):
        flow.take(chunk)
    assert current_flow.get() is None


def test_the_proxies_of_the_environment_are_used_but_not_for_this_computer(monkeypatch: pytest.MonkeyPatch) -> None:
    with ModelServer() as proxy, ModelServer() as server:
        monkeypatch.setenv("http_proxy", f"127.0.0.1:{proxy.port}")
        monkeypatch.setenv("no_proxy", "inside.example")
        for local, reached in ((False, proxy), (True, server)):
            url = f"http://127.0.0.1:{server.port}/v1/models"
            with httpx.Client(**client_options(httpx, url, local=local, blocking=True)) as client:
                client.get(url)
            assert [r.path for r in reached.requests] == [url if reached is proxy else "/v1/models"]
        inside = client_options(httpx, "http://inside.example", local=False, blocking=True)
        assert type(inside["transport"]._pool).__name__ == "ConnectionPool"


def test_every_client_is_made_with_them() -> None:
    makes = {"Client", "AsyncClient", "urlopen", "get", "post", "request", "stream"}
    for package in ("agent", "managers", "ui", "commands"):
        for file in (ROOT / package).rglob("*.py"):
            for call in (node for node in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(node, ast.Call)):
                name = ast.unparse(call.func)
                if (
                    name.rpartition(".")[0] in {"httpx", "httpx2", "requests", "urllib.request"}
                    and name.rpartition(".")[2] in makes
                ):
                    assert "client_options(" in ast.unparse(call) or "**options" in ast.unparse(call), (file, name)
