"""What is done in a room is done to whose things it shows, and no word is lost while others are saved."""

from random import Random

from playwright.sync_api import Browser, expect

from managers.personas import PersonaStore
from managers.storage.clock import SystemClock
from managers.storage.paths import Home
from tests.browser.acting import hold_back, let_go, save
from tests.browser.serving import Server, unused, visit, window
from ui.server.addresses import address_of

NOTE, CORE = "#note textarea", "notes/core_memory"


def store(server: Server) -> PersonaStore:
    return PersonaStore(Home(server.home), SystemClock(), Random(5))


def persona(server: Server, name: str) -> str:
    name = unused(server, name)
    return store(server).create(name, language="ja", core_memory=f"{name}の核").name


def core(server: Server, name: str) -> str:
    return Home(server.home).persona(name).core_memory.read_text("utf-8").strip()


def test_each_window_saves_what_it_shows_for_whom_it_shows(browser: Browser, server: Server) -> None:
    first, other = persona(server, "こちら"), persona(server, "あちら")
    with window(browser, server, persona=first, room=CORE) as page:
        beside, notepad = page.context.new_page(), page.context.new_page()
        visit(beside, server, address_of(other, CORE).lstrip("/"))
        visit(notepad, server, address_of(first, "notes/notepad").lstrip("/"))
        for window_of, words in ((page, "こちらの言葉"), (beside, "あちらの言葉"), (notepad, "こちらのメモ")):
            window_of.locator(NOTE).fill(words)
        for one in (notepad, page, beside):
            save(one, "#note")
    assert (core(server, first), core(server, other)) == ("こちらの言葉", "あちらの言葉")
    assert (Home(server.home).persona(first).folder / "notepad.txt").read_text("utf-8").strip() == "こちらのメモ"


def test_another_window_follows_but_keeps_what_is_being_written_there(browser: Browser, server: Server) -> None:
    name = persona(server, "ふたまど")
    with window(browser, server, persona=name, room=CORE) as page:
        idle, busy = page.context.new_page(), page.context.new_page()
        for one in (idle, busy):
            visit(one, server, address_of(name, CORE).lstrip("/"))
        busy.locator(NOTE).fill("書きかけ")
        page.locator(NOTE).fill("新しい核")
        save(page, "#note")
        expect(idle.locator(NOTE)).to_have_value("新しい核")
        expect(busy.locator(".history li")).to_have_count(2)  # the page beside the words is new
        expect(busy.locator(NOTE)).to_have_value("書きかけ")
        busy.locator("#note button.main").click()
        expect(busy.locator(".conflict pre")).to_have_text("新しい核")
        expect(busy.locator(NOTE)).to_have_value("書きかけ")
    assert core(server, name) == "新しい核"


def test_what_is_written_while_it_is_being_saved_stays_and_is_no_conflict(browser: Browser, server: Server) -> None:
    name = persona(server, "かきもの")
    with window(browser, server, persona=name, room=CORE) as page:
        held = hold_back(page, "**/core_memory")
        field = page.locator(NOTE)
        field.fill("いろ")
        with page.expect_request("**/core_memory"):
            page.locator("#note button.main").click()
        field.press("End")
        field.press_sequentially("は")
        page.locator("#note button.main").dblclick()  # while the first is under way: nothing is sent twice
        let_go(page, held)
        expect(page.locator("#told .told")).to_be_visible()
        expect(field).to_have_value("いろは")
        assert (core(server, name), len(held)) == ("いろ", 1)
        assert page.evaluate("utatane.isUnsaved()")
        with page.expect_request("**/core_memory"):
            page.locator("#note button.main").click()
        let_go(page, held, 1)
        page.wait_for_function("() => !utatane.isUnsaved()")
        expect(page.locator(".conflict")).to_have_count(0)
    assert core(server, name) == "いろは"


def test_who_is_renamed_elsewhere_can_still_be_followed(browser: Browser, server: Server) -> None:
    name, new = persona(server, "もとの名"), unused(server, "いまの名")
    with window(browser, server, persona=name, room=CORE, tolerate=True) as page:
        page.locator(NOTE).fill("まだ保存していない")
        store(server).rename(name, new)
        expect(page.locator("#told .problem")).to_contain_text(name)
        expect(page.locator(NOTE)).to_have_value("まだ保存していない")
        page.evaluate("document.querySelector('#note').reset()")
        page.reload()
        page.locator(f'#room a[href="{address_of(new)}"]').click()
        expect(page.locator("#head .who")).to_have_text(new)
