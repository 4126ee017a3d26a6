"""The rooms beside the conversation: notes, what notices lead to, and the width of a phone."""

from pathlib import Path
from random import Random

from playwright.sync_api import Browser, Page, expect

from managers.personas import PersonaStore
from managers.storage.clock import SystemClock
from managers.storage.paths import Home, PersonaPaths
from tests.browser.accessibility import too_wide
from tests.browser.acting import edit_core_memory, open_fold, save, say
from tests.browser.serving import PHONE, Server, unused, window

EDITOR, SAVE = "#note textarea", "#note button.main"


def persona(server: Server, name: str, core_memory: str = "はじめの一行") -> PersonaPaths:
    store = PersonaStore(Home(server.home), SystemClock(), Random(4))
    return store.create(unused(server, name), language="ja", core_memory=core_memory).paths


def change_elsewhere(page: Page, paths: PersonaPaths, text: str) -> None:
    """Write in the page, then in an editor on the same file, and save the page's words."""
    page.locator(EDITOR).fill("ページで書いた")
    paths.core_memory.write_text(text, encoding="utf-8")
    page.locator(SAVE).click()
    expect(page.locator(".conflict pre")).to_have_text(text)


def test_a_note_that_changed_on_disk_shows_both_versions(browser: Browser, server: Server) -> None:
    paths = persona(server, "ノート")
    with window(browser, server, persona=paths.folder.name, room="notes/core_memory") as page:
        change_elsewhere(page, paths, "エディターで書いた")
        expect(page.locator(EDITOR)).to_have_value("ページで書いた")
        assert paths.core_memory.read_text(encoding="utf-8") == "エディターで書いた"
        page.locator('[name="keep_mine"]').click()
        expect(page.locator(".conflict")).to_have_count(0)
        expect(page.locator(EDITOR)).to_have_value("ページで書いた")
    assert paths.core_memory.read_text(encoding="utf-8").strip() == "ページで書いた"


def test_the_file_s_version_can_be_taken(browser: Browser, server: Server) -> None:
    paths = persona(server, "ファイル")
    with window(browser, server, persona=paths.folder.name, room="notes/core_memory") as page:
        change_elsewhere(page, paths, "こちらが正しい")
        page.locator(".conflict a").click()
        if page.locator(".ask").count():
            page.locator(".ask .yes").click()
        expect(page.locator(EDITOR)).to_have_value("こちらが正しい")
        expect(page.locator(".conflict")).to_have_count(0)


def test_a_change_is_explained_and_can_be_taken_back(browser: Browser, server: Server) -> None:
    paths = persona(server, "れきし")
    with window(browser, server, persona=paths.folder.name) as page:
        edit_core_memory(page, "はじめの一行\nあとの一行")
        entry = page.locator(".history li").first
        expect(entry).to_contain_text("あなた")
        open_fold(page, ".history li:first-child details", ".diff .added")
        expect(entry.locator(".diff .added").last).to_have_text("+あとの一行")
        page.locator('.history [value="undo"]').first.click()
        expect(page.locator(EDITOR)).to_have_value("はじめの一行")
        expect(page.locator('.history [value="redo"]').first).to_be_visible()
    assert paths.core_memory.read_text(encoding="utf-8") == "はじめの一行"


def test_unsaved_words_are_not_left_by_accident(browser: Browser, server: Server) -> None:
    paths = persona(server, "かきかけ")
    with window(browser, server, persona=paths.folder.name, room="notes/core_memory") as page:
        page.locator(EDITOR).press_sequentially("書きかけ")
        page.locator("#talk-tab").click()
        page.locator(".ask button.no").click()
        expect(page.locator(EDITOR)).to_be_visible()
        with page.expect_event("dialog") as asked:
            page.close(run_before_unload=True)
        assert asked.value.type == "beforeunload"
        asked.value.dismiss()
        page.locator(".segments a").nth(1).click()
        page.locator(".ask button.yes").click()
        expect(page.locator(EDITOR)).to_have_value("")
    assert paths.core_memory.read_text(encoding="utf-8") == "はじめの一行"


def test_a_note_is_written_without_scripts(browser: Browser, server: Server) -> None:
    paths = persona(server, "かみとペン")
    with window(browser, server, persona=paths.folder.name, room="notes", scripts=False) as page:
        page.locator(EDITOR).fill("紙に書くように")
        save(page, "#note")
        expect(page.locator(EDITOR)).to_have_value("紙に書くように")
    assert paths.core_memory.read_text(encoding="utf-8").strip() == "紙に書くように"


def test_a_settings_file_with_a_mistake_is_told_and_dismissed(browser: Browser, server: Server) -> None:
    file = Path(server.home) / "settings.toml"
    before = file.read_text(encoding="utf-8")
    file.write_text(before + "\n[konversation]\nx = 1\n", encoding="utf-8")
    try:
        with window(browser, server, persona="ねむ") as page:
            notice = page.locator(".notices li", has_text="konversation")  # of a busy machine there may be others
            notice.locator("[data-dismiss]").click()
            expect(notice).to_be_hidden()
            page.reload()
            expect(page.locator("#composer textarea")).to_be_visible()
            expect(notice).to_be_hidden()
    finally:
        file.write_text(before, encoding="utf-8")


def test_the_dreams_lead_to_their_switch(browser: Browser, server: Server) -> None:
    name = persona(server, "よふかし").folder.name
    PersonaStore(Home(server.home), SystemClock(), Random(4)).set_settings(name, "sleep", dreaming=False)
    with window(browser, server, persona=name, room="dreams") as page:
        page.locator('#sleep a[href*="settings"]').click()
        expect(page.locator("#option-sleep-dreaming")).to_be_in_viewport()


def test_at_phone_width_everything_fits_and_can_be_reached(browser: Browser, server: Server) -> None:
    with window(browser, server, size=PHONE, persona="ねむ") as page:
        say(page, "https://example.com/" + "a" * 300)
        assert too_wide(page) == []
        box = page.locator("#composer textarea").bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= PHONE[1]
        expect(page.locator("#rail")).to_be_hidden()
        page.locator("#head .menu").click()
        expect(page.locator("#rail")).to_be_visible()
        page.locator('#personas [data-persona="Hazel"]').click()
        expect(page.locator("#head .who")).to_have_text("Hazel")
        expect(page.locator("#rail")).to_be_hidden()
        page.locator("#persona-tab").click()
        expect(page.locator("#persona-tab")).to_be_in_viewport()  # of a row that goes on beyond the edge
