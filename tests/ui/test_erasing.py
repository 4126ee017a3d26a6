"""Erasing on the page: asked, shown, and done on a ticked yes, with nothing of it left on any page."""

import pytest
from starlette.testclient import TestClient

from agent.memories import Memories
from tests.ui.reading import Element, press, read
from tests.ui.rooms import NAME
from ui.locales import LANGUAGES, texts
from ui.server.addresses import address_of

CAT = "ミケランジェロ"


@pytest.fixture
def said(memories: Memories) -> str:
    message = memories.log.append("user", "花", f"うちの{CAT}が退院したよ")
    memories.log.append("user", "花", "あしたは貴船に行くよ")
    memories.entities.note(CAT, "退院した", author=NAME, mind="m", evidence=[message.id], kind="pet")
    return message.id


def _room(browser: TestClient, place: str, **query: object) -> Element:
    return read(browser.get(address_of(NAME, place, **query), follow_redirects=True)).one("#room")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_what_would_go_is_shown_and_goes_on_a_ticked_yes(
    visitor: TestClient, memories: Memories, said: str, lang: str
) -> None:
    visitor.headers["accept-language"], t = lang, texts("ja" if lang == "ja" else "en")
    for place in (f"memories/people/{CAT}", f"around/{said}"):
        assert t("erasing.link") in read(visitor.get(address_of(NAME, place))).text
    page = _room(visitor, "memories/erase", about=CAT)
    assert t("erasing.kinds.message", count=1) in page.text
    refused = read(press(visitor, page, "button.danger")).one("#room")
    assert t("erasing.not_ticked") in refused.text
    later = memories.log.append("user", "花", f"{CAT}はもう元気").id
    again = read(press(visitor, page, "button.danger", yes="yes")).one("#room")
    assert t("erasing.kinds.message", count=2) in again.text  # it has changed since it was shown
    assert None not in map(memories.log.get, (said, later))
    done = read(press(visitor, again, "button.danger", yes="yes"))
    assert t("erasing.outside") in done.text
    assert [memories.log.get(one) for one in (said, later)] == [None, None]
    assert memories.entities.find(CAT) is None
    for place in ("memories/people", "history", "memories/audit", "memories/forgotten"):
        assert CAT not in _room(visitor, place).text


def test_where_nothing_is_found_the_page_asks_again_and_leads_to_the_search(visitor: TestClient, said: str) -> None:
    page = read(visitor.get(address_of(NAME, "memories/erase", about="Zebulon")))
    assert 'Nothing of "Zebulon" was found' in page.one("#told").text
    assert "app.py" not in page.text
    assert [one.attributes.get("value") for one in page.all(".lookup input")] == ["Zebulon"]
    way = page.one("#room p a").attributes["href"]
    assert read(visitor.get(way)).one("#memory-query").attributes["value"] == "Zebulon"
