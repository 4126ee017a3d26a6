"""The knowledge room on real files: taken in, refused in one sentence, previewed, removed, brought back."""

import io

import pytest
from httpx2 import Response  # what Starlette answers with in tests
from pypdf import PdfWriter
from starlette.testclient import TestClient

from agent.services import Services
from managers.storage.errors import Lang
from tests.ui.reading import Element, press, read
from tests.ui.rooms import NAME
from tests.ui.visitors import visitor_of
from ui.locales import texts
from ui.rooms.knowledge.view import size
from ui.server.addresses import address_of

ROOM = address_of(NAME, "knowledge")


@pytest.fixture
def visitor(services: Services) -> TestClient:
    visitor = visitor_of(services)
    visitor.headers["accept-language"] = "ja"
    return visitor


def add(visitor: TestClient, *files: tuple[str, bytes]) -> Element:
    """Add files with the plain form; return the page that says what became of them."""
    return read(visitor.post(ROOM, files=[("files", file) for file in files]))


def outcomes(page: Element) -> list[tuple[str, str]]:
    return [(one.classes[0], one.text) for one in page.all("#uploads li")]


def listed(page: Element) -> list[str]:
    return page.texts(".documents summary b")


def pdf(password: str = "") -> bytes:
    writer, file = PdfWriter(), io.BytesIO()
    writer.add_blank_page(200, 200)
    if password:
        writer.encrypt(password)
    writer.write(file)
    return file.getvalue()


def test_several_documents_are_taken_in_at_once_and_found(services: Services, visitor: TestClient) -> None:
    home = "# 合鍵\n\n物置の合鍵は植木鉢の下にある。".encode()
    page = add(visitor, ("家のこと.md", home), ("壊れ.pdf", b"%PDF-1.7 nothing"), ("庭.txt", "梅は二月".encode()))
    assert [kind for kind, _ in outcomes(page)] == ["right", "wrong", "right"]
    assert "「家のこと.md」のことを聞けるようになりました。" in outcomes(page)[0][1]
    assert "「壊れ.pdf」は壊れているか" in outcomes(page)[1][1]
    assert listed(page) == listed(read(visitor.get(ROOM))) == ["家のこと.md", "庭.txt"]
    recall = services.companion(NAME).memories.recall
    assert "植木鉢の下" in recall.search_knowledge_base("物置の合鍵はどこ")[0].text
    plan = recall.plan("物置の合鍵はどこですか", [])
    assert plan.wanted
    assert "植木鉢の下" in recall.for_turn(plan.query, window=[])[0].text
    assert [path for path in (services.home.folder / ".uploads").rglob("*") if path.is_file()] == []


@pytest.mark.parametrize("kind", ["scanned", "broken", "locked", "picture", "empty"])
def test_what_cannot_be_read_is_refused_in_one_sentence_and_not_kept(
    services: Services, visitor: TestClient, kind: str
) -> None:
    data = {
        "scanned": pdf(),
        "locked": pdf("secret"),
        "broken": b"%PDF-1.7\nnothing",
        "picture": b"\x89PNG",
        "empty": b"",
    }
    name = f"{kind}.{'png' if kind == 'picture' else 'pdf'}"
    page = add(visitor, (name, data[kind]))
    [(outcome, said)] = outcomes(page)
    assert outcome == "wrong"
    assert said.startswith((f"{name} ", f"{name}「"))
    assert services.companion(NAME).memories.knowledge.list() == []


def test_one_that_is_too_large_is_refused_by_its_name(visitor: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("managers.recall.documents.document_loader.MAX_BYTES", 1_000_000)
    [(outcome, said)] = outcomes(add(visitor, ("big.txt", bytes(1_000_001))))
    assert (outcome, said) == (
        "wrong",
        "big.txt「big.txt」は大きすぎます(1 MB まで)。分けてから、もう一度入れてください。",
    )
    drop = read(visitor.get(ROOM)).one("#drop")  # the script need not even send it
    assert drop.attributes["data-too-large"].startswith("「{name}」は大きすぎます(50 MB まで)。")
    assert drop.attributes["data-largest"] == "50000000"


@pytest.mark.parametrize("name", ["../../a.txt", "..\\a.txt", ".hidden.txt", "con.txt"])
def test_no_name_leads_elsewhere(services: Services, visitor: TestClient, name: str) -> None:
    before = set(services.home.folder.rglob("*.txt"))
    add(visitor, (name, b"x"))
    new = set(services.home.folder.rglob("*.txt")) - before
    knowledge = services.personas.get(NAME).paths.knowledge
    assert [path for path in new if path.parent != knowledge] == []


def test_a_form_without_a_file_adds_nothing(services: Services, visitor: TestClient) -> None:
    assert outcomes(add(visitor, ("", b""))) == []
    assert read(visitor.post(ROOM)).one(".nothing").text == "まだ資料はありません。"
    assert services.companion(NAME).memories.knowledge.list() == []


def preview(visitor: TestClient, name: str) -> Response:
    """Return what the fold of a document fetches."""
    page = read(visitor.get(ROOM))
    [row] = [row for row in page.all(".documents li") if row.one("b").text == name]
    return visitor.get(row.one("details").attributes["data-src"], headers={"x-utatane": "swap"})


@pytest.mark.parametrize("name", ["a.txt", "100% & #1.txt", "犬.txt"])
def test_a_document_is_previewed_and_its_markup_is_text(visitor: TestClient, name: str) -> None:
    add(visitor, (name, b"<script>alert(1)</script>"))
    shown = preview(visitor, name).text
    assert "&lt;script&gt;alert(1)" in shown
    assert "<script" not in shown
    gone = visitor.get(address_of(NAME, "knowledge/b.txt"))
    assert gone.status_code == 404
    assert "b.txt" in read(gone).one(".problem").text


def test_a_removed_document_is_no_longer_found_and_can_be_brought_back(services: Services, visitor: TestClient) -> None:
    add(visitor, ("a.txt", "灯台守の電話番号は三十二番。".encode()))
    recall = services.companion(NAME).memories.recall
    gone = read(press(visitor, read(visitor.get(ROOM)), ".documents button"))
    assert "「a.txt」をごみ箱に入れました。" in gone.one("#told").text
    assert gone.one("#told a").attributes["href"] == f"{ROOM}#{gone.one('#trash').attributes['id']}"
    assert listed(gone) == []
    assert recall.search("灯台守の電話番号", types=["knowledge"]) == []
    back = read(press(visitor, gone, ".trash button"))
    assert listed(back) == ["a.txt"]
    assert recall.search("灯台守の電話番号", types=["knowledge"])


def test_a_removed_document_takes_nobodys_place(services: Services) -> None:
    knowledge = services.companion(NAME).memories.knowledge
    folder = services.companion(NAME).memories.paths.knowledge
    for text in ("ひとつめ", "ふたつめ"):
        folder.mkdir(exist_ok=True)
        (folder / "a.txt").write_text(text, encoding="utf-8")
        knowledge.remove("a.txt")
    assert [document.name for document in knowledge.removed()] == ["a (2).txt", "a.txt"]
    (folder / "a.txt").write_text("みっつめ", encoding="utf-8")
    assert knowledge.restore("a.txt").name == "a (2).txt"
    assert {document.name for document in knowledge.list()} == {"a.txt", "a (2).txt"}


def test_sizes_are_said_as_people_say_them() -> None:
    assert [size(count, texts("en")) for count in (1, 2500, 3_400_000)] == ["1 kB", "2 kB", "3.4 MB"]


@pytest.mark.parametrize(
    ("lang", "said"), [("ja", "「a.pdf」は壊れているか"), ("en", "cannot be opened: it is damaged")]
)
def test_a_document_that_cannot_be_read_says_so_where_it_stands(
    services: Services, visitor: TestClient, lang: Lang, said: str
) -> None:
    memories = services.companion(NAME).memories
    memories.paths.knowledge.mkdir(exist_ok=True)
    (memories.paths.knowledge / "a.pdf").write_bytes(b"%PDF-1.7 <script>")
    (memories.paths.knowledge / "b.txt").write_text("fine", encoding="utf-8")
    memories.recall.catch_up()
    visitor.headers["accept-language"] = lang
    [unread] = read(visitor.get(ROOM)).texts(".unread")
    assert said in unread
    assert said in read(preview(visitor, "a.pdf")).text


def test_other_windows_see_what_was_added(services: Services, visitor: TestClient) -> None:
    def revision() -> str:
        return read(visitor.get(ROOM)).one("#room").attributes["data-revision"]

    before = revision()
    add(visitor, ("a.txt", b"x"))
    assert revision() != before
