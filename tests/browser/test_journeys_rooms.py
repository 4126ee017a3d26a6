"""Four journeys: through the memories, over the map, in at the door, and past four rooms as axe-core sees them."""

import re
import threading
from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from agent.services import open_services
from commands.browser import open_page
from managers.memory.episodes import Episode
from managers.storage.access import Access
from managers.storage.paths import Home
from tests.browser.accessibility import problems
from tests.browser.acting import enter, save, say
from tests.browser.serving import DESKTOP, PHONE, Server, served, wait_for_scripts, window
from tests.speeds import one_quick
from ui.server.addresses import address_of

Look = tuple[str, tuple[int, int], bool]
LOOKS: list[Look] = [("en", DESKTOP, False), ("ja", PHONE, True)]
SAID = "庭のレモンの木に、きのう青い実が三つついたよ。"
EDITED = {
    "ja": ("レモンの木", "レモンの木の名前はシトロンヌという。", "レモンの木の名前、覚えてる?", "シトロンヌ"),
    "en": ("Lemon tree", "The lemon tree is called Citronelle.", "What is the lemon tree called?", "Citronelle"),
}
EVENINGS = {
    "ja": ("庭のレモンとバラの剪定の話をした。", "ヨットの帆と灯台の話をした。", "パンの酵母とオーブンの話をした。"),
    "en": (
        "We spoke of the lemon tree, of pruning roses and of compost.",
        "We spoke of sails and the lighthouse, of the harbour and its tide.",
        "We spoke of yeast and the oven, of croissants and sourdough.",
    ),
}
FRIENDS = {"ja": ("田中さん", "モモ"), "en": ("Mia", "Oskar")}
TOGETHER = {"ja": "田中さんとモモは、いっしょに川へ行った。", "en": "Mia and Oskar went to the river together."}
TALK, FIELD = "#room .bubble", "#composer textarea"


def remember_a_tree(server: Server, name: str, lang: str) -> None:
    """Make a persona that was told something, as the command line would."""
    services = open_services(Home(server.home), rng=Random(6))
    services.personas.create(name, language="ja" if lang == "ja" else "en", user_name="ミナ")
    memories = services.companion(name).memories
    said = memories.log.append("user", "ミナ", SAID)
    memories.log.append("persona", name, "三つも。楽しみだね。")
    where = "庭にある" if lang == "ja" else "It stands in the garden"
    memories.entities.note(EDITED[lang][0], where, author="dream", mind="built-in", evidence=[said.id], kind="thing")
    today = datetime.now().date()
    day = Episode(date=today, summary="レモンの話をした。", evidence=[said.id], mind="built-in").sealed()
    memories.apply({memories.episodes.path(today): day.dump()}, author="dream", reason="night")
    memories.recall.catch_up()
    services.close()


@pytest.mark.parametrize(("lang", "size", "dark"), one_quick(LOOKS))
def test_a_memory_is_corrected(browser: Browser, server: Server, lang: str, size: tuple[int, int], dark: bool) -> None:
    entity, text, question, answer = EDITED[lang]
    remember_a_tree(server, name := f"さがしもの{lang}", lang)
    shelves = f"{server.address.rstrip('/')}{address_of(name, 'memories')}/"
    with window(browser, server, persona=name, lang=lang, size=size, dark=dark) as page:
        enter(page, "memories")
        page.locator("h1").click()
        page.keyboard.press("/")
        expect(page.locator("#memory-query")).to_be_focused()
        page.locator("#memory-query").fill("レモンの木")
        page.locator("#memory-query").press("Enter")
        hit = page.locator(".found > li", has_text=SAID)
        hit.locator("summary").click()
        expect(hit.locator(".in-place [aria-current]")).to_contain_text(SAID)
        expect(hit.locator(".in-place")).to_contain_text("楽しみだね")
        page.locator(".found li a.small").first.click()
        expect(page.locator("#memory-query")).to_have_count(0)
        page.go_back()
        expect(page.locator("#memory-query")).to_have_value("レモンの木")
        expect(hit).to_be_visible()
        # What is corrected is what the next answer uses.
        page.goto(f"{shelves}people")
        page.locator(".cards a", has_text=entity).click()
        page.locator('.shelf a[href$="edit=1"]').click()
        area = page.locator("#memory-editor textarea")
        area.fill(text)
        page.locator("#memory-editor a.small").click()
        page.locator(".ask button.no").click()
        expect(area).to_have_value(text)
        save(page, "#memory-editor")
        expect(page.locator(".words.own")).to_have_text(text)
        enter(page, "talk")
        say(page, question)
        expect(page.locator("article.persona").last).to_contain_text(answer)
        # What is forgotten is gone, and comes back.
        page.goto(f"{shelves}days")
        page.locator(".shelf .lines a").first.click()
        page.locator(".shelf button.danger").click()
        page.locator(".ask button.yes").click()
        expect(page.locator(".shelf .nothing")).to_be_visible()
        page.goto(f"{shelves}forgotten")
        row = page.locator(".history li")
        row.locator("button").click()
        expect(row).to_have_count(0)
        page.goto(f"{shelves}days")
        expect(page.locator(".shelf .lines a")).to_have_count(1)


def remember_evenings(server: Server, name: str, lang: str) -> None:
    """Let a persona remember some evenings, a page of a day, and two friends."""
    services = open_services(Home(server.home), rng=Random(8))
    services.personas.create(name, language="ja" if lang == "ja" else "en", user_name="Mina")
    services.personas.set_settings(name, "sleep", dreaming=False)  # nights that were missed would be made up for
    memories = services.companion(name).memories
    first = datetime.now().replace(hour=12, minute=0, second=0, microsecond=0) - timedelta(days=40)
    for day in range(30):
        for number in range(3):
            text = f"{EVENINGS[lang][day % 3]} ({day + 1})"
            memories.log.append("user", "Mina", text, time=first + timedelta(days=day, minutes=number))
    memories.log.append("user", "Mina", TOGETHER[lang], time=first + timedelta(days=31))
    last = (first + timedelta(days=31)).date()
    memories.episodes.save(Episode(date=last, summary=TOGETHER[lang]), author="dream", reason="night")
    for friend in FRIENDS[lang]:
        memories.entities.note(friend, TOGETHER[lang], author="dream", mind="built-in", kind="person")
    services.companion(name).settle()  # old days are put into archives before they are indexed
    memories.recall.catch_up()
    services.close()


def sky(page: Page) -> Locator:
    return page.locator("svg.sky:visible")


@pytest.mark.parametrize(("lang", "size", "dark"), one_quick(LOOKS))
def test_one_looks_at_the_map(browser: Browser, server: Server, lang: str, size: tuple[int, int], dark: bool) -> None:
    remember_evenings(server, name := f"地図{lang}", lang)
    with window(browser, server, persona=name, room="memories/map", lang=lang, size=size, dark=dark) as page:
        expect(sky(page).locator(".star")).to_have_count(30 + 4)  # it came by itself when it was drawn
        panel = page.locator("#panel")
        # By keyboard: one stop of the tab key, to another dot, what it says, and back.
        expect(sky(page).locator('[tabindex="0"]')).to_have_count(1)
        sky(page).locator('[tabindex="0"]').focus()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("End")
        focused = sky(page).locator('.star[tabindex="0"]')
        expect(focused).to_be_focused()
        expect(page.locator(".sky-tip")).to_have_text(focused.get_attribute("aria-label") or "")
        page.keyboard.press("Enter")
        row = panel.locator(".near > li").first
        expect(row).to_be_visible()
        expect(panel.locator("h2")).to_be_focused()
        expect(focused).to_have_attribute("aria-current", "true")
        page.keyboard.press("Escape")
        expect(focused).to_be_focused()
        expect(row).to_have_count(0)
        # What was open has an address: back leads to it, and it is there after loading it anew.
        page.go_back()
        expect(row).to_be_visible()
        page.reload()
        expect(row).to_be_visible()
        # A stretch of conversation opens in its place, also for whoever points beside the dot.
        talk = sky(page).locator('.star[href*="dot=talk"]').first
        expect(page.locator("html.scripted")).to_be_attached()
        talk.evaluate("dot => dot.scrollIntoView({ block: 'center', behavior: 'instant' })")
        talk.locator(".seen").hover(force=True)  # waits until it moves no more
        box = talk.locator(".seen").bounding_box()
        assert box is not None
        page.mouse.click(box["x"] - 3, box["y"] + box["height"] / 2)
        expect(page).to_have_url(re.compile("dot=talk"))
        row.locator("summary").click()
        expect(row.locator(".in-place [aria-current]")).to_be_visible()
        assert problems(page, f"map {lang}") == []
        # What lies outside of the chosen time fades, and stays so when the page is drawn anew.
        page.locator(".when .until").fill(page.locator(".when .until").get_attribute("min") or "")
        expect(sky(page).locator(".star.faded")).not_to_have_count(0)
        expect(sky(page).locator(".star:not(.faded)")).not_to_have_count(0)
        panel.locator("[data-close]").click()
        expect(panel.locator(".lines a").first).to_be_visible()
        expect(sky(page).locator(".star.faded")).not_to_have_count(0)


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """Another program's pages on this computer: their folder and address."""
    (tmp_path / "elsewhere").mkdir()
    handler = partial(SimpleHTTPRequestHandler, directory=str(tmp_path / "elsewhere"))
    handler.log_message = lambda *_: None  # type: ignore[attr-defined]
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        yield tmp_path / "elsewhere", f"http://127.0.0.1:{other.server_address[1]}/"
        other.shutdown()


PROBE = """async address => {
    const seen = tag => new Promise(done => {
        const probe = document.createElement(tag);
        probe.onload = () => done("there"); probe.onerror = () => done("nothing");
        if (tag === "link") { probe.rel = "stylesheet"; probe.href = address; } else probe.src = address;
        document.body.append(probe);
    });
    const asked = mode => fetch(address, {mode, credentials: "include"}).then(() => "there", () => "nothing");
    return [await seen("img"), await seen("script"), await seen("link"), await asked("no-cors"), await asked("cors")];
}"""


def test_the_door_opens_to_the_person_alone(
    browser: Browser, elsewhere: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, other_address = elsewhere
    with (
        served(tmp_path / "home") as server,
        browser.new_context(locale="ja-JP") as context,
        context.new_page() as page,
        browser.new_context() as others,
        others.new_page() as beside,
    ):
        wait_for_scripts(page)
        home, old, path = Home(server.home), server.entry, f"{server.address}p/Hazel/"
        # A stranger sees a locked door.
        assert (answer := page.goto(path)) is not None
        assert answer.status == 401
        expect(page.get_by_role("heading", name="鍵がかかっています")).to_be_visible()
        expect(page.get_by_role("heading", name="This page is locked")).to_be_visible()
        assert "Hazel" not in page.content()
        # The browser is handed a file, for its command line can be read by everybody; a file's page is from elsewhere.
        monkeypatch.setenv("BROWSER", "true")
        open_page(home, old)
        page.goto(home.opening.as_uri(), wait_until="commit")
        expect(page.locator(TALK).first).to_be_visible()
        token = Access(home).token
        kept = page.evaluate("JSON.stringify([document.cookie, location.href, document.referrer, {...localStorage}])")
        assert token not in kept + page.content()
        # Another page learns nothing, of another origin and, under the same name, of the same site: there the cookie
        # comes along. Its links lead to the front.
        (folder / "index.html").write_text(f'<!doctype html><title>x</title><a href="{path}heart">go</a>', "utf-8")
        for name in ("127.0.0.1", "localhost"):
            page.goto(other_address.replace("127.0.0.1", name))
            for one in ("p/Hazel/avatar", "p/Hazel/", "static/x/moon.svg", "config", "worker.js", "manifest.json"):
                assert page.evaluate(PROBE, f"{server.address}{one}") == ["nothing"] * 5, (name, one)
            page.get_by_text("go").click()
            expect(page.locator(TALK).first).to_be_visible()
            assert page.url.startswith(f"{server.address}p/")
        # A new address shuts everybody out but who made it.
        beside.goto(old)
        expect(beside.locator(FIELD)).to_be_visible()
        page.locator("#settings-tab").click()
        page.locator('.pages a[href="/access"]').click()
        address = page.get_by_label("アドレス", exact=True)
        expect(address).to_have_value(old)
        page.get_by_role("button", name="新しいアドレスにする").click()
        expect(page.get_by_role("status")).to_contain_text("これが新しいアドレスです")
        expect(address).to_have_value(server.entry)
        assert server.entry != old
        expect(beside.get_by_role("heading", name="This page is locked")).to_be_visible()  # it notices by itself
        assert (answer := beside.goto(old)) is not None
        assert answer.status == 401
        # A password is asked for from now on.
        page.get_by_label("新しい合言葉").fill("長いひみつのことば")
        page.get_by_role("button", name="この合言葉にする").click()
        expect(page.get_by_role("status")).to_contain_text("この合言葉をたずねます")
        beside.goto(server.address)
        for word, opens in (("wrong", False), ("長いひみつのことば", True)):
            beside.locator("input[type=password]").fill(word)
            beside.get_by_role("button").click()
            expect(beside.locator(FIELD) if opens else beside.get_by_role("alert")).to_be_visible()
        page.get_by_label("いまの合言葉").last.fill("長いひみつのことば")
        page.get_by_role("button", name="たずねるのをやめる").click()
        expect(page.get_by_role("status")).to_contain_text("もう合言葉はたずねません")
        page.get_by_role("link", name="うたた寝にもどる").click()
        expect(page.locator(FIELD)).to_be_visible()


def test_everybody_can_use_four_rooms(browser: Browser, server: Server) -> None:
    remember_a_tree(server, "みんな", "ja")
    found = []
    with window(browser, server, persona="みんな") as page:
        say(page, "レモンの木が心配です。")
        for room, (size, dark) in zip(
            ("", "heart", "memories/people", "persona"), [(PHONE, True), (DESKTOP, False)] * 2, strict=True
        ):
            page.set_viewport_size({"width": size[0], "height": size[1]})
            page.emulate_media(color_scheme="dark" if dark else "light", reduced_motion="reduce")
            page.goto(server.address.rstrip("/") + address_of("みんな", room))
            expect(page.locator("#room h1, #composer textarea").first).to_be_attached()
            found += problems(page, room or "talk")
    assert not found, "\n".join(found)
