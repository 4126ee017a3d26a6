"""The page as everybody meets it: both languages, both looks, both sizes; pictures of it are kept."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi import FastAPI
from fastapi.staticfiles import StaticFiles
from playwright.sync_api import Browser, Page, Route, expect
from starlette.testclient import TestClient

from managers.storage.paths import Home
from managers.storage.settings import SettingsFile
from tests.browser.accessibility import axe_core, findings, too_small, too_wide, unseen_focus
from tests.browser.acting import enter
from tests.browser.lives import PERSONAS, let_two_live
from tests.browser.serving import ARTIFACTS, DESKTOP, LOCALES, PHONE, Server, window
from tests.browser.walking import Place, walk
from ui.files import ASSETS
from ui.gate import Gate
from ui.locales import LANGUAGES
from ui.theme import PALETTE

Look = tuple[tuple[int, int], bool]
LOOKS: tuple[Look, ...] = ((DESKTOP, False), (PHONE, True), (DESKTOP, True), (PHONE, False))
"""Size, and whether it is dark."""
ENLARGED = (DESKTOP[0] // 2, DESKTOP[1] // 2)
"""What is left of a desktop for one who enlarges the page to 200 %."""
DAYS = 9


@pytest.fixture(scope="module")
def lived_in(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server on which two people have talked for some days, and dreams were dreamt."""
    home = Home(tmp_path_factory.mktemp("lived-in"))
    let_two_live(home, DAYS)
    for persona in PERSONAS.values():
        paths = home.persona(persona)
        paths.knowledge.mkdir(exist_ok=True)
        (paths.knowledge / "manual.txt").write_text("The spare key hangs behind the copper kettle.\n" * 9, "utf-8")
        paths.secret_diary.write_text("だれにも言わない。\n", "utf-8")
    server = Server(home.folder).start()
    yield server
    server.stop()


def looks_of(place: Place, number: int, lang: str) -> list[Look]:
    """Return how a place is looked at: a room in each look in one of the languages, anything else in one look in all."""
    if place.is_room:
        return list(LOOKS[:2] if lang == "ja" else LOOKS[2:])
    size, dark = LOOKS[(number // len(LANGUAGES)) % len(LOOKS)]
    return [(place.size or size, dark)] if LANGUAGES[number % len(LANGUAGES)] == lang else []


def take_on(page: Page, look: Look) -> str:
    """Let the page look so, and return how to call that; nothing is on its way from one colour to another."""
    (width, height), dark = look
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(color_scheme="dark" if dark else "light", reduced_motion="reduce")
    page.wait_for_function(
        "paper => getComputedStyle(document.body).getPropertyValue('--paper').trim() === paper",
        arg=PALETTE["paper"][dark],
    )
    return f"{'dark' if dark else 'light'}-{width}x{height}"


def picture(page: Page, name: str) -> None:
    ARTIFACTS.mkdir(exist_ok=True)
    page.screenshot(path=ARTIFACTS / f"{name}.png")


def inspect(page: Page, place: Place, look: Look, lang: str) -> list[str]:
    """Return what is wrong with a place in one look."""
    name = f"{lang} {take_on(page, look)}"
    found = [str(finding) for finding in findings(page, f"{place.name} ({name})")]
    found += [f"{place.name} ({name}): too wide: {part}" for part in too_wide(page)]
    if look[0] == PHONE:
        found += [f"{place.name} ({name}): too small for a thumb: {part}" for part in too_small(page)]
    if place.is_room:
        picture(page, f"{place.name}-{name.replace(' ', '-')}")
    return found


@pytest.mark.timeout(600)  # a long walk, should the machine be busy
@pytest.mark.parametrize("lang", LANGUAGES)
def test_everybody_can_use_every_room(browser: Browser, lived_in: Server, lang: str) -> None:
    axe, problems = axe_core(), []
    with window(browser, lived_in.address, lang=lang, persona=PERSONAS[lang]) as page:  # type: ignore[index]  # the same
        page.evaluate(axe)
        for number, place in enumerate(walk(page, lang)):
            looks = looks_of(place, number, lang)
            for look in looks:
                problems += inspect(page, place, look, lang)
            for size in [ENLARGED] if place.is_room else [PHONE] if not looks else []:
                page.set_viewport_size({"width": size[0], "height": size[1]})
                problems += [f"{place.name} ({lang}, {size}): too wide: {part}" for part in too_wide(page)]
    assert not problems, "\n".join(problems)


def test_the_first_meeting_is_for_everybody(browser: Browser, lived_in: Server) -> None:
    axe, problems, place = axe_core(), [], Place("first-meeting", is_room=True)
    settings = SettingsFile(Home(lived_in.home).settings)
    settings.change("page", onboarded=False)
    try:
        for lang in LANGUAGES:
            with window(browser, lived_in.address, lang=lang) as page:
                expect(page.locator("#onboarding .persona-card").first).to_be_visible()
                page.evaluate(axe)
                for look in looks_of(place, 0, lang):
                    problems += inspect(page, place, look, lang)
    finally:
        settings.change("page", onboarded=True)
    assert not problems, "\n".join(problems)


def test_the_door_is_for_everybody(browser: Browser) -> None:
    """The login page, which stands before everything else where others could knock."""
    behind = FastAPI()
    behind.mount("/page", StaticFiles(directory=ASSETS))
    axe, problems, door = axe_core(), [], TestClient(Gate(behind, "open sesame"))

    def knock(route: Route) -> None:
        path = route.request.url.removeprefix("http://127.0.0.1")
        answer = door.get(
            path, headers={"accept": "text/html", "accept-language": route.request.headers["accept-language"]}
        )
        route.fulfill(status=200, content_type=answer.headers["content-type"], body=answer.content)

    for lang in LANGUAGES:
        context = browser.new_context(locale=LOCALES[lang])
        page = context.new_page()
        page.route("**/*", knock)
        page.goto("http://127.0.0.1/")
        expect(page.locator("input[type=password]")).to_be_focused()
        page.evaluate(axe)
        for size, dark in LOOKS:
            page.set_viewport_size({"width": size[0], "height": size[1]})
            page.emulate_media(color_scheme="dark" if dark else "light")
            problems += [str(one) for one in findings(page, f"the door ({lang}, {size}, dark: {dark})")]
            problems += [*too_wide(page), *too_small(page)]
        context.close()
    assert not problems, "\n".join(problems)


def test_one_who_works_by_keyboard_sees_where_they_are(browser: Browser, lived_in: Server) -> None:
    unseen = []
    with window(browser, lived_in.address, lang="en", persona=PERSONAS["en"]) as page:
        take_on(page, (DESKTOP, True))
        for room, filled in SHOWN.items():
            enter(page, room)
            expect(page.locator(filled).first).to_be_visible()
            unseen += [f"{room}: {one}" for one in unseen_focus(page, 45)]
    assert not unseen, "\n".join(unseen)


SHOWN = {
    "talk": "#composer textarea",
    "heart": "#heart-drives .drive",
    "memories": "#memory-query",
    "persona": "#persona-prompt textarea",
    "settings": "#options .option",
}
"""Rooms with every kind of button and field, and what shows that each is there."""
