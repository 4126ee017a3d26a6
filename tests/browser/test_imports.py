"""A companion is brought along as a person does it: dropped, looked at, said yes to, followed, and talked with."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.accessibility import axe_core, findings, too_small, too_wide
from tests.browser.acting import say
from tests.browser.serving import DESKTOP, PHONE, Server, unused, window

DROP = """([name, words]) => {
    const files = new DataTransfer();
    files.items.add(new File([words], name, {type: "application/json"}));
    for (const kind of ["dragover", "drop"])
        document.querySelector("#room").dispatchEvent(new DragEvent(kind, {dataTransfer: files, bubbles: true, cancelable: true}));
}"""
SAID = {
    "ja": ("ボート小屋の合鍵は、銅のやかんの裏に掛けてあるよ。", "ボート小屋の合鍵はどこ?", "やかん"),
    "en": ("The spare key of the boathouse hangs behind the copper kettle.", "Where is the spare key?", "kettle"),
}


def talk(name: str, words: str) -> str:
    said = [
        {"id": f"{name}1", "time": "2024-05-01T22:00:00", "role": "user", "speaker": "Ann", "text": words},
        {"id": f"{name}2", "time": "2024-05-01T22:00:09", "role": "persona", "speaker": name, "text": "…"},
    ]
    return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in said)


def look(page: Page, where: str, size: tuple[int, int]) -> None:
    """Look at the page as it stands as axe-core, an eye and a thumb do."""
    page.evaluate(axe_core())
    assert findings(page, where) == []
    assert too_wide(page) == []
    assert size != PHONE or too_small(page) == []


@pytest.mark.parametrize(("lang", "size", "dark"), [("ja", PHONE, False), ("en", DESKTOP, True)])
def test_a_companion_is_brought_along(
    browser: Browser, server: Server, lang: str, size: tuple[int, int], dark: bool
) -> None:
    words, question, answer = SAID[lang]
    name = unused(server, {"ja": "つれてきた人", "en": "Brought"}[lang])
    with window(browser, server, lang=lang, size=size, dark=dark) as page:
        page.goto(f"{server.address}new")
        page.locator('a[href="/import"]').click()
        expect(page.locator("#import-source")).to_be_visible()
        look(page, "choosing", size)
        page.evaluate(DROP, ["talk.jsonl", talk(name, words)])
        assert page.locator("#import-file").evaluate("one => one.files[0].name") == "talk.jsonl"
        page.locator("#import-source button.main").click()
        expect(page.locator("#import-name")).to_have_value(name, timeout=60_000)
        look(page, "found", size)
        page.locator("#import-yes button.main").click()
        expect(page.locator("#import a.main")).to_be_visible(timeout=60_000)
        look(page, "done", size)
        page.locator("#import a.main").click()
        expect(page.locator("article.user").first).to_contain_text(words)
        say(page, question)
        expect(page.locator("article.persona").last).to_contain_text(answer)


def drop(page: Page, *paths: Path) -> None:
    """Drop what lies on the disk onto the page, as a hand does: a script of the page cannot make a folder."""
    session = page.context.new_cdp_session(page)
    data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        session.send("Input.dispatchDragEvent", {"type": kind, "x": 300, "y": 300, "data": data})


@pytest.mark.parametrize("way", ["chosen", "dropped"])
def test_a_folder_comes_in_with_what_lies_in_its_folders(
    browser: Browser, server: Server, tmp_path: Path, way: str
) -> None:
    name = unused(server, f"Room {way}")
    room = tmp_path / name
    (room / "knowledge").mkdir(parents=True)
    (room / "room_config.json").write_text(json.dumps({"agent_name": name}), "utf-8")
    (room / "log.txt").write_text("## USER:Ann\nMy boat is green.\n\n2025-10-03 (Fri) 21:00:00\n", "utf-8")
    (room / "knowledge" / "tides.md").write_text("# Tides\n\nThe tide is high at noon.\n", "utf-8")
    with window(browser, server, lang="en", size=DESKTOP) as page:
        page.goto(f"{server.address}import")
        if way == "chosen":
            page.locator("#import-folder").set_input_files(room)
        else:
            drop(page, room)
            expect(page.locator("#told")).to_contain_text("3")
        page.locator("#import-source button.main").click()
        expect(page.locator("#import-name")).to_have_value(name, timeout=60_000)
        expect(page.locator("#import")).to_contain_text("knowledge files: 1")
        expect(page.locator("#import")).to_contain_text("Messages: 1")
        page.locator('form[action="/import/forget"] button').click()
        expect(page.locator("#import-source")).to_be_visible()
