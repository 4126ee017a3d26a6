"""The room for imports: a source is chosen, looked at, said yes to, and what came of it is told; without scripts."""

import json
import sys
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from httpx2 import Response  # what Starlette answers with in tests
from starlette.testclient import TestClient

from agent.services import Services
from managers.exchange import import_engine
from managers.exchange.cards.card_bytes import card_in_png
from managers.exchange.cards.writing import write_card
from managers.storage.texts import Texts
from tests.exchange.cards.made import png, v3
from tests.exchange.importing import HereReading, lines_of
from tests.ui.reading import Element, press, read
from tests.ui.rooms import EVIL
from tests.ui.visitors import visitor_of
from ui.locales import texts

if sys.platform != "win32":
    import resource

SAY = Texts("notices/imports")
THEN = datetime(2024, 5, 1, 22, 0)
FORGET = 'form[action="/import/forget"] button'


@pytest.fixture
def visitor(visitor: TestClient, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    monkeypatch.setattr(import_engine, "ImportReading", HereReading)
    return visitor


def talk() -> bytes:
    said = [
        {
            "id": f"a{number}",
            "time": (THEN + timedelta(minutes=number)).isoformat(),
            "role": "user" if number % 2 else "persona",
            "speaker": "Ann" if number % 2 else "Mei",
            "text": f"The boat is green, number {number}.",
        }
        for number in range(4)
    ]
    return lines_of(said).encode()


def send(visitor: TestClient, data: bytes, name: str = "talk.jsonl", **fields: str) -> Response:
    return send_all(visitor, {name: data}, **({"kind": "", "persona": "", "path": ""} | fields))


def send_all(visitor: TestClient, files: dict[str, bytes], **fields: str) -> Response:
    return visitor.post("/import", data=fields, files=[("file", (name, data)) for name, data in files.items()])


def settled(visitor: TestClient, services: Services, answer: Response) -> Element:
    """Wait until nothing goes on; return the page then."""
    assert answer.status_code in {200, 303}, answer.text
    services.imports.settle()
    return read(visitor.get(answer.headers.get("location", "/import")))


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_a_file_is_looked_at_and_comes_in_after_a_yes_once(services: Services, visitor: TestClient, lang: str) -> None:
    visitor.headers["accept-language"] = lang
    t = texts("ja" if lang == "ja" else "en")
    assert t("imports.way") in read(visitor.get("/new")).text
    page = settled(visitor, services, send(visitor, talk()))
    assert SAY("messages", t.lang, count=4) in page.text
    assert "Ann" in page.text
    assert "Mei" not in services.personas.list_names()  # only looked at
    assert page.one("#import-name").attributes["value"] == "Mei"
    page = settled(visitor, services, press(visitor, page, "#import-yes button", persona=""))
    assert SAY("added", t.lang, count=4, known=0) in page.text
    assert t("imports.dream_free") in page.text
    persona = services.personas.get("Mei")
    assert (persona.user_name, persona.language) == ("Ann", "en")
    page = settled(visitor, services, send(visitor, talk(), persona="Mei"))
    page = settled(visitor, services, press(visitor, page, "#import-yes button", persona="Mei"))
    assert SAY("added", t.lang, count=0, known=4) in page.text
    assert services.memories("Mei").log.count() == 4
    press(visitor, page, FORGET)
    assert t("imports.look") in read(visitor.get("/import")).text
    assert not any(services.home.importing.iterdir())


def test_who_is_who_in_plain_text_can_be_put_right(services: Services, visitor: TestClient) -> None:
    text = b"Rin: good evening\nAnn: hello there\nRin: how was your day?\nAnn: long\n" * 3
    page = settled(visitor, services, send(visitor, text, "chat.txt", kind="text"))
    assert texts("en")("imports.asked") in page.text
    assert not page.all("#import-yes")
    assert not page.all("select[name=role] option[selected]")
    refused = visitor.post("/import/yes", data={"persona": "", "new_name": "Ann"})
    assert "cannot be told" in settled(visitor, services, refused).text
    assert "Ann" not in services.personas.list_names()
    told = {"speaker": ["Rin", "Ann"], "role": ["user", "persona"], "kind": "text", "persona": ""}
    page = settled(visitor, services, visitor.post("/import/again", data=told))
    settled(visitor, services, press(visitor, page, "#import-yes button", persona="", new_name="Ann"))
    said = {(one.role, one.speaker) for one in services.memories("Ann").log.messages()}
    assert said == {("user", "Rin"), ("persona", "Ann")}


def test_what_cannot_be_read_and_a_late_yes_are_told_where_one_chooses(services: Services, visitor: TestClient) -> None:
    answer = visitor.post("/import/yes", data={"persona": "Mei", "new_name": ""})
    assert "Choose the file once more" in read(visitor.get(answer.headers["location"])).text
    assert "Mei" not in services.personas.list_names()
    page = settled(visitor, services, send(visitor, bytes(range(256)) * 50, "noise.bin"))
    assert "cannot be imported" in page.text
    assert page.one("#import-source")
    nothing = (
        b'--x\r\ncontent-disposition: form-data; name="file"; filename=""\r\n\r\n\r\n--x--\r\n'  # as browsers send it
    )
    answer = visitor.post("/import", content=nothing, headers={"content-type": "multipart/form-data; boundary=x"})
    assert "No file was chosen" in settled(visitor, services, answer).text


def test_a_place_is_taken_from_this_computer_alone(services: Services, visitor: TestClient, tmp_path: Path) -> None:
    source = tmp_path / "talk.jsonl"
    source.write_bytes(talk())
    assert visitor.get("/import").text.count('name="path"') == 1
    page = settled(visitor, services, visitor.post("/import", data={"path": f'"{source}"'}))
    assert SAY("messages", "en", count=4) in page.text
    visitor.post("/import/forget")
    elsewhere = visitor_of(services, "a long password", "http://utatane.example:7860")
    assert 'name="path"' not in elsewhere.get("/import").text
    settled(elsewhere, services, elsewhere.post("/import", data={"path": str(source)}))
    assert services.imports.current is None
    for place in ("talk.jsonl", str(tmp_path / "nowhere")):
        assert "/import" in visitor.post("/import", data={"path": place}).headers["location"]
        assert services.imports.current is None


def test_a_card_comes_in_by_the_page_and_scripts_in_names_are_text(services: Services, visitor: TestClient) -> None:
    said = {"id": "x", "time": THEN.isoformat(), "role": "user", "speaker": EVIL, "text": "hm"}
    settled(visitor, services, send(visitor, (json.dumps(said) + "\n").encode(), "a<b>.jsonl"))
    assert "<script>alert(1)" not in visitor.get("/import").text
    book = {"entries": [{"keys": ["tower"], "content": "Old."}], "extensions": {}}
    card = v3(name=EVIL, alternate_greetings=["Again, {{user}}."], nickname="Ari", character_book=book)
    page = settled(visitor, services, send(visitor, png(ccv3=card), "card.png"))
    assert "<img src=x" not in visitor.get("/import").text
    settled(visitor, services, press(visitor, page, "#import-yes button", persona="", new_name="Aria"))
    persona = services.personas.get("Aria")
    assert (persona.nickname, persona.alternate_greetings) == ("Ari", ("Again, {{user}}.",))
    assert persona.avatar is not None
    assert len(services.memories("Aria").lore.store.load().entries) == 1
    written = card_in_png(write_card(persona, services.clock)).card
    assert written.data.name == EVIL  # nobody has renamed it since it was taken in
    assert written.data.character_book == book


ROOM = {
    "Mei/room_config.json": b'{"agent_name": "Mei"}',
    "Mei/SystemPrompt.txt": b"You are Mei.",
    "Mei/log.txt": b"## USER:Ann\nMy boat is green.\n\n2025-10-03 (Fri) 21:00:00\n\n## AGENT:Mei\nGreen as the sea.\n\n2025-10-03 (Fri) 21:00:09 | x\n",
    "Mei/knowledge/empty.txt": b"",
    "Mei/.git/config": b"[core]",
    "Mei/../../../outside.txt": b"hello",
}  # fmt: skip
"""As a browser sends a folder: each file under the path that it has in it."""


def test_a_folder_is_chosen_and_lies_nowhere_but_in_its_own_place(services: Services, visitor: TestClient) -> None:
    page = settled(visitor, services, send_all(visitor, ROOM))
    assert SAY("found", "en", source="Mei") in page.text
    laid = next(services.home.importing.glob("*-upload*"))
    found = {file.relative_to(laid).as_posix() for file in laid.rglob("*") if file.is_file()}
    assert found == {name for name in ROOM if "/." not in name}
    assert not any((services.home.folder / ".uploads").iterdir())
    page = settled(visitor, services, press(visitor, page, "#import-yes button", persona=""))
    assert SAY("added", "en", count=2, known=0) in page.text
    assert services.personas.get("Mei").system_prompt.strip() == "You are Mei."
    press(visitor, page, FORGET)
    assert not any(services.home.importing.iterdir())
    assert not list(services.home.folder.parent.rglob("outside.txt"))


def test_several_files_are_one_source(services: Services, visitor: TestClient) -> None:
    chats = {
        f"chat {number}.jsonl": (
            '{"user_name": "Ann", "character_name": "Mei", "chat_metadata": {}}\n'
            f'{{"name": "Mei", "is_user": false, "send_date": "January {number}, 2024 9:33pm", "mes": "Hi {number}"}}\n'
        ).encode()
        for number in (1, 2, 3)
    }
    page = settled(visitor, services, send_all(visitor, chats))
    assert SAY("found", "en", source="chat 1.jsonl +2") in page.text
    assert SAY("messages", "en", count=3) in page.text


@pytest.mark.skipif(sys.platform == "win32", reason="no limit of open files there")
def test_a_folder_of_thousands_is_held_neither_in_memory_nor_open(
    services: Services, visitor: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {f"room/{number}.txt": b"x" * 2000 for number in range(1200)}
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, 400), hard))
    try:
        answer = send_all(visitor, {**files, "room/log.txt": talk()}, kind="text")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    settled(visitor, services, answer)
    assert services.imports.current is not None
    visitor.post("/import/forget")
    monkeypatch.setattr("ui.server.uploads.MOST_FILES", 1000)
    assert "1,000 files" in send_all(visitor, files).text
    assert services.imports.current is None
    assert not any((services.home.folder / ".uploads").iterdir())
