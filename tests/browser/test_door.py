"""The door in a real browser: how one comes in, what other pages learn, and how a server that is asked to stop ends."""

import os
import threading
import time
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from commands.browser import open_page
from managers.storage.access import Access
from managers.storage.paths import Home
from managers.storage.settings import SettingsFile
from tests.browser.accessibility import axe_core, findings, too_wide
from tests.browser.acting import send
from tests.browser.serving import DESKTOP, PHONE, Server, wait_for_scripts, window
from tests.model_answers import Say
from tests.model_server import ModelServer

TALK = "#room .bubble"
FIELD = "#composer textarea"


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with browser.new_context(locale="ja-JP") as context, context.new_page() as page:
        wait_for_scripts(page)
        page.set_default_timeout(20_000)
        yield page


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """Another program's pages on this computer: their folder and address."""
    handler = partial(SimpleHTTPRequestHandler, directory=str(tmp_path))
    handler.log_message = lambda *_: None  # type: ignore[attr-defined]
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        yield tmp_path, f"http://127.0.0.1:{other.server_address[1]}/"
        other.shutdown()


def test_the_address_opens_the_page_and_is_seen_nowhere_after_it(page: Page, server: Server) -> None:
    page.goto(server.entry)
    expect(page.locator(TALK).first).to_be_visible()
    token = Access(Home(server.home)).token
    assert token not in page.url
    assert page.url.startswith(f"{server.address}p/")
    kept = page.evaluate("JSON.stringify([document.cookie, location.href, document.referrer, {...localStorage}])")
    assert token not in kept
    assert token not in page.content()
    page.goto(server.address)  # a bookmark, the installed app
    expect(page.locator(TALK).first).to_be_visible()


def test_a_stranger_sees_a_locked_door(page: Page, server: Server) -> None:
    for lang in ("ja", "en"):
        answer = page.goto(f"{server.address}p/Hazel/?lang={lang}")
        assert answer is not None
        assert answer.status == 401
        expect(page.get_by_role("heading", name="鍵がかかっています")).to_be_visible()
        expect(page.get_by_role("heading", name="This page is locked")).to_be_visible()
        assert "Hazel" not in page.content()


def test_the_browser_that_the_program_opens_comes_in(page: Page, server: Server) -> None:
    """It is handed a file, for its command line can be read by everybody; a file's page is from elsewhere."""
    os.environ["BROWSER"] = "true"
    try:
        open_page(Home(server.home), server.entry)
    finally:
        del os.environ["BROWSER"]
    page.goto(Home(server.home).opening.as_uri(), wait_until="commit")
    expect(page.locator(TALK).first).to_be_visible()
    assert page.url.startswith(f"{server.address}p/")


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


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_another_page_learns_nothing_and_its_links_lead_to_the_front(
    page: Page, server: Server, elsewhere: tuple[Path, str], name: str
) -> None:
    """Of another origin, and, under the same name, of the same site: there the cookie comes along."""
    folder, address = elsewhere
    link = f'<a href="{server.address}p/Hazel/heart">go</a>'
    (folder / "index.html").write_text(f"<!doctype html><title>elsewhere</title>{link}", encoding="utf-8")
    page.goto(server.entry)
    expect(page.locator(TALK).first).to_be_visible()
    page.goto(address.replace("127.0.0.1", name))
    for path in ("p/Hazel/avatar", "p/Hazel/", "static/x/moon.svg", "config", "worker.js", "manifest.json"):
        assert page.evaluate(PROBE, f"{server.address}{path}") == ["nothing"] * 5, path
    page.get_by_text("go").click()
    expect(page.locator(TALK).first).to_be_visible()
    assert page.url.startswith(f"{server.address}p/")


def test_the_password_is_asked_for_and_opens(page: Page, tmp_path: Path) -> None:
    SettingsFile(tmp_path / "settings.toml").change("page", onboarded=True)
    SettingsFile(tmp_path / "settings.toml").change("mind", provider="builtin")
    Access(Home(tmp_path)).set_password("とても長いひみつ")
    server = Server(tmp_path).start()
    try:
        page.goto(server.address)
        page.get_by_label("合言葉").fill("ちがう")
        page.get_by_role("button").click()
        expect(page.get_by_role("alert")).to_have_text("合言葉が違うようです。")
        page.get_by_label("合言葉").fill("とても長いひみつ")
        page.get_by_role("button").click()
        expect(page.locator(TALK).first).to_be_visible()
    finally:
        server.stop()


def test_what_opens_the_page_is_changed_on_the_page(page: Page, browser: Browser, tmp_path: Path) -> None:
    SettingsFile(tmp_path / "settings.toml").change("page", onboarded=True)
    SettingsFile(tmp_path / "settings.toml").change("mind", provider="builtin")
    server, axe = Server(tmp_path).start(), axe_core()
    try:
        old = server.entry
        page.goto(old)
        page.locator("#settings-tab").click()
        page.locator('.pages a[href="/access"]').click()
        address = page.get_by_label("アドレス", exact=True)
        expect(address).to_have_value(old)
        page.evaluate(axe)
        for size in (DESKTOP, PHONE):
            page.set_viewport_size({"width": size[0], "height": size[1]})
            assert not [*findings(page, f"who may open the page, {size}"), *too_wide(page)]
        with browser.new_context() as other, other.new_page() as window:
            window.goto(old)
            expect(window.locator(FIELD)).to_be_visible()
            page.get_by_role("button", name="新しいアドレスにする").click()
            expect(page.get_by_role("status")).to_contain_text("これが新しいアドレスです")
            expect(address).to_have_value(server.entry)  # who changes it stays in
            assert server.entry != old
            locked = window.get_by_role("heading", name="This page is locked")
            expect(locked).to_be_visible()  # it notices by itself
            for gone in (server.address, old):
                answer = window.goto(gone)
                assert answer is not None
                assert answer.status == 401
        page.get_by_label("新しい合言葉").fill("長いひみつのことば")
        page.get_by_role("button", name="この合言葉にする").click()
        expect(page.get_by_role("status")).to_contain_text("この合言葉をたずねます")
        page.get_by_label("いまの合言葉").last.fill("ちがうひみつ")
        page.get_by_role("button", name="たずねるのをやめる").click()
        expect(page.get_by_role("alert")).to_have_text("合言葉が違うようです。")
        page.get_by_label("いまの合言葉").last.fill("長いひみつのことば")
        page.get_by_role("button", name="たずねるのをやめる").click()
        expect(page.get_by_role("status")).to_contain_text("もう合言葉はたずねません")
        page.get_by_role("link", name="うたた寝にもどる").click()
        expect(page.locator(FIELD)).to_be_visible()
    finally:
        server.stop()


def test_asked_to_stop_in_the_middle_of_a_reply_it_keeps_what_was_said(browser: Browser, tmp_path: Path) -> None:
    with ModelServer() as models:
        models.enqueue(Say("とてもながい返事をゆっくりと話しているところ", gap=0.7))
        settings = SettingsFile(tmp_path / "settings.toml")
        settings.change("page", onboarded=True)
        settings.change("mind", provider="openai", base_url=models.base_url, model="test-model")
        server = Server(tmp_path).start()
        with window(browser, server, tolerate=True) as page:
            send(page, "途中で止まっても覚えていて")
            expect(page.locator("article.live .bubble")).to_contain_text("とても")
            started = time.monotonic()
            assert server.end() == 143
            assert time.monotonic() - started < 20
        [log] = [
            path.read_text("utf-8")
            for path in tmp_path.glob("characters/*/log.txt")
            if "途中で" in path.read_text("utf-8")
        ]
        assert "とても" in log
        assert "broken-off" in log
        assert [line for line in server.said if "http://" not in line] == []
