"""The page of the backups: made, looked into, brought back, encrypted, deleted."""

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from agent.services import Services
from managers.exchange.backups.keeping import Backups
from managers.exchange.backups.listing import Head
from tests.ui.reading import Element, read
from tests.ui.rooms import NAME
from ui.locales import texts
from ui.server.addresses import with_query

PAGE = "/settings/backup"
EN = texts("en")


def opened(visitor: TestClient) -> Element:
    return read(visitor.get(with_query(PAGE, {"persona": NAME})))


def posted(visitor: TestClient, place: str, **data: str) -> str:
    return visitor.post(f"{PAGE}{place}", data=data, follow_redirects=True).text


def test_one_is_made_while_the_page_goes_on_which_says_when_and_where(
    services: Services, visitor: TestClient, tmp_path: Path
) -> None:
    assert EN("backups.never") in opened(visitor).text
    assert EN("backups.began") in posted(visitor, "/begin", doing="now")
    services.backups.wait()
    page = opened(visitor)
    assert len(page.all(".backups li")) == 1
    for told in ("backups.same_disk", "backups.encryption_off"):
        assert EN(told) in page.text
    assert EN("backups.proof.full", files="") in page.text
    assert str(services.home.folder / "backups") in page.text
    posted(visitor, "", name="backup.place", value=str(tmp_path / "unplugged"))
    assert str(tmp_path / "unplugged") in opened(visitor).one('[role="alert"]').text


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
    name = services.backups.backups.make().id
    prompt = services.personas.get(NAME).paths.system_prompt
    before = prompt.read_bytes()
    prompt.write_bytes(b"changed")
    assert NAME in read(visitor.get(f"{PAGE}/{name}")).text
    found = visitor.get(f"{PAGE}/{name}/file", params={"path": f"characters/{NAME}/SystemPrompt.txt"})
    assert (found.content, found.headers["content-disposition"][:10]) == (before, "attachment")
    assert visitor.get(f"{PAGE}/{name}/file", params={"path": "../../etc/passwd"}).status_code >= 400
    names = set(services.personas.list_names())
    posted(visitor, f"/{name}/persona", persona=NAME)
    (back,) = set(services.personas.list_names()) - names
    assert services.personas.get(back).paths.system_prompt.read_bytes() == before
    assert prompt.read_bytes() == b"changed"


def test_encrypted_from_the_page_and_deleted(services: Services, visitor: TestClient) -> None:
    name = services.backups.backups.make().id
    differ = posted(visitor, "/encrypt", passphrase="open sesame", again="open sesam")
    assert EN("backups.passphrases_differ") in differ
    assert EN("backups.encrypted_on") in posted(visitor, "/encrypt", passphrase="open sesame", again="open sesame")
    assert services.backups.backups.make().is_encrypted
    assert EN("backups.plain_left", count=1) in opened(visitor).text
    posted(visitor, f"/{name}/delete")
    assert name not in visitor.get(PAGE, follow_redirects=True).text
    services.secrets.set("backup", "")
    assert EN("backups.locked") in opened(visitor).text
    posted(visitor, "/unlock", passphrase="wrong")
    assert services.secrets.get("backup") == ""
    assert EN("backups.unlocked") in posted(visitor, "/unlock", passphrase="open sesame")
