"""The page as everybody meets it: both languages, both looks, both sizes; pictures of it are kept."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from managers.storage.access import Access
from managers.storage.errors import Lang
from managers.storage.paths import Home
from tests.browser.accessibility import cut_placeholders, problems, too_wide, unseen_focus
from tests.browser.lives import let_two_live
from tests.browser.serving import ARTIFACTS, DESKTOP, LOCALES, PHONE, Server, served, window
from tests.browser.walking import Place, Walk
from tests.homes import PERSONAS
from ui.components.palette import PALETTE
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
    page.wait_for_function("p => getComputedStyle(document.documentElement).backgroundColor === p", arg=f"rgb({paper})")
    return f"{'dark' if dark else 'light'}-{width}x{height}"


def inspect(page: Page, place: Place, look: Look, lang: Lang) -> list[str]:
    """Return what is wrong with a place in one look; keep a picture of a room."""
    name = f"{lang} {take_on(page, look)}"
    if place.is_room:
        ARTIFACTS.mkdir(exist_ok=True)
        page.screenshot(path=ARTIFACTS / f"{place.name}-{name.replace(' ', '-')}.png")
    return problems(page, f"{place.name} ({name})")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_everybody_can_use_every_room(browser: Browser, lived_in: Server, lang: Lang) -> None:
    found, persona = [], PERSONAS[lang]
    with window(browser, lived_in, lang=lang, persona=persona) as page:
        for number, place in enumerate(Walk(page, lived_in.address, persona, lang).places()):
            looks = looks_of(place, number, lang)
            for look in looks:
                found += inspect(page, place, look, lang)
            for size in [ENLARGED] if place.is_room else [PHONE] if not looks else []:
                page.set_viewport_size({"width": size[0], "height": size[1]})
                parts = [*too_wide(page), *cut_placeholders(page)]
                found += [f"{place.name} ({lang}, {size}): {part}" for part in parts]
            page.set_viewport_size({"width": DESKTOP[0], "height": DESKTOP[1]})
        assert not found, "\n".join(found)


def test_the_door_is_for_everybody(browser: Browser, tmp_path: Path) -> None:
    """The login page, which stands before everything else where others could knock, and the page of who may come in."""
    found = []
    with served(tmp_path) as server:
        for lang in LANGUAGES:
            with browser.new_context(locale=LOCALES[lang]) as context, context.new_page() as page:
                page.goto(server.entry)
                for path in ("access", ""):
                    page.goto(f"{server.address}{path}")
                    for (width, height), dark in LOOKS:
                        page.set_viewport_size({"width": width, "height": height})
                        page.emulate_media(color_scheme="dark" if dark else "light")
                        found += problems(page, f"the door /{path} ({lang}, {width}, dark: {dark})")
                    Access(Home(tmp_path)).set_password("open sesame")
                Access(Home(tmp_path)).remove_password()
    assert not found, "\n".join(found)


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


def test_nothing_moves_for_whom_motion_is_too_much_and_paper_has_words_only(browser: Browser, lived_in: Server) -> None:
    with window(browser, lived_in, persona=PERSONAS["ja"]) as page:
        moving = "() => [...document.querySelectorAll('*')].filter((one) => getComputedStyle(one).transitionDuration !== '0s').length"
        assert page.evaluate(moving)
        page.emulate_media(reduced_motion="reduce")
        assert page.evaluate(moving) == 0
        assert page.evaluate("document.getAnimations().length") == 0
        page.emulate_media(media="print")
        for beside in ("#rail", "#rooms", "#composer", ".actions", ".deeds"):
            expect(page.locator(beside).first).to_be_hidden()
        expect(page.locator("article.user .bubble").first).to_be_visible()
