"""The page as an app, and what it tells while nobody looks: asleep, awake again, and the letters."""

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from managers.memory.log import ConversationLog
from managers.storage.clock import SystemClock
from tests.browser.acting import say
from tests.browser.conftest import ARGUMENTS, WHOLE_CHROMIUM
from tests.browser.serving import DESKTOP, Server, paths_of, persona, visit, window
from ui.server.addresses import address_of


@pytest.fixture
def installed(whole_browser: Browser, tmp_path: Path) -> Iterator[Page]:
    """A window of a browser with a profile of its own: in a private one nothing can be installed."""
    context = whole_browser.browser_type.launch_persistent_context(
        tmp_path / "profile", executable_path=WHOLE_CHROMIUM, args=ARGUMENTS, locale="ja-JP",
        viewport={"width": DESKTOP[0], "height": DESKTOP[1]}
    )  # fmt: skip
    yield context.pages[0]
    context.close()


def kept_by_browser(page: Page) -> list[str]:
    """Return the paths of all that the page's origin keeps in caches."""
    addresses: list[str] = page.evaluate(
        """async () => {
            const kept = await Promise.all((await caches.keys()).map((name) => caches.open(name)));
            return (await Promise.all(kept.map((one) => one.keys()))).flat().map((request) => request.url);
        }"""
    )
    return [urlsplit(address).path for address in addresses]


def test_it_is_an_app_that_says_when_it_sleeps_and_wakes_by_itself(server: Server, installed: Page) -> None:
    page, room = installed, address_of(persona(server, "あぷり")).lstrip("/")
    visit(page, server, room)
    say(page, "ひみつの話はどこにも残らない")
    page.evaluate("navigator.serviceWorker.ready")
    chromium: Any = page.context.new_cdp_session(page)
    assert chromium.send("Page.getInstallabilityErrors")["installabilityErrors"] == []
    told = chromium.send("Page.getAppManifest")
    assert told["errors"] == []
    assert urlsplit(told["url"]).query == "lang=ja"
    assert kept_by_browser(page) == ["/asleep"]
    port = urlsplit(server.address).port or 0
    server.stop()
    page.goto(f"{server.address}{room}", wait_until="domcontentloaded")
    asleep = page.locator('section[lang="ja"]')
    expect(asleep.locator("h1")).to_have_text("うたた寝は眠っています")
    expect(asleep).to_contain_text("make run")
    expect(page.locator('section[lang="en"]')).to_be_hidden()
    assert kept_by_browser(page) == ["/asleep"]
    server.start(port)
    expect(page.locator("article.user .bubble")).to_have_text("ひみつの話はどこにも残らない", timeout=30_000)
    assert kept_by_browser(page) == ["/asleep"]


def leave(page: Page, *, hidden: bool = True) -> None:
    """Turn to another tab, or come back: a headless browser shows all of its pages."""
    page.evaluate(
        """hidden => {
            Object.defineProperty(document, 'hidden', {configurable: true, get: () => hidden});
            document.dispatchEvent(new Event('visibilitychange'));
        }""",
        hidden,
    )


RECORDING = """(() => {
    const Real = window.Notification;
    window.Notification = class {
        static get permission() { return Real.permission; }
        static requestPermission() { return Real.requestPermission(); }
        constructor(title, {body, icon}) {
            localStorage.told = JSON.stringify([...JSON.parse(localStorage.told || '[]'), {title, body, icon}]);
            this.title = title;
            window.last = this;
        }
        close() {}
    };
})()"""
"""Keeps what would be shown where both windows see it; who may, the browser itself still says."""


def write_first(server: Server, name: str, text: str) -> str:
    """Let a persona write of its own accord; return the message's id."""
    log = ConversationLog(paths_of(server, name), SystemClock(), Random(len(text)))
    log.append("system", "autonomous", "退屈 0.7")
    return log.append("persona", name, text).id


def told(page: Page) -> list[dict[str, str]]:
    found: list[dict[str, str]] = page.evaluate("JSON.parse(localStorage.told || '[]')")
    return found


def test_a_first_word_is_told_once_to_whoever_asked_and_does_not_look(whole_browser: Browser, server: Server) -> None:
    writer, other = persona(server, "てがみ"), persona(server, "となり")
    with window(whole_browser, server, persona=other) as page:
        page.context.add_init_script(RECORDING)
        second = page.context.new_page()
        visit(second, server, address_of(other).lstrip("/"))
        visit(page, server, "settings/autonomy")
        wanted = page.locator("#letters-wanted")
        page.context.grant_permissions([])  # nothing: the person said no
        wanted.click()
        expect(wanted).not_to_be_checked()
        expect(page.locator("[data-letters] .state")).to_contain_text("お知らせを出さないように言われています")
        page.context.grant_permissions(["notifications"])
        wanted.click()
        expect(wanted).to_be_checked()
        expect(page.locator("[data-letters] .state")).to_have_text("")
        seen = "id => (localStorage['utatane.letters.seen'] || '').includes(id)"
        page.wait_for_function(seen, arg=write_first(server, writer, "見ているあいだの言葉"))
        assert told(page) == []
        for one in (page, second):
            leave(one)
        page.wait_for_function(seen, arg=write_first(server, writer, "ひみつの言葉"))
        page.wait_for_function("() => localStorage.told")
        [first] = told(page)
        assert (first["title"], first["body"]) == ("てがみから便りがあります", "")
        assert page.request.get(first["icon"]).ok
        page.locator("#letters-words").check()
        write_first(server, other, "となりの言葉")
        page.wait_for_function("() => JSON.parse(localStorage.told).length > 1")
        assert [letter["body"] for letter in told(page)] == ["", "となりの言葉"]
        teller = page if page.evaluate("Boolean(window.last)") else second
        leave(teller, hidden=False)
        is_neighbour = teller.evaluate("window.last.title").startswith(other)
        with teller.expect_navigation():
            teller.evaluate("window.last.onclick()")
        expect(teller.locator("#head .who")).to_have_text(other if is_neighbour else writer)
        expect(teller.locator('#talk-tab[aria-current="page"]')).to_be_visible()
        expect(teller.locator("article").last).to_contain_text("となりの言葉" if is_neighbour else "ひみつの言葉")
