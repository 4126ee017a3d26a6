"""The page of exports: every form is made, saved and thrown away; whoever did not make it finds nothing."""

import re
import threading
import zipfile
from io import BytesIO

import pytest
from starlette.testclient import TestClient

from agent import export_jobs
from agent.exporting import CHATS, FORMS, Exported, ExportWishes, export
from agent.import_jobs import ImportJobs
from agent.services import Services
from managers.exchange import import_engine
from managers.exchange.encryption import is_encrypted
from managers.exchange.errors import DaysReversedError, NothingToExportError
from managers.exchange.import_engine import Stage
from tests.exchange.importing import HereReading
from tests.ui.reading import Element, press, read
from tests.ui.rooms import NAME, SAID, House
from ui.locales import LANGUAGES, texts
from ui.server.addresses import address_of

PAGE = address_of(NAME, "exports")
EXPORT = "#export-form button.main"


@pytest.fixture
def visitor(visitor: TestClient, house: House) -> TestClient:
    house.tell()
    visitor.follow_redirects = True
    return visitor


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


def test_days_in_which_nothing_was_said_make_no_file(services: Services, visitor: TestClient) -> None:
    for chat in CHATS:
        page = made(services, visitor, form=chat, until="2020-01-01")
        assert page.one('.exports [role="alert"]').text == NothingToExportError().sentence("en")
        assert list((services.home.folder / ".exports").rglob("*.*")) == []
        press(visitor, page, ".exports form button")
    refused = press(visitor, opened(visitor), EXPORT, form="html", since="2026-11-20", until="2026-11-19")
    assert refused.status_code == 400
    form = read(refused).one("#export-form")
    assert form.one('[role="alert"]').text == DaysReversedError().sentence("en")
    assert form.one("#export-since").attributes["value"] == "2026-11-20"  # to be put right


def test_it_is_made_while_the_page_goes_on_and_can_be_stopped(
    services: Services, visitor: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def slowly(memories: object, path: object, wishes: ExportWishes, render: object, told: object) -> Exported:
        told(0.5)  # type: ignore[operator]
        begun.set()
        go_on.wait()
        return export(memories, path, wishes, render, told)  # type: ignore[arg-type]

    monkeypatch.setattr(export_jobs, "export", slowly)
    before = services.exported_so_far
    press(visitor, opened(visitor), EXPORT)
    begun.wait()
    page = opened(visitor)
    assert page.one("progress").attributes["value"] == "0.50"
    assert services.exported_so_far != before
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


def test_an_encrypted_archive_comes_back_on_the_page_or_says_why_not(services: Services, visitor: TestClient) -> None:
    refused = press(visitor, opened(visitor), EXPORT, passphrase="きらきら星", again="ほか")
    assert refused.status_code == 400
    assert "not the same" in refused.text
    assert "きらきら星" not in refused.text
    page = made(services, visitor, passphrase="きらきら星", again="きらきら星")
    name, data = saved(visitor, page)
    assert name.endswith(".zip.age")
    assert is_encrypted(BytesIO(data))
    assert texts("en")("exports.encrypted") in page.text

    def looked(passphrase: str) -> Element:
        visitor.post("/import", data={"passphrase": passphrase}, files={"file": ("out.zip.age", data)})
        services.imports.settle()
        return read(visitor.get("/import"))

    def brought(page: Element, name: str) -> str:
        press(visitor, page, "#import-yes button", new_name=name)
        services.imports.settle()
        return read(visitor.get("/import")).text

    assert "does not open" in looked("wrong").text
    assert "needs a passphrase" in looked("").text
    assert "already" in brought(looked("きらきら星"), NAME)
    page = looked("きらきら星")
    assert "all of them checked" in page.text
    assert page.one("#import-name").attributes["value"] == NAME
    assert "Back" not in services.personas.list_names()  # only looked at
    assert "Back is back" in brought(page, "Back")
    assert services.memories("Back").log.count() == services.memories(NAME).log.count()
    assert not any(services.home.importing.iterdir())
    services.close()  # nothing is written any more
    found = [path for path in services.home.folder.rglob("*") if path.is_file()]
    assert not [path for path in found if "きらきら星".encode() in path.read_bytes()]


def test_an_archive_that_is_stopped_leaves_nothing(
    services: Services, visitor: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, data = saved(visitor, made(services, visitor))
    visitor.post("/import", files={"file": ("out.zip", data)})
    services.imports.settle()
    noted = ImportJobs._note_share

    def stopped(jobs: ImportJobs, stage: Stage, done: float) -> None:
        jobs._cancel.set()  # as if somebody pressed it just then
        noted(jobs, stage, done)

    monkeypatch.setattr(ImportJobs, "_note_share", stopped)
    visitor.post("/import/yes", data={"new_name": "Back"})
    services.imports.settle()
    assert [entry.name for entry in services.home.characters.iterdir() if "Back" in entry.name] == []
    assert not any(services.home.importing.iterdir())


def test_a_talk_from_elsewhere_comes_home_with_two_clicks(
    services: Services, visitor: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_engine, "ImportReading", HereReading)
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
