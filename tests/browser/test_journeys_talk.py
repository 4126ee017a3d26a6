"""Four journeys: the first day, a talk in which anything is done to any message, a server that is killed, and a phone."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.accessibility import problems
from tests.browser.acting import bubbles, choose_persona, edit_core_memory, enter, say, send
from tests.browser.conftest import Modelled
from tests.browser.serving import ARTIFACTS, CHECKOUT, DESKTOP, PHONE, Server, clone, paths_of, persona, served, window
from tests.model_server import Hang, ModelServer, Refuse, Say
from tests.speeds import one_quick

LINES = {
    "ja": ("はじめまして、ミナです。", "きのうは海まで散歩してきたよ。", "わたしの名前を覚えてる?"),
    "en": ("Hello, I am Mina.", "Yesterday I walked down to the sea.", "Do you remember my name?"),
}
MEMORY = {"ja": "ミナは海が好き。\n猫の名前はシロ。", "en": "Mina loves the sea.\nHer cat is called Shiro."}
EVIL = (
    "<script>window.ran = 1</script><img src=x onerror='window.ran = 2'> "
    "![](http://evil.example/a.png) [x](javascript:window.ran=3) <svg onload=window.ran=4> ${window.ran=5} {{window.ran}}"
)


@pytest.mark.parametrize(("lang", "is_cloned"), one_quick([("en", False), ("ja", True)]))
def test_the_first_day_survives_a_power_cut(browser: Browser, tmp_path: Path, lang: str, is_cloned: bool) -> None:
    """From an empty home, once that of a clean clone, as somebody has it on the first day."""
    server = Server(tmp_path / "home", clone(tmp_path / "clone") if is_cloned else CHECKOUT).start()
    try:
        with window(browser, server, lang=lang) as page:
            expect(page.locator("#welcome")).to_be_visible()
            ARTIFACTS.mkdir(exist_ok=True)
            page.screenshot(path=ARTIFACTS / f"first-meeting-{lang}.png")
            page.locator("#welcome button.main").click()
            expect(page.locator(".mind-chip .honest")).to_be_visible()
            for line in LINES[lang]:
                say(page, line)
            said = bubbles(page)
            assert [text for text in said if text in LINES[lang]] == list(LINES[lang])
            edit_core_memory(page, MEMORY[lang])
            enter(page, "talk")
            expect(page.locator("article")).to_have_count(len(said))
            assert bubbles(page) == said
        server.kill()
        server.start()
        with window(browser, server, lang=lang) as page:
            expect(page.locator("article")).to_have_count(len(said))
            assert bubbles(page) == said
            enter(page, "notes")
            expect(page.locator("#note textarea")).to_have_value(MEMORY[lang])
    finally:
        server.stop()


def hear_an_answer_and_stop_it(browser: Browser, server: Server) -> None:
    """It comes piece by piece, with its reasoning folded."""
    with window(browser, server, persona=persona(server, "ゆっくり屋")) as page:
        send(page, "なにか話して")
        expect(page.locator("article.live .bubble")).to_contain_text("ゆっくり")
        expect(page.locator("article.live details.reasoning")).not_to_have_attribute("open", "")
        page.locator("#composer textarea").fill("書きかけ")
        page.locator("#composer .stop").click()
        expect(page.locator(".broken-off")).to_have_text("ここで止めました。")
        expect(page.locator("#composer textarea")).to_have_value("書きかけ")
        expect(page.locator("article.persona details.reasoning")).to_contain_text("心の中の声")
        page.reload()
        expect(page.locator(".broken-off")).to_be_visible()
        expect(page.locator("details.reasoning")).to_have_count(0)
    assert "心の中の声" not in paths_of(server, "ゆっくり屋").log.read_text("utf-8")


def fail_and_try_again(page: Page) -> None:
    """A failure is a sentence with ways on, and markup is shown as text."""
    send(page, "書きまちがい")
    expect(page.locator(".failure")).to_contain_text("APIキー")
    page.reload()  # whoever comes later, or looks from another window, is told too
    page.locator(".failure").get_by_role("button", name="もう一度").click()
    expect(page.locator("article.persona:not(.live) .bubble")).to_contain_text("<script>window.ran = 1</script>")
    expect(page.locator(".failure")).to_have_count(0)
    expect(page.locator(".bubble :is(img, script, svg)")).to_have_count(0)
    assert page.evaluate("window.ran") is None


def test_any_message_is_answered_edited_leafed_branched_and_taken_back(browser: Browser, modelled: Modelled) -> None:
    server, models = modelled
    models.enqueue(Say("ゆっくり" * 4_000, reasoning="心の中の声", gap=0.05), Refuse(401, "<b>bad key</b>"))
    models.enqueue(Say(f"{EVIL}\n\n```\nprint('海')\n```"), Say("ふたつめ"), Say("みっつめ"), Say("よっつめ"))
    hear_an_answer_and_stop_it(browser, server)
    with window(browser, server, persona=persona(server, "なおし屋")) as page:
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        theirs, mine = page.locator("article.persona:not(.live)"), page.locator("article.user")
        fail_and_try_again(page)
        page.locator("[data-copy-code]").click()
        expect(page.locator("[data-copy-code].done")).to_be_visible()
        assert page.evaluate("navigator.clipboard.readText()") == "print('海')"
        say(page, "つづき")
        # An answer in the middle is made anew in its place, and the earlier one can be leafed back to.
        theirs.first.hover()
        theirs.first.locator(".retry").click()
        expect(theirs.first.locator(".swipes span")).to_have_text("2 / 2")
        expect(theirs.locator(".bubble")).to_have_text(["みっつめ", "ふたつめ"])
        theirs.first.locator(".swipes .before").click()
        expect(theirs.first.locator(".bubble")).to_contain_text("window.ran = 1")
        # Words of the persona are given another text in place, and the last of one's own are answered anew.
        theirs.last.locator(".edit").click()
        page.locator(".editing textarea").fill("言いなおし")
        page.locator(".editing textarea").press("Enter")
        expect(theirs.last.locator(".bubble")).to_have_text("言いなおし")
        mine.last.locator(".edit").click()
        page.locator(".editing textarea").fill("やっぱりやめた")
        page.locator(".editing [data-cancel]").click()  # a phone has no Escape
        expect(page.locator(".editing")).to_have_count(0)
        expect(mine.last.locator(".bubble")).to_have_text("つづき")
        mine.last.locator(".edit").click()
        page.locator(".editing textarea").fill("書きなおし")
        page.locator(".editing .yes").click()
        expect(theirs.last.locator(".bubble")).to_have_text("よっつめ")
        expect(mine.last.locator(".bubble")).to_have_text("書きなおし")
        # From the first answer on anew, and back.
        theirs.first.hover()
        theirs.first.locator(".branch").click()
        page.locator(".ask .yes").click()
        expect(page.locator("article")).to_have_count(2)
        page.locator("#composer .branches").click()
        page.get_by_role("button", name="この会話に戻る").click()
        expect(page.locator("article")).to_have_count(4)
        mine.last.locator(".delete").click()
        page.locator(".ask .yes").click()
        expect(page.locator("article")).to_have_count(2)


@pytest.mark.parametrize(("lang", "size", "dark"), one_quick([("ja", DESKTOP, True), ("en", PHONE, False)]))
def test_a_killed_server_returns(
    browser: Browser, tmp_path: Path, lang: str, size: tuple[int, int], dark: bool
) -> None:
    gone = {"ja": "うたた寝につながらなくなりました", "en": "waits for it to come back"}[lang]
    asked = {"ja": "返事を聞く", "en": "Ask for an answer"}[lang]
    with ModelServer() as models:
        models.enqueue(Hang("とてもながい返事をゆっくりと"), Say("おまたせ"))
        mind = {"provider": "openai", "base_url": models.base_url, "model": "test-model"}
        with (
            served(tmp_path, mind=mind) as server,
            window(browser, server, lang=lang, size=size, dark=dark, tolerate=True) as page,
        ):
            send(page, "途中で倒れても覚えていて")
            expect(page.locator("article.live .bubble")).to_contain_text("とても")
            area = page.locator("#composer textarea")
            area.fill("書きかけのことば")
            server.kill()
            expect(page.locator("#told .problem")).to_have_count(1)
            expect(page.locator("#told .problem")).to_contain_text(gone)
            area.press("Enter")  # and nobody hears it
            server.start(port=int(server.address.rstrip("/").rsplit(":", 1)[1]))
            page.get_by_role("button", name=asked).click()
            expect(page.locator("#told .problem")).to_have_count(0)
            expect(page.locator("article:not(.live) .bubble").last).to_have_text("おまたせ")
            expect(area).to_have_value("書きかけのことば")
            expect(page.locator("article.user .bubble")).to_have_text("途中で倒れても覚えていて")


def test_on_a_phone_everything_fits_and_can_be_reached(browser: Browser, modelled: Modelled) -> None:
    server, models = modelled
    models.enqueue(Say("うん"))
    with window(browser, server, size=PHONE, persona=persona(server, "けいたい")) as page:
        say(page, "https://example.com/" + "a" * 300)
        assert (box := page.locator("#composer textarea").bounding_box()) is not None
        assert box["y"] + box["height"] <= PHONE[1]
        assert problems(page, "talk") == []
        expect(page.locator("#rail")).to_be_hidden()
        page.locator("#head .menu").click()
        expect(page.locator("#rail")).to_be_visible()
        choose_persona(page, "Hazel")
        expect(page.locator("#rail")).to_be_hidden()
        page.locator("#persona-tab").click()
        expect(
            page.locator('#persona-tab[aria-current="page"]')
        ).to_be_in_viewport()  # of a row that goes beyond the edge
        assert problems(page, "persona") == []
