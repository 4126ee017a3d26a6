"""Visitors of the page, in this process: one who has come in, and strangers."""

from starlette.testclient import TestClient

from agent.services import Services
from managers.storage.access import Access
from ui.server.app import create_app

ORIGIN = "http://127.0.0.1:7860"


def visitor_of(services: Services, password: str = "", origin: str = ORIGIN) -> TestClient:
    """Return a browser that has come in."""
    access = Access(services.home, password)
    browser = stranger_to(services, password, origin)
    browser.cookies.set(access.cookie, access.session())
    return browser


def stranger_to(services: Services, password: str = "", origin: str = ORIGIN) -> TestClient:
    """Return a browser that nobody let in."""
    app = create_app(services, Access(services.home, password))
    return TestClient(app, base_url=origin, follow_redirects=False, client=("127.0.0.1", 50000))
