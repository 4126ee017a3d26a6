"""The knowledge room on real files: taken in, refused in one sentence, previewed, removed, brought back."""

from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from pypdf import PdfWriter

from agent.services import Services
from managers.storage.paths import Home
from tests.ui.rooms import NAME
from ui.knowledge import KnowledgeHandlers, knowledge_router, size
from ui.locales import texts
from ui.uploads import uploaded

JA = texts("ja")


@pytest.fixture
def uploads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that the browser's files arrive in."""
    folder = tmp_path / "uploads"
    folder.mkdir()
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(folder))
    return folder


@pytest.fixture
def room(services: Services, monkeypatch: pytest.MonkeyPatch) -> KnowledgeHandlers:
    # A toast needs a page to be shown on.
    monkeypatch.setattr("ui.knowledge.say_done", lambda sentence, t: None)
    return KnowledgeHandlers(services, JA)


def take(room: KnowledgeHandlers, path: Path | str, name: str) -> dict[str, Any]:
    """Take a file in and return what its row says at last."""
    steps = list(room.take(NAME, {"path": str(path), "name": name, "number": "1"}))
    assert all(not state["over"] for state in steps[:-1])
    last: dict[str, Any] = steps[-1]
    assert last["over"]
    return last


def pdf(path: Path, password: str = "") -> Path:
    writer = PdfWriter()
    writer.add_blank_page(200, 200)
    if password:
        writer.encrypt(password)
    writer.write(path)
    return path


def test_a_document_is_taken_in_under_its_own_name_and_found(
    services: Services, room: KnowledgeHandlers, uploads: Path
) -> None:
    sent = uploads / "x123.md"
    sent.write_text("# 合鍵\n\n物置の合鍵は植木鉢の下にある。", encoding="utf-8")
    last = take(room, sent, "家のこと.md")
    assert "wrong" not in last
    assert "家のこと.md" in room.open(NAME)
    recall = services.companion(NAME).memories.recall
    assert "植木鉢の下" in recall.search_knowledge_base("物置の合鍵はどこ")[0].text
    plan = recall.plan("物置の合鍵はどこですか", [])
    assert plan.wanted
    assert "植木鉢の下" in recall.for_turn(plan.query, window=[])[0].text
    assert not sent.exists()


@pytest.mark.parametrize("kind", ["scanned", "broken", "locked", "picture", "empty"])
def test_what_cannot_be_read_is_refused_in_one_sentence_and_not_kept(
    services: Services, room: KnowledgeHandlers, uploads: Path, kind: str
) -> None:
    sent, name = uploads / "sent", f"{kind}.pdf"
    if kind == "scanned":
        pdf(sent)
    elif kind == "locked":
        pdf(sent, "secret")
    else:
        sent.write_bytes({"broken": b"%PDF-1.7\nnothing", "picture": b"\x89PNG", "empty": b""}[kind])
    if kind == "picture":
        name = "picture.png"
    last = take(room, sent, name)
    assert last["wrong"]
    assert name in last["state"]
    assert "\n" not in last["state"]
    assert services.companion(NAME).memories.knowledge.list() == []


def test_a_file_that_is_too_large_is_not_even_sent(room: KnowledgeHandlers) -> None:
    last = take(room, "", "big.pdf")
    assert last["wrong"]
    assert "50" in last["state"]


def test_no_path_of_the_browsers_making_is_read(room: KnowledgeHandlers, uploads: Path, own_home: Home) -> None:
    own_home.secrets.write_text("[keys]", encoding="utf-8")
    assert take(room, own_home.secrets, "secrets.txt")["wrong"]
    assert own_home.secrets.exists()
    assert uploaded(str(pdf(uploads / "a.pdf"))) == (uploads / "a.pdf").resolve()


def test_a_name_that_leads_elsewhere_is_refused(room: KnowledgeHandlers, uploads: Path) -> None:
    (uploads / "a.txt").write_text("x", encoding="utf-8")
    assert take(room, uploads / "a.txt", "../../a.txt")["wrong"]


def test_a_document_is_previewed_and_its_markup_is_text(
    services: Services, room: KnowledgeHandlers, uploads: Path
) -> None:
    (uploads / "a.txt").write_text("<script>alert(1)</script>", encoding="utf-8")
    take(room, uploads / "a.txt", "a.txt")
    app = FastAPI()
    app.include_router(knowledge_router(services))
    client = TestClient(app)
    assert "&lt;script&gt;alert(1)" in client.get(f"/personas/{NAME}/knowledge/a.txt?lang=ja").text
    gone = client.get(f"/personas/{NAME}/knowledge/b.txt?lang=ja")
    assert gone.status_code == 200
    assert "b.txt" in gone.text


def test_a_removed_document_is_no_longer_found_and_can_be_brought_back(
    services: Services, room: KnowledgeHandlers, uploads: Path
) -> None:
    (uploads / "a.txt").write_text("灯台守の電話番号は三十二番。", encoding="utf-8")
    take(room, uploads / "a.txt", "a.txt")
    recall = services.companion(NAME).memories.recall
    html = room.do(NAME, {"action": "remove", "item": "a.txt"})
    assert 'data-action="restore" data-item="a.txt"' in html
    assert recall.search("灯台守の電話番号", types=["knowledge"]) == []
    room.do(NAME, {"action": "restore", "item": "a.txt"})
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
