"""What can be done in a conversation, and what must never happen there."""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random

from PIL import Image
from playwright.sync_api import Browser, Page, WebSocketRoute, expect

from managers.memory.log import ConversationLog
from managers.personas import PersonaStore
from managers.storage.clock import SystemClock
from managers.storage.paths import Home
from tests.browser.acting import bubbles, choose_persona, enter, say, send
from tests.browser.conftest import Modelled
from tests.browser.serving import PHONE, Server, unused, visit, window
from tests.model_server import Hang, Refuse, Say
from ui.server.addresses import address_of

EVIL = (
    "<script>window.ran = 1</script><img src=x onerror='window.ran = 2'> "
    "![](http://evil.example/a.png) [x](javascript:window.ran=3) <svg onload=window.ran=4> ${window.ran=5} {{window.ran}}"
)
GROWTH = """() => {
    window.grown = [];
    new MutationObserver(() => {
        const live = document.querySelectorAll("article.live .bubble:not(.waiting)");
        if (live.length) grown.push([live.length, live[0].innerText.trim()]);
    }).observe(document.body, { childList: true, subtree: true, characterData: true });
}"""
"""Notes each state of the answer under way that is drawn."""
LATE_PAGE = """() => {
    const live = document.getElementById("live"), before = live.cloneNode(true);
    before.dataset.step = 1;
    before.querySelector(".bubble").textContent = "";
    utatane.morph(live, before);
    return live.querySelector(".bubble").textContent;
}"""
"""Lays a page over this one that was made before what is shown of the answer came, and returns what is shown then."""


def persona(server: Server, name: str) -> str:
    """Make a persona for one test, as the command line would."""
    return PersonaStore(Home(server.home), SystemClock(), Random(3)).create(unused(server, name), language="ja").name


def log_of(server: Server, name: str) -> ConversationLog:
    return ConversationLog(Home(server.home).persona(name), SystemClock(), Random(5))


def talked(server: Server, name: str, count: int) -> str:
    """Make a persona with whom so many words were exchanged."""
    made = persona(server, name)
    log = log_of(server, made)
    for number in range(count):
        is_mine = number % 2 == 0
        log.append("user" if is_mine else "persona", "ミナ" if is_mine else made, f"ひとこと {number}")
    return made


def test_markup_is_shown_as_text_and_never_run(browser: Browser, modelled: Modelled) -> None:
    server, models = modelled
    models.enqueue(Say(EVIL))
    with window(browser, server, persona=persona(server, "しずか")) as page:
        say(page, EVIL)
        page.reload()
        expect(page.locator("article .bubble")).to_have_count(2)
        assert all("<script>window.ran = 1</script>" in text for text in bubbles(page))
        assert page.locator(".bubble :is(img, script, svg)").count() == 0
        assert page.evaluate("window.ran") is None


def test_a_reply_streams_with_its_reasoning_folded_and_can_be_stopped(browser: Browser, modelled: Modelled) -> None:
    server, models = modelled
    models.enqueue(Say("ゆっくり" * 4_000, reasoning="心の中の声", gap=0.05))
    name = persona(server, "ゆっくり屋")
    with window(browser, server, persona=name) as page:
        send(page, "なにか話して")
        expect(page.locator("article.live .bubble")).to_contain_text("ゆっくり")
        expect(page.locator("article.live details.reasoning")).not_to_have_attribute("open", "")
        assert "ゆっくり" in page.evaluate(LATE_PAGE)
        page.locator("#composer textarea").fill("書きかけ")
        page.locator("#composer .stop").click()
        expect(page.locator(".broken-off")).to_have_text("ここで止めました。")
        expect(page.locator("#composer .send")).to_be_visible()
        expect(page.locator("#composer textarea")).to_have_value("書きかけ")
        expect(page.locator("article.persona details.reasoning")).to_contain_text("心の中の声")
        page.reload()
        expect(page.locator(".broken-off")).to_be_visible()
        assert page.locator("details.reasoning").count() == 0
    assert "心の中の声" not in log_of(server, name).tail(5)[-1].text


def test_the_next_words_can_be_written_while_an_answer_comes(browser: Browser, modelled: Modelled) -> None:
    server, models = modelled
    models.enqueue(Say("ゆっくり話すね", gap=0.3), Say("うん"))
    with window(browser, server, persona=persona(server, "さきまわり")) as page:
        send(page, "ひとつめ")
        area = page.locator("#composer textarea")
        area.fill("ふたつめ")
        expect(page.locator("article:not(.live) .bubble").last).to_have_text("ゆっくり話すね")
        area.press("Enter")
        expect(page.locator("article:not(.live) .bubble")).to_have_text(
            ["ひとつめ", "ゆっくり話すね", "ふたつめ", "うん"]
        )


def test_a_failure_is_one_sentence_with_ways_on(browser: Browser, modelled: Modelled) -> None:
    server, models = modelled
    models.enqueue(Refuse(401, "<b>bad key</b>"), Say("こんどは話せるよ"))
    with window(browser, server, persona=persona(server, "かぎなし")) as page:
        send(page, "聞こえる?")
        expect(page.locator(".failure")).to_contain_text("APIキー")
        page.reload()  # whoever comes later, or looks from another window, is told too
        expect(page.locator(".failure")).to_contain_text("APIキー")
        page.locator(".failure").get_by_role("button", name="もう一度").click()
        expect(page.locator("article.persona:not(.live) .bubble")).to_have_text("こんどは話せるよ")
        expect(page.locator(".failure")).to_have_count(0)
        # An answer that is made anew and fails of it: the old one stands, and it is said.
        models.enqueue(Refuse(401, "no"))
        page.locator("article.persona .retry").click()
        expect(page.locator(".failure")).to_contain_text("APIキー")
        assert bubbles(page) == ["聞こえる?", "こんどは話せるよ"]


def test_any_message_is_edited_leafed_through_branched_and_taken_back(browser: Browser, modelled: Modelled) -> None:
    server, models = modelled
    models.enqueue(Say("ひとつめ\n\n```\nprint('海')\n```"), Say("ふたつめ"), Say("みっつめ"), Say("よっつめ"))
    with window(browser, server, persona=persona(server, "なおし屋")) as page:
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        persona_s, mine = page.locator("article.persona:not(.live)"), page.locator("article.user")
        say(page, "書きまちがい")
        page.locator("[data-copy-code]").click()
        expect(page.locator("[data-copy-code].done")).to_be_visible()
        assert page.evaluate("navigator.clipboard.readText()") == "print('海')"
        say(page, "つづき")
        # An answer in the middle is made anew in its place, and the earlier one can be leafed back to.
        persona_s.first.hover()
        persona_s.first.locator(".retry").click()
        expect(persona_s.first.locator(".swipes span")).to_have_text("2 / 2")
        expect(persona_s.locator(".bubble")).to_have_text(["みっつめ", "ふたつめ"])
        persona_s.first.locator(".swipes .before").click()
        expect(persona_s.first.locator(".bubble")).to_contain_text("ひとつめ")
        # Words of the persona are given another text in place, and the last of one's own are answered anew.
        persona_s.last.locator(".edit").click()
        page.locator(".editing textarea").fill("言いなおし")
        page.locator(".editing textarea").press("Enter")
        expect(persona_s.last.locator(".bubble")).to_have_text("言いなおし")
        mine.last.locator(".edit").click()
        page.locator(".editing textarea").fill("やっぱりやめた")
        page.locator(".editing [data-cancel]").click()  # a phone has no Escape
        expect(page.locator(".editing")).to_have_count(0)
        expect(mine.last.locator(".bubble")).to_have_text("つづき")
        mine.last.locator(".edit").click()
        page.locator(".editing textarea").fill("書きなおし")
        page.locator(".editing .yes").click()
        expect(persona_s.last.locator(".bubble")).to_have_text("よっつめ")
        expect(mine.last.locator(".bubble")).to_have_text("書きなおし")
        # From the first answer on anew, and back.
        persona_s.first.hover()
        persona_s.first.locator(".branch").click()
        page.locator(".ask .yes").click()
        expect(page.locator("article")).to_have_count(2)
        page.locator("#composer .branches").click()
        page.get_by_role("button", name="この会話に戻る").click()
        expect(page.locator("article")).to_have_count(4)
        mine.last.locator(".delete").click()
        page.locator(".ask .yes").click()
        expect(page.locator("article")).to_have_count(2)


def test_eight_windows_of_one_browser_are_live_each_in_its_language(browser: Browser, modelled: Modelled) -> None:
    server, models = modelled
    name = persona(server, "やつご")
    models.enqueue(Hang("みんなに見える"))
    with window(browser, server, persona=name) as first, window(browser, server, persona=name, lang="en") as other:
        pages = [first]
        for _ in range(7):
            pages.append(first.context.new_page())
            visit(pages[-1], server, address_of(name).lstrip("/"), wait_until="commit")
        send(first, "見える?")
        for page in (*pages, other):
            expect(page.locator("article.live .bubble")).to_have_text("みんなに見える")
        pages[-1].locator("#composer .stop").click()
        for page in pages:
            expect(page.locator("article:not(.live) .bubble")).to_have_text(["見える?", "みんなに見える"])
            expect(page.locator(".broken-off")).to_have_text("ここで止めました。")
        expect(other.locator(".broken-off")).to_have_text("You stopped it here.")
        log_of(server, name).append("persona", name, "外から来たひとこと")
        expect(pages[3].locator("article").last).to_contain_text("外から来たひとこと")
        expect(other.locator("article").last).to_contain_text("外から来たひとこと")


def test_a_line_that_is_cut_in_mid_answer_is_caught_up_with(browser: Browser, modelled: Modelled) -> None:
    server, models = modelled
    lines: list[WebSocketRoute] = []
    said: list[str] = []

    def told() -> Iterator[str]:
        """Go on until the line was cut twice: how many pieces a window is shown at once depends on how busy the machine is."""
        while len(lines) < 3 or len(said) % 30:
            said.append(f"{len(said)}つめの言葉。")
            yield said[-1]

    models.enqueue(Say(pieces=told(), gap=0.05))

    def through_a_proxy(line: WebSocketRoute) -> None:
        """Pass everything on, until the fourth piece of an answer."""
        lines.append(line)
        beyond, pieces = line.connect_to_server(), 0

        def pass_on(told: str | bytes) -> None:
            nonlocal pieces
            line.send(told)
            pieces += '"is": "live"' in str(told)
            if pieces == 4 and len(lines) < 3:
                line.close()

        beyond.on_message(pass_on)

    with window(browser, server, persona=persona(server, "とぎれ")) as page:
        page.route_web_socket("**/live", through_a_proxy)
        page.reload()
        page.evaluate(GROWTH)
        send(page, "話して")
        expect(page.locator("article:not(.live)")).to_have_count(2)
        words = "".join(said)
        expect(page.locator("article:not(.live) .bubble")).to_have_text(["話して", words])
        grown = page.evaluate("grown")
        assert {count for count, _ in grown} == {1}
        assert all(words.startswith(text) for _, text in grown)
        lengths = [len(text) for _, text in grown]
        assert lengths == sorted(lengths)


def test_where_no_line_can_be_had_the_page_goes_on_by_asking(browser: Browser, modelled: Modelled) -> None:
    server, models = modelled
    models.enqueue(Say("それでも話せるよ"))
    with window(browser, server, persona=persona(server, "そとの人"), tolerate=True) as page:
        page.route_web_socket("**/live", lambda line: line.close())
        page.reload()
        say(page, "聞こえる?")
        assert bubbles(page) == ["聞こえる?", "それでも話せるよ"]
        expect(page.locator("#told")).to_be_empty()


def test_a_turn_goes_on_when_its_window_closes(browser: Browser, modelled: Modelled) -> None:
    server, models = modelled
    models.enqueue(Say("だれも見ていなくても最後まで話す", gap=0.2))
    name = persona(server, "ひとり")
    with window(browser, server, persona=name) as page:
        send(page, "閉じてもいい?")
    with window(browser, server, persona=name) as page:
        expect(page.locator("article.persona:not(.live) .bubble")).to_have_text("だれも見ていなくても最後まで話す")


def test_enter_that_confirms_a_conversion_sends_nothing(browser: Browser, server: Server) -> None:
    with window(browser, server, persona=persona(server, "かなかんじ")) as page:
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


def test_off_the_record_looks_different_and_nothing_is_written(browser: Browser, server: Server) -> None:
    name = persona(server, "くちがたい")
    with window(browser, server, persona=name) as page:
        veil = page.locator("#composer .veil")
        look = "one => [getComputedStyle(one).backgroundColor, getComputedStyle(one).color].join()"
        say(page, "これは残していい")
        looks = [veil.evaluate(look)]
        veil.hover()
        looks.append(veil.evaluate(look))
        veil.click()
        expect(page.locator(".separator.off-record")).to_be_visible()
        looks.append(veil.evaluate(look))
        assert len(set(looks)) == 3
        say(page, "ないしょの暗号はトマト")
        page.reload()
        expect(page.locator(".separator.off-record")).to_be_visible()
        expect(page.locator("article.user").last).to_contain_text("トマト")
        page.locator("#composer textarea").fill("トマトの続き")
        stored = json.dumps(page.evaluate("() => [{...localStorage}, {...sessionStorage}]"), ensure_ascii=False)
        assert "トマト" not in stored
        page.locator("#composer textarea").fill("")
        veil.click()
        expect(page.locator("article.user")).to_have_count(1)
    written = [path for path in server.home.rglob("*") if path.is_file() and "トマト".encode() in path.read_bytes()]
    assert written == []


def test_files_are_chips_with_their_names_and_stand_with_the_message(
    browser: Browser, server: Server, tmp_path: Path
) -> None:
    picture, note, song, book = (tmp_path / name for name in ("空 の絵.png", "買い物: メモ.txt", "歌.mp3", "本.md"))
    Image.new("RGB", (40, 30), "#88aadd").save(picture)
    note.write_text("牛乳", encoding="utf-8")
    song.write_bytes(b"ID3")
    book.write_text("むかしむかし" * 100, encoding="utf-8")
    with window(browser, server, persona=persona(server, "みせて")) as page:
        chips = page.locator("#composer .chip")
        files = page.locator('#composer input[type="file"]')
        files.evaluate("input => (input.dataset.largest = 1_000)")
        files.set_input_files([picture, note, song, book])
        expect(chips).to_have_text(["空 の絵.png×", "買い物: メモ.txt×"])
        expect(page.locator("#told .problem")).to_contain_text(["「歌.mp3」", "大きな文書は「資料」"])
        say(page, "これ見て")
        image = page.locator("article.user .picture img")
        expect(image).to_be_visible()
        assert image.evaluate("image => image.naturalWidth") == 40
        expect(page.locator("article.user .file")).to_have_text("買い物: メモ.txt")
        expect(chips).to_have_count(0)
    left = [path for path in (server.home / ".uploads").rglob("*.png") if Image.open(path).size == (40, 30)]
    assert left == []  # others of this server may have brought pictures of their own


def test_older_messages_come_when_asked_for_and_who_reads_there_stays(browser: Browser, server: Server) -> None:
    name = talked(server, "むかし", 70)
    with window(browser, server, persona=name) as page:
        expect(page.locator("article")).to_have_count(20)
        expect(page.locator("article").last).to_be_in_viewport()
        page.locator(".older").click()
        expect(page.locator("article")).to_have_count(70)
        expect(page.locator(".older")).to_have_count(0)
        first = page.get_by_text("ひとこと 50", exact=True)  # the first that stood here before
        expect(first).to_be_in_viewport()
        first.hover()
        page.locator("article", has=first).locator(".edit").click()
        page.locator(".editing textarea").fill("ちがうひとこと")
        page.locator(".editing textarea").press("Enter")
        expect(page.get_by_text("ちがうひとこと")).to_be_visible()
        expect(page.locator("article")).to_have_count(70)


def test_what_can_be_done_with_a_message_is_there_for_keys_and_for_thumbs(browser: Browser, server: Server) -> None:
    name = talked(server, "てもと", 6)
    with window(browser, server, persona=name) as page:
        first, second = page.locator("article").first, page.locator("article").nth(1)
        expect(page.locator(".actions")).to_have_count(2)  # beside the newest two
        first.locator(".deeds").focus()
        page.keyboard.press("Tab")
        expect(first.locator(".copy")).to_be_focused()
        second.locator(".deeds").dispatch_event("click")  # as a thumb or a screen reader does: no mouse comes first
        expect(second.locator(".copy")).to_be_focused()
        expect(page.locator(".actions")).to_have_count(4)


def test_the_end_stays_in_sight_whatever_changes(browser: Browser, server: Server) -> None:
    name = talked(server, "まどべ", 30)
    with window(browser, server, persona=name) as page:
        last = page.locator("article .bubble").last
        expect(last).to_be_in_viewport()
        page.set_viewport_size({"width": PHONE[0], "height": PHONE[1] // 2})  # a phone, its keyboard open
        expect(last).to_be_in_viewport()
        page.set_viewport_size({"width": 1000, "height": 700})
        page.locator('#rail button[value="dark"]').click()
        expect(page.locator('html[data-look="dark"]')).to_be_attached()
        expect(last).to_be_in_viewport()
        page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
        expect(page.locator("article .bubble").first).to_be_in_viewport()
        page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
        expect(page.locator("article .bubble").first).to_be_in_viewport()  # who reads further up stays there


def test_a_draft_stays_and_nothing_said_is_kept_in_the_browser(browser: Browser, server: Server) -> None:
    with window(browser, server, persona=persona(server, "したがき")) as page:
        area = page.locator("#composer textarea")
        for empty in ("", "   "):
            area.fill(empty)
            area.press("Enter")
        assert page.locator("article").count() == 0
        area.fill("まだ送らない")
        page.reload()
        expect(area).to_have_value("まだ送らない")
        enter(page, "notes")  # nobody asks whether it may be lost: it is not
        choose_persona(page, "ねむ")
        expect(area).to_have_value("")
        page.go_back()
        enter(page, "talk")
        expect(area).to_have_value("まだ送らない")
        say(page, "ひみつの話はブラウザーに残らない")
        # What was sent is kept until the answer to the form is there; the persona's may come before that.
        page.wait_for_function("() => !JSON.stringify([{...localStorage}, {...sessionStorage}]).includes('ひみつ')")
        assert page.evaluate("async () => (await indexedDB.databases()).map(d => d.name)") == []


def test_talking_works_without_scripts(browser: Browser, server: Server) -> None:
    name = persona(server, "しずけさ")
    with window(browser, server, scripts=False, room="p/Hazel") as page:
        choose_persona(page, name)
        page.locator("#composer textarea").fill("スクリプトなしで話す")
        page.locator("#composer .send").click()
        expect(page.locator("article.user .bubble")).to_have_text("スクリプトなしで話す")
        while page.locator("#composer .stop").is_visible():
            page.locator("#composer .without-scripts").click()  # a look at what has come of the answer since
        expect(page.locator("article.persona")).to_have_count(1)
        page.locator("#composer textarea").fill("窓の外を見た。\n" * 60 + "長い話の終わり")
        page.locator("#composer .send").click()
        expect(page.locator("article.user")).to_have_count(2)
        assert page.evaluate("document.scrollingElement.scrollHeight - scrollY - innerHeight") < 200
        enter(page, "notes")
        page.locator("#note textarea").fill("書きとめた")
        page.locator("#note button.main").click()
        expect(page.locator("#told")).to_contain_text("保存しました。")
    assert Home(server.home).persona(name).core_memory.read_text("utf-8").strip() == "書きとめた"
