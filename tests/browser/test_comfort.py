"""Everyday comfort: the page as an app, by keyboard, with letters, notices that let one go on, and work beside the talk."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from managers.personas import PersonaStore
from managers.storage.clock import SystemClock
from managers.storage.paths import Home
from managers.storage.settings import SettingsFile
from tests.browser.acting import say
from tests.browser.conftest import ARGUMENTS, CHROMIUM
from tests.browser.serving import DESKTOP, Server


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Server:
    """A server that may be stopped and started again."""
    folder = tmp_path_factory.mktemp("comfort")
    settings = SettingsFile(folder / "settings.toml")
    settings.change("page", onboarded=True)
    settings.change("mind", provider="builtin")
    return Server(folder)


@pytest.fixture(scope="module")
def house(home: Server) -> Iterator[Server]:
    home.start()
    yield home
    home.stop()


def persona(server: Server, name: str) -> str:
    return PersonaStore(Home(server.home), SystemClock(), Random(3)).create(name, language="ja").name


@pytest.fixture
def installed(browser: Browser, tmp_path: Path) -> Iterator[Page]:
    """A window of a browser with a profile of its own: in a private one nothing can be installed."""
    context = browser.browser_type.launch_persistent_context(
        tmp_path / "profile",
        executable_path=CHROMIUM,
        args=ARGUMENTS,
        locale="ja-JP",
        viewport={"width": DESKTOP[0], "height": DESKTOP[1]},
    )
    yield context.pages[0]
    context.close()


def kept_by_browser(page: Page) -> list[str]:
    """Return the paths of all that the page's origin keeps in caches."""
    addresses: list[str] = page.evaluate(
        """async () => {
            const found = [];
            for (const name of await caches.keys())
                for (const request of await (await caches.open(name)).keys()) found.push(request.url);
            return found;
        }"""
    )
    return [urlsplit(address).path for address in addresses]


def test_it_is_an_app_that_says_when_it_sleeps_and_wakes_by_itself(house: Server, installed: Page) -> None:
    page, name = installed, persona(house, "あぷり")
    page.goto(f"{house.address}?persona={name}")
    say(page, "ひみつの話はどこにも残らない")
    page.evaluate("navigator.serviceWorker.ready")
    chromium: Any = page.context.new_cdp_session(page)
    assert chromium.send("Page.getInstallabilityErrors")["installabilityErrors"] == []
    told = chromium.send("Page.getAppManifest")
    assert told["errors"] == []
    assert urlsplit(told["url"]).query == "lang=ja"
    assert kept_by_browser(page) == ["/asleep"]
    port = urlsplit(house.address).port or 0
    house.stop()
    page.goto(f"{house.address}?persona={name}", wait_until="domcontentloaded")
    asleep = page.locator('section[lang="ja"]')
    expect(asleep.locator("h1")).to_have_text("うたた寝は眠っています")
    expect(asleep).to_contain_text("make run")
    expect(page.locator('section[lang="en"]')).to_be_hidden()
    assert kept_by_browser(page) == ["/asleep"]
    house.start(port)
    expect(page.locator("article.user .bubble")).to_have_text("ひみつの話はどこにも残らない", timeout=30_000)
    assert kept_by_browser(page) == ["/asleep"]
