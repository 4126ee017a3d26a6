"""The memories as a person uses them."""

from datetime import datetime
from random import Random

import pytest
from playwright.sync_api import Browser, Page, expect

from agent.services import open_services
from managers.memory.episodes import Episode
from managers.storage.paths import Home
from tests.browser.accessibility import too_wide
from tests.browser.acting import enter, save, say
from tests.browser.serving import DESKTOP, PHONE, Server, unused, window

SAID = "庭のレモンの木に、きのう青い実が三つついたよ。"


def persona(server: Server, name: str, lang: str = "ja") -> None:
    """Make a persona that was told something, as the command line would."""
    services = open_services(Home(server.home), rng=Random(6))
    services.personas.create(name, language="ja" if lang == "ja" else "en", user_name="ミナ")
    memories = services.companion(name).memories
    said = memories.log.append("user", "ミナ", SAID)
    memories.log.append("persona", name, "三つも。楽しみだね。")
    tree, where = ("レモンの木", "庭にある") if lang == "ja" else ("Lemon tree", "It stands in the garden")
    memories.entities.note(tree, where, author="dream", mind="built-in", evidence=[said.id], kind="thing")
    today = datetime.now().date()
    day = Episode(date=today, summary="レモンの話をした。", evidence=[said.id], mind="built-in").sealed()
    memories.apply({memories.episodes.path(today): day.dump()}, author="dream", reason="night")
    memories.recall.catch_up()
    services.close()


def shelf(page: Page, name: str) -> None:
    """Go to a shelf by its link."""
    page.locator(f".shelves a:has(.shelf-{name}):visible").click()
    expect(page.locator(f'.shelves a[aria-current="page"]:has(.shelf-{name})')).to_be_visible()


@pytest.mark.parametrize(("lang", "size", "dark"), [("ja", DESKTOP, False), ("en", PHONE, True)])
def test_a_memory_is_found_read_in_its_place_and_left_again(
    browser: Browser, server: Server, lang: str, size: tuple[int, int], dark: bool
) -> None:
    name = unused(server, f"さがしもの{lang}")
    persona(server, name, lang)
    with window(browser, server, persona=name, lang=lang, size=size, dark=dark) as page:
        enter(page, "memories")
        page.locator("#memory-query").fill("レモンの木")
        page.locator("#memory-query").press("Enter")
        hit = page.locator(".found > li", has_text=SAID)
        hit.locator("summary").click()
        expect(hit.locator(".in-place [aria-current]")).to_contain_text(SAID)
        expect(hit.locator(".in-place")).to_contain_text("楽しみだね")
        page.locator(".found li a.small").first.click()
        expect(page.locator("#memory-query")).to_have_count(0)
        page.go_back()
        expect(page.locator("#memory-query")).to_have_value("レモンの木")
        expect(hit).to_be_visible()
        assert not too_wide(page)


def test_the_key_for_searching_leads_to_the_field_from_anywhere(browser: Browser, server: Server) -> None:
    name = unused(server, "鍵の人")
    persona(server, name)
    with window(browser, server, persona=name, room="memories/diary") as page:
        page.locator("h1").click()
        page.keyboard.press("/")
        expect(page.locator("#memory-query")).to_be_focused()
        page.keyboard.type("レモン")
        page.keyboard.press("Enter")
        expect(page.locator(".found > li").first).to_be_visible()


EDITED = {
    "ja": (
        "レモンの木",
        "レモンの木の名前はシトロンヌという。",
        "レモンの木の名前、なんていったか覚えてる?",
        "シトロンヌ",
    ),
    "en": (
        "Lemon tree",
        "The lemon tree is called Citronelle.",
        "Do you remember what the lemon tree is called?",
        "Citronelle",
    ),
}
LOOKS = [("ja", PHONE, True), ("en", DESKTOP, False)]


@pytest.mark.parametrize(("lang", "size", "dark"), LOOKS)
def test_an_edited_entity_is_what_the_next_answer_uses(
    browser: Browser, server: Server, lang: str, size: tuple[int, int], dark: bool
) -> None:
    entity, text, question, answer = EDITED[lang]
    name = unused(server, f"なおし手{lang}")
    persona(server, name, lang)
    with window(browser, server, lang=lang, size=size, dark=dark, persona=name, room="memories/people") as page:
        page.locator(".cards a", has_text=entity).click()
        page.locator('.shelf a[href$="edit=1"]').click()
        area = page.locator("#memory-editor textarea")
        area.fill(text)
        page.locator("#memory-editor a.small").click()
        page.locator(".ask button.no").click()
        expect(area).to_have_value(text)
        save(page, "#memory-editor")
        expect(page.locator(".words.own")).to_have_text(text)
        enter(page, "talk")
        say(page, question)
        expect(page.locator("article.persona").last).to_contain_text(answer)


def test_what_is_forgotten_is_gone_and_comes_back(browser: Browser, server: Server) -> None:
    name = unused(server, "わすれんぼ")
    persona(server, name)
    with window(browser, server, persona=name, room="memories/days") as page:
        page.locator(".shelf .lines a").first.click()
        page.locator(".shelf button.danger").click()
        page.locator(".ask button.yes").click()
        expect(page.locator(".shelf .nothing")).to_be_visible()
        shelf(page, "forgotten")
        row = page.locator(".history li")
        row.locator("button").click()
        expect(row).to_have_count(0)
        shelf(page, "days")
        expect(page.locator(".shelf .lines a")).to_have_count(1)


def test_the_shelves_work_without_scripts(browser: Browser, server: Server) -> None:
    name = unused(server, "紙の人")
    persona(server, name)
    with window(browser, server, persona=name, room="memories/people", scripts=False) as page:
        page.locator(".cards a").first.click()
        page.locator('[name="on"]').click()
        expect(page.locator(".pinned")).to_be_visible()
        page.locator(".evidence > summary").first.click()
        page.locator(".evidence .fold summary").first.click()
        page.locator(".evidence .fold a").first.click()
        expect(page.locator(".in-place [aria-current]")).to_contain_text(SAID)
        page.go_back()
        page.locator("button.danger").click()
        expect(page.locator(".cards")).to_have_count(0)
