"""From an empty home to a conversation that survives anything, in both languages."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from managers.storage.settings import SettingsFile
from tests.browser.acting import bubbles, edit_core_memory, enter, say, send
from tests.browser.serving import ARTIFACTS, CHECKOUT, DESKTOP, PHONE, Server, clone, window
from tests.model_server import Hang, ModelServer, Say

LINES = {
    "ja": ("はじめまして、ミナです。", "きのうは海まで散歩してきたよ。", "わたしの名前を覚えてる?"),
    "en": ("Hello, I am Mina.", "Yesterday I walked down to the sea.", "Do you remember my name?"),
}
MEMORY = {
    "ja": "ミナは海が好き。\n猫の名前はシロ。",
    "en": "Mina loves the sea.\nHer cat is called Shiro.",
}


@pytest.fixture
def own_server(lang: str, tmp_path: Path) -> Iterator[Server]:
    """A server on an empty home; in one language that of a clean clone, as somebody has it on the first day."""
    server = Server(tmp_path / "home", clone(tmp_path / "clone") if lang == "ja" else CHECKOUT).start()
    yield server
    server.stop()


@pytest.mark.parametrize("lang", ["ja", "en"])
def test_talk_edit_reload_restart(browser: Browser, own_server: Server, lang: str) -> None:
    with window(browser, own_server, lang=lang) as page:
        expect(page.locator("#welcome")).to_be_visible()
        page.screenshot(path=_artifact(f"first-meeting-{lang}.png"))
        page.locator('#welcome [formaction="/welcome/later"]').click()
        expect(page.locator(".mind-chip .honest")).to_be_visible()
        for line in LINES[lang]:
            say(page, line)
        said = bubbles(page)
        assert [text for text in said if text in LINES[lang]] == list(LINES[lang])
        page.screenshot(path=_artifact(f"three-turns-{lang}.png"))
        edit_core_memory(page, MEMORY[lang])
        enter(page, "talk")
        expect(page.locator("article")).to_have_count(len(said))
        assert bubbles(page) == said
    own_server.kill()
    own_server.start()
    with window(browser, own_server, lang=lang) as page:
        expect(page.locator("article")).to_have_count(len(said))
        assert bubbles(page) == said
        enter(page, "notes")
        expect(page.locator("#note textarea")).to_have_value(MEMORY[lang])


@pytest.mark.parametrize(("lang", "size", "dark"), [("ja", DESKTOP, True), ("en", PHONE, False)])
def test_a_server_that_is_killed_in_mid_answer_is_found_again(
    browser: Browser, tmp_path: Path, lang: str, size: tuple[int, int], dark: bool
) -> None:
    gone = {"ja": "うたた寝につながらなくなりました", "en": "waits for it to come back"}[lang]
    asked = {"ja": "返事を聞く", "en": "Ask for an answer"}[lang]
    with ModelServer() as models:
        models.enqueue(Hang("とてもながい返事をゆっくりと"), Say("おまたせ"))
        settings = SettingsFile(tmp_path / "settings.toml")
        settings.change("page", onboarded=True)
        settings.change("mind", provider="openai", base_url=models.base_url, model="test-model")
        server = Server(tmp_path).start()
        try:
            with window(browser, server, lang=lang, size=size, dark=dark, tolerate=True) as page:
                send(page, "途中で倒れても覚えていて")
                expect(page.locator("article.live .bubble")).to_contain_text("とても")
                area = page.locator("#composer textarea")
                area.fill("書きかけのことば")
                server.kill()
                expect(page.locator("#told .problem")).to_have_count(1)
                expect(page.locator("#told .problem")).to_contain_text(gone)
                page.screenshot(path=_artifact(f"server-gone-{lang}.png"))
                area.press("Enter")  # and nobody hears it
                server.start(port=int(server.address.rstrip("/").rsplit(":", 1)[1]))
                page.get_by_role("button", name=asked).click()
                expect(page.locator("#told .problem")).to_have_count(0)
                expect(page.locator("article:not(.live) .bubble").last).to_have_text("おまたせ")
                expect(area).to_have_value("書きかけのことば")
                said = page.locator("article.user .bubble")
                expect(said).to_have_text("途中で倒れても覚えていて")
        finally:
            server.stop()


def _artifact(name: str) -> Path:
    ARTIFACTS.mkdir(exist_ok=True)
    return ARTIFACTS / name
