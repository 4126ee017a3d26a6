"""Heart and dreams after a real conversation and a dream: read, resolve, look behind a point, take back, save."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Browser, Locator, Page, expect

from managers.storage.errors import Lang
from managers.storage.settings import SettingsFile
from tests.browser.acting import enter, say
from tests.browser.serving import ARTIFACTS, DESKTOP, PHONE, Server, window
from ui.locales import texts

PERSONAS = {"ja": "ねむ", "en": "Hazel"}
LINES = {
    "ja": ("うちの猫のモモちゃんが入院していて、とても心配です。", "来週は京都の貴船神社に行く予定です。"),
    "en": ("My cat Momo is in hospital and I am very worried.", "Next week I am going to Kyoto."),
}
CAT = {"ja": "モモ", "en": "Momo"}


@pytest.fixture(scope="module")
def dreaming_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server on which it is never night: a dream now is of what was just said, whenever the tests run."""
    home = tmp_path_factory.mktemp("dreaming")
    settings = SettingsFile(home / "settings.toml")
    settings.change("page", onboarded=True)
    settings.change("mind", provider="builtin")
    settings.change("sleep", quiet_start_hour=0, quiet_end_hour=0)
    server = Server(home).start()
    yield server
    server.stop()


def talk_and_dream(page: Page, lang: str) -> None:
    for line in LINES[lang]:
        say(page, line)
    enter(page, "dreams")
    page.locator("#dream-now").click()
    expect(page.locator("#dream-diary .night:not(.undone)")).to_have_count(1, timeout=60_000)
    expect(page.locator("#dream-now")).to_be_enabled()
    expect(page.locator("#dream-cancel")).to_be_hidden()


def curiosity(page: Page) -> Locator:
    return page.locator('#heart-drives [data-drive="curiosity"] [role="meter"]')


def undo_the_dream(page: Page) -> None:
    page.locator('#dream-diary .night [data-action="undo"]').first.click()
    page.locator(".ask button.yes").click()


def fits(page: Page, room: str) -> None:
    """Nothing is wider than the window."""
    wide, inner = page.evaluate(
        "room => [document.getElementById(room).scrollWidth, document.getElementById(room).clientWidth]", f"{room}-room"
    )
    assert wide <= inner


@pytest.mark.parametrize("lang", ["ja", "en"])
def test_the_heart_after_a_talk_and_a_dream(
    browser: Browser, dreaming_server: Server, lang: str, tmp_path: Path
) -> None:
    with window(browser, dreaming_server.address, lang=lang, persona=PERSONAS[lang]) as page:
        talk_and_dream(page, lang)
        expect(page.locator("#dream-diary .night")).to_contain_text(CAT[lang])
        enter(page, "heart")
        expect(page.locator("#heart-motive")).to_contain_text(CAT[lang])
        rows = page.locator("#heart-questions tbody tr")
        expect(rows.first).to_be_visible()
        count, before = rows.count(), curiosity(page).get_attribute("aria-valuenow") or ""
        assert float(before) > 0
        # A point of the curve, by keyboard: the message is shown in its place.
        point = page.locator('#heart-feelings svg.wide .point[tabindex="0"]')
        point.focus()
        point.press("ArrowLeft")
        page.keyboard.press("Enter")
        here = page.locator('#heart-behind .in-place [aria-current="true"]')
        expect(here).to_contain_text(LINES[lang][0])
        expect(page.locator("#heart-behind .in-place li")).not_to_have_count(1)
        # Saved as pictures and as a table, made on this machine.
        figure = page.locator("#heart-feelings figure")
        for kind in ("png", "svg"):
            figure.locator("summary").click()
            with page.expect_download() as saving:
                figure.locator(f'[data-export="{kind}"]').click()
            saving.value.save_as(tmp_path / f"chart.{kind}")
        with Image.open(tmp_path / "chart.png") as picture:
            assert picture.size == (1520, 600)
            assert len(picture.convert("RGB").getcolors(100_000) or []) > 10
        svg = (tmp_path / "chart.svg").read_text("utf-8")
        assert svg.startswith("<svg")
        assert "var(" not in svg
        figure.locator("summary").click()
        with page.expect_download() as saving:
            figure.locator(".save-table").click()
        saving.value.save_as(tmp_path / "feelings.csv")
        assert LINES[lang][0] in (tmp_path / "feelings.csv").read_text("utf-8-sig")
        # Resolving a question lets curiosity fall, before one's eyes and in the file.
        page.locator('#heart-questions [data-action="resolve"]').first.click()
        expect(rows).to_have_count(count - 1)
        expect(curiosity(page)).not_to_have_attribute("aria-valuenow", before)
        assert float(curiosity(page).get_attribute("aria-valuenow") or "nan") < float(before)
        # Somebody else's word for it: the changes are listed, and can be taken back.
        page.locator("#heart-changes summary").first.click()
        page.locator('#heart-changes [data-action="undo"]').first.click()
        expect(rows).to_have_count(count)
        expect(curiosity(page)).to_have_attribute("aria-valuenow", before)
        # The same on a phone, and by night: everything is there, nothing is wider than the window.
        page.emulate_media(color_scheme="dark")
        for size in (PHONE, DESKTOP):
            page.set_viewport_size({"width": size[0], "height": size[1]})
            kind = "narrow" if size == PHONE else "wide"
            expect(page.locator(f"#heart-feelings svg.{kind}")).to_be_visible()
            expect(rows.first.locator('[data-action="resolve"]')).to_be_visible()
            fits(page, "heart")


@pytest.mark.parametrize("lang", ["ja", "en"])
def test_a_dream_is_taken_back_and_comes_again(browser: Browser, dreaming_server: Server, lang: Lang) -> None:
    with window(browser, dreaming_server.address, lang=lang, persona=PERSONAS[lang]) as page:
        enter(page, "dreams")
        expect(page.locator("#dream-diary .night, #dream-diary .quiet").first).to_be_visible()
        if page.locator("#dream-diary .night").count() == 0:  # run alone
            enter(page, "talk")
            talk_and_dream(page, lang)
        night = page.locator("#dream-diary .night").first
        night.locator("details", has=page.locator(".fetched.history")).locator("summary").click()
        expect(night.locator(".diff .added").first).to_be_visible()
        undo_the_dream(page)
        expect(page.locator("#dream-diary .night.undone")).to_have_count(1)
        enter(page, "heart")
        expect(page.locator("#heart-questions")).to_contain_text(texts(lang)("heart.no_questions"))
        enter(page, "dreams")
        page.locator('#dream-diary [data-action="redo"]').first.click()
        expect(page.locator("#dream-diary .night.undone")).to_have_count(0)
        enter(page, "heart")
        expect(page.locator("#heart-motive")).to_contain_text(re.compile(CAT[lang]))


@pytest.mark.parametrize("lang", ["ja", "en"])
def test_what_changed_since_a_dream_is_shown_small_and_stays(
    browser: Browser, dreaming_server: Server, lang: Lang
) -> None:
    with window(browser, dreaming_server.address, lang=lang, size=PHONE, persona=PERSONAS[lang]) as page:
        enter(page, "heart")
        question = page.locator("#heart-questions tbody tr").first
        topic = question.locator("th, td").first.inner_text().split("\n")[0]
        question.locator('[data-action="resolve"]').click()
        expect(page.locator("#heart-changes summary").first).to_be_visible()
        enter(page, "dreams")
        undo_the_dream(page)
        box = page.locator("#dream-conflict .in-the-way")
        expect(box).to_contain_text(topic)
        expect(box.locator("li")).to_have_count(1)  # the question, not its whole file
        fits(page, "dreams")
        ARTIFACTS.mkdir(exist_ok=True)
        page.screenshot(path=ARTIFACTS / f"in-the-way-{lang}.png")
        box.locator('[data-action="leave"]').click()
        expect(box).to_have_count(0)
        undo_the_dream(page)
        box.locator('[data-action="undo_rest"]').click()
        expect(page.locator("#dream-diary .night.undone")).to_have_count(1)
        expect(box).to_have_count(0)
        page.locator('#dream-diary [data-action="redo"]').first.click()
        expect(page.locator("#dream-diary .night.undone")).to_have_count(0)
