"""What can be done in a conversation, and what must never happen there."""

import json
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

from PIL import Image
from playwright.sync_api import Browser, Page, expect

from managers.memory.log import ConversationLog
from managers.personas import PersonaStore
from managers.storage.clock import SystemClock
from managers.storage.paths import Home
from tests.browser.acting import bubbles, choose_persona, enter, reload, say, send, settle
from tests.browser.conftest import Modelled
from tests.browser.serving import PHONE, Server, unused, window
from tests.model_server import Refuse, Say

EVIL = (
    "<script>window.ran = 1</script><img src=x onerror='window.ran = 2'> "
    "![](http://evil.example/a.png) [x](javascript:window.ran=3) <svg onload=window.ran=4> ${window.ran=5} {{window.ran}}"
)


def persona(server: Server, name: str) -> str:
    """Make a persona for one test, as the command line would."""
    return PersonaStore(Home(server.home), SystemClock(), Random(3)).create(unused(server, name), language="ja").name


def log_of(server: Server, name: str) -> ConversationLog:
    return ConversationLog(Home(server.home).persona(name), SystemClock(), Random(5))


def test_markup_is_shown_as_text_and_never_run(browser: Browser, modelled: Modelled) -> None:
    server, models = modelled
    models.enqueue(Say(EVIL))
    with window(browser, server.address, persona=persona(server, "しずか")) as page:
        say(page, EVIL)
        assert page.evaluate("window.ran") is None
        assert "<script>window.ran = 1</script>" in bubbles(page)[0]
        assert "<script>window.ran = 1</script>" in bubbles(page)[1]
        assert page.locator(".bubble img, .bubble script, .bubble svg").count() == 0
        reload(page)
        page.wait_for_selector("article")
        assert page.evaluate("window.ran") is None


def test_a_reply_streams_with_its_reasoning_folded_and_can_be_stopped(browser: Browser, modelled: Modelled) -> None:
    server, models = modelled
    models.enqueue(Say("ゆっくり" * 40, reasoning="心の中の声", gap=0.2))
    name = persona(server, "ゆっくり屋")
    with window(browser, server.address, persona=name) as page:
        send(page, "なにか話して")
        expect(page.locator("article.live .bubble")).to_contain_text("ゆっくり")
        expect(page.locator("article.live details.reasoning")).not_to_have_attribute("open", "")
        page.locator("#composer .stop").click()
        expect(page.locator(".broken-off")).to_be_visible()
        expect(page.locator("#composer .send")).to_be_visible()
        expect(page.locator(".kept-reasoning summary")).to_be_visible()
        reload(page)
        expect(page.locator(".broken-off")).to_be_visible()
        assert page.locator("details.reasoning").count() == 0
    assert "心の中の声" not in log_of(server, name).tail(5)[-1].text


def test_a_failure_is_one_sentence_with_a_way_to_try_again(browser: Browser, modelled: Modelled) -> None:
    server, models = modelled
    models.enqueue(Refuse(401, "<b>bad key</b>"), Say("こんどは話せるよ"))
    with window(browser, server.address, persona=persona(server, "かぎなし")) as page:
        send(page, "聞こえる?")
        expect(page.locator(".failure")).to_contain_text("APIキー")
        reload(page)  # whoever comes later, or looks from another window, is told too
        expect(page.locator(".failure")).to_contain_text("APIキー")
        page.locator(".failure button").click()
        expect(page.locator("article.persona .bubble")).to_have_text("こんどは話せるよ")
        assert page.locator(".failure").count() == 0
        expect(page.locator("article:not(.live) .bubble")).to_have_text(["聞こえる?", "こんどは話せるよ"])


def test_the_last_message_can_be_edited_and_taken_back(browser: Browser, modelled: Modelled) -> None:
    server, models = modelled
    models.enqueue(Say("ひとつめ"), Say("ふたつめ"), Say("みっつめ"))
    with window(browser, server.address, persona=persona(server, "なおし屋")) as page:
        say(page, "書きまちがい")
        page.locator('article.persona [data-action="retry"]').click()
        expect(page.locator("article.persona .bubble")).to_have_text("ふたつめ")
        page.locator('article.user [data-action="edit"]').click()
        page.locator(".editing textarea").fill("書きなおし")
        page.locator(".editing button.yes").click()
        expect(page.locator("article.persona .bubble")).to_have_text("みっつめ")
        expect(page.locator("article:not(.live) .bubble")).to_have_text(["書きなおし", "みっつめ"])
        page.locator('article.user [data-action="delete"]').click()
        page.locator(".ask button.yes").click()
        expect(page.locator("article")).to_have_count(0)


def test_two_windows_stay_in_step(browser: Browser, modelled: Modelled) -> None:
    server, models = modelled
    models.enqueue(Say("ふたつの窓から見える返事", gap=0.3))
    name = persona(server, "ふたご")
    with (
        window(browser, server.address, persona=name) as first,
        window(browser, server.address, persona=name, size=PHONE) as second,
    ):
        send(first, "そっちからも見える?")
        expect(second.locator("article.user .bubble")).to_have_text("そっちからも見える?")
        expect(second.locator("article.persona:not(.live) .bubble")).to_have_text("ふたつの窓から見える返事")
        expect(first.locator("article.persona:not(.live) .bubble")).to_have_text("ふたつの窓から見える返事")
        log_of(server, name).append("persona", name, "外から来たひとこと")
        for page in (first, second):
            expect(page.locator("article").last).to_contain_text("外から来たひとこと")


def test_a_turn_goes_on_when_its_window_closes(browser: Browser, modelled: Modelled) -> None:
    server, models = modelled
    models.enqueue(Say("だれも見ていなくても最後まで話す", gap=0.2))
    name = persona(server, "ひとり")
    with window(browser, server.address, persona=name) as page:
        send(page, "閉じてもいい?")
        expect(page.locator("article.live")).to_be_visible()
    with window(browser, server.address, persona=name) as page:
        expect(page.locator("article.persona:not(.live) .bubble")).to_have_text("だれも見ていなくても最後まで話す")


def test_enter_that_confirms_a_conversion_sends_nothing(browser: Browser, server: Server) -> None:
    with window(browser, server.address, persona=persona(server, "かなかんじ")) as page:
        area = page.locator("#composer textarea")
        area.focus()
        keyboard = page.context.new_cdp_session(page)
        keyboard.send("Input.imeSetComposition", {"text": "うみ", "selectionStart": 2, "selectionEnd": 2})
        for kind in ("rawKeyDown", "keyUp"):
            keyboard.send(
                "Input.dispatchKeyEvent", {"type": kind, "key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 229}
            )
        _enter_while_composing(page)
        assert page.locator("article").count() == 0
        keyboard.send("Input.insertText", {"text": "海"})
        expect(area).to_have_value("海")
        area.press("Shift+Enter")
        area.press_sequentially("へ")
        expect(area).to_have_value("海\nへ")
        assert page.locator("article").count() == 0
        area.press("Enter")
        expect(page.locator("article.user .bubble")).to_have_text("海\nへ")


def _enter_while_composing(page: Page) -> None:
    """As Chrome and Firefox report it (isComposing), and as Safari does (only the code 229)."""
    page.evaluate("""() => {
        const area = document.querySelector('#composer textarea');
        const key = {key: 'Enter', code: 'Enter', bubbles: true, cancelable: true};
        area.dispatchEvent(new KeyboardEvent('keydown', {...key, isComposing: true}));
        area.dispatchEvent(new KeyboardEvent('keydown', {...key, keyCode: 229}));
    }""")


def test_off_the_record_nothing_is_written(browser: Browser, server: Server) -> None:
    name = persona(server, "くちがたい")
    with window(browser, server.address, persona=name) as page:
        say(page, "これは残していい")
        page.locator("#composer .veil").click()
        expect(page.locator(".separator.off-record")).to_be_visible()
        say(page, "ないしょの暗号はトマト")
        reload(page)
        expect(page.locator(".separator.off-record")).to_be_visible()
        expect(page.locator("article.user").last).to_contain_text("トマト")
        page.locator("#composer .veil").click()
        expect(page.locator("article.user")).to_have_count(1)
    written = [path for path in server.home.rglob("*") if path.is_file() and "トマト".encode() in path.read_bytes()]
    assert written == []


def test_pictures_and_text_can_be_attached(browser: Browser, server: Server, tmp_path: Path) -> None:
    picture, note = tmp_path / "空 の絵.png", tmp_path / "メモ.txt"
    Image.new("RGB", (40, 30), "#88aadd").save(picture)
    note.write_text("買い物: 牛乳", encoding="utf-8")
    name = persona(server, "みせて")
    with window(browser, server.address, persona=name) as page:
        page.locator('#composer input[type="file"]').set_input_files([picture, note])
        expect(page.locator("#composer .chip:not(.loading)")).to_have_count(2)
        say(page, "これ見て")
        image = page.locator("article.user .picture img")
        expect(image).to_be_visible()
        assert image.evaluate("image => image.naturalWidth") == 40
        expect(page.locator("article.user .file")).to_be_visible()
    left = [path for path in (server.home / ".uploads").rglob("*.png") if Image.open(path).size == (40, 30)]
    assert left == []  # others of this server may have brought pictures of their own


def test_older_messages_come_when_asked_for(browser: Browser, server: Server) -> None:
    name = persona(server, "むかし")
    log = log_of(server, name)
    for number in range(120):
        log.append("user" if number % 2 == 0 else "persona", "ミナ" if number % 2 == 0 else name, f"ひとこと {number}")
    with window(browser, server.address, persona=name) as page:
        expect(page.locator("article")).to_have_count(50)
        expect(page.locator("article").last).to_contain_text("ひとこと 119")
        page.locator(".older").click()
        expect(page.locator("article")).to_have_count(100)
        page.locator(".older").click()
        expect(page.locator("article")).to_have_count(120)
        expect(page.locator(".older")).to_have_count(0)


def test_why_it_answered_so_can_be_asked(browser: Browser, server: Server) -> None:
    name = persona(server, "おもいで")
    log, before = log_of(server, name), datetime.now() - timedelta(days=2)
    log.append("user", "ミナ", "わたしの誕生日は三月三日だよ", time=before)
    for number in range(46):
        log.append(
            "user" if number % 2 else "persona", "ミナ" if number % 2 else name, f"天気の話 {number}", time=before
        )
    with window(browser, server.address, persona=name) as page:
        say(page, "わたしの誕生日っていつだっけ?")
        page.locator("article.persona .why summary").last.click()
        expect(page.locator("article.persona .why .hits").last).to_contain_text("三月三日")


def test_the_end_stays_in_sight_when_the_window_shrinks(browser: Browser, server: Server) -> None:
    name = persona(server, "まどべ")
    log = log_of(server, name)
    for number in range(30):
        log.append("user", "ミナ", f"窓のそとの話 {number}")
    with window(browser, server.address, persona=name) as page:
        last = page.locator("article .bubble").last
        expect(last).to_be_in_viewport()
        page.set_viewport_size({"width": PHONE[0], "height": PHONE[1] // 2})  # a phone, its keyboard open
        expect(last).to_be_in_viewport()
        page.locator(".transcript").evaluate("list => (list.scrollTop = 0)")
        page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
        expect(page.locator("article .bubble").first).to_be_in_viewport()  # who reads further up stays there


def test_a_new_topic_is_drawn_as_a_line(browser: Browser, server: Server) -> None:
    with window(browser, server.address, persona=persona(server, "はなし好き")) as page:
        say(page, "ひとつめの話")
        page.locator("#composer .topic").click()
        expect(page.locator(".separator.topic")).to_be_visible()


def test_an_empty_message_is_not_sent_and_a_draft_survives_a_reload(browser: Browser, server: Server) -> None:
    with window(browser, server.address, persona=persona(server, "したがき")) as page:
        area = page.locator("#composer textarea")
        area.press("Enter")
        area.fill("   ")
        area.press("Enter")
        assert page.locator("article").count() == 0
        area.fill("まだ送らない")
        reload(page)
        expect(area).to_have_value("まだ送らない")


def test_personas_are_switched_at_the_side(browser: Browser, server: Server) -> None:
    names = [persona(server, "みぎ"), persona(server, "ひだり")]
    with window(browser, server.address, persona=names[0]) as page:
        say(page, "みぎの人へ")
        choose_persona(page, names[1])
        expect(page.locator("article")).to_have_count(0)
        choose_persona(page, names[0])
        expect(page.locator("article.user .bubble")).to_have_text("みぎの人へ")
        reload(page)
        expect(page.locator("#persona h1")).to_have_text(names[0])


def test_the_language_can_be_switched(browser: Browser, server: Server) -> None:
    with window(browser, server.address) as page:
        page.locator('a[data-language="en"]').click()
        expect(page.locator("#talk-room-button")).to_have_text("Talk")
        assert page.evaluate("document.documentElement.lang") == "en"
        settle(page)
        page.goto(server.address)
        expect(page.locator("#talk-room-button")).to_have_text("Talk")


def test_nothing_of_a_conversation_stays_in_the_browser(browser: Browser, server: Server) -> None:
    with window(browser, server.address, persona=persona(server, "わすれ")) as page:
        say(page, "ひみつの話はブラウザーに残らない")
        stored = json.dumps(page.evaluate("() => [{...localStorage}, {...sessionStorage}]"), ensure_ascii=False)
        assert "ひみつ" not in stored
        assert page.evaluate("async () => (await indexedDB.databases()).map(d => d.name)") == []
        enter(page, "settings")
