"""Rooms in which one writes: who comes, changes and goes, notes and entries; no word is lost, whoever writes meanwhile."""

from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, expect

from tests.browser.acting import edit_core_memory, enter, hold_back, let_go, open_fold, save, say
from tests.browser.serving import Server, paths_of, persona, store_of, visit, window
from ui.server.addresses import address_of

NAME, PROMPT, FORM = "#persona-name", "#persona-prompt", "#persona-form"
SAVE = f"{FORM} button.main"
NOTE, CORE = "#note textarea", "notes/core_memory"
WINDOW = """window.told = [];
window.pywebview = {api: {ask_before_closing: (is) => window.told.push(is)}};"""
"""What a window of its own offers to the page (ui/server/window.py)."""


def core(server: Server, name: str) -> str:
    return paths_of(server, name).core_memory.read_text("utf-8").strip()


def test_a_persona_is_made_renamed_copied_deleted_restored(browser: Browser, server: Server, tmp_path: Path) -> None:
    Image.new("RGB", (64, 48), "#cc8866").save(tmp_path / "face.png")
    (tmp_path / "memo.txt").write_text("no picture", "utf-8")
    with window(browser, server, persona="ねむ", tolerate=True) as page:
        page.locator("#personas .create").first.click()
        page.locator(NAME).fill("うみべ")
        page.locator("#new-persona button.main").click()
        expect(page.locator("#head .who")).to_have_text("うみべ")
        say(page, "はじめまして。")  # straight to the talk
        enter(page, "persona")
        page.locator(NAME).fill("やまべ")
        page.locator(PROMPT).fill("山が好きな人。")
        save(page, FORM)
        expect(page.locator("#head .who")).to_have_text("やまべ")
        expect(page.locator(NAME)).to_have_value("やまべ")
        page.reload()  # it is the new address
        expect(page.locator(PROMPT)).to_have_value("山が好きな人。")
        # A picture becomes its face, and nothing else does.
        page.locator(".portrait input").set_input_files(tmp_path / "memo.txt")
        expect(page.locator("#told .problem")).to_contain_text("PNG・JPEG・WebP のどれかを選んでください")
        page.locator(".portrait input").set_input_files(tmp_path / "face.png")
        for where in (".portrait img", "#head img.face", '#personas [data-persona="やまべ"] img'):
            expect(page.locator(where)).to_be_visible()
        page.get_by_role("button", name="写しを作る").click()
        expect(page.locator("#head .who")).to_have_text("やまべ 2")
        page.locator("button.danger").click()
        page.locator(".ask .yes").click()
        expect(page.locator("#trash li")).to_have_count(1)
        expect(page.locator("#trash li")).to_be_in_viewport()
        page.evaluate("scrollTo(0, 0)")
        page.locator("#told a").last.click()
        expect(page.locator("#trash li")).to_be_in_viewport()
        expect(page.locator("#personas")).not_to_contain_text("やまべ 2")
        page.locator("#trash button").click()
        expect(page.locator("#head .who")).to_have_text("やまべ 2")
        expect(page.locator("#trash li")).to_have_count(0)
    assert store_of(server).get("やまべ 2").system_prompt == "山が好きな人。"


def test_a_window_of_its_own_knows_of_unsaved_words(browser: Browser, server: Server) -> None:
    last = "() => window.told.at(-1)"
    with window(browser, server, persona=persona(server, "まど"), room="persona") as page:
        page.context.add_init_script(WINDOW)
        page.reload()
        expect(page.locator("html.scripted")).to_be_attached()
        assert page.evaluate(last) is False  # a page that has just come
        page.locator(PROMPT).fill("書きかけ。")
        assert page.evaluate(last) is True
        save(page, FORM)
        assert page.evaluate(last) is False


def test_each_window_saves_what_it_shows_for_whom_and_the_others_follow(browser: Browser, server: Server) -> None:
    first, other = persona(server, "こちら", core_memory="核"), persona(server, "あちら")
    with window(browser, server, persona=first, room=CORE) as page:
        beside, notepad, idle, busy = (page.context.new_page() for _ in range(4))
        visit(beside, server, address_of(other, CORE).lstrip("/"))
        visit(notepad, server, address_of(first, "notes/notepad").lstrip("/"))
        for one in (idle, busy):
            visit(one, server, address_of(first, CORE).lstrip("/"))
            expect(one.locator("body[data-live]")).to_be_attached()
        written = ((page, "こちらの言葉"), (beside, "あちらの言葉"), (notepad, "こちらのメモ"), (busy, "書きかけ"))
        for window_of, words in written:
            window_of.locator(NOTE).fill(words)
        for one in (notepad, page, beside):
            save(one, "#note")
        expect(idle.locator(NOTE)).to_have_value("こちらの言葉")
        expect(busy.locator(".history li")).to_have_count(2)  # the page beside the words is new
        expect(busy.locator(NOTE)).to_have_value("書きかけ")
        busy.locator("#note button.main").click()
        expect(busy.locator(".conflict pre")).to_have_text("こちらの言葉")
        expect(busy.locator(NOTE)).to_have_value("書きかけ")
    assert (core(server, first), core(server, other)) == ("こちらの言葉", "あちらの言葉")
    assert (paths_of(server, first).folder / "notepad.txt").read_text("utf-8").strip() == "こちらのメモ"


def test_what_is_written_while_it_is_being_saved_stays_and_is_no_conflict(browser: Browser, server: Server) -> None:
    name = persona(server, "かきもの", core_memory="はじめ")
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
    name, new = persona(server, "もとの名", core_memory="核"), "いまの名"
    with window(browser, server, persona=name, room=CORE, tolerate=True) as page:
        expect(page.locator("body[data-live]")).to_be_attached()
        page.locator(NOTE).fill("まだ保存していない")
        store_of(server).rename(name, new)
        expect(page.locator("#told .problem")).to_contain_text(name)
        expect(page.locator(NOTE)).to_have_value("まだ保存していない")
        page.evaluate("document.querySelector('#note').reset()")
        page.reload()
        page.locator(f'#room a[href="{address_of(new)}"]').click()
        expect(page.locator("#head .who")).to_have_text(new)


def test_a_change_is_explained_taken_back_and_the_file_s_version_can_be_taken(browser: Browser, server: Server) -> None:
    name = persona(server, "れきし", core_memory="はじめの一行")
    with window(browser, server, persona=name) as page:
        edit_core_memory(page, "はじめの一行\nあとの一行")
        entry = page.locator(".history li").first
        expect(entry).to_contain_text("あなた")
        open_fold(page, ".history li:first-child details", ".diff .added")
        expect(entry.locator(".diff .added").last).to_have_text("+あとの一行")
        page.locator('.history [value="undo"]').first.click()
        expect(page.locator(NOTE)).to_have_value("はじめの一行")
        expect(page.locator('.history [value="redo"]').first).to_be_visible()
        assert core(server, name) == "はじめの一行"
        page.locator(NOTE).fill("ページで書いた")
        paths_of(server, name).core_memory.write_text("こちらが正しい", encoding="utf-8")
        page.locator("#note button.main").click()
        expect(page.locator(".conflict pre")).to_have_text("こちらが正しい")
        page.locator(".conflict a").click()
        expect(page.locator(NOTE)).to_have_value("こちらが正しい")
        expect(page.locator(".conflict")).to_have_count(0)


def test_unsaved_words_are_not_left_by_accident(browser: Browser, server: Server) -> None:
    name = persona(server, "かきかけ", core_memory="はじめの一行")
    with window(browser, server, persona=name, room=CORE) as page:
        page.locator(NOTE).press_sequentially("書きかけ")
        page.locator("#talk-tab").click()
        page.locator(".ask button.no").click()
        expect(page.locator(NOTE)).to_be_visible()
        with page.expect_event("dialog") as asked:
            page.close(run_before_unload=True)
        assert asked.value.type == "beforeunload"
        asked.value.dismiss()
        page.locator(".segments a").nth(1).click()
        page.locator(".ask button.yes").click()
        expect(page.locator(NOTE)).to_have_value("")
    assert core(server, name) == "はじめの一行"
