"""The map of memory is saved and looked at closer, and the network says what ties two."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path
from urllib.parse import unquote

from playwright.sync_api import Browser, expect

from tests.browser.accessibility import problems
from tests.browser.serving import PHONE, Server, window
from tests.browser.test_journeys_rooms import FRIENDS, TOGETHER, remember_evenings, sky


def test_the_map_is_saved_looked_at_closer_and_along_time(browser: Browser, server: Server, tmp_path: Path) -> None:
    remember_evenings(server, name := "地図帳", "ja")
    with window(browser, server, persona=name, room="memories/map") as page:
        panel, part = page.locator("#panel"), sky(page).locator(".star")
        expect(part).to_have_count(34)
        # The picture is saved as it is seen, with its colours in it.
        page.locator(".starry .export summary").click()
        with page.expect_download() as download:
            page.locator('[data-export="svg"]').click()
        saved = tmp_path / "map.svg"
        download.value.save_as(saved)
        assert len(ET.parse(saved).getroot().findall(".//{*}a[@class]")) >= 34
        assert "var(" not in saved.read_text("utf-8")
        # Closer, along time, and back to the whole.
        panel.locator(".lines a").first.click()
        expect(page.locator(".shelf .buttons a").first).to_be_visible()
        expect(part).not_to_have_count(34)
        page.locator(".part-head .choice a:not([aria-current])").click()
        expect(page).to_have_url(re.compile("by=time"))
        page.locator(".shelf .buttons a").first.click()
        expect(part).to_have_count(34)


def test_one_asks_what_ties_two(browser: Browser, server: Server) -> None:
    remember_evenings(server, name := "Ring", "en")
    one = FRIENDS["en"][0]
    with window(browser, server, persona=name, room="memories/network", lang="en", size=PHONE, dark=True) as page:
        expect(sky(page).locator(".star")).to_have_count(2)
        panel = page.locator("#panel")
        panel.locator(".lines a").click()
        expect(panel.locator(".near > li")).to_have_count(2)
        expect(panel.locator(".near > li").first).to_contain_text(TOGETHER["en"])
        expect(sky(page).locator(".tie")).to_have_attribute("aria-current", "true")
        assert problems(page, "network") == []
        star = sky(page).locator(".star").nth(1)
        shown = star.get_attribute("href") or ""
        star.focus()
        page.keyboard.press("Enter")
        expect(panel.locator("h2")).to_have_text(unquote(shown.removeprefix("?who=")))
        panel.locator(".buttons a").nth(1).click()
        expect(page.locator(".shelf h1")).to_contain_text(unquote(shown.removeprefix("?who=")))
        page.locator('.lookup [name="query"]').fill(one)
        page.locator('.lookup [name="query"]').press("Enter")
        expect(page.locator(".shelf h1")).to_contain_text(one)
        sky(page).locator(".star").first.focus()  # the one in the middle
        page.keyboard.press("Enter")
        panel.locator("a.yes").click()
        expect(page.locator(".shelf h1")).to_have_text(one)
