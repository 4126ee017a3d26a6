"""What a model costs, as a person meets it: sums after a talk, a cap and the ways past it, a mind for one persona."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.acting import enter, say, send
from tests.browser.serving import PHONE, Server, served, visit, window
from tests.model_server import ModelServer, Say

NEMU, HAZEL = "ねむ", "Hazel"


@pytest.fixture(scope="module")
def models() -> Iterator[ModelServer]:
    with ModelServer(plays=("openai",)) as playing:
        yield playing


@pytest.fixture(scope="module")
def talking(tmp_path_factory: pytest.TempPathFactory, models: ModelServer) -> Iterator[Server]:
    """A server whose personas speak with a model on this computer, of which one pays for the tokens."""
    mind = {"provider": "openai", "base_url": models.base_url, "model": "test-model", "context_tokens": 16_000}
    with served(tmp_path_factory.mktemp("home"), mind=mind, usage={"prices": {"test-model": [1.0, 10.0]}}) as server:
        yield server


def set_option(page: Page, name: str, value: str) -> None:
    """Set an option of the page as a person does, and wait until it is kept."""
    row = page.locator(f'.option[data-key="usage.{name}"]')
    field = page.locator(f"#option-usage-{name}")
    if field.evaluate("(field) => field.tagName") == "SELECT":
        field.select_option(value)
    else:
        field.fill(value)
        field.press("Tab")
    expect(row).to_have_class(re.compile(r"\bset\b"))


def enter_usage(page: Page, label: str) -> None:
    enter(page, "settings")
    page.locator(".pages").get_by_text(label, exact=True).click()
    expect(page.locator("#usage-caps")).to_be_attached()


def test_a_talk_is_counted_and_a_cap_stops_it_with_a_way_on(
    talking: Server, models: ModelServer, browser: Browser
) -> None:
    models.enqueue(Say("うん、聞いてるよ。", usage=(2_000, 100)))
    with window(browser, talking, lang="ja", persona=NEMU) as page:
        say(page, "きょうは図書館に行ったよ。")
        enter_usage(page, "トークンと費用")
        tile = page.locator(".tile").first
        expect(tile).to_contain_text("2,100 トークン")
        expect(tile).to_contain_text("約 0.0030 USD")
        expect(page.locator("figure.chart svg.wide .bar-day")).to_have_count(1)
        names = page.locator(".sums tbody th")
        expect(names).to_have_text([NEMU])
        page.locator(".part-head .export summary").click()
        with page.expect_download() as saved:
            page.locator(".part-head .export a").click()
        assert saved.value.suggested_filename == "utatane-usage-persona.csv"
        page.get_by_role("link", name="目的").click()
        expect(names).to_have_text(["会話"])

        set_option(page, "day_tokens", "2500")
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

        send(page, "もうひとつ。")
        failure.get_by_role("button", name="いまはいい").click()
        expect(page.locator(".failure.unanswered")).to_be_visible()
        page.locator(".failure.unanswered button").first.click()
        failure.get_by_role("link", name="上限を見る").click()
        set_option(page, "when_reached", "builtin")
        expect(page.locator(".mind-chip")).to_contain_text("内蔵のこころ")
        enter(page, "talk")
        say(page, "これはどう?")
        expect(page.locator(".noticed")).to_contain_text("内蔵のこころが答えています")
        assert len(models.chats) == 1
        enter_usage(page, "トークンと費用")
        page.locator('[data-key="usage.day_tokens"] [name="reset"]').click()
        expect(page.locator(".mind-chip")).to_contain_text("test-model")
        page.locator('[data-key="usage.when_reached"] [name="reset"]').click()
        expect(page.locator(".option.set:not(.price)")).to_have_count(0)


def test_one_persona_has_a_mind_of_its_own(talking: Server, models: ModelServer, browser: Browser) -> None:
    with window(browser, talking, lang="en", size=PHONE, dark=True, persona=HAZEL, room="heart") as page:
        chip = page.locator(".mind-chip .mind-name")
        expect(chip).to_have_text("test-model")
        page.locator(".mind-menu > summary").click()
        page.locator(".mind-menu").get_by_role("link", name="Mind and model").click()
        page.get_by_role("link", name=f"Only {HAZEL}").click()
        expect(page.locator(".content")).to_contain_text(f"So far {HAZEL} speaks with everybody's mind")
        save = page.locator("#mind button.main")
        page.locator("#mind-model").fill("her-model")
        page.locator("#mind-small").fill("her-small-model")
        save.click()
        expect(page.locator(".result").last).to_contain_text("So does the small one")
        expect(page.locator("form[aria-busy]")).to_have_count(0)  # what was tried is told before the saving is answered
        expect(chip).to_have_text("her-model")
        assert [chat.body["model"] for chat in models.chats[-2:]] == ["her-model", "her-small-model"]
        page.locator("#mind-key").fill("sk-only-for-this-server")
        page.locator("#mind-model").fill("")
        models.enqueue(*[Say("")] * 9)
        save.click()
        expect(page.locator(".result.wrong")).to_be_visible()
        expect(page.locator("form[aria-busy]")).to_have_count(0)
        expect(page.locator("#mind-key")).to_have_value("")
        assert "sk-only-for-this-server" not in page.content()
        back = page.get_by_role("button", name="Back to everybody's")
        back.click()
        expect(page.locator(".content")).to_contain_text(f"So far {HAZEL} speaks with everybody's mind")
        expect(chip).to_have_text("test-model")
        expect(back).to_have_count(0)
        visit(page, talking, "settings/usage?grouping=model&span=all")
        expect(page.locator(".sums")).to_contain_text("her-small-model")
    logs = [path.read_text("utf-8") for path in talking.home.rglob("*.log")]
    assert all("sk-only-for-this-server" not in text for text in logs)


def test_the_mind_is_chosen_in_the_head_in_whichever_room_one_is(talking: Server, browser: Browser) -> None:
    with window(browser, talking, lang="en", persona=NEMU, room="heart") as page:
        chip = page.locator(".mind-chip .mind-name")
        expect(chip).to_have_text("test-model")
        page.locator(".mind-menu > summary").press("Enter")
        page.locator(".minds").get_by_text("Built-in mind").click()
        expect(chip).to_have_text("Built-in mind")
        expect(page.locator("#heart-tab")).to_have_attribute("aria-current", "page")  # where one was
        page.locator(".minds").get_by_text("test-model").click()
        expect(chip).to_have_text("test-model")
        page.locator("h1").click()
        expect(page.locator(".minds")).to_be_hidden()
