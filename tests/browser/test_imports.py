"""A companion is brought along as a person does it: dropped, looked at, said yes to, followed, and talked with."""

from __future__ import annotations

import json

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
