"""Whom one meets first: guests that came from elsewhere, a mind that is tried before it begins, and what it costs."""

from pathlib import Path
from random import Random

import pytest
from playwright.sync_api import Browser, expect

from managers.personas import PersonaStore
from managers.storage.paths import Home
from tests.browser.accessibility import problems
from tests.browser.acting import enter, say, send
from tests.browser.serving import DESKTOP, PHONE, served, visit, window
from tests.fakes import HandClock
from tests.hostile_folder import make_hostile
from tests.model_server import Fetching, ModelServer, Refuse, Say


@pytest.mark.parametrize(("lang", "size", "dark"), [("ja", PHONE, False), ("en", DESKTOP, True)])
def test_guests_are_asked_about_first_and_one_yes_lets_them_in(
    browser: Browser, tmp_path: Path, lang: str, size: tuple[int, int], dark: bool
) -> None:
    home = Home(tmp_path / "home")
    PersonaStore(home, HandClock(), Random(1)).create("Aki", language="en")
    for path in home.admitted.iterdir():  # as in a home of before there was a record
        path.unlink()
    guests = make_hostile(home.characters / "Rook", tmp_path / "elsewhere")
    with (
        served(home.folder) as server,
        window(browser, server, lang=lang, size=size, dark=dark) as page,
    ):
        expect(page.locator("section[data-name]")).to_have_count(2)
        expect(page.locator('[data-name="Rook"]')).to_contain_text("http://127.0.0.1:9")
        assert problems(page, "guests") == []
        page.get_by_role("link", name={"ja": "あとで", "en": "Later"}[lang]).click()
        expect(page.locator("#personas .waiting a")).to_contain_text("2")
        page.goto(f"{server.address}guests")
        yes = {
            "ja": "チェックした相手を、設定は使わずに迎える",
            "en": "Let in whom I have ticked, without the settings",
        }[lang]
        page.get_by_role("button", name=yes, exact=True).click()
        expect(page.locator("section[data-name]")).to_have_count(0)
        expect(page.locator("#told .done", has_text="Rook").first).to_be_visible()
        visit(page, server, "p/Rook/")
        expect(page.locator("#personas")).to_contain_text("Rook")
        say(page, "はじめまして。")
        guests.assert_harmless()


@pytest.mark.parametrize(("lang", "size", "dark"), [("ja", PHONE, True), ("en", DESKTOP, False)])
def test_the_talk_begins_at_once_and_a_model_joins_it(
    browser: Browser, tmp_path: Path, lang: str, size: tuple[int, int], dark: bool
) -> None:
    """From the first page to a model's first words, beside a talk that goes on meanwhile."""
    with ModelServer(plays=("openai", "ollama"), models=[]) as ollama:
        ollama.otherwise = Say("はい、聞こえます")
        ollama.fetching = Fetching("waits")
        with (
            served(tmp_path / "home", ollama=ollama.port, page={"onboarded": False}, mind={"retries": None}) as server,
            window(browser, server, lang=lang, size=size, dark=dark) as page,
        ):
            found = problems(page, "the first page")
            page.locator("#welcome button.main").click()
            card = page.locator(".mind-card")
            expect(card.locator("button")).to_have_count(2)
            found += problems(page, "the card beside the talk")
            card.locator("a").click()
            page.locator("#ollama button").first.click()
            expect(page.locator(".joining progress[value]")).to_be_visible()
            found += problems(page, "the settings while a model comes")
            enter(page, "talk")
            say(page, "やあ")  # the built-in mind answers
            found += problems(page, "the talk while a model comes")
            card.locator(".joining button").click()
            expect(card.locator(".joining [role=status]")).to_be_visible()
            assert ollama.models == []
            ollama.fetching = Fetching()
            card.locator(".joining button").click()
            expect(card.locator(".way")).to_have_attribute("data-key", "joining-done")
            expect(page.locator(".mind-chip .mind-name")).to_have_text(ollama.models[0].id)
            say(page, "聞こえる?")
            expect(page.locator("article.persona .bubble").last).to_have_text("はい、聞こえます")
            expect(card).to_have_count(0)  # who speaks stands in the talk now
            assert found == []


def test_a_key_that_was_typed_is_tried_and_kept_in_one_file(browser: Browser, tmp_path: Path) -> None:
    with ModelServer() as models, served(tmp_path / "home", mind={"retries": 0}) as server:
        models.otherwise = Refuse(401)
        with window(browser, server, lang="ja", size=PHONE, persona="ねむ") as page:
            page.goto(f"{server.address}settings/mind")
            page.locator('.segments label:has([value="builtin"])').click()
            expect(page.locator("#mind-key")).to_be_hidden()
            page.locator('.segments label:has([value="openai"])').click()
            page.locator("#mind-address").fill(models.base_url)
            page.locator("#mind-model").fill("test-model")
            page.locator("#mind-key").fill("wrong-key")
            page.locator("#mind-key").press("Enter")
            expect(page.locator(".result.wrong")).to_contain_text("APIキー")
            assert problems(page, "what failed") == []
            models.otherwise = Say("はい、聞こえます")
            page.locator("#mind-key").fill("right-key")
            page.locator("#mind button.main").click()
            expect(page.locator(".result.right")).to_contain_text("はい、聞こえます")
            expect(page.locator(".mind-chip .mind-name")).to_have_text("test-model")
            assert "right-key" not in page.content()
        server.end()
        kept = [path for path in server.home.rglob("*") if path.is_file() and b"right-key" in path.read_bytes()]
        assert kept == [server.home / "secrets.toml"]
        server.start()


def test_a_talk_is_counted_and_a_cap_stops_it_with_a_way_on(browser: Browser, tmp_path: Path) -> None:
    """A model on this computer speaks, of which one pays for the tokens."""
    with ModelServer(plays=("openai",)) as models:
        mind = {"provider": "openai", "base_url": models.base_url, "model": "test-model", "context_tokens": 16_000}
        models.enqueue(Say("うん、聞いてるよ。", usage=(2_000, 100)))
        with (
            served(tmp_path, mind=mind, usage={"prices": {"test-model": [1.0, 10.0]}}) as server,
            window(browser, server, persona="ねむ") as page,
        ):
            say(page, "きょうは図書館に行ったよ。")
            enter(page, "settings")
            page.locator(".pages").get_by_text("トークンと費用", exact=True).click()
            tile = page.locator(".tile").first
            expect(tile).to_contain_text("2,100 トークン")
            expect(tile).to_contain_text("約 0.0030 USD")
            expect(page.locator("figure.chart svg.wide .bar-day")).to_have_count(1)
            names = page.locator(".sums tbody th")
            expect(names).to_have_text(["ねむ"])
            page.locator(".part-head .export summary").click()
            with page.expect_download() as saved:
                page.locator(".part-head .export a").click()
            assert saved.value.suggested_filename == "utatane-usage-persona.csv"
            page.get_by_role("link", name="目的").click()
            expect(names).to_have_text(["会話"])

            page.locator("#option-usage-day_tokens").fill("2500")
            page.locator("#option-usage-day_tokens").press("Tab")
            expect(page.locator(".caps li")).to_have_class("near")
            enter(page, "talk")
            send(page, "それでね。")
            failure = page.locator(".failure")
            expect(failure).to_contain_text("今日の上限(2,500 トークン)")
            assert len(models.chats) == 1
            failure.get_by_role("button", name="内蔵のこころに答えてもらう").click()
            expect(page.locator("article.persona:not(.live)")).to_have_count(2)
            expect(failure).to_have_count(0)
            expect(page.locator("#composer .stop")).to_be_hidden()
            assert len(models.chats) == 1
