"""The choice of a mind: kept where it belongs, tried, and offers answered with yes or no."""

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from agent.minds.server_discovery import PORTS
from agent.services import Services
from managers.storage.settings import MindSettings
from tests.model_server import NOBODY, ModelServer, Refuse
from tests.ui.reading import Element, press, read
from tests.ui.rooms import NAME
from ui.locales import texts
from ui.rooms.mind.choice import (
    MindFields,
    answer_offer,
    chosen_mind,
    fields_of,
    forget_key,
    give_mind_back,
    has_own_mind,
    keep_key,
    keep_mind,
    mind_of,
)
from ui.rooms.mind.trying import trial
from ui.server.addresses import address_of

THERE = "http://127.0.0.1:1/v1"


def test_a_choice_is_kept_where_it_belongs(services: Services) -> None:
    given = MindFields("gemini", THERE, "m", "s")
    assert chosen_mind(given) == {"provider": "gemini", "base_url": "", "model": "m", "internal_processing_model": "s"}
    keep_mind(services, chosen_mind(MindFields("openai", THERE, "m")))
    own = keep_mind(services, chosen_mind(MindFields("openai")), NAME)
    assert (own.base_url, own.model) == ("", "")  # not filled with everybody's
    assert has_own_mind(services, NAME)
    give_mind_back(services, NAME)
    assert not has_own_mind(services, NAME)
    assert mind_of(services, NAME).model == "m"
    keep_mind(services, chosen_mind(MindFields("auto", THERE, "m")))  # what a provider has no use for is not kept
    assert mind_of(services) == MindSettings()


def test_a_key_is_kept_for_its_server_alone_and_never_shown(services: Services) -> None:
    here, there = MindSettings(provider="openai"), MindSettings(provider="openai", base_url=THERE)
    keep_key(services, there, "secret")
    keep_key(services, there, "")  # nothing was typed: it stays
    assert (fields_of(services, there).has_key, fields_of(services, here).has_key) == (True, False)
    assert fields_of(services, there).key == ""
    forget_key(services, there)
    assert not fields_of(services, there).has_key


def test_the_small_model_is_tried_too_where_there_is_another(services: Services) -> None:
    with ModelServer() as models:
        mind = MindSettings(
            provider="openai", base_url=models.base_url, model="big", internal_processing_model="small", retries=0
        )
        assert [one.works for one in trial(services, mind, texts("en"))] == [True, True]
        assert [chat.body["model"] for chat in models.chats] == ["big", "small"]
        models.otherwise = Refuse(401)
        assert [one.works for one in trial(services, mind, texts("en"))] == [False]


# --- a server on this computer is asked about, by two buttons, and not spoken to before


@pytest.fixture
def server(services: Services, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """A server that is found on this computer, where everybody's mind is left on automatic."""
    services.settings_file.change("mind", provider=None)
    monkeypatch.setattr(services.minds, "_answer_seconds", 60.0)  # the machine may be busy
    with ModelServer(plays=("openai", "ollama")) as server:
        for service in PORTS:
            monkeypatch.setitem(PORTS, service, server.port if service == "Ollama" else NOBODY)
        yield server


def welcome(visitor: TestClient) -> Element:
    return read(visitor.get("/welcome?look=1"))


def codes(page: Element) -> list[str]:
    return [one.attributes["value"] for one in page.all(".offer button")]


def answered(visitor: TestClient, code: str) -> Element:
    return read(visitor.post("/welcome", data={"provider": "auto", "offer": code}))


def notices(visitor: TestClient) -> list[Element]:
    return read(visitor.get(address_of(NAME))).all("#notices li")


def test_it_is_told_above_the_conversation_and_a_yes_lets_it_speak(
    services: Services, server: ModelServer, visitor: TestClient
) -> None:
    services.companion(NAME).mind_status()
    [notice] = notices(visitor)
    assert f"127.0.0.1:{server.port}" in notice.text
    assert notice.one("a").attributes["href"].startswith("/settings/mind")
    assert "Ollama" in welcome(visitor).one(".offer").text
    yes, _no = codes(welcome(visitor))
    before = services.settings_file.path.read_text("utf-8")
    assert services.companion(NAME).mind_status().name == "built-in"
    mind = mind_of(services)
    [offer] = services.minds.choose(mind).offers
    assert answer_offer(services, mind, offer.code.replace(str(server.port), "9")) is None  # to no other server
    assert services.minds.choose(mind).offers[0].code == offer.code
    assert codes(answered(visitor, yes)) == codes(welcome(visitor)) == notices(visitor) == []
    assert services.companion(NAME).mind_status().is_language_model
    assert services.settings_file.path.read_text("utf-8") == before
    assert read(press(visitor, welcome(visitor), "button.main")).texts(".result") != []  # now there is one to try


def test_a_no_is_kept_and_nobody_is_asked_again(services: Services, server: ModelServer, visitor: TestClient) -> None:
    _yes, no = codes(welcome(visitor))
    assert codes(answered(visitor, no)) == codes(welcome(visitor)) == notices(visitor) == []
    assert services.companion(NAME).mind_status().name == "built-in"
    assert server.chats == []
