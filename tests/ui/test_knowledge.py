"""The knowledge room on real files: taken in, refused in one sentence, previewed, removed, brought back."""

import io

import pytest
from httpx2 import Response  # what Starlette answers with in tests
from starlette.testclient import TestClient

from agent.services import Services
from managers.domains.domain_store import DomainStore
from tests.domains.feed_server import FeedServer, Shown, rss
from tests.ui.reading import Element, press, read
from tests.ui.rooms import NAME
from ui.locales import texts
from ui.rooms.knowledge.routes import size
from ui.server.addresses import address_of

LANGUAGE = "ja"
ROOM = address_of(NAME, "knowledge")


def add(visitor: TestClient, *files: tuple[str, bytes]) -> Element:
    """Add files with the plain form; return the page that says what became of them."""
    return read(visitor.post(ROOM, files=[("files", file) for file in files]))


def outcomes(page: Element) -> list[tuple[str, str]]:
    return [(one.classes[0], one.text) for one in page.all("#uploads li")]


def listed(page: Element) -> list[str]:
    return page.texts(".documents summary b")


def preview(visitor: TestClient, name: str) -> Response:
    """Return what the fold of a document fetches."""
    [row] = [row for row in read(visitor.get(ROOM)).all(".documents li") if row.one("b").text == name]
    return visitor.get(row.one("details").attributes["data-src"], headers={"x-utatane": "swap"})


def pdf(password: str = "") -> bytes:
    from pypdf import PdfWriter  # noqa: PLC0415  # loaded where it is needed

    writer, file = PdfWriter(), io.BytesIO()
    writer.add_blank_page(200, 200)
    if password:
        writer.encrypt(password)
    writer.write(file)
    return file.getvalue()


def test_several_documents_are_taken_in_at_once_and_found(services: Services, visitor: TestClient) -> None:
    before = read(visitor.get(ROOM)).one("#room").attributes["data-revision"]
    home = "# 合鍵\n\n物置の合鍵は植木鉢の下にある。".encode()
    page = add(visitor, ("家のこと.md", home), ("壊れ.pdf", b"%PDF-1.7 nothing"), ("庭.txt", "梅は二月".encode()))
    assert [kind for kind, _ in outcomes(page)] == ["right", "wrong", "right"]
    assert "「家のこと.md」のことを聞けるようになりました。" in outcomes(page)[0][1]
    assert "「壊れ.pdf」は壊れているか" in outcomes(page)[1][1]
    again = read(visitor.get(ROOM))
    assert listed(page) == listed(again) == ["家のこと.md", "庭.txt"]
    assert again.one("#room").attributes["data-revision"] != before  # other windows see it
    recall = services.companion(NAME).memories.recall
    assert "植木鉢の下" in recall.search_knowledge_base("物置の合鍵はどこ")[0].text
    assert [path for path in (services.home.folder / ".uploads").rglob("*") if path.is_file()] == []


def test_the_unreadable_is_refused(services: Services, visitor: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    files = [("scanned.pdf", pdf()), ("locked.pdf", pdf("secret")), ("broken.pdf", b"%PDF-1.7\nnothing")]
    files += [("picture.png", b"\x89PNG"), ("empty.pdf", b"")]
    told = outcomes(add(visitor, *files))
    assert [kind for kind, _ in told] == ["wrong"] * len(files)
    missed = [name for (name, _), (_, said) in zip(files, told, strict=True) if name not in said]
    assert missed == []
    monkeypatch.setattr("managers.recall.documents.document_loader.MAX_BYTES", 1_000_000)
    large = "「big.txt」は大きすぎます(1 MB まで)。分けてから、もう一度入れてください。"
    assert outcomes(add(visitor, ("big.txt", bytes(1_000_001)))) == [("wrong", f"big.txt{large}")]
    assert outcomes(add(visitor, ("", b""))) == []
    assert read(visitor.post(ROOM)).one(".nothing").text == "まだ資料はありません。"
    assert services.companion(NAME).memories.knowledge.list() == []


def test_no_name_leads_elsewhere(services: Services, visitor: TestClient) -> None:
    before = set(services.home.folder.rglob("*.txt"))
    for name in ("../../a.txt", "..\\a.txt", ".hidden.txt", "con.txt"):
        add(visitor, (name, b"x"))
    new = set(services.home.folder.rglob("*.txt")) - before
    knowledge = services.personas.get(NAME).paths.knowledge
    assert [path for path in new if path.parent != knowledge] == []


def test_a_document_is_previewed_and_its_markup_is_text(visitor: TestClient) -> None:
    for name in ("a.txt", "100% & #1.txt", "犬.txt"):
        add(visitor, (name, b"<script>alert(1)</script>"))
        shown = preview(visitor, name).text
        assert "&lt;script&gt;alert(1)" in shown
        assert "<script" not in shown
    gone = visitor.get(address_of(NAME, "knowledge/b.txt"))
    assert gone.status_code == 404
    assert "b.txt" in read(gone).one(".problem").text
    assert [size(count, texts("en")) for count in (1, 2500, 3_400_000)] == ["1 kB", "2 kB", "3.4 MB"]


def test_a_removed_document_is_no_longer_found_and_can_be_brought_back(services: Services, visitor: TestClient) -> None:
    add(visitor, ("a.txt", "灯台守の電話番号は三十二番。".encode()))
    memories = services.companion(NAME).memories
    gone = read(press(visitor, read(visitor.get(ROOM)), ".documents button"))
    assert "「a.txt」をごみ箱に入れました。" in gone.one("#told").text
    assert gone.one("#told a").attributes["href"] == f"{ROOM}#{gone.one('#trash').attributes['id']}"
    assert listed(gone) == []
    assert memories.recall.search("灯台守の電話番号", types=["knowledge"]) == []
    back = read(press(visitor, gone, ".trash button"))
    assert listed(back) == ["a.txt"]
    assert memories.recall.search("灯台守の電話番号", types=["knowledge"])


HERE = "/settings/domains"


def test_a_source_on_the_page(services: Services, visitor: TestClient) -> None:
    jobs, store = services.domain_jobs, DomainStore(services.home, "movie", services.clock)

    def page(lang: str = "en") -> str:
        return visitor.get(HERE, params={"persona": NAME}, headers={"accept-language": lang}).text

    def sent(deed: str, **data: str) -> None:
        visitor.post(f"{HERE}/{deed}", data={"domain": "movie", **data})
        if deed == "fetch":
            jobs._thread.join()  # type: ignore[union-attr]

    assert "No shared knowledge yet" in page()
    assert "分野の知識はまだありません" in page("ja")
    with FeedServer() as server:
        feed = f"{server.base}/rss"
        server.pages["/rss"] = Shown(rss(("&lt;b&gt;Dune&lt;/b&gt;", "The third Dune film opens in December.")))
        assert visitor.post(f"{HERE}/add", data={"domain": "Movie", "address": feed}).status_code == 303
        assert "data-ask" in page().split("domains/fetch", 1)[1].split("</form>")[0]
        assert server.asked == []
        sent("fetch")
        assert "was not asked" in page()
        sent("allow", host="127.0.0.1")
        sent("schedule", every="daily")
        sent("schedule", days="9")
        sent("fetch")
    assert "1 new" in page()
    assert (store.plan().every, store.plan().keep_days, store.plan().allowed) == ("daily", 9, ["127.0.0.1"])
    folded = visitor.get(f"{HERE}/movie/documents", params={"persona": NAME}).text
    assert "https://news.example/0" in folded
    assert "<b>Dune" not in folded
    sent("stop")
    sent("remove", source=store.plan().sources[0].id)
    assert store.documents() == []
    sent("remove")
    assert not store.exists
    wrong = {"domain": "movie", "address": "ftp://x.example/"}
    assert "http://" in visitor.post(f"{HERE}/add", data=wrong, follow_redirects=True).text
