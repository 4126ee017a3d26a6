"""The page of the backups: made, looked into, brought back, encrypted, deleted; in both languages."""

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from agent.services import Services
from managers.exchange.backups.keeping import Backups
from managers.exchange.backups.listing import Head
from managers.storage.errors import Lang
from tests.ui.reading import Element, read
from tests.ui.rooms import NAME
from tests.ui.visitors import visitor_of
from ui.locales import LANGUAGES, texts
from ui.server.addresses import with_query

PAGE = "/settings/backup"


@pytest.fixture
def visitor(services: Services) -> TestClient:
    visitor = visitor_of(services)
    visitor.headers["accept-language"] = "en"
    visitor.follow_redirects = True
    return visitor


def opened(visitor: TestClient) -> Element:
    return read(visitor.get(with_query(PAGE, {"persona": NAME})))


def made(services: Services) -> str:
    return services.backups.backups.make().id


@pytest.mark.parametrize("lang", LANGUAGES)
def test_it_says_when_the_last_good_one_was_made_and_where_it_lies(
    services: Services, visitor: TestClient, lang: Lang
) -> None:
    visitor.headers["accept-language"] = lang
    t = texts(lang)
    assert t("backups.never") in opened(visitor).text
    made(services)
    page = opened(visitor).text
    assert t("backups.proof.full", files="") in page
    assert t("backups.same_disk") in page
    assert t("backups.encryption_off") in page
    assert str(services.home.folder / "backups") in page


def test_one_is_made_while_the_page_goes_on(services: Services, visitor: TestClient) -> None:
    assert texts("en")("backups.began") in visitor.post(f"{PAGE}/begin", data={"doing": "now"}).text
    services.backups.wait()
    assert len(opened(visitor).all(".backups li")) == 1


def test_a_page_that_was_read_before_one_ended_is_known_to_be_old(
    services: Services, visitor: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    heads, times = Backups.heads, list[int]()

    def heads_and_then_a_backup(self: Backups) -> list[Head]:
        found = heads(self)
        if not times:
            times.append(1)
            services.backups.begin("now")
            services.backups.wait()
        return found

    with monkeypatch.context() as patched:
        patched.setattr(Backups, "heads", heads_and_then_a_backup)
        page = opened(visitor)
    assert page.all(".backups li") == []
    now = opened(visitor)
    assert len(now.all(".backups li")) == 1
    assert page.one("main").attributes["data-revision"] != now.one("main").attributes["data-revision"]


def test_a_persona_and_a_file_come_back_beside_what_is_there(services: Services, visitor: TestClient) -> None:
    name = made(services)
    prompt = services.personas.get(NAME).paths.system_prompt
    before = prompt.read_bytes()
    prompt.write_bytes(b"changed")
    inside = read(visitor.get(f"{PAGE}/{name}")).text
    assert NAME in inside
    found = visitor.get(f"{PAGE}/{name}/file", params={"path": f"characters/{NAME}/SystemPrompt.txt"})
    assert (found.content, found.headers["content-disposition"][:10]) == (before, "attachment")
    assert visitor.get(f"{PAGE}/{name}/file", params={"path": "../../etc/passwd"}).status_code != 200
    names = set(services.personas.list_names())
    visitor.post(f"{PAGE}/{name}/persona", data={"persona": NAME})
    (back,) = set(services.personas.list_names()) - names
    assert services.personas.get(back).paths.system_prompt.read_bytes() == before
    assert prompt.read_bytes() == b"changed"


def test_encrypted_from_the_page_and_deleted(services: Services, visitor: TestClient) -> None:
    t, name = texts("en"), made(services)
    sent = {"passphrase": "open sesame", "again": "open sesam"}
    assert t("backups.passphrases_differ") in visitor.post(f"{PAGE}/encrypt", data=sent).text
    sent["again"] = sent["passphrase"]
    assert t("backups.encrypted_on") in visitor.post(f"{PAGE}/encrypt", data=sent).text
    assert services.backups.backups.make().is_encrypted
    assert t("backups.plain_left", count=1) in opened(visitor).text
    visitor.post(f"{PAGE}/{name}/delete")
    assert name not in visitor.get(PAGE).text
    services.secrets.set("backup", "")
    assert t("backups.locked") in opened(visitor).text
    visitor.post(f"{PAGE}/unlock", data={"passphrase": "wrong"})
    assert services.secrets.get("backup") == ""
    assert t("backups.unlocked") in visitor.post(f"{PAGE}/unlock", data={"passphrase": "open sesame"}).text


def test_a_place_that_is_not_there_is_said(services: Services, visitor: TestClient, tmp_path: Path) -> None:
    visitor.post(PAGE, data={"name": "backup.place", "value": str(tmp_path / "unplugged")})
    assert str(tmp_path / "unplugged") in opened(visitor).one('[role="alert"]').text
