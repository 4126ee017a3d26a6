"""The first meeting as a person lives it: who, which mind, tried before it begins; by keyboard, and without scripts."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from managers.storage.settings import Settings, SettingsFile
from tests.browser.accessibility import axe_core, findings, too_small, too_wide
from tests.browser.acting import say
from tests.browser.serving import DESKTOP, PHONE, Server, window
from tests.model_server import Fetching, ModelServer, Refuse, Say

LOOKS = [("ja", PHONE, True), ("en", DESKTOP, False)]


@pytest.fixture
def models() -> Iterator[ModelServer]:
    with ModelServer() as models:
        yield models


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Server]:
    """A server on an empty home."""
    SettingsFile(tmp_path / "home" / "settings.toml").change("mind", retries=0)
    server = Server(tmp_path / "home").start()
    yield server
    server.stop()


def settings(server: Server) -> Settings:
    return SettingsFile(server.home / "settings.toml").load()[0]


def test_a_persona_and_the_built_in_mind_are_chosen(browser: Browser, fresh: Server) -> None:
    with window(browser, fresh, size=PHONE) as page:
        page.locator(".person", has_text="Hazel").click()
        page.locator('.segments label:has([value="builtin"])').click()
        expect(page.locator("#mind-key")).to_be_hidden()
        page.locator("button.main").click()
        expect(page.locator("#head .who")).to_have_text("Hazel")
        expect(page.locator("#composer textarea")).to_be_visible()
    assert settings(fresh).page.onboarded
    assert settings(fresh).mind.provider == "builtin"


@pytest.mark.parametrize(("lang", "size", "dark"), LOOKS)
def test_what_was_entered_is_tried_and_said_before_it_begins(
    browser: Browser, fresh: Server, models: ModelServer, lang: str, size: tuple[int, int], dark: bool
) -> None:
    axe = axe_core()
    models.otherwise = Refuse(401)
    with window(browser, fresh, lang=lang, size=size, dark=dark) as page:
        page.evaluate(axe)
        problems = [*findings(page, "the first meeting"), *too_wide(page)]
        page.locator('.segments label:has([value="openai"])').click()
        page.locator("#mind-address").fill(models.base_url)
        page.locator("#mind-model").fill("test-model")
        page.locator("#mind-key").fill("wrong-key")
        page.locator("#mind-key").press("Enter")
        expect(page.locator(".result.wrong")).to_contain_text({"ja": "APIキー", "en": "API key"}[lang])
        expect(page.locator("form[aria-busy]")).to_have_count(0)  # what was tried is told before it is answered
        page.evaluate(axe)
        problems += [*findings(page, "the first meeting, what failed"), *too_wide(page)]
        problems += too_small(page) if size == PHONE else []
        models.otherwise = Say("はい、聞こえます")
        page.locator("#mind-key").fill("right-key")
        page.locator("button.main").click()
        expect(page.locator(".result.right")).to_contain_text("はい、聞こえます")
        expect(page.locator("form[aria-busy]")).to_have_count(0)
        assert not settings(fresh).page.onboarded
        page.locator("button.main").click()
        expect(page.locator(".mind-chip .mind-name")).to_have_text("test-model")
        say(page, "やあ")
        assert "right-key" not in page.content()
        assert [str(one) for one in problems] == []
    secrets = fresh.home / "secrets.toml"
    assert "right-key" in secrets.read_text("utf-8")
    assert secrets.stat().st_mode & 0o077 == 0
    leaks = [p for p in fresh.home.rglob("*") if p.is_file() and p != secrets and b"right-key" in p.read_bytes()]
    assert leaks == []


def test_it_works_without_scripts_and_may_be_decided_later(browser: Browser, fresh: Server) -> None:
    with window(browser, fresh, scripts=False) as page:
        page.get_by_role("link", name="このコンピューターで使えるものを探す").click()
        page.locator('.segments label:has([value="openai"])').click()
        page.locator("#mind-address").fill("http://127.0.0.1:1/v1")
        page.locator("#mind-model").fill("nobody")
        page.locator("button.main").click()
        expect(page.locator(".result.wrong")).to_contain_text("127.0.0.1:1")
        expect(page.locator("#mind-address")).to_have_value("http://127.0.0.1:1/v1")
        page.get_by_role("button", name="あとで決める").click()
        expect(page.locator("#composer textarea")).to_be_visible()
    assert settings(fresh).page.onboarded
    assert settings(fresh).mind.provider == "auto"


def test_a_model_is_fetched_before_ones_eyes_and_speaks(browser: Browser, tmp_path: Path) -> None:
    with ModelServer(plays=("openai", "ollama"), models=[]) as ollama:
        ollama.otherwise = Say("I hear you.")
        ollama.fetching = Fetching("waits")
        server = Server(tmp_path / "home", ollama=ollama.port).start()
        try:
            with window(browser, server, size=PHONE) as page:
                page.locator(".way button").click()
                expect(page.locator(".fetching progress[value]")).to_be_visible()
                page.locator(".fetching button").click()
                expect(page.locator(".fetching [role=status]")).to_be_visible()
                assert ollama.models == []
                ollama.fetching = Fetching()
                page.locator(".fetching button").click()
                expect(page.locator(".fetching blockquote")).to_have_text("I hear you.")
                page.locator("button.main").click()
                expect(page.locator(".mind-chip .mind-name")).to_have_text(ollama.models[0].id)
        finally:
            server.stop()
