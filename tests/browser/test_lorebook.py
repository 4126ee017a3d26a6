"""The lorebook and the greetings to choose from, in a real browser: for everybody, on a phone, without scripts."""

import json
from random import Random

from playwright.sync_api import Browser, Page, expect

from managers.personas import PersonaStore
from managers.storage.clock import SystemClock
from managers.storage.paths import Home, PersonaPaths
from tests.browser.accessibility import axe_core, findings, too_small, too_wide
from tests.browser.acting import say
from tests.browser.serving import PHONE, Server, window

LONG = "https://example.com/" + "a" * 200


def persona(server: Server, name: str) -> PersonaPaths:
    personas = PersonaStore(Home(server.home), SystemClock(), Random(4))
    personas.create(name, language="ja", greeting="はじめまして、{{user}}。")
    personas.set_alternate_greetings(name, ["ひさしぶり。"])
    return personas.get(name).paths


def problems(page: Page, where: str) -> list[str]:
    page.evaluate(axe_core())
    return [str(one) for one in findings(page, where)] + [
        f"{where}: {part}" for part in (*too_wide(page), *too_small(page))
    ]


def test_an_entry_is_written_and_edited_on_a_phone(browser: Browser, server: Server) -> None:
    axe_core()
    paths = persona(server, "しるし")
    with window(browser, server, persona="しるし", room="memories/lorebook", size=PHONE) as page:
        page.locator("details.new summary").click()
        page.locator('#lore-new [name="keys"]').fill(f"灯台\n{LONG}")
        page.locator('#lore-new [name="content"]').fill(f"海辺に立つ。{LONG}")
        wrong = problems(page, "adding")
        page.locator("#lore-new button").click()
        expect(page.locator("#entry-0")).to_contain_text("海辺に立つ")
        page.locator("details.fold summary").last.click()
        wrong += problems(page, "shelf")
        page.locator("#entry-0 a").click()
        page.locator("#memory-editor details summary").click()
        page.locator('#memory-editor [name="sticky"]').fill("3")
        wrong += problems(page, "editor")
        page.locator("#memory-editor .main").click()
        expect(page.locator("#entry-0")).to_be_visible()
        assert not wrong, "\n".join(wrong)
    (entry,) = json.loads(paths.lorebook.read_text("utf-8"))["entries"]
    assert (entry["keys"], entry["extensions"]) == (["灯台", LONG], {"sticky": 3})


def test_entries_are_switched_off_and_removed_without_scripts(browser: Browser, server: Server) -> None:
    paths = persona(server, "かきとめ")
    paths.lorebook.write_text(
        json.dumps({"entries": [{"keys": ["a"], "content": "A"}, {"keys": ["b"], "content": "B"}]})
    )
    with window(browser, server, persona="かきとめ", room="memories/lorebook", scripts=False) as page:
        page.locator('#entry-0 [formaction$="/switch"]').click()
        expect(page.locator("#entry-0 .kind")).to_be_visible()
        page.locator("#entry-1 .danger").click()
        expect(page.locator("#entry-1")).to_be_hidden()
    (entry,) = json.loads(paths.lorebook.read_text("utf-8"))["entries"]
    assert (entry["content"], entry["enabled"]) == ("A", False)


def test_one_leafs_through_the_greetings_before_anything_is_said(browser: Browser, server: Server) -> None:
    axe_core()
    persona(server, "めくる")
    with window(browser, server, persona="めくる", size=PHONE) as page:
        expect(page.locator(".opening .bubble")).not_to_contain_text("{{")
        page.locator(".opening .swipes .after").click()
        expect(page.locator(".opening .bubble")).to_have_text("ひさしぶり。")
        wrong = problems(page, "opening")
        say(page, "ただいま")
        expect(page.locator("article.persona .bubble").first).to_have_text("ひさしぶり。")
        assert not wrong, "\n".join(wrong)
