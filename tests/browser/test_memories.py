"""Memories, knowledge and settings as a person uses them."""

from datetime import datetime
from pathlib import Path
from random import Random

import pytest
from playwright.sync_api import Browser, Page, expect

from agent.services import open_services
from managers.memory.episodes import Episode
from managers.storage.paths import Home
from tests.browser.acting import enter, rest, say
from tests.browser.serving import DESKTOP, PHONE, Server, unused, window

SAID = "庭のレモンの木に、きのう青い実が三つついたよ。"


def persona(server: Server, name: str, lang: str = "ja") -> None:
    """Make a persona that was told something, as the command line would."""
    services = open_services(Home(server.home), rng=Random(6))
    services.personas.create(name, language="ja" if lang == "ja" else "en", user_name="ミナ")
    memories = services.companion(name).memories
    said = memories.log.append("user", "ミナ", SAID)
    memories.log.append("persona", name, "三つも。楽しみだね。")
    tree, where = ("レモンの木", "庭にある") if lang == "ja" else ("Lemon tree", "It stands in the garden")
    memories.entities.note(tree, where, author="dream", mind="built-in", evidence=[said.id], kind="thing")
    today = datetime.now().date()
    day = Episode(date=today, summary="レモンの話をした。", evidence=[said.id], mind="built-in").sealed()
    memories.apply({memories.episodes.path(today): day.dump()}, author="dream", reason="night")
    memories.recall.catch_up()
    services.close()


def shelf(page: Page, name: str) -> None:
    page.locator(f'#memories .shelves [data-shelf="{name}"]').click()
    expect(page.locator(f'#memories .shelves [data-shelf="{name}"]')).to_have_attribute("aria-current", "page")


@pytest.mark.parametrize(("lang", "size", "dark"), [("ja", DESKTOP, False), ("en", PHONE, True)])
def test_a_memory_is_found_and_read_in_its_place(
    browser: Browser, server: Server, lang: str, size: tuple[int, int], dark: bool
) -> None:
    name = f"さがしもの{lang}"
    persona(server, name)
    with window(browser, server.address, persona=name, lang=lang, size=size, dark=dark) as page:
        enter(page, "memories")
        page.locator("#memory-query").fill("レモンの実")
        page.locator("#memory-query").press("Enter")
        hit = page.locator(".found > li", has_text=SAID)
        hit.locator("summary").click()
        expect(hit.locator(".in-place [aria-current]")).to_contain_text(SAID)
        expect(hit.locator(".in-place")).to_contain_text("楽しみだね")
        for other in ("entities", "episodes", "insights", "goals", "questions", "main_memory", "secret_diary"):
            shelf(page, other)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


EDITED = {
    "ja": (
        "レモンの木",
        "レモンの木の名前はシトロンヌという。",
        "レモンの木の名前、なんていったか覚えてる?",
        "シトロンヌ",
    ),
    "en": (
        "Lemon tree",
        "The lemon tree is called Citronelle.",
        "Do you remember what the lemon tree is called?",
        "Citronelle",
    ),
}
LOOKS = [("ja", PHONE, True), ("en", DESKTOP, False)]


@pytest.mark.parametrize(("lang", "size", "dark"), LOOKS)
def test_an_edited_entity_is_what_the_next_answer_uses(
    browser: Browser, server: Server, lang: str, size: tuple[int, int], dark: bool
) -> None:
    entity, text, question, answer = EDITED[lang]
    name = f"なおし手{lang}"
    persona(server, name, lang)
    with window(browser, server.address, lang=lang, size=size, dark=dark, persona=name) as page:
        enter(page, "memories")
        shelf(page, "entities")
        page.locator(f'[data-item="{entity}"]').first.click()
        page.locator('.shelf [data-action="edit"]').click()
        area = page.locator("#memory-editor textarea")
        area.fill(text)
        page.locator('#memory-editor [data-action="go"]').click()
        page.locator(".ask button.no").click()
        expect(area).to_have_value(text)
        page.locator("#memory-editor button.primary").click()
        expect(page.locator(".shelf .words")).to_have_text(text)
        enter(page, "talk")
        say(page, question)
        expect(page.locator("article.persona").last).to_contain_text(answer)


def test_what_is_forgotten_is_gone_and_comes_back(browser: Browser, server: Server) -> None:
    name = unused(server, "わすれんぼ")
    persona(server, name)
    with window(browser, server.address, persona=name) as page:
        enter(page, "memories")
        shelf(page, "episodes")
        page.locator(".days-told button").first.click()
        page.locator('.shelf [data-action="forget"]').click()
        page.locator(".ask button.yes").click()
        expect(page.locator(".shelf .nothing")).to_be_visible()
        shelf(page, "forgotten")
        page.locator('[data-action="restore"]').click()
        expect(page.locator('[data-action="restore"]')).to_have_count(0)
        shelf(page, "episodes")
        expect(page.locator(".days-told button")).to_have_count(1)


ASKED = {
    "ja": ("ボート小屋の合鍵は、銅のやかんの裏に掛けてある。", "ボート小屋の合鍵はどこにある?", "銅のやかん"),
    "en": (
        "The spare key of the boathouse hangs behind the copper kettle.",
        "Where is the spare key of the boathouse?",
        "copper kettle",
    ),
}


@pytest.mark.parametrize(("lang", "size", "dark"), LOOKS)
def test_a_pdf_is_dropped_and_asked_about(
    browser: Browser, server: Server, tmp_path: Path, lang: str, size: tuple[int, int], dark: bool
) -> None:
    line, question, answer = ASKED[lang]
    name = unused(server, {"ja": "しらべもの", "en": "Finder"}[lang])
    services = open_services(Home(server.home), rng=Random(6))
    services.personas.create(name, language="ja" if lang == "ja" else "en")
    services.close()
    good, bad = tmp_path / "manual.pdf", tmp_path / "broken.pdf"
    good.write_bytes(pdf(line))
    bad.write_bytes(b"%PDF-1.7 nothing")
    with window(browser, server.address, persona=name, lang=lang, size=size, dark=dark) as page:
        enter(page, "knowledge")
        page.locator('#knowledge-drop input[type="file"]').set_input_files([good, bad])
        expect(page.locator(".uploads .right")).to_contain_text("manual.pdf")
        expect(page.locator(".uploads .wrong")).to_contain_text("broken.pdf")
        row = page.locator(".documents li")
        expect(row).to_have_count(1)
        row.locator("summary").click()
        expect(row.locator(".fetched")).to_contain_text(answer)
        enter(page, "talk")
        say(page, question)
        expect(page.locator("article.persona").last).to_contain_text(answer)


def test_a_setting_is_changed_and_given_back(browser: Browser, server: Server) -> None:
    name = unused(server, "せってい")
    persona(server, name)
    with window(browser, server.address, persona=name) as page:
        enter(page, "settings")
        choose(page, '#options [data-scope="own"]', "aria-pressed", "true")
        choose(page, '#options [data-group="recall"]', "aria-current", "page")
        field = page.locator("#option-recall-max_hits")
        field.fill("4")
        field.press("Tab")
        back = page.locator('#options [data-action="reset"]')
        expect(back).to_have_count(1)
        page.reload()
        enter(page, "settings")
        choose(page, '#options [data-scope="own"]', "aria-pressed", "true")
        choose(page, '#options [data-group="recall"]', "aria-current", "page")
        expect(field).to_have_value("4")
        back.click()
        expect(field).to_have_value("10")
        expect(back).to_have_count(0)


def test_whoever_is_faster_than_the_answers_comes_to_where_they_went_last(browser: Browser, server: Server) -> None:
    name = unused(server, "せっかち")
    persona(server, name)
    with window(browser, server.address, persona=name) as page:
        enter(page, "memories")
        expect(page.locator("#memories .shelves")).to_be_visible()
        for last in ("questions", "entities", "goals"):
            page.evaluate(
                """last => { for (const shelf of ['insights', 'episodes', last])
                    document.querySelector(`#memories .shelves [data-shelf="${shelf}"]`).click(); }""",
                last,
            )
            here = page.locator(f'#memories .shelves [data-shelf="{last}"]')
            expect(here).to_have_attribute("aria-current", "page")


SHOWS_OTHERWISE = """() => [...document.querySelectorAll('#options [data-change]')].filter((field) =>
    field.type === 'checkbox' ? field.checked !== field.hasAttribute('checked')
    : field.tagName === 'SELECT' ? field.value !== field.querySelector('option[selected]').value
    : field.value !== field.getAttribute('value')).map((field) => field.id)"""


def test_fields_show_what_holds(browser: Browser, server: Server) -> None:
    name = unused(server, "ありのまま")
    persona(server, name)
    with window(browser, server.address, persona=name) as page:
        enter(page, "settings")
        choose(page, '#options [data-scope="own"]', "aria-pressed", "true")
        choose(page, '#options [data-group="recall"]', "aria-current", "page")
        field = page.locator("#option-recall-max_hits")
        field.fill("-3")
        field.press("Tab")
        expect(page.locator(".toast-body")).to_be_visible()
        expect(field).to_have_value("10")
        for switch in page.locator("#options input.switch").all():
            switch.click()
        expect(page.locator('#options [data-action="reset"]')).not_to_have_count(0)
        groups = page.locator("#options [data-group]").evaluate_all("all => all.map((one) => one.dataset.group)")
        for group in groups:
            button = page.locator(f'#options [data-group="{group}"]')
            button.click()
            expect(button).to_have_attribute("aria-current", "page")
            assert page.evaluate(SHOWS_OTHERWISE) == [], group


def choose(page: Page, button: str, attribute: str, value: str) -> None:
    """Press a button, and wait until the page shows that it was."""
    page.locator(button).click()
    expect(page.locator(button)).to_have_attribute(attribute, value)
    rest(page)  # a room is drawn once more when one has just come in


def pdf(line: str) -> bytes:
    """Return a PDF with one line of text on one page, in any script: what its codes mean is told by a table."""
    codes = "".join(f"{number:04x}" for number in range(1, len(line) + 1))
    stream = f"BT /F1 12 Tf 20 100 Td <{codes}> Tj ET".encode()
    meant = "\n".join(f"<{number:04x}> <{one.encode('utf-16-be').hex()}>" for number, one in enumerate(line, 1))
    table = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def\n"
        "1 begincodespacerange <0000> <ffff> endcodespacerange\n"
        f"{len(line)} beginbfchar\n{meant}\nendbfchar\nendcmap end end"
    ).encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 200] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type0 /BaseFont /Any /Encoding /Identity-H /DescendantFonts [6 0 R] /ToUnicode 7 0 R >>",
        (
            b"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Any /DW 1000 "
            b"/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>"
        ),
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(table), table),
    ]
    body, offsets = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        offsets.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    where = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    return body + (
        b"xref\n0 8\n0000000000 65535 f \n%strailer\n<< /Size 8 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n"
        % (where, len(body))
    )
