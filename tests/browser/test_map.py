"""The map of memory and the network of entities, as somebody uses them who would rather look than read."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from agent.services import open_services
from managers.memory.episodes import Episode
from managers.storage.paths import Home
from tests.browser.accessibility import axe_core, findings, too_wide
from tests.browser.acting import enter
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
    memories = services.companion(name).memories
    first = datetime.now().replace(microsecond=0) - timedelta(days=40)
    for day in range(30):
        for number in range(3):
            text = f"{EVENINGS[lang][day % 3]} ({day + 1})"
            memories.log.append("user", "Mina", text, time=first + timedelta(days=day, minutes=number))
    memories.log.append("user", "Mina", TOGETHER[lang], time=first + timedelta(days=31))
    last = (first + timedelta(days=31)).date()
    memories.episodes.save(Episode(date=last, summary=TOGETHER[lang]), author="dream", reason="night")
    for friend in FRIENDS[lang]:
        memories.entities.note(friend, TOGETHER[lang], author="dream", mind="built-in", kind="person")
    memories.recall.catch_up()
    services.close()


def shelf(page: Page, name: str) -> None:
    enter(page, "memories")
    button = page.locator(f'#memories .shelves [data-shelf="{name}"]')
    expect(button).to_be_visible()
    expect(page.locator("#memory-query")).to_be_visible()  # the room has been drawn, and is not drawn once more
    button.click()
    expect(sky(page)).to_be_visible()


def sky(page: Page) -> Locator:
    return page.locator("svg.sky:visible")


@pytest.mark.parametrize(("lang", "size", "dark"), [("ja", PHONE, True), ("en", DESKTOP, False)])
def test_one_looks_around_on_the_map(
    browser: Browser, server: Server, tmp_path: Path, lang: str, size: tuple[int, int], dark: bool
) -> None:
    live(server, name := unused(server, f"地図{lang}"), lang)
    axe = axe_core()
    with window(browser, server.address, persona=name, lang=lang, size=size, dark=dark) as page:
        shelf(page, "map")
        expect(sky(page).locator(".star")).to_have_count(30 + 4)
        beside = page.locator(".beside")
        # By keyboard: into the picture, to another dot, what it says, and back.
        sky(page).locator('.star[tabindex="0"]').focus()
        page.keyboard.press("End")
        focused = sky(page).locator('.star[tabindex="0"]')
        expect(focused).to_be_focused()
        page.keyboard.press("Enter")
        row = beside.locator(".near > li").first
        expect(row).to_be_visible()
        expect(beside.locator("h4").first).to_be_focused()
        expect(focused).to_have_attribute("aria-pressed", "true")
        page.keyboard.press("Escape")
        expect(focused).to_be_focused()
        # A stretch of conversation opens in its place.
        sky(page).locator('.star[data-key^="talk"]').first.dispatch_event("click")
        row.locator("details.around summary").click()
        expect(row.locator(".in-place [aria-current]")).to_be_visible()
        page.evaluate(axe)
        assert not [str(one) for one in findings(page, f"map {lang}")]
        assert not too_wide(page)
        # What lies outside of the chosen time fades.
        page.locator(".when .until").fill(page.locator(".when .until").get_attribute("min") or "")
        expect(sky(page).locator(".star.faded")).not_to_have_count(0)
        expect(sky(page).locator(".star:not(.faded)")).not_to_have_count(0)
        # The picture is saved as it is seen, with its colours in it.
        page.locator(".starry .export summary").click()
        with page.expect_download() as download:
            page.locator('[data-export="svg"]').click()
        saved = tmp_path / "map.svg"
        download.value.save_as(saved)
        assert len(ET.parse(saved).getroot().findall(".//{*}g[@class]")) >= 34
        assert "var(" not in saved.read_text("utf-8")
        # Closer, along time, and back to the whole.
        beside.locator("[data-close]").click()
        beside.locator(".regions button").first.click()
        expect(page.locator(".shelf h3")).to_be_focused()
        part = sky(page).locator(".star")
        expect(part).not_to_have_count(34)
        page.locator('.above [aria-pressed="false"]').click()
        expect(page.locator('.above .choice [data-item^="time"]')).to_have_attribute("aria-pressed", "true")
        page.locator(".above .deeds button").first.click()
        expect(part).to_have_count(34)


@pytest.mark.parametrize(("lang", "size", "dark"), [("ja", DESKTOP, False), ("en", PHONE, True)])
def test_one_asks_what_ties_two(browser: Browser, server: Server, lang: str, size: tuple[int, int], dark: bool) -> None:
    live(server, name := unused(server, f"輪{lang}"), lang)
    (one, other), axe = FRIENDS[lang], axe_core()
    with window(browser, server.address, persona=name, lang=lang, size=size, dark=dark) as page:
        shelf(page, "network")
        expect(sky(page).locator(".star")).to_have_count(2)
        beside = page.locator(".beside")
        beside.locator("button[data-one]").click()
        expect(beside.locator(".near > li")).to_have_count(2)
        expect(beside.locator(".near > li").first).to_contain_text(TOGETHER[lang])
        expect(sky(page).locator(".tie")).to_have_attribute("aria-pressed", "true")
        page.evaluate(axe)
        assert not [str(one) for one in findings(page, f"network {lang}")]
        assert not too_wide(page)
        star = sky(page).locator(f'.star[data-name="{other}"]')
        star.focus()
        page.keyboard.press("Enter")
        expect(beside.locator("h4").first).to_have_text(other)
        beside.locator('[data-shelf="network"]').click()
        expect(page.locator(".shelf h3")).to_contain_text(other)
        page.locator("#network-query").fill(one)
        page.locator("#network-query").press("Enter")
        expect(page.locator(".shelf h3")).to_contain_text(one)
        sky(page).locator(f'.star[data-name="{one}"]').dispatch_event("click")
        beside.locator("button.primary").click()
        expect(page.locator('.shelf[data-place^="entities/"] h3')).to_have_text(one)
