"""Browser tests: a real server, a real browser. Skipped, and saying so, where there is no Chromium."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.browser.serving import Server, served
from tests.browser.slowing import slow_down
from tests.model_server import ModelServer

Modelled = tuple[Server, ModelServer]

WHOLE_CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
CHROMIUM = shutil.which("chromium-headless-shell") or WHOLE_CHROMIUM
"""The shell takes a third less of the processor than the whole browser; it installs no apps and shows no notifications."""
ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"
]  # fmt: skip


expect.set_options(timeout=40_000)  # the machine may be busy, and libraries are imported at the first turn


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests; but for the eight journeys, all of them are slow."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)
            if not item.path.name.startswith("test_journeys"):
                item.add_marker(pytest.mark.slow)
            if CHROMIUM is None:
                item.add_marker(pytest.mark.skip(reason="no Chromium on this machine: apt-get install chromium"))


@pytest.fixture(scope="module")  # closed before other tests: Playwright keeps an event loop running meanwhile
def browser() -> Iterator[Browser]:
    assert CHROMIUM is not None
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        slow_down(browser)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def whole_browser(browser: Browser) -> Iterator[Browser]:
    """The browser as people have it, for what the shell does not do."""
    if WHOLE_CHROMIUM is None:
        pytest.skip("no whole Chromium on this machine: apt-get install chromium")
    whole = browser.browser_type.launch(executable_path=WHOLE_CHROMIUM, args=ARGUMENTS)
    yield whole
    whole.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all tests of a file that only need a page; the first meeting is over there, the mind is built in."""
    with served(tmp_path_factory.mktemp("home")) as server:
        yield server


@pytest.fixture(scope="module")
def with_model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Modelled]:
    """One server for all tests of a file that need a mind that says what they want: a scripted model."""
    with ModelServer() as models:
        mind = {"provider": "openai", "base_url": models.base_url, "model": "test-model", "retries": 0}
        with served(tmp_path_factory.mktemp("modelled"), mind=mind) as server:
            yield server, models


@pytest.fixture
def modelled(with_model: Modelled) -> Modelled:
    """The server with a scripted model; what a test before this one has left unsaid is not said."""
    with_model[1].clear()
    return with_model
