"""Erasing on the page: asked, shown, and done on a ticked yes; in both languages, with nothing of it left on any page."""

import pytest
from starlette.testclient import TestClient

from agent.memories import Memories
from agent.services import Services
from tests.ui.reading import Element, press, read
from tests.ui.rooms import NAME
from tests.ui.visitors import visitor_of
from ui.locales import LANGUAGES, texts
from ui.server.addresses import address_of

CAT = "ミケランジェロ"


@pytest.fixture
def said(memories: Memories) -> str:
    message = memories.log.append("user", "花", f"うちの{CAT}が退院したよ")
    memories.log.append("user", "花", "あしたは貴船に行くよ")
    memories.entities.note(CAT, "退院した", author=NAME, mind="m", evidence=[message.id], kind="pet")
    return message.id


def _browser(services: Services, lang: str) -> TestClient:
    browser = visitor_of(services)
    browser.headers["accept-language"] = lang
    return browser


def _room(browser: TestClient, place: str, **query: object) -> Element:
    return read(browser.get(address_of(NAME, place, **query), follow_redirects=True)).one("#room")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_what_would_go_is_shown_and_goes_on_a_ticked_yes(
    services: Services, memories: Memories, said: str, lang: str
) -> None:
    browser, t = _browser(services, lang), texts("ja" if lang == "ja" else "en")
    page = _room(browser, "memories/erase", about=CAT)
    assert t("erasing.kinds.message", count=1) in page.text
    assert memories.log.get(said) is not None
    refused = read(press(browser, page, "button.danger")).one("#room")
    assert t("erasing.not_ticked") in refused.text
    assert memories.log.get(said) is not None
    done = read(press(browser, page, "button.danger", yes="yes"))
    assert t("erasing.outside") in done.text
    assert memories.log.get(said) is None
    assert memories.entities.find(CAT) is None
    for place in ("memories/people", "history", "memories/audit", "memories/forgotten"):
        assert CAT not in _room(browser, place).text


@pytest.mark.parametrize("lang", LANGUAGES)
def test_where_nothing_is_found_the_page_leads_to_the_search(services: Services, said: str, lang: str) -> None:
    browser = _browser(services, lang)
    page = read(browser.get(address_of(NAME, "memories/erase", about="ツチノコ")))
    assert "ツチノコ" in page.one("#told").text
    assert "app.py" not in page.text
    way = page.one("#room p a").attributes["href"]
    assert read(browser.get(way)).one("#memory-query").attributes["value"] == "ツチノコ"


def test_what_has_changed_since_it_was_shown_is_shown_once_more(
    services: Services, memories: Memories, said: str
) -> None:
    browser = _browser(services, "ja")
    page = _room(browser, "memories/erase", about=CAT)
    memories.log.append("user", "花", f"{CAT}はもう元気")
    again = read(press(browser, page, "button.danger", yes="yes")).one("#room")
    assert texts("ja")("erasing.kinds.message", count=2) in again.text
    assert memories.log.get(said) is not None


def test_who_is_not_known_is_asked_for_again(services: Services, memories: Memories) -> None:
    browser = _browser(services, "en")
    page = read(browser.get(address_of(NAME, "memories/erase", about="Zebulon")))
    assert 'Nothing of "Zebulon" was found' in page.text
    assert [one.attributes.get("value") for one in page.all(".lookup input")] == ["Zebulon"]


def test_every_kind_of_memory_leads_there(services: Services, memories: Memories, said: str) -> None:
    browser = _browser(services, "ja")
    link = texts("ja")("erasing.link")
    assert link in _room(browser, f"memories/people/{CAT}").text
    assert link in read(browser.get(address_of(NAME, f"around/{said}"))).text
