"""What can be done in a conversation, also by keyboard alone, and what must never happen there."""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random

from PIL import Image
from playwright.sync_api import Browser, Locator, Page, WebSocketRoute, expect

from managers.memory.log import ConversationLog
from managers.storage.clock import SystemClock
from tests.browser.accessibility import problems
from tests.browser.acting import bubbles, choose_persona, enter, enter_while_composing, say, send
from tests.browser.conftest import Modelled
from tests.browser.serving import PHONE, Server, paths_of, persona, served, visit, window
from tests.model_server import Hang, ModelServer, Say
from ui.server.addresses import address_of

GROWTH = """() => {
    window.grown = [];
    new MutationObserver(() => {
        const live = document.querySelectorAll("article.live .bubble:not(.waiting)");
        if (live.length) grown.push([live.length, live[0].innerText.trim()]);
    }).observe(document.body, { childList: true, subtree: true, characterData: true });
}"""
"""Notes each state of the answer under way that is drawn."""


def talked(server: Server, name: str, count: int) -> str:
    """Make a persona with whom so many words were exchanged."""
    log = log_of(server, persona(server, name))
    for number in range(count):
        is_mine = number % 2 == 0
        log.append("user" if is_mine else "persona", "ミナ" if is_mine else name, f"ひとこと {number}")
    return name


def log_of(server: Server, name: str) -> ConversationLog:
    return ConversationLog(paths_of(server, name), SystemClock(), Random(5))


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


def test_files_are_named_chips_that_stand_with_the_message(browser: Browser, server: Server, tmp_path: Path) -> None:
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
    assert paths_of(server, name).core_memory.read_text("utf-8").strip() == "書きとめた"


def test_asked_to_stop_in_the_middle_of_a_reply_it_keeps_what_was_said(browser: Browser, tmp_path: Path) -> None:
    with ModelServer() as models:
        models.enqueue(Say("とてもながい返事をゆっくりと話しているところ", gap=0.7))
        mind = {"provider": "openai", "base_url": models.base_url, "model": "test-model"}
        with served(tmp_path, mind=mind) as server, window(browser, server, tolerate=True, persona="ねむ") as page:
            send(page, "途中で止まっても覚えていて")
            expect(page.locator("article.live .bubble")).to_contain_text("とても")
            assert server.end() == 143
            assert [line for line in server.said if "http://" not in line] == []
            log = paths_of(server, "ねむ").log.read_text("utf-8")
            server.start()
    assert "途中で" in log
    assert "とても" in log
    assert "broken-off" in log


def names_of(page: Page) -> list[str]:
    names: list[str] = page.locator("#personas [data-persona]").evaluate_all(
        "all => all.map(one => one.dataset.persona)"
    )
    return names


def the_list(page: Page) -> Locator:
    """Return the list of keys, which names every room and can be used by everybody."""
    listed = page.locator("dialog.shortcuts")
    expect(listed).to_be_visible()
    for room in page.locator("#rooms a").all_inner_texts():
        expect(listed.get_by_text(room, exact=True)).to_have_count(1)
    assert problems(page, "the list of keys") == []
    return listed


def test_all_of_it_can_be_done_by_keyboard(browser: Browser, server: Server) -> None:
    with window(browser, server, lang="ja", persona="ねむ") as page:
        area, name, names = page.locator("#composer textarea"), page.locator("#head .who"), names_of(page)
        expect(area).to_be_focused()
        area.press_sequentially("j?/1")
        expect(area).to_have_value("j?/1")
        area.press("Alt+ArrowDown")
        expect(name).to_have_text(names[(names.index("ねむ") + 1) % len(names)])
        area.press("Alt+ArrowUp")
        expect(name).to_have_text("ねむ")
        expect(area).to_have_value("j?/1")  # what is not sent waits where it was written
        area.press("Alt+Shift+Digit1")
        expect(name).to_have_text(names[0])
        area.press("Escape")
        expect(area).not_to_be_focused()
        page.keyboard.press("2")
        expect(name).to_have_text(names[1])
        area.press("Escape")
        page.keyboard.press("?")
        listed = the_list(page)
        page.keyboard.press("j")  # under the list nothing happens
        page.keyboard.press("Escape")
        expect(listed).to_have_count(0)
        expect(name).to_have_text(names[1])
        page.keyboard.press("g")
        page.keyboard.press("h")
        expect(page.locator('.scripted #heart-tab[aria-current="page"]')).to_be_visible()
        page.keyboard.press("Alt+PageDown")
        expect(page.locator('.scripted #dreams-tab[aria-current="page"]')).to_be_visible()
        page.keyboard.press("/")
        expect(page.locator(".scripted #memory-query")).to_be_focused()
        page.keyboard.press("Alt+Period")
        expect(area).to_be_focused()


def test_what_sends_and_what_single_keys_do_is_chosen(browser: Browser, server: Server) -> None:
    with window(browser, server, lang="en", persona="Hazel") as page:
        area, listed = page.locator("#composer textarea"), page.locator("dialog.shortcuts")
        area.press("Escape")
        page.keyboard.press("Shift+?")
        listed.locator("label").nth(0).click()
        listed.locator("label").nth(1).click()
        page.keyboard.press("Escape")
        page.keyboard.press("2")
        area.fill("One")
        area.press("Enter")
        area.press_sequentially("two")
        enter_while_composing(page)
        expect(area).to_have_value("One\ntwo")
        area.press("Control+Enter")
        expect(page.locator("article.user .bubble").last).to_have_text("One\ntwo")
        expect(page.locator("#head .who")).to_have_text("Hazel")  # the single keys were switched off
