"""Documents as a person gives them: chosen or dropped, each with what became of it, and asked about."""

from pathlib import Path
from random import Random

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from managers.personas import PersonaStore
from managers.storage.clock import SystemClock
from managers.storage.paths import Home
from tests.browser.acting import enter, let_go, open_fold, say
from tests.browser.serving import DESKTOP, PHONE, Server, unused, window
from ui.server.addresses import address_of

ASKED = {
    "ja": ("ボート小屋の合鍵は、銅のやかんの裏に掛けてある。", "ボート小屋の合鍵はどこにある?", "銅のやかん"),
    "en": (
        "The spare key of the boathouse hangs behind the copper kettle.",
        "Where is the spare key of the boathouse?",
        "copper kettle",
    ),
}


def persona(server: Server, name: str, lang: str = "ja") -> str:
    store = PersonaStore(Home(server.home), SystemClock(), Random(6))
    return store.create(unused(server, name), language="ja" if lang == "ja" else "en").name


@pytest.mark.parametrize(("lang", "size", "dark"), [("ja", DESKTOP, False), ("en", PHONE, True)])
def test_a_pdf_is_given_and_asked_about(
    browser: Browser, server: Server, tmp_path: Path, lang: str, size: tuple[int, int], dark: bool
) -> None:
    line, question, answer = ASKED[lang]
    name = persona(server, {"ja": "しらべもの", "en": "Finder"}[lang], lang)
    good, bad = tmp_path / "manual.pdf", tmp_path / "broken.pdf"
    good.write_bytes(pdf(line))
    bad.write_bytes(b"%PDF-1.7 nothing")
    with window(browser, server, persona=name, lang=lang, size=size, dark=dark) as page:
        enter(page, "knowledge")
        page.locator("#drop input").set_input_files([good, bad])
        expect(page.locator(".uploads .right")).to_contain_text("manual.pdf")
        expect(page.locator(".uploads .wrong")).to_contain_text("broken.pdf")
        expect(page.locator(".documents li")).to_have_count(1)
        open_fold(page, ".documents details", ".words")
        expect(page.locator(".documents .words")).to_contain_text(answer)
        enter(page, "talk")
        say(page, question)
        expect(page.locator("article.persona").last).to_contain_text(answer)


DROP = """([words, names]) => {
    const files = new DataTransfer();
    for (const name of names) files.items.add(new File([words], name, {type: 'text/plain'}));
    for (const kind of ['dragover', 'drop'])
        document.querySelector('#room').dispatchEvent(new DragEvent(kind, {dataTransfer: files, bubbles: true, cancelable: true}));
}"""


def hold_first(page: Page, name: str, held: list[Route]) -> None:
    """Keep the first document that is sent back until the test lets it go."""

    def pass_on(route: Route) -> None:
        if route.request.method == "POST" and not held:
            held.append(route)
        else:
            route.continue_()

    page.route(f"**{address_of(name, 'knowledge')}", pass_on)


def test_what_is_dropped_waits_its_turn_and_is_not_left_by_accident(browser: Browser, server: Server) -> None:
    name, held = persona(server, "おとしもの"), list[Route]()
    with window(browser, server, persona=name, room="knowledge") as page:
        hold_first(page, name, held)
        with page.expect_request("**/knowledge"):
            page.evaluate(DROP, ["鍵は植木鉢の下。", ["a.txt", "b.txt"]])
        rows = page.locator(".uploads li")
        expect(rows.filter(has_text="b.txt")).to_contain_text("順番を待っています")
        expect(page.locator(".documents li")).to_have_count(0)
        page.locator("h1").click()  # browsers ask only whoever has touched the page
        page.once("dialog", lambda dialog: dialog.dismiss())
        with page.expect_event("dialog") as asked:
            page.evaluate("() => setTimeout(() => location.assign('/'))")
        assert asked.value.type == "beforeunload"
        let_go(page, held)
        expect(page.locator(".uploads .right")).to_have_count(2)
        expect(page.locator(".documents li")).to_have_count(2)


def test_what_is_too_large_is_not_even_sent(browser: Browser, server: Server) -> None:
    name = persona(server, "おおきい")
    with window(browser, server, persona=name, room="knowledge") as page:
        page.evaluate("document.getElementById('drop').dataset.largest = 10")
        page.evaluate(DROP, ["これは十バイトより長い。", ["big.txt"]])
        expect(page.locator(".uploads .wrong")).to_contain_text("「big.txt」は大きすぎます(50 MB まで)")
        expect(page.locator(".documents li")).to_have_count(0)


def test_documents_are_given_removed_and_brought_back_without_scripts(
    browser: Browser, server: Server, tmp_path: Path
) -> None:
    name = persona(server, "かみ")
    (tmp_path / "a.txt").write_text("鍵は植木鉢の下。", "utf-8")
    (tmp_path / "b.pdf").write_bytes(b"%PDF-1.7 nothing")
    with window(browser, server, persona=name, room="knowledge", scripts=False) as page:
        page.locator("#drop input").set_input_files([tmp_path / "a.txt", tmp_path / "b.pdf"])
        page.get_by_role("button", name="入れる").click()
        expect(page.locator(".uploads .right")).to_contain_text("a.txt")
        expect(page.locator(".uploads .wrong")).to_contain_text("b.pdf")
        page.get_by_role("button", name="取りのぞく").click()
        expect(page.locator("#told")).to_contain_text("ごみ箱に入れました")
        page.locator(".fold > summary").click()
        page.get_by_role("button", name="戻す").click()
        expect(page.locator(".documents li")).to_have_count(1)


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
