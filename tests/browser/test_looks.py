"""The page as it looks, kept as pictures: both languages, both looks, both sizes."""

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.acting import enter, say
from tests.browser.serving import ARTIFACTS, DESKTOP, PHONE, Server, window
from ui.theme import PALETTE

ROOMS = ("notes", "persona", "settings")
PERSONAS = {"ja": "ねむ", "en": "Hazel"}
LINES = {"ja": "今日は夕焼けがきれいだったよ。", "en": "There was a beautiful sunset today."}


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["1440x900", "390x844"])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("lang", ["ja", "en"])
def test_every_room_in_every_look(
    browser: Browser, server: Server, lang: str, dark: bool, size: tuple[int, int]
) -> None:
    ARTIFACTS.mkdir(exist_ok=True)
    name = f"{lang}-{'dark' if dark else 'light'}-{size[0]}x{size[1]}"
    with window(browser, server.address, lang=lang, dark=dark, size=size, persona=PERSONAS[lang]) as page:
        if not dark:
            say(page, LINES[lang])
        expect(page.locator(".mind-chip")).to_be_visible()
        page.screenshot(path=ARTIFACTS / f"talk-{name}.png")
        paper = page.evaluate("getComputedStyle(document.body).getPropertyValue('--paper').trim()")
        assert paper == PALETTE["paper"][int(dark)]
        for room in ROOMS:
            enter(page, room)
            page.wait_for_timeout(400)
            page.screenshot(path=ARTIFACTS / f"{room}-{name}.png")
