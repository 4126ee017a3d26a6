"""What a model costs, as a person meets it: sums after a talk, a cap and the ways past it, a mind for one persona."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from managers.storage.settings import SettingsFile
from tests.browser.accessibility import axe_core, findings, too_wide
from tests.browser.acting import choose_persona, enter, say, send
from tests.browser.serving import PHONE, Server, window
from tests.model_server import ModelServer, Say

NEMU, HAZEL = "ねむ", "Hazel"


@pytest.fixture(scope="module")
def models() -> Iterator[ModelServer]:
    with ModelServer(plays=("openai",)) as playing:
        yield playing


@pytest.fixture(scope="module")
def talking(tmp_path_factory: pytest.TempPathFactory, models: ModelServer) -> Iterator[Server]:
    """A server whose personas speak with a model on this computer, of which one pays for the tokens."""
    home = tmp_path_factory.mktemp("home")
    settings = SettingsFile(home / "settings.toml")
    settings.change("page", onboarded=True)
    settings.change("mind", provider="openai", base_url=models.base_url, model="test-model", context_tokens=16_000)
    settings.change("usage", prices={"test-model": [1.0, 10.0]})
    server = Server(home).start()
    yield server
    server.stop()


def set_option(page: Page, name: str, value: str) -> None:
    """Set an option of the section as a person does, and wait until it is kept."""
    row = page.locator(".usage .option", has=page.locator(f'[data-name="usage.{name}"]'))
    field = row.locator(f'[data-change][data-name="usage.{name}"]')
    if field.evaluate("(field) => field.tagName") == "SELECT":
        field.select_option(value)
    else:
        field.fill(value)
        field.press("Tab")
    expect(row).to_have_class(re.compile(r"\bset\b"))


def test_a_talk_is_counted_and_a_cap_stops_it_with_a_way_on(
    talking: Server, models: ModelServer, browser: Browser
) -> None:
    models.enqueue(Say("うん、聞いてるよ。", usage=(2_000, 100)))
    with window(browser, talking.address, lang="ja", persona=NEMU) as page:
        say(page, "きょうは図書館に行ったよ。")
        enter(page, "settings")
        tile = page.locator(".usage .tile").first
        expect(tile).to_contain_text("2,100 トークン")
        expect(tile).to_contain_text("約 0.0030 USD")
        expect(page.locator(".usage figure.chart svg.wide .bar-day")).to_have_count(1)
        expect(page.locator(".usage .sums tbody th")).to_have_text([NEMU])
        with page.expect_download() as saved:
            page.locator(".usage > .save-table").click()
        assert saved.value.suggested_filename == "utatane-usage-persona.csv"
        page.locator('.usage [data-grouping="purpose"]').click()
        expect(page.locator(".usage .sums tbody th")).to_have_text(["会話"])

        set_option(page, "day_tokens", "2500")
        expect(page.locator(".usage .caps li")).to_have_class("near")
        enter(page, "talk")
        send(page, "それでね。")
        failure = page.locator(".failure")
        expect(failure).to_contain_text("今日の上限(2,500 トークン)")
        assert len(models.chats) == 1
        failure.get_by_role("button", name="内蔵のこころに答えてもらう").click()
        expect(page.locator("article.persona:not(.live)")).to_have_count(2)
        expect(failure).to_have_count(0)
        assert len(models.chats) == 1

        send(page, "もうひとつ。")
        page.locator(".failure").get_by_role("button", name="上限を見る").click()
        expect(page.locator("#usage-caps")).to_be_in_viewport()
        set_option(page, "when_reached", "builtin")
        expect(page.locator(".mind-chip")).to_contain_text("内蔵のこころ")
        enter(page, "talk")
        say(page, "これはどう?")
        expect(page.locator(".noticed")).to_contain_text("内蔵のこころが答えています")
        assert len(models.chats) == 1
        enter(page, "settings")
        page.locator('.usage [data-action="reset"][data-name="usage.day_tokens"]').click()
        expect(page.locator(".mind-chip")).to_contain_text("test-model")
        page.locator('.usage [data-action="reset"][data-name="usage.when_reached"]').click()
        expect(page.locator(".usage .option.set:not(.price)")).to_have_count(0)


def test_one_persona_has_a_mind_of_its_own(talking: Server, models: ModelServer, browser: Browser) -> None:
    with window(browser, talking.address, lang="en", size=PHONE, dark=True, persona=HAZEL) as page:
        chip = page.locator(".mind-chip .mind-name")
        expect(chip).to_have_text("test-model")
        enter(page, "settings")
        page.locator("#mind-whose").get_by_text(f"Only {HAZEL}").click()
        expect(page.locator("#mind-result")).to_contain_text(f"So far {HAZEL} speaks with everybody's mind")
        page.locator("#mind-model input, #mind-model textarea").fill("her-model")
        page.locator("#mind-small input, #mind-small textarea").fill("her-small-model")
        page.locator("#mind-save").click()
        expect(page.locator("#mind-result")).to_contain_text("So does the small one")
        expect(chip).to_have_text("her-model")
        assert [chat.body["model"] for chat in models.chats[-2:]] == ["her-model", "her-small-model"]
        page.locator("#mind-key input").fill("sk-only-for-this-server")
        page.locator("#mind-model input, #mind-model textarea").fill("")
        models.enqueue(*[Say("")] * 9)
        page.locator("#mind-save").click()
        expect(page.locator("#mind-result .wrong")).to_be_visible()
        expect(page.locator("#mind-key input")).to_have_value("")
        assert "sk-only-for-this-server" not in page.content()
        page.locator("#mind-back").click()
        expect(page.locator("#mind-result")).to_contain_text(f"So far {HAZEL} speaks with everybody's mind")
        expect(chip).to_have_text("test-model")
        expect(page.locator("#mind-back")).to_be_hidden()
    with window(browser, talking.address, lang="en", persona=NEMU) as page:
        expect(page.locator(".mind-chip .mind-name")).to_have_text("test-model")
        choose_persona(page, HAZEL)
        enter(page, "settings")
        page.locator('.usage [data-grouping="model"]').click()
        page.locator('.usage [data-span="all"]').click()
        expect(page.locator(".usage .sums")).to_contain_text("her-small-model")


def test_everybody_can_read_what_was_spent(talking: Server, browser: Browser) -> None:
    script = axe_core()
    with window(browser, talking.address, lang="ja", size=PHONE, dark=True, persona=NEMU) as page:
        enter(page, "settings")
        expect(page.locator(".usage .sums")).to_be_visible()
        page.evaluate(script)
        assert findings(page, "usage") == []
        assert too_wide(page) == []


def test_nothing_of_a_key_is_in_the_programs_log(talking: Server) -> None:
    logs = [path.read_text("utf-8") for path in Path(talking.home).rglob("*.log")]
    assert all("sk-only-for-this-server" not in text for text in logs)
