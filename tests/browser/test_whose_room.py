"""What is done in a room is done to whose things it showed, and no word is lost while others are saved."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from managers.storage.paths import Home
from tests.browser.acting import choose_persona, enter, rest
from tests.browser.serving import DESKTOP, Server
from tests.browser.test_haste import AT_ONCE, HELD_BACK, chosen, persona, room

NOTE = "#note-editor textarea"
PROMPT = "#persona-prompt textarea"


@pytest.fixture
def slow_line(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": DESKTOP[0], "height": DESKTOP[1]}, locale="ja-JP")
    context.add_init_script(HELD_BACK)
    page = context.new_page()
    page.set_default_timeout(20_000)
    yield page
    context.close()


def core(server: Server, name: str) -> str:
    return Home(server.home).persona(name).core_memory.read_text("utf-8")


def test_what_is_pressed_while_another_is_chosen_is_meant_for_who_was_shown(
    slow_line: Page, server: Server, tmp_path: Path
) -> None:
    page, first, other = slow_line, persona(server, "こちら"), persona(server, "あちら")
    for name in (first, other):
        (Home(server.home).persona(name).folder / "notepad.txt").write_text(f"{name}のメモ", encoding="utf-8")
    page.goto(f"{server.address}?persona={first}")
    enter(page, "notes")
    expect(page.locator(NOTE)).to_have_value(f"{first}の核")
    # The words of one persona, saved in the moment in which the other one is chosen.
    page.evaluate(AT_ONCE, [chosen(other), room("notes"), "#note-save"])
    expect(page.locator(NOTE)).to_have_value(f"{other}の核")
    rest(page)
    # And those of one note, in the moment in which the other one is.
    page.evaluate(AT_ONCE, ["#note-kind label:nth-of-type(2)", "#note-save"])
    expect(page.locator(NOTE)).to_have_value(f"{other}のメモ")
    rest(page)
    assert (core(server, first), core(server, other)) == (f"{first}の核", f"{other}の核")
    assert (Home(server.home).persona(other).folder / "notepad.txt").read_text("utf-8") == f"{other}のメモ"
    # What is done while the room is being drawn anew: the documents of one are not taken in, or away, by the other.
    enter(page, "knowledge")
    rest(page)
    files = [tmp_path / f"{number}.md" for number in range(3)]
    for file in files:
        file.write_text(f"# {file.stem}\n\n鍵は植木鉢の下。", encoding="utf-8")
    page.set_input_files("#knowledge-drop input[type=file]", files)
    page.evaluate(AT_ONCE, [chosen(first), room("knowledge")])
    expect(page.locator("#persona h1")).to_have_text(first)
    expect(page.locator("#knowledge .nothing")).to_be_visible()
    expect(page.locator(".uploads li.right")).to_have_count(3)
    expect(page.locator(".uploads li").first).to_be_hidden()
    rest(page)
    expect(page.locator("#knowledge .documents")).to_have_count(0)
    choose_persona(page, other)
    enter(page, "knowledge")
    expect(page.locator("#knowledge .documents > li")).to_have_count(3)
    assert len(list(Home(server.home).persona(other).folder.glob("knowledge/*.md"))) == 3
    page.evaluate("document.querySelector('#knowledge [data-action=remove]').removeAttribute('data-ask')")
    page.evaluate(AT_ONCE, [chosen(first), room("knowledge"), '#knowledge [data-action="remove"]'])
    expect(page.locator("#knowledge .nothing")).to_be_visible()
    rest(page)
    assert len(list(Home(server.home).persona(other).folder.glob("knowledge/*.md"))) == 2


def test_what_is_written_while_it_is_being_saved_stays_and_is_no_conflict(slow_line: Page, server: Server) -> None:
    page, name = slow_line, persona(server, "かきもの")
    page.goto(f"{server.address}?persona={name}")
    for tab, field, save, file in (
        ("notes", NOTE, "#note-save", Home(server.home).persona(name).core_memory),
        ("persona", PROMPT, "#persona-save", Home(server.home).persona(name).system_prompt),
    ):
        enter(page, tab)
        rest(page)
        page.locator(field).fill("い")
        page.locator(field).press("End")
        for letter in "ろは":
            page.evaluate("save => document.querySelector(save).click()", save)
            page.keyboard.type(letter)
        rest(page)
        expect(page.locator("#note-conflict")).to_be_hidden()
        expect(page.locator(field)).to_have_value("いろは")
        assert file.read_text("utf-8").strip() == "いろ"
        assert page.evaluate("utatane.isDirty()")
        page.locator(save).click()
        expect(page.locator(".editor.unsaved")).to_have_count(0)
        rest(page)
        assert file.read_text("utf-8").strip() == "いろは"
        assert not page.evaluate("utatane.isDirty()")


def test_a_choice_is_made_with_the_arrow_keys(slow_line: Page, server: Server) -> None:
    page, name = slow_line, persona(server, "やじるし")
    page.goto(f"{server.address}?persona={name}")
    enter(page, "notes")
    expect(page.locator(NOTE)).to_have_value(f"{name}の核")
    page.locator("#note-kind input").first.focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#note-kind input").nth(1)).to_be_checked()
    expect(page.locator(NOTE)).not_to_have_value(f"{name}の核")
