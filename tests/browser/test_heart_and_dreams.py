"""Heart and dreams after a real conversation and a dream: read, resolve, look behind a point, take back, save."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Browser, Locator, Page, expect

from managers.storage.errors import Lang
from tests.browser.accessibility import too_wide
from tests.browser.acting import enter, say
from tests.browser.serving import DESKTOP, PHONE, Server, served, window
from ui.locales import texts

PERSONAS: dict[Lang, str] = {"ja": "ねむ", "en": "Hazel"}
LINES: dict[Lang, tuple[str, str]] = {
    "ja": ("うちの猫のモモちゃんが入院していて、とても心配です。", "来週は京都の貴船神社に行く予定です。"),
    "en": ("My cat Momo is in hospital and I am very worried.", "Next week I am going to Kyoto."),
}
CAT: dict[Lang, str] = {"ja": "モモ", "en": "Momo"}
LANGUAGES: tuple[Lang, ...] = ("ja", "en")


@pytest.fixture(scope="module")
def dreaming_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server on which it is never night: a dream now is of what was just said, whenever the tests run."""
    with served(tmp_path_factory.mktemp("dreaming"), sleep={"quiet_start_hour": 0, "quiet_end_hour": 0}) as server:
        yield server


def talk_and_dream(page: Page, lang: Lang) -> None:
    """Say something, dream of it, and read what was dreamt."""
    for line in LINES[lang]:
        say(page, line)
    enter(page, "dreams")
    page.locator("#sleep button.main").click()
    night = page.locator(".night:not(.undone)")
    expect(night).to_have_count(1, timeout=60_000)
    expect(page.locator("#sleep button.main")).to_be_enabled()
    # The page was not asked for again: the night came to it, its story first, and the headline counts what stands there.
    expect(night.locator(".story").first).to_contain_text(CAT[lang])
    count = night.locator(".changes > li").count()
    headline = texts(lang)("dreams.done", time="|", count=count).split("|")[1]
    expect(page.locator("#sleep .outcome")).to_have_text(re.compile(re.escape(headline)))


def curiosity(page: Page) -> Locator:
    return page.locator('#drives [data-key="curiosity"] .level-bar')


def undo_the_dream(page: Page) -> None:
    page.locator('.night button[value="undo"]').first.click()
    page.locator(".ask button.yes").click()


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_heart_after_talk_and_dream(browser: Browser, dreaming_server: Server, lang: Lang, tmp_path: Path) -> None:
    with window(browser, dreaming_server, lang=lang, persona=PERSONAS[lang]) as page:
        talk_and_dream(page, lang)
        enter(page, "heart")
        expect(page.locator("#motive")).to_contain_text(CAT[lang])
        look_behind_a_point(page, lang)
        save_the_curve(page, lang, tmp_path)
        # Resolving a question by keyboard lets curiosity fall, and one stays where one was.
        rows = page.locator("#questions tbody tr")
        count, before = rows.count(), curiosity(page).get_attribute("aria-valuenow") or ""
        assert float(before) > 0
        rows.first.locator('button[value="resolve"]').press("Enter")
        expect(rows).to_have_count(count - 1)
        assert float(curiosity(page).get_attribute("aria-valuenow") or "nan") < float(before)
        expect(page.locator("#questions button:focus")).to_have_count(1)
        # The changes are listed, and can be taken back.
        page.locator("#changes > summary").click()
        page.locator('#changes button[value="undo"]').first.click()
        expect(rows).to_have_count(count)
        expect(curiosity(page)).to_have_attribute("aria-valuenow", before)
        expect(page.locator("#changes > summary")).to_be_visible()
        expect(page.locator('#changes button[value="redo"]').first).to_be_visible()  # the list stayed open
        # The same on a phone, and by night: everything is there, nothing is wider than the window.
        page.emulate_media(color_scheme="dark")
        for size, kind in ((PHONE, "narrow"), (DESKTOP, "wide")):
            page.set_viewport_size({"width": size[0], "height": size[1]})
            expect(page.locator(f"figure.feelings svg.{kind}")).to_be_visible()
            expect(rows.first.locator('button[value="resolve"]')).to_be_visible()
            assert too_wide(page) == []
        take_the_dream_back(page, lang)


def look_behind_a_point(page: Page, lang: Lang) -> None:
    """Open a point by keyboard; it is an address, so back and forward and a reload lead to it."""
    svg = page.locator("figure.feelings svg.wide")
    expect(svg.locator('.point[tabindex="0"]')).to_have_count(1)  # one stop of the tab key
    svg.locator('.point[tabindex="0"]').focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    here = page.locator('#behind .in-place [aria-current="true"]')
    expect(here).to_contain_text(LINES[lang][0])
    expect(page.locator("#behind .in-place > li")).not_to_have_count(1)
    expect(svg.locator(".point:focus[aria-current]")).to_have_count(1)  # one stays on the point
    page.go_back()
    expect(here).to_have_count(0)
    page.go_forward()
    expect(here).to_contain_text(LINES[lang][0])
    page.reload()
    expect(here).to_contain_text(LINES[lang][0])


def save_the_curve(page: Page, lang: Lang, folder: Path) -> None:
    """Save the curve as pictures and as a table, made on this machine."""
    figure = page.locator("figure.feelings")
    for kind, button in (("png", '[data-export="png"]'), ("svg", '[data-export="svg"]'), ("csv", "a[download]")):
        figure.locator(".export > summary").click()
        with page.expect_download() as saving:
            figure.locator(f".export {button}").click()
        saving.value.save_as(folder / f"chart.{kind}")
        expect(figure.locator(".export[open]")).to_have_count(0)
    with Image.open(folder / "chart.png") as picture:
        assert picture.size == (1520, 600)
        assert len(picture.convert("RGB").getcolors(100_000) or []) > 10
    svg = (folder / "chart.svg").read_text("utf-8")
    assert svg.startswith("<svg")
    assert "rgb(" in svg
    assert not re.search(r"var\(|light-dark|href", svg)
    assert LINES[lang][0] in (folder / "chart.csv").read_text("utf-8-sig")


def take_the_dream_back(page: Page, lang: Lang) -> None:
    """Take the dream back and have it again; then what changed since is shown, small, and news leave that alone."""
    enter(page, "dreams")
    night, box = page.locator(".night").first, page.locator("[data-conflict]")
    night.locator("> details > summary").last.click()
    expect(night.locator(".diff .added").first).to_be_visible()
    undo_the_dream(page)
    expect(page.locator(".night.undone")).to_have_count(1)
    enter(page, "heart")
    expect(page.locator("#questions")).to_contain_text(texts(lang)("heart.no_questions"))
    enter(page, "dreams")
    page.locator('.night button[value="redo"]').first.click()
    expect(page.locator(".night.undone")).to_have_count(0)
    enter(page, "heart")
    expect(page.locator("#motive")).to_contain_text(CAT[lang])
    question = page.locator("#questions tbody tr").first
    topic = question.locator("b").first.inner_text()
    question.locator('button[value="resolve"]').click()
    expect(page.locator("#changes")).to_be_visible()
    enter(page, "dreams")
    undo_the_dream(page)
    expect(box).to_contain_text(topic)
    expect(box.locator("li")).to_have_count(1)  # the question, not its whole file
    assert page.evaluate("utatane.refresh()")
    expect(box).to_contain_text(topic)
    box.locator("a.small").click()
    expect(box).to_have_count(0)
    undo_the_dream(page)
    box.locator('button[name="rest"]').click()
    expect(page.locator(".night.undone")).to_have_count(1)
    expect(box).to_have_count(0)
