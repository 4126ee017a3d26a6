"""The page as everybody meets it: both languages, both looks, both sizes; pictures of it are kept."""

from collections.abc import Iterator

import pytest
from fastapi import FastAPI
from playwright.sync_api import Browser, Page, Route, expect
from starlette.testclient import TestClient

from managers.storage.access import Access
from managers.storage.errors import Lang
from managers.storage.paths import Home
from managers.storage.settings import SettingsFile
from tests.browser.accessibility import axe_core, cut_placeholders, findings, too_small, too_wide, unseen_focus
from tests.browser.lives import PERSONAS, let_two_live
from tests.browser.serving import ARTIFACTS, DESKTOP, LOCALES, PHONE, Server, window
from tests.browser.walking import Place, Walk
from ui.components.palette import PALETTE
from ui.server.access import Gate
from ui.server.addresses import address_of

Look = tuple[tuple[int, int], bool]
LOOKS: tuple[Look, ...] = ((DESKTOP, False), (PHONE, True), (DESKTOP, True), (PHONE, False))
"""Size, and whether it is dark."""
LANGUAGES: tuple[Lang, ...] = tuple(PERSONAS)
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


def looks_of(place: Place, number: int, lang: Lang) -> list[Look]:
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
    paper = ", ".join(str(int(PALETTE["paper"][dark][at : at + 2], 16)) for at in (1, 3, 5))
    page.wait_for_function(
        "paper => getComputedStyle(document.documentElement).backgroundColor === paper", arg=f"rgb({paper})"
    )
    return f"{'dark' if dark else 'light'}-{width}x{height}"


def inspect(page: Page, place: Place, look: Look, lang: Lang) -> list[str]:
    """Return what is wrong with a place in one look; keep a picture of a room."""
    name = f"{lang} {take_on(page, look)}"
    if not page.evaluate("'axe' in window"):
        page.evaluate(axe_core())
    found = [str(finding) for finding in findings(page, f"{place.name} ({name})")]
    found += [f"{place.name} ({name}): too wide: {part}" for part in too_wide(page)]
    found += [f"{place.name} ({name}): cut: {words}" for words in cut_placeholders(page)]
    if look[0] == PHONE:
        found += [f"{place.name} ({name}): too small for a thumb: {part}" for part in too_small(page)]
    if place.is_room:
        ARTIFACTS.mkdir(exist_ok=True)
        page.screenshot(path=ARTIFACTS / f"{place.name}-{name.replace(' ', '-')}.png")
    return found


@pytest.mark.timeout(600)  # a long walk, should the machine be busy
@pytest.mark.parametrize("lang", LANGUAGES)
def test_everybody_can_use_every_room(browser: Browser, lived_in: Server, lang: Lang) -> None:
    axe_core()
    problems, persona = [], PERSONAS[lang]
    with window(browser, lived_in, lang=lang, persona=persona) as page:
        for number, place in enumerate(Walk(page, lived_in.address, persona, lang).places()):
            looks = looks_of(place, number, lang)
            for look in looks:
                problems += inspect(page, place, look, lang)
            for size in [ENLARGED] if place.is_room else [PHONE] if not looks else []:
                page.set_viewport_size({"width": size[0], "height": size[1]})
                problems += [f"{place.name} ({lang}, {size}): too wide: {part}" for part in too_wide(page)]
                problems += [f"{place.name} ({lang}, {size}): cut: {words}" for words in cut_placeholders(page)]
            page.set_viewport_size({"width": DESKTOP[0], "height": DESKTOP[1]})
        assert not problems, "\n".join(problems)


def test_the_first_meeting_is_for_everybody(browser: Browser, lived_in: Server) -> None:
    axe_core()
    problems, place = [], Place("first-meeting", is_room=True)
    settings = SettingsFile(Home(lived_in.home).settings)
    settings.change("page", onboarded=False)
    try:
        for lang in LANGUAGES:
            with window(browser, lived_in, lang=lang, room="welcome") as page:
                expect(page.locator(".person").first).to_be_visible()
                for look in looks_of(place, 0, lang):
                    problems += inspect(page, place, look, lang)
    finally:
        settings.change("page", onboarded=True)
    assert not problems, "\n".join(problems)


def test_the_door_is_for_everybody(browser: Browser, own_home: Home) -> None:
    """The login page, which stands before everything else where others could knock."""
    axe, problems, door = axe_core(), [], TestClient(Gate(FastAPI(), Access(own_home, "open sesame")))

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
    unseen, persona = [], PERSONAS["en"]
    with window(browser, lived_in, lang="en", persona=persona) as page:
        for room in ("", "heart", "memories", "persona"):
            page.goto(lived_in.address.rstrip("/") + address_of(persona, room))
            take_on(page, (DESKTOP, True))
            unseen += [f"{room or 'talk'}: {one}" for one in unseen_focus(page, 45)]
        page.goto(f"{lived_in.address}settings")
        unseen += [f"settings: {one}" for one in unseen_focus(page, 45)]
    assert not unseen, "\n".join(unseen)


def test_on_paper_there_are_words_only(browser: Browser, lived_in: Server) -> None:
    with window(browser, lived_in, persona=PERSONAS["ja"]) as page:
        page.emulate_media(media="print")
        for beside in ("#rail", "#rooms", "#composer", ".actions", ".deeds"):
            expect(page.locator(beside).first).to_be_hidden()
        expect(page.locator("article.user .bubble").first).to_be_visible()


def test_nothing_moves_for_whom_motion_is_too_much(browser: Browser, lived_in: Server) -> None:
    with window(browser, lived_in, persona=PERSONAS["ja"]) as page:
        moving = "() => [...document.querySelectorAll('*')].filter((one) => getComputedStyle(one).transitionDuration !== '0s').length"
        assert page.evaluate(moving)
        page.emulate_media(reduced_motion="reduce")
        assert page.evaluate(moving) == 0
        assert page.evaluate("document.getAnimations().length") == 0
