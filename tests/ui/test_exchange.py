"""What comes in and goes out by the page: imports, looked at before a yes; exports of every form; backups."""

import json
import re
import threading
import zipfile
from datetime import datetime, timedelta
from io import BytesIO
from pathlib import Path

import pytest
from httpx2 import Response  # what Starlette answers with in tests
from starlette.testclient import TestClient

from agent import export_jobs
from agent.exporting import FORMS, ExportWishes, export
from agent.services import Services
from managers.exchange import import_engine
from managers.exchange.archives.making import Exported
from managers.exchange.encryption import is_encrypted
from managers.storage.texts import Texts
from tests.exchange.importing import HereReading, lines_of
from tests.speeds import one_quick
from tests.ui.reading import Element, press, read
from tests.ui.rooms import EVIL, NAME, SAID, House
from tests.ui.visitors import visitor_of
from ui.locales import LANGUAGES, texts
from ui.server.addresses import address_of, with_query

SAY = Texts("notices/imports")
THEN = datetime(2024, 5, 1, 22, 0)
WORDS = "きらきら星"
FORGET = 'form[action="/import/forget"] button'


@pytest.fixture
def visitor(visitor: TestClient, house: House, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    """A browser in a house in which somebody has talked; what is imported is read in this process."""
    house.tell()
    monkeypatch.setattr(import_engine, "ImportReading", HereReading)
    return visitor


def talk() -> bytes:
    said = [
        {"id": f"a{n}", "time": f"{THEN + timedelta(minutes=n):%Y-%m-%dT%H:%M}", "role": role, "speaker": speaker}
        for n, (role, speaker) in enumerate([("persona", "Mei"), ("user", "Ann")] * 2)
    ]
    return lines_of([one | {"text": f"The boat is green, number {one['id']}."} for one in said]).encode()


def send(visitor: TestClient, data: bytes, name: str = "talk.jsonl", **fields: str) -> Response:
    return send_all(visitor, {name: data}, **({"kind": "", "persona": "", "path": ""} | fields))


def send_all(visitor: TestClient, files: dict[str, bytes], **fields: str) -> Response:
    return visitor.post("/import", data=fields, files=[("file", (name, data)) for name, data in files.items()])


def settled(visitor: TestClient, services: Services, answer: Response) -> Element:
    """Wait until nothing goes on; return the page then."""
    assert answer.status_code in {200, 303}, answer.text
    services.imports.settle()
    return read(visitor.get(answer.headers.get("location", "/import")))


@pytest.mark.parametrize("lang", one_quick(["en", "ja"]))
def test_a_file_is_looked_at_and_comes_in_after_a_yes_once(services: Services, visitor: TestClient, lang: str) -> None:
    visitor.headers["accept-language"] = lang
    t = texts("ja" if lang == "ja" else "en")
    page = settled(visitor, services, send(visitor, talk()))
    assert SAY("messages", t.lang, count=4) in page.text
    assert "Ann" in page.text
    assert "Mei" not in services.personas.list_names()  # only looked at
    assert page.one("#import-name").attributes["value"] == "Mei"
    page = settled(visitor, services, press(visitor, page, "#import-yes button", persona=""))
    assert SAY("added", t.lang, count=4, known=0) in page.text
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
    refused = visitor.post("/import/yes", data={"persona": "", "new_name": "Ann"})
    assert "cannot be told" in settled(visitor, services, refused).text
    assert "Ann" not in services.personas.list_names()
    told = {"speaker": ["Rin", "Ann"], "role": ["user", "persona"], "kind": "text", "persona": ""}
    page = settled(visitor, services, visitor.post("/import/again", data=told))
    settled(visitor, services, press(visitor, page, "#import-yes button", persona="", new_name="Ann"))
    said = {(one.role, one.speaker, one.origins) for one in services.memories("Ann").log.messages()}
    assert said == {("user", "Rin", ("chat.txt",)), ("persona", "Ann", ("chat.txt",))}


def test_what_is_let_in_whole_on_the_page_bears_no_mark(services: Services, visitor: TestClient) -> None:
    page = settled(visitor, services, send(visitor, talk(), "talk.jsonl"))
    form = "#import-yes button"
    settled(visitor, services, press(visitor, page, form, persona="", new_name="Bea", let_in="1"))
    assert {one.origins for one in services.memories("Bea").log.messages()} == {()}


def test_what_cannot_be_read_and_a_late_yes_are_told_where_one_chooses(services: Services, visitor: TestClient) -> None:
    answer = visitor.post("/import/yes", data={"persona": "Mei", "new_name": ""})
    assert "Choose the file once more" in read(visitor.get(answer.headers["location"])).text
    assert "Mei" not in services.personas.list_names()
    page = settled(visitor, services, send(visitor, bytes(range(256)) * 50, "noise.bin"))
    assert "cannot be imported" in page.text
    assert page.one("#import-source")


def test_a_place_is_taken_from_this_computer_alone(services: Services, visitor: TestClient, tmp_path: Path) -> None:
    source = tmp_path / "talk.jsonl"
    source.write_bytes(talk())
    assert visitor.get("/import").text.count('name="path"') == 1
    page = settled(visitor, services, visitor.post("/import", data={"path": f'"{source}"'}))
    assert SAY("messages", "en", count=4) in page.text
    visitor.post("/import/forget")
    for place in ("talk.jsonl", str(tmp_path / "nowhere")):
        assert "/import" in visitor.post("/import", data={"path": place}).headers["location"]
        assert services.imports.current is None
    elsewhere = visitor_of(services, "a long password", "http://192.0.2.7:7860")
    assert 'name="path"' not in elsewhere.get("/import").text
    settled(elsewhere, services, elsewhere.post("/import", data={"path": str(source)}))
    assert services.imports.current is None


def test_scripts_in_names_are_text(services: Services, visitor: TestClient) -> None:
    said = {"id": "x", "time": THEN.isoformat(), "role": "user", "speaker": EVIL, "text": "hm"}
    settled(visitor, services, send(visitor, (json.dumps(said) + "\n").encode(), "a<b>.jsonl"))
    assert "<script>alert(1)" not in visitor.get("/import").text


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


PAGE = address_of(NAME, "exports")
EXPORT = "#export-form button.main"


def opened(visitor: TestClient) -> Element:
    return read(visitor.get(PAGE))


def made(services: Services, visitor: TestClient, **fields: str) -> Element:
    press(visitor, opened(visitor), EXPORT, **fields)
    services.exports.wait()
    return opened(visitor)


def saved(visitor: TestClient, page: Element) -> tuple[str, bytes]:
    answer = visitor.get(page.all(".exports a.main")[0].attributes["href"])
    assert answer.headers["content-disposition"].startswith("attachment")
    assert answer.headers["cache-control"] == "no-store"
    return answer.headers["content-disposition"], answer.content


def test_each_form_is_told_made_saved_and_thrown_away(services: Services, visitor: TestClient) -> None:
    room = read(visitor.get(address_of(NAME, "persona")))
    assert PAGE in [one.attributes["href"] for one in room.all(".buttons a")]
    for lang in LANGUAGES:
        words = visitor.get(PAGE, headers={"accept-language": lang}).text
        assert all(texts(lang)(f"exports.form_{form}") in words for form in FORMS)
    folder = services.home.folder / ".exports"
    for form in FORMS:
        page = made(services, visitor, form=form)
        name, data = saved(visitor, page)
        assert "%E3%81%AD%E3%82%80" in name
        if form == "archive":
            with zipfile.ZipFile(BytesIO(data)) as archive:
                assert f"{NAME}/log.txt" in archive.namelist()
        assert len(list(folder.rglob("*.*"))) == 1 == bool(data)
        assert read(press(visitor, page, ".exports form button")).all(".exports li") == []
        assert list(folder.iterdir()) == []


def test_days_and_the_mask_of_the_settings_are_kept_to(services: Services, visitor: TestClient) -> None:
    services.companion(NAME).memories.log.append("user", "花", "hana@example.jp")
    services.settings_file.change("privacy", mask_exports=True)
    _, data = saved(visitor, made(services, visitor, form="jsonl"))
    assert b"hana@example.jp" not in data
    _, data = saved(visitor, made(services, visitor, form="jsonl", until="2026-11-20"))
    assert len(data.splitlines()) == 2 * len(SAID)


def test_one_under_way_can_be_stopped(services: Services, visitor: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def slowly(memories: object, path: object, wishes: ExportWishes, render: object, told: object) -> Exported:
        told(0.5)  # type: ignore[operator]
        begun.set()
        go_on.wait()
        return export(memories, path, wishes, render, told)  # type: ignore[arg-type]

    monkeypatch.setattr(export_jobs, "export", slowly)
    press(visitor, opened(visitor), EXPORT)
    begun.wait()
    page = opened(visitor)
    assert page.one("progress").attributes["value"] == "0.50"
    assert visitor.get(f"{PAGE}/{services.exports.of(NAME, services.clock.now())[0].id}/file").status_code == 404
    press(visitor, page, ".exports form button")
    go_on.set()
    services.exports.wait()
    assert list((services.home.folder / ".exports").iterdir()) == []
    assert opened(visitor).all(".exports li") == []


def test_what_fails_says_so_and_nobody_elses_is_found(services: Services, visitor: TestClient) -> None:
    page = made(services, visitor, form="jsonl")
    href = page.one(".exports a.main").attributes["href"]
    services.personas.create("Mara", language="en")
    assert visitor.get(re.sub(r"^/p/[^/]+", address_of("Mara").rstrip("/"), href)).status_code == 404
    assert read(visitor.get(address_of("Mara", "exports"))).all(".exports li") == []
    press(visitor, page, ".exports form button")
    (services.personas.get(NAME).paths.memory / "audience.json").write_text("{broken", "utf-8")
    page = made(services, visitor, form="brief")
    assert page.one('.exports [role="alert"]').text
    assert page.all(".exports a.main") == []
    services.exports.stop()
    assert not (services.home.folder / ".exports").exists()
    assert visitor.get(href).status_code == 404


@pytest.mark.slow
def test_a_passphrase_is_typed_twice_and_stands_nowhere(services: Services, visitor: TestClient) -> None:
    refused = press(visitor, opened(visitor), EXPORT, passphrase=WORDS, again="ほか")
    assert (refused.status_code, "not the same" in refused.text, WORDS in refused.text) == (400, True, False)
    name, data = saved(visitor, made(services, visitor, passphrase=WORDS, again=WORDS))
    assert (name.endswith(".zip.age"), is_encrypted(BytesIO(data))) == (True, True)
    for passphrase, told in (("wrong", "does not open"), ("", "needs a passphrase"), (WORDS, NAME)):
        assert told in settled(visitor, services, send(visitor, data, "out.zip.age", passphrase=passphrase)).text
    services.close()  # nothing is written any more
    found = [path for path in services.home.folder.rglob("*") if path.is_file()]
    assert not [path for path in found if WORDS.encode() in path.read_bytes()]


def test_a_talk_from_elsewhere_comes_home(services: Services, visitor: TestClient) -> None:
    before = services.memories(NAME).log.count()
    said = f"花: 外で話すのは初めてだね\n{NAME}: うん、新鮮。\n風が気持ちいい。\n花: また行こう"
    press(visitor, opened(visitor), "#home-form button", text=said, where="よその町")
    services.imports.settle()
    page = read(visitor.get("/import"))
    assert "よその町" in page.text
    press(visitor, page, "#import-yes button", persona=NAME)
    services.imports.settle()
    log = services.memories(NAME).log
    assert log.count() == before + 3
    assert log.tail(3)[1].text == "うん、新鮮。\n風が気持ちいい。"
    (kept,) = services.personas.get(NAME).paths.log_import_source.iterdir()
    assert kept.name.startswith("よその町 2")


BACKUPS = "/settings/backup"
EN = texts("en")


def backups(visitor: TestClient) -> Element:
    return read(visitor.get(with_query(BACKUPS, {"persona": NAME})))


def posted(visitor: TestClient, place: str, **data: str) -> str:
    return visitor.post(f"{BACKUPS}{place}", data=data, follow_redirects=True).text


def test_one_is_made_and_the_page_says_when_and_where(services: Services, visitor: TestClient, tmp_path: Path) -> None:
    assert EN("backups.never") in backups(visitor).text
    assert EN("backups.began") in posted(visitor, "/begin", doing="now")
    services.backups.wait()
    page = backups(visitor)
    assert len(page.all(".backups li")) == 1
    for told in ("backups.same_disk", "backups.encryption_off"):
        assert EN(told) in page.text
    assert EN("backups.proof.full", files="") in page.text
    assert str(services.home.folder / "backups") in page.text
    posted(visitor, "", name="backup.place", value=str(tmp_path / "unplugged"))
    assert str(tmp_path / "unplugged") in backups(visitor).one('[role="alert"]').text


def test_a_persona_and_a_file_come_back_beside_what_is_there(services: Services, visitor: TestClient) -> None:
    name = services.backups.backups.make().id
    prompt = services.personas.get(NAME).paths.system_prompt
    before = prompt.read_bytes()
    prompt.write_bytes(b"changed")
    assert NAME in read(visitor.get(f"{BACKUPS}/{name}")).text
    found = visitor.get(f"{BACKUPS}/{name}/file", params={"path": f"characters/{NAME}/SystemPrompt.txt"})
    assert (found.content, found.headers["content-disposition"][:10]) == (before, "attachment")
    assert visitor.get(f"{BACKUPS}/{name}/file", params={"path": "../../etc/passwd"}).status_code >= 400
    names = set(services.personas.list_names())
    posted(visitor, f"/{name}/persona", persona=NAME)
    (back,) = set(services.personas.list_names()) - names
    assert services.personas.get(back).paths.system_prompt.read_bytes() == before
    assert prompt.read_bytes() == b"changed"


@pytest.mark.slow
def test_encrypted_from_the_page_and_deleted(services: Services, visitor: TestClient) -> None:
    name = services.backups.backups.make().id
    differ = posted(visitor, "/encrypt", passphrase="open sesame", again="open sesam")
    assert EN("backups.passphrases_differ") in differ
    assert EN("backups.encrypted_on") in posted(visitor, "/encrypt", passphrase="open sesame", again="open sesame")
    assert services.backups.backups.make().is_encrypted
    assert EN("backups.plain_left", count=1) in backups(visitor).text
    posted(visitor, f"/{name}/delete")
    assert name not in visitor.get(BACKUPS, follow_redirects=True).text
    services.secrets.set("backup", "")
    assert EN("backups.locked") in backups(visitor).text
    posted(visitor, "/unlock", passphrase="wrong")
    assert services.secrets.get("backup") == ""
    assert EN("backups.unlocked") in posted(visitor, "/unlock", passphrase="open sesame")
