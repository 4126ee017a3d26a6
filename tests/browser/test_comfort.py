"""Everyday comfort: by keyboard, with notices that let one go on."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.accessibility import problems
from tests.browser.acting import enter_while_composing
from tests.browser.serving import PHONE, Server, window


def names_of(page: Page) -> list[str]:
    names: list[str] = page.locator("#personas [data-persona]").evaluate_all(
        "all => all.map(one => one.dataset.persona)"
    )
    return names


def the_list(page: Page) -> Locator:
    """Return the list of keys, which names every room and can be used by everybody."""
    listed = page.locator("dialog.shortcuts")
    expect(listed).to_be_visible()
    for room in page.locator("#rooms a").all_inner_texts():
        expect(listed.get_by_text(room, exact=True)).to_have_count(1)
    assert problems(page, "the list of keys") == []
    return listed


def test_all_of_it_can_be_done_by_keyboard(browser: Browser, server: Server) -> None:
    with window(browser, server, lang="ja", persona="ねむ") as page:
        area, name, names = page.locator("#composer textarea"), page.locator("#head .who"), names_of(page)
        expect(area).to_be_focused()
        area.press_sequentially("j?/1")
        expect(area).to_have_value("j?/1")
        area.press("Alt+ArrowDown")
        expect(name).to_have_text(names[(names.index("ねむ") + 1) % len(names)])
        area.press("Alt+ArrowUp")
        expect(name).to_have_text("ねむ")
        expect(area).to_have_value("j?/1")  # what is not sent waits where it was written
        area.press("Alt+Shift+Digit1")
        expect(name).to_have_text(names[0])
        area.press("Escape")
        expect(area).not_to_be_focused()
        page.keyboard.press("2")
        expect(name).to_have_text(names[1])
        area.press("Escape")
        page.keyboard.press("?")
        listed = the_list(page)
        page.keyboard.press("j")  # under the list nothing happens
        page.keyboard.press("Escape")
        expect(listed).to_have_count(0)
        expect(name).to_have_text(names[1])
        page.keyboard.press("g")
        page.keyboard.press("h")
        expect(page.locator('.scripted #heart-tab[aria-current="page"]')).to_be_visible()
        page.keyboard.press("Alt+PageDown")
        expect(page.locator('.scripted #dreams-tab[aria-current="page"]')).to_be_visible()
        page.keyboard.press("/")
        expect(page.locator(".scripted #memory-query")).to_be_focused()
        page.keyboard.press("Alt+Period")
        expect(area).to_be_focused()


def test_what_sends_and_what_single_keys_do_is_chosen(browser: Browser, server: Server) -> None:
    with window(browser, server, lang="en", persona="Hazel") as page:
        area, listed = page.locator("#composer textarea"), page.locator("dialog.shortcuts")
        area.press("Escape")
        page.keyboard.press("Shift+?")
        listed.locator("label").nth(0).click()
        listed.locator("label").nth(1).click()
        page.keyboard.press("Escape")
        page.keyboard.press("2")
        area.fill("One")
        area.press("Enter")
        area.press_sequentially("two")
        enter_while_composing(page)
        expect(area).to_have_value("One\ntwo")
        area.press("Control+Enter")
        expect(page.locator("article.user .bubble").last).to_have_text("One\ntwo")
        expect(page.locator("#head .who")).to_have_text("Hazel")  # the single keys were switched off


def test_on_a_mac_the_modifier_is_option_and_command(browser: Browser, server: Server) -> None:
    with window(browser, server, persona="ねむ") as page:
        page.context.add_init_script("Object.defineProperty(navigator, 'platform', {get: () => 'MacIntel'})")
        page.reload()
        area, name, names = page.locator("#composer textarea"), page.locator("#head .who"), names_of(page)
        area.press("Alt+ArrowDown")  # moves the caret there
        expect(name).to_have_text("ねむ")
        area.press("Alt+Meta+ArrowDown")
        expect(name).to_have_text(names[(names.index("ねむ") + 1) % len(names)])
        area.press("Alt+Meta+Digit1")
        expect(name).to_have_text(names[0])
        page.locator("[data-keys]").click()
        expect(page.locator("dialog.shortcuts kbd").filter(has_text="⌥").first).to_be_visible()


@pytest.fixture
def mistaken(server: Server) -> Iterator[Server]:
    """The server with four mistakes in its settings, each of which is a notice."""
    file = Path(server.home) / "settings.toml"
    before = file.read_text("utf-8")
    file.write_text(before + "".join(f"\n[mistake{number}]\nx = 1\n" for number in range(4)), "utf-8")
    yield server
    file.write_text(before, "utf-8")


def test_notices_do_not_pile_up_are_announced_and_go_by_keyboard(browser: Browser, mistaken: Server) -> None:
    with window(browser, mistaken, size=PHONE, persona="ねむ") as page:
        shown = page.locator(".notices li:visible")
        expect(shown).to_have_count(2)
        expect(page.locator('body > .visually-hidden[role="status"]')).to_contain_text("mistake3")
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


def test_what_passes_by_in_the_corner_is_said_once_and_goes_with_escape(browser: Browser, server: Server) -> None:
    with window(browser, server, room="new", tolerate=True) as page:
        page.locator("#persona-name").fill("../x")
        told = page.locator("#told .told")
        for _ in range(3):
            page.locator("#new-persona button.main").click()
            page.wait_for_function("() => !document.querySelector('form[aria-busy]')")
            expect(told).to_have_count(1)
        expect(page.locator("#told [role=alert]")).to_contain_text("という名前は使えません")
        expect(told.locator("button")).to_have_attribute("aria-label", "このお知らせを閉じる")
        assert problems(page, "what passes by") == []
        page.keyboard.press("Escape")
        expect(told).to_have_count(0)
        expect(page.locator("#persona-name")).to_have_value("../x")
