"""Whoever starts the page after folders have come from elsewhere is asked once, in their language, before anything is opened."""

import itertools
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from playwright.sync_api import Browser, Page, expect

from managers.personas import PersonaStore
from managers.storage.paths import Home
from managers.storage.settings import SettingsFile
from tests.browser.accessibility import axe_core, findings, too_small, too_wide
from tests.browser.acting import say
from tests.browser.serving import ARTIFACTS, DESKTOP, LOCALES, PHONE, Server, visit, wait_for_scripts
from tests.fakes import HandClock
from tests.hostile_folder import Hostile, make_hostile

YES = {"ja": "設定は使わずに、みんな迎える", "en": "Let all in, without the settings"}
OPEN = {"ja": "あとで", "en": "Later"}


@pytest.fixture
def guests(tmp_path: Path) -> Hostile:
    home = Home(tmp_path / "home")
    settings = SettingsFile(home.settings)
    settings.change("page", onboarded=True)
    settings.change("mind", provider="builtin")
    store = PersonaStore(home, HandClock(), Random(1))
    store.create("Aki", language="en")
    for path in home.admitted.iterdir():  # as in a home of before there was a record
        path.unlink()
    return make_hostile(home.characters / "Rook", tmp_path / "elsewhere")


@pytest.fixture
def server(guests: Hostile) -> Iterator[Server]:
    server = Server(guests.folder.parents[1]).start()
    yield server
    server.stop()


def open_page(
    browser: Browser, server: Server, lang: str, size: tuple[int, int], *, dark: bool = False, scripts: bool = True
) -> Page:
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        locale=LOCALES[lang],
        color_scheme="dark" if dark else "light",
        java_script_enabled=scripts,
    )
    if scripts:
        context.on("page", wait_for_scripts)
    page = context.new_page()
    visit(page, server)
    return page


@pytest.mark.parametrize(("lang", "scripts"), [("ja", True), ("en", False)])
def test_guests_are_asked_about_first_and_one_yes_lets_them_in(
    browser: Browser, server: Server, guests: Hostile, lang: str, *, scripts: bool
) -> None:
    page = open_page(browser, server, lang, DESKTOP, scripts=scripts)
    expect(page.locator("section[data-name]")).to_have_count(2)
    expect(page.locator('[data-name="Rook"]')).to_contain_text("http://127.0.0.1:9")
    ARTIFACTS.mkdir(exist_ok=True)
    page.screenshot(path=ARTIFACTS / f"guests-{lang}.png", full_page=True)
    page.get_by_role("button", name=YES[lang], exact=True).click()
    expect(page.locator("section[data-name]")).to_have_count(0)
    expect(page.locator("#told .done", has_text="Rook").first).to_be_visible()
    visit(page, server, "p/Rook/")
    expect(page.locator("#personas")).to_contain_text("Rook")
    if scripts:
        say(page, "はじめまして。")
    guests.assert_harmless()
    page.context.close()


def test_everybody_can_answer(browser: Browser, server: Server, guests: Hostile) -> None:
    axe, problems = axe_core(), []
    for size, dark in itertools.product((DESKTOP, PHONE), (False, True)):
        page = open_page(browser, server, "ja", size, dark=dark)
        page.evaluate(axe)
        found = [*findings(page, "guests"), *too_wide(page), *(too_small(page) if size == PHONE else [])]
        problems += [f"{size} {dark} {one}" for one in found]
        page.get_by_role("link", name=OPEN["ja"]).click()
        expect(page.locator("#personas .waiting a")).to_contain_text("2")
        page.context.close()
    assert problems == []
    guests.assert_harmless()
