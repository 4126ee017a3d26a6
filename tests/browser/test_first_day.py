"""From an empty home to a conversation that survives anything, in both languages."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from managers.storage.settings import SettingsFile
from tests.browser.acting import bubbles, edit_core_memory, enter, reload, say, send
from tests.browser.serving import ARTIFACTS, DESKTOP, PHONE, Server, window
from tests.model_server import ModelServer, Say

LINES = {
    "ja": ("はじめまして、ミナです。", "きのうは海まで散歩してきたよ。", "わたしの名前を覚えてる?"),
    "en": ("Hello, I am Mina.", "Yesterday I walked down to the sea.", "Do you remember my name?"),
}
MEMORY = {
    "ja": "ミナは海が好き。\n猫の名前はシロ。",
    "en": "Mina loves the sea.\nHer cat is called Shiro.",
}


@pytest.mark.parametrize("lang", ["ja", "en"])
def test_talk_edit_reload_restart(browser: Browser, own_server: Server, lang: str) -> None:
    with window(browser, own_server.address, lang=lang) as page:
        expect(page.locator("#onboarding")).to_be_visible()
        page.screenshot(path=_artifact(f"first-meeting-{lang}.png"))
        page.locator("#welcome-skip").click()
        expect(page.locator("#onboarding")).to_be_hidden()
        expect(page.locator(".mind-chip .honest")).to_be_visible()
        for line in LINES[lang]:
            say(page, line)
        said = bubbles(page)
        assert [text for text in said if text in LINES[lang]] == list(LINES[lang])
        page.screenshot(path=_artifact(f"three-turns-{lang}.png"))
        edit_core_memory(page, MEMORY[lang])
        reload(page)
        enter(page, "talk")
        page.wait_for_selector("article")
        assert bubbles(page) == said
        expect(page.locator("#onboarding")).to_be_hidden()
    own_server.kill()
    own_server.start()
    with window(browser, own_server.address, lang=lang) as page:
        page.wait_for_selector("article")
        assert bubbles(page) == said
        enter(page, "notes")
        expect(page.locator("#note-editor textarea")).to_have_value(MEMORY[lang])


def test_killed_in_the_middle_of_a_reply(browser: Browser, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    with ModelServer() as models:
        models.enqueue(Say("とてもながい返事をゆっくりと話しているところ", gap=0.5))
        settings = SettingsFile(tmp_path / "settings.toml")
        settings.change("page", onboarded=True)
        settings.change("mind", provider="openai", base_url=models.base_url, model="test-model")
        server = Server(tmp_path).start()
        request.addfinalizer(server.stop)
        with window(browser, server.address, tolerate=True) as page:
            send(page, "途中で倒れても覚えていて")
            expect(page.locator("article.live .bubble")).to_contain_text("とても")
            server.kill()
            gone = page.locator(".toast-message-item:visible")
            expect(gone).to_have_text(
                re.compile("^うたた寝につながらなくなりました")
            )  # in the page's language, and once
        server.start()
        with window(browser, server.address) as page:
            expect(page.locator("article.user .bubble")).to_have_text("途中で倒れても覚えていて")


@pytest.mark.parametrize(("lang", "size", "dark"), [("ja", DESKTOP, True), ("en", PHONE, False)])
def test_an_open_window_finds_its_way_back_to_a_restarted_server(
    browser: Browser, tmp_path: Path, request: pytest.FixtureRequest, lang: str, size: tuple[int, int], dark: bool
) -> None:
    settings = SettingsFile(tmp_path / "settings.toml")
    settings.change("page", onboarded=True)
    settings.change("mind", provider="builtin")
    server = Server(tmp_path).start()
    request.addfinalizer(server.stop)
    with window(browser, server.address, lang=lang, size=size, dark=dark, tolerate=True) as page:
        say(page, "もうすぐ止まるよ")
        page.locator("#composer textarea").fill("書きかけのことば")
        with page.expect_response("**/revision") as heard:  # the window knows this server
            pass
        heard.value.finished()
        with page.expect_navigation(timeout=60_000):  # it comes as soon as the other one answers
            server.kill()
            if lang == "en":
                page.locator("#composer textarea").press("Enter")  # and nobody hears it
            server.start(port=int(server.address.rstrip("/").rsplit(":", 1)[1]))
        expect(page.locator("#composer textarea")).to_have_value("書きかけのことば")
        say(page, "おかえり")
        assert "もうすぐ止まるよ" in bubbles(page)


def _artifact(name: str) -> Path:
    ARTIFACTS.mkdir(exist_ok=True)
    return ARTIFACTS / name
