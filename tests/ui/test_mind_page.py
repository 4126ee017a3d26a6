"""The mind in the settings and in the head of the page: chosen, tried, given back; errors with the ways past them."""

from collections.abc import Iterator

import pytest
from httpx2 import Response  # what Starlette answers with in tests
from starlette.testclient import TestClient

from agent.minds.server_discovery import PORTS
from agent.services import Services
from managers.storage.settings import MindSettings
from tests.model_server import NOBODY, ModelServer, Refuse, Say, Served
from tests.ui.reading import Element, press, read
from tests.ui.rooms import NAME
from ui.locales import texts
from ui.rooms.mind.choice import answer_offer, has_own_mind, keep_key, mind_of
from ui.server.addresses import address_of, with_query

EN = texts("en")
SAVE, FORGET_KEY = "#mind button.main", ".buttons button.danger"
MENU = address_of(NAME, "mind")


@pytest.fixture
def models(services: Services, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """A server with two models, which is found at Ollama's port."""
    monkeypatch.setattr(services.minds, "_answer_seconds", 60.0)  # the machine may be busy
    with ModelServer(plays=("openai", "ollama"), models=(Served("llama3"), Served("gemma3"))) as models:
        for service in PORTS:
            monkeypatch.setitem(PORTS, service, models.port if service == "Ollama" else NOBODY)
        yield models


def opened(visitor: TestClient, own: str = "", look: str = "") -> Element:
    return read(visitor.get(with_query("/settings/mind", {"persona": NAME, "own": own, "look": look})))


def saved(visitor: TestClient, page: Element, models: ModelServer, **typed: str) -> Response:
    entered = {"provider": "openai", "address": models.base_url, "model": "llama3"} | typed
    return press(visitor, page, SAVE, **entered)


def results(page: Element) -> list[str]:
    return [one.classes[1] for one in page.all(".result")]


def told(answer: Response) -> str:
    return read(answer).one("#told").text


def menu(visitor: TestClient, **query: object) -> Element:
    return read(visitor.get(with_query(MENU, query)))


def pressed(visitor: TestClient, page: Element, name: str) -> Response:
    """Press the entry of the menu with such a name."""
    entries = [one for one in page.all(".minds button") if one.texts("span")[:1] == [name]]
    assert len(entries) == 1
    return chosen(visitor, page, entries[0].attributes["value"])


def chosen(visitor: TestClient, page: Element, value: str) -> Response:
    sent = {one.attributes["name"]: one.attributes["value"] for one in page.all(".minds input")}
    return visitor.post(MENU, data=sent | {"choice": value}, follow_redirects=True)


def test_what_is_found_speaks_after_a_yes(services: Services, visitor: TestClient, models: ModelServer) -> None:
    services.settings_file.change("mind", provider=None)
    assert services.companion(NAME).mind_status().name == "built-in"
    [notice] = read(visitor.get(address_of(NAME))).all("#notices li")
    assert f"127.0.0.1:{models.port}" in notice.text
    assert notice.one("a").attributes["href"].startswith("/settings/mind")
    place = opened(visitor).one("#room div[data-src]")  # it is offered after the page is there
    found = visitor.get(place.attributes["data-src"], headers={"x-utatane": "swap"})
    assert "Ollama" in read(found).one(".offer").text
    yes, _no = (one.attributes["value"] for one in opened(visitor, look="1").all(".offer button"))
    before = services.settings_file.path.read_text("utf-8")
    mind = mind_of(services)
    [offer] = services.minds.choose(mind).offers
    assert answer_offer(services, mind, offer.code.replace(str(models.port), "9")) is None  # to no other server
    assert models.chats == []
    assert read(visitor.post("/settings/mind", data={"offer": yes}, follow_redirects=True)).all(".offer") == []
    assert services.companion(NAME).mind_status().is_language_model
    assert services.settings_file.path.read_text("utf-8") == before
    assert read(visitor.get(address_of(NAME))).all("#notices li") == []


def test_what_was_entered_is_tried(services: Services, visitor: TestClient, models: ModelServer) -> None:
    assert EN("mind.forget_key") not in opened(visitor).one("#room").text
    models.otherwise = Say("I hear you.")
    first = opened(visitor)
    answer = saved(visitor, first, models, key="right-key")
    page = read(answer)
    assert results(page) == ["right"]
    assert "I hear you." in page.one(".result").text
    assert "right-key" not in answer.text
    assert page.one("#mind-key").attributes["placeholder"] == EN("mind.key_stored")
    assert models.chats[-1].headers["authorization"] == "Bearer right-key"
    assert saved(visitor, first, models, key="right-key").status_code == 200  # sent twice is no conflict
    with ModelServer() as other:  # the key goes to the server it was entered for and to no other
        elsewhere = read(saved(visitor, page, other))
        assert results(elsewhere) == ["right"]
        assert "placeholder" not in elsewhere.one("#mind-key").attributes
        assert all("right-key" not in str(request.headers) for request in other.requests)
    models.otherwise = Refuse(401)
    wrong = read(saved(visitor, elsewhere, models, key="wrong-key"))
    assert results(wrong) == ["wrong"]
    assert "key" in wrong.one(".result").text


def test_a_key_is_deleted_for_its_server(services: Services, visitor: TestClient, models: ModelServer) -> None:
    page = read(saved(visitor, opened(visitor), models, key="secret"))
    keep_key(services, MindSettings(provider="gemini"), "googles")
    services.settings_file.change("mind", provider="gemini", base_url=None, model=None)
    assert EN("mind.changed_meanwhile") in told(press(visitor, page, FORGET_KEY))
    assert services.secrets.get("gemini") == "googles"
    services.settings_file.change("mind", provider="openai", base_url=models.base_url, model="llama3")
    answer = press(visitor, opened(visitor), FORGET_KEY)
    assert told(answer) == EN("mind.key_forgotten")
    assert read(answer).all(FORGET_KEY) == []
    assert "secret" not in services.secrets.path.read_text("utf-8")


def test_a_persona_has_a_mind_of_its_own(services: Services, visitor: TestClient, models: ModelServer) -> None:
    page = opened(visitor, own="1")
    assert EN("mind.as_everybody", name=NAME) in page.one("#room").text
    page = read(saved(visitor, page, models, small="gemma3"))
    assert results(page) == ["right", "right"]
    assert [chat.body["model"] for chat in models.chats] == ["llama3", "gemma3"]
    assert (has_own_mind(services, NAME), services.settings().mind.provider) == (True, "builtin")
    assert EN("mind.as_everybody", name=NAME) not in page.one("#room").text
    shown = menu(visitor)  # the menu changes its own mind
    assert EN("mind.for_one", name=NAME) in shown.one("#room").text
    pressed(visitor, shown, "Automatic")
    assert (mind_of(services, NAME).provider, services.settings().mind.provider) == ("auto", "builtin")
    page = opened(visitor, own="1")
    [back] = [one for one in page.all("form") if EN("options.back_common") in one.texts("button")]
    assert press(visitor, page, f'form[action="{back.attributes["action"]}"] button').status_code == 200
    assert not has_own_mind(services, NAME)
    assert services.companion(NAME).mind_status().name == "built-in"


def test_a_choice_made_elsewhere_is_shown(services: Services, visitor: TestClient, models: ModelServer) -> None:
    page = opened(visitor)
    services.settings_file.change("mind", provider="gemini", model="gemini-2.5-pro")
    answer = saved(visitor, page, models, key="typed")
    assert answer.status_code == 409
    both = read(answer)
    assert "gemini-2.5-pro" in both.one("[data-conflict]").text
    assert both.one("#mind-address").attributes["value"] == models.base_url
    assert both.one("#mind-key").attributes["placeholder"] == EN("mind.key_stored")  # kept for its server
    assert services.settings().mind.provider == "gemini"
    assert models.chats == []
    press(visitor, both, "[data-conflict] button")
    assert services.settings().mind.model == "llama3"


def test_an_offer_is_answered_once(services: Services, visitor: TestClient, models: ModelServer) -> None:
    page = opened(visitor, look="1")  # without scripts
    assert "name" not in page.all("#mind button")[0].attributes  # the Enter key accepts no offer
    _yes, no = (one.attributes["value"] for one in page.all(".offer button"))
    assert models.chats == []
    sent = {"provider": "builtin", "offer": no}
    visitor.post("/settings/mind", data=sent)
    assert EN("mind.not_there") in told(visitor.post("/settings/mind", data=sent, follow_redirects=True))
    assert opened(visitor, look="1").all(".offer") == []
    assert mind_of(services).provider == "builtin"


def test_models_are_chosen_in_the_head(services: Services, visitor: TestClient, models: ModelServer) -> None:
    fold = read(visitor.get(address_of(NAME, "heart"))).one("#head details.mind-menu")
    page = read(visitor.get(fold.one("a").attributes["href"]))
    assert "Ollama" in page.one(".offer").text
    assert "Ollama" in told(press(visitor, page, ".offer button"))
    assert services.companion(NAME).mind_status().name == "llama3"
    page = menu(visitor)
    assert "llama3" not in page.texts(".minds button span")  # it speaks already
    answer = pressed(visitor, menu(visitor), "gemma3")
    assert answer.url.path == f"/p/{NAME}/"
    assert read(answer).one("#head .mind-name").text == "gemma3"
    assert "gemma3" in told(answer)
    assert models.chats == []  # nothing was said to it yet
    assert EN("mind.changed_meanwhile") in told(pressed(visitor, page, "Automatic"))  # from before another choice
    assert services.settings().mind.model == "gemma3"
    pressed(visitor, menu(visitor), "Built-in mind")
    assert services.companion(NAME).mind_status().name == "built-in"
    chosen(visitor, menu(visitor), f"server {models.base_url} gemma3")  # there is a way back to the model
    mind = services.settings().mind
    assert (mind.provider, mind.base_url, mind.model) == ("openai", models.base_url, "gemma3")
    pressed(visitor, menu(visitor), "Automatic")
    assert services.settings().mind == MindSettings()


@pytest.mark.slow
def test_the_menu_leads_back(services: Services, visitor: TestClient, models: ModelServer) -> None:
    before = services.settings_file.path.read_bytes()
    for choice in ("", "nobody", "former", "server http://127.0.0.1:9/v1 m", "server http://evil/v1 m"):
        assert EN("mind.not_there") in told(chosen(visitor, menu(visitor), choice))
        assert services.settings_file.path.read_bytes() == before
    for back, there in ((address_of(NAME, "heart"), "/heart"), ("//elsewhere.example", "/"), ("", "/")):
        services.settings_file.change("mind", provider="builtin")
        answer = press(visitor, menu(visitor, back=back), '.minds button[value="auto"]')
        assert answer.url.path.endswith(there)
        assert answer.url.host == "127.0.0.1"


def test_an_error_offers_ways_on(services: Services, visitor: TestClient, models: ModelServer) -> None:
    services.settings_file.change("mind", provider="openai", base_url=models.base_url, model="llama3", retries=0)
    models.otherwise = Refuse(401)
    companion = services.companion(NAME)
    visitor.post(address_of(NAME, "say"), data={"text": "Hello"})
    if companion.turn:
        companion.turn.wait()
    page = read(visitor.get(address_of(NAME)))
    failure = page.one(".failure[role]")
    assert failure.texts("button") == ["Try again", "Let the built-in mind answer", "Not now"]
    assert failure.one("a").attributes["href"].startswith("/settings/mind")
    decline = f'form[action="{address_of(NAME, "decline")}"] button'
    declined = read(press(visitor, page, decline))
    assert declined.one(".failure").classes == ["failure", "unanswered"]  # quiet; it may be answered any time
    assert press(visitor, page, decline).status_code == 200  # sent twice
    press(visitor, page, '.failure button[value="builtin"]')
    if companion.turn:
        companion.turn.wait()
    assert len(models.chats) == 1
    assert read(visitor.get(address_of(NAME))).all(".failure") == []
