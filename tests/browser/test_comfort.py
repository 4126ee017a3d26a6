"""Everyday comfort: the page as an app, by keyboard, with letters, notices that let one go on, and work beside the talk."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from managers.memory.log import ConversationLog
from managers.personas import PersonaStore
from managers.storage.clock import SystemClock
from managers.storage.paths import Home
from managers.storage.settings import SettingsFile
from tests.browser.accessibility import axe_core, findings
from tests.browser.acting import enter, reload, say
from tests.browser.conftest import ARGUMENTS, CHROMIUM
from tests.browser.serving import DESKTOP, PHONE, Server, unused, window


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
    return PersonaStore(Home(server.home), SystemClock(), Random(3)).create(unused(server, name), language="ja").name


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
    page.locator("#composer textarea").fill("まだ")  # nobody is there to hear it yet, or just so: nothing is lost
    expect(page.locator("#composer textarea")).to_have_attribute("placeholder", "あぷりに話しかける")
    expect(page.locator("#composer textarea")).to_have_value("まだ")
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
    log = ConversationLog(Home(server.home).persona(name), SystemClock(), Random(len(text)))
    log.append("system", "autonomous", "退屈 0.7")
    return log.append("persona", name, text).id


def told(page: Page) -> list[dict[str, str]]:
    found: list[dict[str, str]] = page.evaluate("JSON.parse(localStorage.told || '[]')")
    return found


def test_a_first_word_is_told_once_to_whoever_asked_and_does_not_look(browser: Browser, house: Server) -> None:
    writer, other = persona(house, "てがみ"), persona(house, "となり")
    with window(browser, house.address, persona=other) as page:
        page.context.add_init_script(RECORDING)
        reload(page)
        second = page.context.new_page()
        second.goto(f"{house.address}?persona={other}")
        enter(page, "settings")
        page.locator('#options [data-group="autonomy"]').click()
        wanted = page.locator("#letters-wanted")
        page.context.grant_permissions([])  # nothing: the person said no
        wanted.click()
        expect(wanted).not_to_be_checked()
        expect(page.locator("utatane-letters .said")).to_contain_text("お知らせを出さないように言われています")
        page.context.grant_permissions(["notifications"])
        wanted.click()
        expect(wanted).to_be_checked()
        expect(page.locator("utatane-letters .said")).to_have_text("")
        seen = "id => (localStorage['utatane.letters.seen'] || '').includes(id)"
        page.wait_for_function(seen, arg=write_first(house, writer, "見ているあいだの言葉"))
        assert told(page) == []
        for one in (page, second):
            leave(one)
        page.wait_for_function(seen, arg=write_first(house, writer, "ひみつの言葉"))
        page.wait_for_function("() => localStorage.told")
        assert told(page) == [{"title": "てがみから便りがあります", "body": "", "icon": "/page/app/icon-192.png"}]
        page.locator("#letters-words").check()
        write_first(house, other, "となりの言葉")
        page.wait_for_function("() => JSON.parse(localStorage.told).length > 1")
        assert [letter["body"] for letter in told(page)] == ["", "となりの言葉"]
        teller = page if page.evaluate("Boolean(window.last)") else second
        leave(teller, hidden=False)
        teller.evaluate("window.last.onclick()")
        is_neighbour = teller.evaluate("window.last.title").startswith(other)
        expect(teller.locator("#persona h1")).to_have_text(other if is_neighbour else writer)
        expect(teller.locator("#talk-room-button")).to_have_attribute("aria-selected", "true")
        expect(teller.locator("article").last).to_contain_text("となりの言葉" if is_neighbour else "ひみつの言葉")


def the_list(page: Page) -> Locator:
    """Return the list of keys, which names every room and can be used by everybody."""
    listed = page.locator("dialog.shortcuts")
    expect(listed).to_be_visible()
    for room in page.locator('#rooms [role="tab"][id$="-room-button"]').all_inner_texts():
        expect(listed.get_by_text(room, exact=True)).to_have_count(1)
    page.evaluate(axe_core())
    assert findings(page, "the list of keys") == []
    return listed


@pytest.mark.parametrize("lang", ["ja", "en"])
def test_all_of_it_can_be_done_by_keyboard(browser: Browser, house: Server, lang: str) -> None:
    with window(browser, house.address, lang=lang, persona="ねむ") as page:
        area, name = page.locator("#composer textarea"), page.locator("#persona h1")
        names = page.locator("#personas [data-persona]").evaluate_all("all => all.map(one => one.dataset.persona)")
        after = names[(names.index("ねむ") + 1) % len(names)]
        area.press_sequentially("j?/1")
        expect(area).to_have_value("j?/1")
        area.press("Alt+ArrowDown")
        expect(name).to_have_text(after)
        area.press("Alt+ArrowUp")
        expect(name).to_have_text("ねむ")
        expect(area).to_have_value("j?/1")
        area.press("Alt+Shift+Digit1")
        expect(name).to_have_text(names[0])
        area.press("Escape")
        expect(area).not_to_be_focused()
        page.keyboard.press("2")
        expect(name).to_have_text(names[1])
        page.keyboard.press("?")
        listed = the_list(page)
        page.keyboard.press("j")  # under the list nothing happens
        page.keyboard.press("Escape")
        expect(listed).to_have_count(0)
        expect(name).to_have_text(names[1])
        page.keyboard.press("g")
        page.keyboard.press("h")
        expect(page.locator("#heart-room-button")).to_be_focused()
        page.keyboard.press("Alt+PageDown")
        expect(page.locator("#dreams-room-button")).to_have_attribute("aria-selected", "true")
        page.keyboard.press("/")
        expect(page.locator("#memory-query")).to_be_focused()
        page.keyboard.press("Alt+Period")
        expect(area).to_be_focused()
        area.press("Escape")
        page.keyboard.press("Shift+?")
        listed.locator("label").nth(0).click()
        listed.locator("label").nth(1).click()
        page.keyboard.press("Escape")
        page.keyboard.press("1")
        area.fill(f"{lang}: ひとつ")
        area.press("Enter")
        area.press_sequentially("ふたつ")
        _enter_while_composing(page, control=True)
        expect(area).to_have_value(f"{lang}: ひとつ\nふたつ")
        area.press("Control+Enter")
        expect(page.locator("article.user .bubble").last).to_have_text(f"{lang}: ひとつ\nふたつ")
        expect(name).to_have_text(names[1])  # the single keys were switched off


def _enter_while_composing(page: Page, *, control: bool) -> None:
    """The Enter of a conversion, as Chrome and Firefox report it (isComposing), and as Safari does (the code 229)."""
    page.evaluate(
        """ctrlKey => {
            const area = document.querySelector('#composer textarea');
            const key = {key: 'Enter', code: 'Enter', ctrlKey, bubbles: true, cancelable: true};
            area.dispatchEvent(new KeyboardEvent('keydown', {...key, isComposing: true}));
            area.dispatchEvent(new KeyboardEvent('keydown', {...key, keyCode: 229}));
        }""",
        control,
    )


def test_on_a_mac_the_modifier_is_option_and_command(browser: Browser, house: Server) -> None:
    with window(browser, house.address, persona="ねむ") as page:
        page.context.add_init_script("Object.defineProperty(navigator, 'platform', {get: () => 'MacIntel'})")
        reload(page)
        area, name = page.locator("#composer textarea"), page.locator("#persona h1")
        names = page.locator("#personas [data-persona]").evaluate_all("all => all.map(one => one.dataset.persona)")
        area.press("Alt+ArrowDown")  # moves the caret there
        expect(name).to_have_text("ねむ")
        area.press("Alt+Meta+ArrowDown")
        expect(name).to_have_text(names[(names.index("ねむ") + 1) % len(names)])
        area.press("Alt+Meta+Digit1")
        expect(name).to_have_text(names[0])
        page.locator("utatane-keys button").click()
        expect(page.locator("dialog.shortcuts kbd").filter(has_text="⌥").first).to_be_visible()


def test_notices_do_not_pile_up_are_announced_and_go_by_keyboard(browser: Browser, house: Server) -> None:
    file = house.home / "settings.toml"
    before = file.read_text("utf-8")
    file.write_text(before + "".join(f"\n[mistake{number}]\nx = 1\n" for number in range(4)), "utf-8")
    try:
        with window(browser, house.address, size=PHONE, persona="ねむ") as page:
            shown, status = page.locator(".notices li:visible"), page.locator('body > .visually-hidden[role="status"]')
            expect(shown).to_have_count(2)
            expect(status).to_contain_text("mistake3")
            bottom = page.locator("#notices").bounding_box()
            area = page.locator("#composer textarea").bounding_box()
            assert bottom is not None
            assert area is not None
            assert bottom["y"] + bottom["height"] <= area["y"]
            shown.first.locator("button").press("Escape")
            expect(shown.first).to_contain_text("mistake1")
            expect(shown.first.locator("button")).to_be_focused()
            page.locator(".more-notices button").first.press("Enter")
            expect(shown).to_have_count(3)
            page.locator(".more-notices button").last.press("Enter")
            expect(shown).to_have_count(0)
            expect(page.locator("#composer textarea")).to_be_focused()
    finally:
        file.write_text(before, "utf-8")


def test_what_passes_by_in_the_corner_is_said_once_and_goes_with_escape(browser: Browser, house: Server) -> None:
    with window(browser, house.address, persona="ねむ") as page:
        page.locator("#personas .create").click()
        page.locator("#new-persona-name input, #new-persona-name textarea").fill("../x")
        for count in range(1, 4):
            page.locator("#new-persona-create").click()
            expect(page.locator(".toast-message-item")).to_have_count(count)
        expect(page.locator(".toast-message-item:visible")).to_have_count(1)
        expect(page.locator('body > .visually-hidden[role="alert"]')).to_contain_text("という名前は使えません")
        expect(page.locator(".toast-close")).to_have_attribute("aria-label", "このお知らせを閉じる")
        page.evaluate(axe_core())
        assert findings(page, "what passes by") == []
        page.keyboard.press("Escape")
        expect(page.locator(".toast-body")).to_have_count(0)
