"""The persona room as a person uses it: who comes, changes, is copied and goes; and no word is lost on the way."""

from pathlib import Path
from random import Random

import pytest
from PIL import Image
from playwright.sync_api import Browser, expect

from managers.personas import PersonaStore
from managers.storage.clock import SystemClock
from managers.storage.paths import Home
from tests.browser.acting import choose_persona, enter, hold_back, let_go, save, say
from tests.browser.serving import DESKTOP, PHONE, Server, unused, window

NAME, PROMPT, FORM = "#persona-name", "#persona-prompt", "#persona-form"
SAVE = f"{FORM} button.main"
LOOKS = [("ja", PHONE, True), ("en", DESKTOP, False)]


def store(server: Server) -> PersonaStore:
    return PersonaStore(Home(server.home), SystemClock(), Random(4))


def persona(server: Server, name: str) -> str:
    return store(server).create(unused(server, name), language="ja").name


def test_a_persona_comes_is_renamed_copied_deleted_and_comes_back(browser: Browser, server: Server) -> None:
    first, then = unused(server, "うみべ"), unused(server, "やまべ")
    with window(browser, server, persona="ねむ") as page:
        page.locator("#personas .create").first.click()
        page.locator(NAME).fill(first)
        page.locator("#new-persona button.main").click()
        expect(page.locator("#head .who")).to_have_text(first)
        say(page, "はじめまして。")  # straight to the talk
        enter(page, "persona")
        page.locator(NAME).fill(then)
        page.locator(PROMPT).fill("山が好きな人。")
        save(page, FORM)
        expect(page.locator("#head .who")).to_have_text(then)
        expect(page.locator(NAME)).to_have_value(then)
        page.reload()  # it is the new address
        expect(page.locator(PROMPT)).to_have_value("山が好きな人。")
        page.get_by_role("button", name="写しを作る").click()
        expect(page.locator("#head .who")).to_have_text(f"{then} 2")
        page.locator("button.danger").click()
        page.locator(".ask .yes").click()
        expect(page.locator("#trash li")).to_have_count(1)
        expect(page.locator("#trash li")).to_be_in_viewport()
        page.evaluate("scrollTo(0, 0)")
        page.locator("#told a").last.click()
        expect(page.locator("#trash li")).to_be_in_viewport()
        expect(page.locator("#personas")).not_to_contain_text(f"{then} 2")
        page.locator("#trash button").click()
        expect(page.locator("#head .who")).to_have_text(f"{then} 2")
        expect(page.locator("#trash li")).to_have_count(0)
    assert store(server).get(f"{then} 2").system_prompt == "山が好きな人。"


def test_all_of_it_works_without_scripts(browser: Browser, server: Server, tmp_path: Path) -> None:
    name = unused(server, "しずか")
    Image.new("RGB", (64, 48), "#cc8866").save(tmp_path / "face.png")
    with window(browser, server, scripts=False, room="new", tolerate=True) as page:
        page.locator("#new-persona button.main").click()
        expect(page.locator("#told .problem")).to_have_text("名前がまだありません。名前を入れてください。")
        page.locator(NAME).fill(name)
        page.locator("#new-persona button.main").click()
        page.locator("#persona-tab").click()
        page.locator(PROMPT).fill("静かな人。")
        page.locator(SAVE).click()
        expect(page.locator("#told")).to_contain_text("保存しました。")
        page.locator('.portrait input[type="file"]').set_input_files(tmp_path / "face.png")
        page.get_by_role("button", name="この絵にする").click()
        expect(page.locator(".portrait img")).to_be_visible()
    assert store(server).get(name).system_prompt == "静かな人。"


def test_a_dangerous_name_is_refused_with_a_reason_and_no_word_is_lost(browser: Browser, server: Server) -> None:
    with window(browser, server, room="new", tolerate=True) as page:
        page.locator(PROMPT).fill("とても長く考えて書いた人柄。")
        for name in ("../outside", "con", "a/b", ".hidden"):
            page.locator(NAME).fill(name)
            page.locator("#new-persona button.main").click()
            expect(page.locator("#told .problem")).to_contain_text(f"「{name}」という名前は使えません")
            expect(page.locator("#told .problem")).to_have_count(1)
        page.locator(NAME).fill("")
        page.locator("#new-persona button.main").click()
        expect(page.locator("#told .problem")).to_have_text("名前がまだありません。名前を入れてください。")
        expect(page.locator(PROMPT)).to_have_value("とても長く考えて書いた人柄。")


def test_a_picture_becomes_the_persona_s_face(browser: Browser, server: Server, tmp_path: Path) -> None:
    name = persona(server, "かお")
    Image.new("RGB", (64, 48), "#cc8866").save(tmp_path / "face.png")
    (tmp_path / "memo.txt").write_text("no picture", "utf-8")
    with window(browser, server, persona=name, room="persona", tolerate=True) as page:
        expect(page.locator(".portrait .letter")).to_be_visible()
        page.locator(".portrait input").set_input_files(tmp_path / "memo.txt")
        expect(page.locator("#told .problem")).to_contain_text("PNG・JPEG・WebP のどれかを選んでください")
        page.locator(".portrait input").set_input_files(tmp_path / "face.png")
        expect(page.locator(".portrait img")).to_be_visible()
        expect(page.locator("#head img.face")).to_be_visible()
        expect(page.locator(f'#personas [data-persona="{name}"] img')).to_be_visible()


def test_both_versions_stand_there_until_one_is_chosen(browser: Browser, server: Server) -> None:
    name = persona(server, "ふたり")
    with window(browser, server, size=PHONE, persona=name, room="persona", tolerate=True) as page:
        page.locator(PROMPT).fill("わたしの文。")
        store(server).write_system_prompt(name, "よその文。", based_on=store(server).get(name).system_prompt_digest)
        page.locator(SAVE).click()
        expect(page.locator(".conflict pre")).to_have_text("よその文。")
        expect(page.locator(".conflict pre")).to_be_in_viewport()
        store(server).set_greeting(name, "そのあいだに変わったこと")  # the page hears of it, and leaves the words alone
        expect(page.locator(PROMPT)).to_have_value("わたしの文。")
        page.locator("#notes-tab").click()
        expect(page.locator(".ask")).to_be_visible()  # they are still not saved
        page.locator(".ask .no").click()
        page.locator('[name="keep_mine"]').click()
        expect(page.locator(".conflict")).to_have_count(0)
        expect(page.locator("#persona-greeting")).to_have_value("そのあいだに変わったこと")
    assert store(server).get(name).system_prompt == "わたしの文。"


def test_what_is_written_while_it_is_being_saved_stays_and_is_no_conflict(browser: Browser, server: Server) -> None:
    name = persona(server, "かきもの")
    with window(browser, server, persona=name, room="persona") as page:
        held = hold_back(page, "**/persona")
        page.locator(PROMPT).fill("いろ")
        with page.expect_request("**/persona"):
            page.locator(SAVE).click()
        page.locator(PROMPT).press_sequentially("は")
        let_go(page, held)
        expect(page.locator("#told")).to_contain_text("保存しました。")
        expect(page.locator(PROMPT)).to_have_value("いろは")
        assert store(server).get(name).system_prompt == "いろ"
        assert page.evaluate("utatane.isUnsaved()")
        with page.expect_request("**/persona"):
            page.locator(SAVE).click()
        let_go(page, held, 1)
        page.wait_for_function("() => !utatane.isUnsaved()")
    assert store(server).get(name).system_prompt == "いろは"


def test_who_is_renamed_elsewhere_takes_no_unsaved_word_along(browser: Browser, server: Server) -> None:
    name = persona(server, "もとのな")
    new = unused(server, "あたらしいな")
    with window(browser, server, persona=name, room="persona", tolerate=True) as page:
        expect(page.locator("body[data-live]")).to_be_attached()
        page.locator(PROMPT).fill("まだ保存していない。")
        with window(browser, server, persona=name, room="persona") as other:
            other.locator(NAME).fill(new)
            save(other, FORM)
        expect(page.locator("#told .problem")).to_contain_text(name)
        expect(page.locator(PROMPT)).to_have_value("まだ保存していない。")


@pytest.mark.parametrize(("lang", "size", "dark"), LOOKS)
def test_a_broken_persona_says_so_and_gets_its_last_good_version_back(
    browser: Browser, server: Server, lang: str, size: tuple[int, int], dark: bool
) -> None:
    name = persona(server, {"ja": "こわれもの", "en": "Fragile"}[lang])
    store(server).set_greeting(name, "Mm? Hello.")
    paths = Home(server.home).persona(name)
    good = paths.persona_json.read_bytes()
    paths.persona_json.write_bytes(good[: len(good) // 2])
    with window(browser, server, lang=lang, size=size, dark=dark, persona=name) as page:
        notice = page.locator(".notices li").first
        expect(notice).to_contain_text("persona.json")
        notice.locator("a").click()
        page.locator(".conflict button").click()
        expect(page.locator("#persona-greeting")).to_have_value("Mm? Hello.")
        expect(page.locator(".conflict")).to_have_count(0)
        expect(page.locator(".notices li")).to_have_count(0)
        if size == PHONE:
            page.locator("#head .menu").click()
        choose_persona(page, "ねむ" if lang == "ja" else "Hazel")  # the others live as ever
    assert [path.read_bytes() for path in paths.folder.glob("persona.json.broken-*")] == [good[: len(good) // 2]]


WINDOW = """window.told = [];
window.pywebview = {api: {ask_before_closing: (is) => window.told.push(is)}};"""
"""What a window of its own offers to the page (ui/server/window.py)."""


def test_a_window_of_its_own_knows_of_unsaved_words(browser: Browser, server: Server) -> None:
    name = persona(server, "まど")
    last = "() => window.told.at(-1)"
    with window(browser, server, persona=name, room="persona") as page:
        page.context.add_init_script(WINDOW)
        page.reload()
        assert page.evaluate(last) is False  # a page that has just come
        page.locator(PROMPT).fill("書きかけ。")
        assert page.evaluate(last) is True
        save(page, FORM)
        assert page.evaluate(last) is False
