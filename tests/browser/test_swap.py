"""What the page's script lays over the page: the newest stays, in whatever order answers come."""

from __future__ import annotations

from playwright.sync_api import Browser, expect

from tests.browser.acting import say, send
from tests.browser.serving import Server, window

_HELD = """() => {
    const asked = window.fetch;
    const held = new Promise((goOn) => { window.goOn = goOn; });
    window.fetch = async (...about) => {
        const answer = await asked(...about);
        if (about[1]?.method === "post") await held;
        return answer;
    };
}"""
"""From now on what answers a form comes when `goOn` is called, however late that is."""


def test_an_answer_that_comes_late_takes_nothing_back(browser: Browser, server: Server) -> None:
    with window(browser, server, lang="en", persona="Hazel") as page:
        answers = page.locator("article.persona:not(.live)")
        say(page, "Good morning.")  # so that the greeting, which is written with the first words, is there
        before = answers.count()
        page.evaluate(_HELD)
        send(page, "Good evening.")
        expect(answers).to_have_count(before + 1)  # another answer has brought it meanwhile
        page.evaluate("window.goOn()")
        expect(page.locator("#composer:not([aria-busy])")).to_be_visible()
        expect(answers).to_have_count(before + 1)
        expect(page.locator("article.live")).to_have_count(0)
