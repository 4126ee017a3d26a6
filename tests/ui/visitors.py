"""Visitors of the page, in this process: one who has come in, and strangers."""

import threading
from concurrent.futures import Future
from functools import cache

import anyio
from anyio.from_thread import BlockingPortal
from starlette.testclient import TestClient

from agent.services import Services
from managers.storage.access import Access
from ui.server.app import create_app

ORIGIN = "http://127.0.0.1:7860"


def visitor_of(services: Services, password: str = "", origin: str = ORIGIN) -> TestClient:
    """Return a browser that has come in."""
    access = Access(services.home, password)
    browser = stranger_to(services, password, origin)
    browser.cookies.set(access.cookie, access.come_in())
    return browser


def stranger_to(services: Services, password: str = "", origin: str = ORIGIN) -> TestClient:
    """Return a browser that nobody let in."""
    app = create_app(services, Access(services.home, password))
    browser = TestClient(app, base_url=origin, follow_redirects=False, client=("127.0.0.1", 50000))
    browser.portal = _loop()  # else each request gets a loop, and threads, of its own: a server's stay
    return browser


@cache
def _loop() -> BlockingPortal:
    """Return the way into an event loop that goes on for as long as the process does."""
    begun = Future[BlockingPortal]()

    async def go_on() -> None:
        async with BlockingPortal() as portal:
            begun.set_result(portal)
            await portal.sleep_until_stopped()

    threading.Thread(target=anyio.run, args=(go_on,), daemon=True).start()
    return begun.result()
