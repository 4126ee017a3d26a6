"""The map of memory and the network of entities, as somebody uses them who would rather look than read."""

import re
import xml.etree.ElementTree as ET
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from urllib.parse import unquote

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from agent.services import open_services
from managers.memory.episodes import Episode
from managers.storage.paths import Home
from tests.browser.accessibility import axe_core, findings, too_wide
from tests.browser.acting import SECONDS
from tests.browser.serving import DESKTOP, PHONE, Server, unused, window

EVENINGS = {
    "ja": (
        "庭のレモンの木とバラの剪定、それから堆肥の話をした。",
        "ヨットの帆と灯台、港の潮の話をした。",
        "パンの酵母とオーブン、クロワッサンの話をした。",
    ),
    "en": (
        "We spoke of the lemon tree, of pruning roses and of compost.",
        "We spoke of sails and the lighthouse, of the harbour and its tide.",
        "We spoke of yeast and the oven, of croissants and sourdough.",
    ),
}
FRIENDS = {"ja": ("田中さん", "モモ"), "en": ("Mia", "Oskar")}
TOGETHER = {"ja": "田中さんとモモは、いっしょに川へ行った。", "en": "Mia and Oskar went to the river together."}


def live(server: Server, name: str, lang: str) -> None:
    """Let a persona remember some evenings, a page of a day, and two friends."""
    services = open_services(Home(server.home), rng=Random(8))
    services.personas.create(name, language=lang, user_name="Mina")  # type: ignore[arg-type]  # ja or en
    services.personas.set_settings(name, "sleep", dreaming=False)  # nights that were missed would be made up for
    memories = services.companion(name).memories
    noon = datetime.now().replace(hour=12, minute=0, second=0, microsecond=0)
    first = noon - timedelta(days=40)
    for day in range(30):
        for number in range(3):
            text = f"{EVENINGS[lang][day % 3]} ({day + 1})"
            memories.log.append("user", "Mina", text, time=first + timedelta(days=day, minutes=number))
    memories.log.append("user", "Mina", TOGETHER[lang], time=first + timedelta(days=31))
    last = (first + timedelta(days=31)).date()
    memories.episodes.save(Episode(date=last, summary=TOGETHER[lang]), author="dream", reason="night")
    for friend in FRIENDS[lang]:
        memories.entities.note(friend, TOGETHER[lang], author="dream", mind="built-in", kind="person")
    services.companion(name).settle()  # old days are put into archives before they are indexed
    memories.recall.catch_up()
    services.close()


def sky(page: Page) -> Locator:
    return page.locator("svg.sky:visible")


def sound(page: Page, where: str) -> None:
    """Everybody can use what is there, and nothing of it is too wide."""
    page.evaluate(axe_core())
    assert not [str(one) for one in findings(page, where)]
    assert not too_wide(page)


@pytest.mark.parametrize(("lang", "size", "dark"), [("ja", PHONE, True), ("en", DESKTOP, False)])
def test_one_looks_around_on_the_map(
    browser: Browser, server: Server, lang: str, size: tuple[int, int], dark: bool
) -> None:
    live(server, name := unused(server, f"地図{lang}"), lang)
    with window(browser, server, persona=name, room="memories/map", lang=lang, size=size, dark=dark) as page:
        expect(sky(page).locator(".star")).to_have_count(30 + 4)  # it came by itself when it was drawn
        panel = page.locator("#panel")
        # By keyboard: one stop of the tab key, to another dot, what it says, and back.
        expect(sky(page).locator('[tabindex="0"]')).to_have_count(1)
        sky(page).locator('[tabindex="0"]').focus()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("End")
        focused = sky(page).locator('.star[tabindex="0"]')
        expect(focused).to_be_focused()
        expect(page.locator(".sky-tip")).to_have_text(focused.get_attribute("aria-label") or "")
        page.keyboard.press("Enter")
        row = panel.locator(".near > li").first
        expect(row).to_be_visible()
        expect(panel.locator("h2")).to_be_focused()
        expect(focused).to_have_attribute("aria-current", "true")
        page.keyboard.press("Escape")
        expect(focused).to_be_focused()
        expect(row).to_have_count(0)
        # What was open has an address: back leads to it, and it is there after loading it anew.
        page.go_back()
        expect(row).to_be_visible()
        page.reload()
        expect(row).to_be_visible()
        # A stretch of conversation opens in its place, also for whoever points beside the dot.
        talk = sky(page).locator('.star[href*="dot=talk"]').first
        talk.evaluate("dot => dot.scrollIntoView({ block: 'center' })")
        box = talk.locator(".seen").bounding_box()
        assert box is not None
        page.mouse.click(box["x"] - 3, box["y"] + box["height"] / 2)
        expect(page).to_have_url(re.compile("dot=talk"))
        row.locator("summary").click()
        expect(row.locator(".in-place [aria-current]")).to_be_visible()
        sound(page, f"map {lang}")
        # What lies outside of the chosen time fades, and stays so when the page is drawn anew.
        page.locator(".when .until").fill(page.locator(".when .until").get_attribute("min") or "")
        expect(sky(page).locator(".star.faded")).not_to_have_count(0)
        expect(sky(page).locator(".star:not(.faded)")).not_to_have_count(0)
        panel.locator("[data-close]").click()
        expect(panel.locator(".lines a").first).to_be_visible()
        expect(sky(page).locator(".star.faded")).not_to_have_count(0)


def test_the_map_is_saved_looked_at_closer_and_along_time(browser: Browser, server: Server, tmp_path: Path) -> None:
    live(server, name := unused(server, "地図帳"), "ja")
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


@pytest.mark.parametrize(("lang", "size", "dark"), [("ja", DESKTOP, False), ("en", PHONE, True)])
def test_one_asks_what_ties_two(browser: Browser, server: Server, lang: str, size: tuple[int, int], dark: bool) -> None:
    live(server, name := unused(server, f"輪{lang}"), lang)
    one = FRIENDS[lang][0]
    with window(browser, server, persona=name, room="memories/network", lang=lang, size=size, dark=dark) as page:
        expect(sky(page).locator(".star")).to_have_count(2)
        panel = page.locator("#panel")
        panel.locator(".lines a").click()
        expect(panel.locator(".near > li")).to_have_count(2)
        expect(panel.locator(".near > li").first).to_contain_text(TOGETHER[lang])
        expect(sky(page).locator(".tie")).to_have_attribute("aria-current", "true")
        sound(page, f"network {lang}")
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


def test_without_scripts_a_dot_is_a_link_to_its_memory(browser: Browser, server: Server) -> None:
    live(server, name := unused(server, "地図紙"), "ja")
    with window(browser, server, persona=name, room="memories/map/0", scripts=False) as page:
        while page.locator(".drawing").count():
            page.locator(".drawing a").click()
        star = sky(page).locator('.star[href*="dot=talk"]').first
        for _ in range(SECONDS // 500):  # without scripts one asks again until what was said last is on it
            if star.count():
                break
            page.wait_for_timeout(500)
            page.reload()
        star.click(force=True)
        expect(page.locator("#panel .near > li").first).to_be_visible()
        page.locator("#panel [data-close]").click()
        expect(page.locator("#panel .near")).to_have_count(0)
