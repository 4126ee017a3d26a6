"""The language of a page: as one chose it here, as the settings say, as the browser asks for; by request."""

from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from agent.services import Services
from tests.ui.reading import press, read
from tests.ui.rooms import NAME
from tests.ui.visitors import visitor_of
from ui.server.addresses import address_of

TALK = address_of(NAME)


def language(visitor: TestClient, wish: str = "") -> str:
    page = read(visitor.get(TALK, headers={"accept-language": wish}))
    assert page.one("#talk-tab").text == {"ja": "おしゃべり", "en": "Talk"}[page.one("html").attributes["lang"]]
    return page.one("html").attributes["lang"]


@pytest.mark.parametrize(
    ("wish", "lang"), [("ja-JP,ja;q=0.9,en;q=0.5", "ja"), ("en-GB,en", "en"), ("fr;q=0.9,ja;q=0.4,en;q=0.6", "en")]
)
def test_a_browser_is_answered_in_its_own_language(services: Services, wish: str, lang: str) -> None:
    assert language(visitor_of(services), wish) == lang


def test_what_was_chosen_comes_before_what_the_settings_say_before_what_the_browser_asks_for(
    services: Services,
) -> None:
    visitor, other = visitor_of(services), visitor_of(services)
    services.settings_file.change("page", language="en")
    assert language(visitor, "ja") == "en"
    answer = press(visitor, read(visitor.get(f"{TALK}?off_record=1")), 'button[value="ja"]')
    assert (quote(answer.url.path), answer.url.params["off_record"]) == (TALK, "1")  # where one was
    assert language(visitor, "en") == "ja"
    assert language(other, "ja") == "en"  # another browser has not chosen


def test_the_way_back_leads_nowhere_else(services: Services) -> None:
    visitor = visitor_of(services)
    for back in ("//evil.example", "https://evil.example", "/\\evil.example"):
        answer = visitor.post("/language", data={"language": "xx", "back": back})
        assert answer.headers["location"] == "/"
    assert language(visitor, "en") == "en"
