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
from tests.ui.visitors import visitor_of
from ui.locales import texts
from ui.rooms.mind.choice import has_own_mind, keep_key, mind_of
from ui.server.addresses import address_of, with_query

EN = texts("en")
SAVE = "#mind button.main"
MENU = address_of(NAME, "mind")


@pytest.fixture
def models(services: Services, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """A server with two models, which is found at Ollama's port."""
    monkeypatch.setattr(services.minds, "_answer_seconds", 5.0)  # the machine may be busy
    with ModelServer(plays=("openai", "ollama"), models=(Served("llama3"), Served("gemma3"))) as models:
        for service in PORTS:
            monkeypatch.setitem(PORTS, service, models.port if service == "Ollama" else NOBODY)
        yield models


@pytest.fixture
def visitor(services: Services) -> TestClient:
    visitor = visitor_of(services)
    visitor.headers["accept-language"] = "en"
    return visitor


def opened(visitor: TestClient, own: str = "", look: str = "") -> Element:
    return read(visitor.get(with_query("/settings/mind", {"persona": NAME, "own": own, "look": look})))


def saved(visitor: TestClient, page: Element, models: ModelServer, **typed: str) -> Response:
    entered = {"provider": "openai", "address": models.base_url, "model": "llama3"} | typed
    return press(visitor, page, SAVE, **entered)


def results(page: Element) -> list[str]:
    return [one.classes[1] for one in page.all(".result")]


def told(answer: Response) -> str:
    return read(answer).one("#told").text


def labels(page: Element) -> list[str]:
    return page.texts(".minds button span")


def menu(visitor: TestClient) -> Element:
    return read(visitor.get(MENU))


def pressed(visitor: TestClient, page: Element, name: str) -> Response:
    """Press the entry of the menu with such a name."""
    [value] = [
        one.attributes["value"]
        for one in page.all(".minds button")
        if one.texts("span") and one.texts("span")[0] == name
    ]
    return (
        press(visitor, page, f'.minds button[value="{value}"]') if " " not in value else _chosen(visitor, page, value)
    )


def _chosen(visitor: TestClient, page: Element, value: str) -> Response:
    sent = {one.attributes["name"]: one.attributes["value"] for one in page.all(".minds input")}
    return visitor.post(MENU, data=sent | {"choice": value}, follow_redirects=True)


# --- the page of the settings


def test_what_was_entered_is_kept_and_tried_and_its_key_never_shown(
    services: Services, visitor: TestClient, models: ModelServer
) -> None:
    models.otherwise = Say("I hear you.")
    answer = saved(visitor, opened(visitor), models, key="right-key")
    page = read(answer)
    assert results(page) == ["right"]
    assert "I hear you." in page.one(".result").text
    assert "right-key" not in answer.text
    assert page.one("#mind-key").attributes["placeholder"] == EN("mind.key_stored")
    assert page.one("#head .mind-name").text == "llama3"
    assert services.settings().mind.base_url == models.base_url
    assert models.chats[-1].headers["authorization"] == "Bearer right-key"
    models.otherwise = Refuse(401)
    wrong = read(saved(visitor, page, models, key="wrong-key"))
    assert results(wrong) == ["wrong"]
    assert "key" in wrong.one(".result").text


def test_a_key_goes_to_the_server_it_was_entered_for_and_to_no_other(
    services: Services, visitor: TestClient, models: ModelServer
) -> None:
    saved(visitor, opened(visitor), models, key="for-this-server")
    with ModelServer() as other:
        page = read(saved(visitor, opened(visitor), other))
        assert results(page) == ["right"]
        assert "placeholder" not in page.one("#mind-key").attributes
        assert all("for-this-server" not in str(request.headers) for request in other.requests)


def test_deleting_a_key_is_offered_only_where_there_is_one(
    services: Services, visitor: TestClient, models: ModelServer
) -> None:
    assert EN("mind.forget_key") not in opened(visitor).one("#room").text
    page = read(saved(visitor, opened(visitor), models, key="secret"))
    answer = press(visitor, page, ".buttons button.danger")
    assert told(answer) == EN("mind.key_forgotten")
    assert read(answer).all(".buttons button.danger") == []
    assert "secret" not in services.secrets.path.read_text("utf-8")
    assert press(visitor, page, ".buttons button.danger").status_code == 200  # sent twice


def test_a_key_is_not_deleted_for_another_server_than_was_shown(
    services: Services, visitor: TestClient, models: ModelServer
) -> None:
    page = read(saved(visitor, opened(visitor), models, key="secret"))
    elsewhere = MindSettings(provider="gemini")
    keep_key(services, elsewhere, "googles")
    services.settings_file.change("mind", provider="gemini", base_url=None, model=None)
    assert EN("mind.changed_meanwhile") in told(press(visitor, page, ".buttons button.danger"))
    assert services.secrets.get("gemini") == "googles"


def test_a_persona_gets_a_mind_of_its_own_and_gives_it_back(
    services: Services, visitor: TestClient, models: ModelServer
) -> None:
    page = opened(visitor, own="1")
    assert EN("mind.as_everybody", name=NAME) in page.one("#room").text
    assert EN("options.back_common") not in page.one("#room").text
    page = read(saved(visitor, page, models, small="gemma3"))
    assert results(page) == ["right", "right"]
    assert [chat.body["model"] for chat in models.chats] == ["llama3", "gemma3"]
    assert (has_own_mind(services, NAME), services.settings().mind.provider) == (True, "builtin")
    assert EN("mind.as_everybody", name=NAME) not in page.one("#room").text
    [back] = [one for one in page.all("form") if EN("options.back_common") in one.texts("button")]
    assert press(visitor, page, f'form[action="{back.attributes["action"]}"] button').status_code == 200
    assert not has_own_mind(services, NAME)
    assert services.companion(NAME).mind_status().name == "built-in"


def test_a_choice_made_elsewhere_meanwhile_is_shown_beside_what_was_entered(
    services: Services, visitor: TestClient, models: ModelServer
) -> None:
    page = opened(visitor)
    services.settings_file.change("mind", provider="gemini", model="gemini-2.5-pro")
    answer = saved(visitor, page, models, key="typed")
    assert answer.status_code == 409
    both = read(answer)
    conflict = both.one("[data-conflict]").text
    assert "Gemini" in conflict
    assert "gemini-2.5-pro" in conflict
    assert both.one("#mind-address").attributes["value"] == models.base_url
    assert both.one("#mind-key").attributes["placeholder"] == EN("mind.key_stored")  # kept for its server
    assert services.settings().mind.provider == "gemini"
    assert models.chats == []
    mine = read(press(visitor, both, "[data-conflict] button"))
    assert mine.all("[data-conflict]") == []
    assert services.settings().mind.model == "llama3"
    theirs = both.one("[data-conflict] a").attributes["href"]
    assert read(visitor.get(theirs)).all("[data-conflict]") == []


def test_a_form_that_is_sent_twice_is_no_conflict(services: Services, visitor: TestClient, models: ModelServer) -> None:
    page = opened(visitor)
    assert [saved(visitor, page, models).status_code for _ in range(2)] == [200, 200]


@pytest.mark.parametrize("lang", ["ja", "en"])
def test_a_provider_that_there_is_not_is_refused_in_words(services: Services, visitor: TestClient, lang: str) -> None:
    visitor.headers["accept-language"] = lang
    answer = press(visitor, opened(visitor), SAVE, provider="somebody", key="typed")
    assert answer.status_code == 400
    assert texts("ja" if lang == "ja" else "en")("options.mind.provider") in read(answer).one("#room").text
    assert not services.home.secrets.exists()


def test_an_address_that_is_none_is_said(visitor: TestClient, models: ModelServer) -> None:
    assert results(read(saved(visitor, opened(visitor), models, address="not an address"))) == ["wrong"]


def test_what_is_found_is_offered_after_the_page_is_there_and_answered_once(
    services: Services, visitor: TestClient, models: ModelServer
) -> None:
    place = opened(visitor).one("#mind div[data-src]")
    found = visitor.get(place.attributes["data-src"], headers={"x-utatane": "swap"})
    assert "Ollama" in read(found).one(".offer").text
    page = opened(visitor, look="1")  # without scripts
    no = next(one for one in page.all(".offer button") if one.attributes["value"].startswith("refuse"))
    assert models.chats == []
    sent = {"provider": "builtin", "offer": no.attributes["value"]}
    visitor.post("/settings/mind", data=sent)
    assert EN("mind.not_there") in told(visitor.post("/settings/mind", data=sent, follow_redirects=True))
    assert opened(visitor, look="1").all(".offer") == []
    assert mind_of(services).provider == "builtin"


def test_a_yes_lets_what_was_found_speak(services: Services, visitor: TestClient, models: ModelServer) -> None:
    answer = press(visitor, opened(visitor, look="1"), ".offer button")
    assert answer.url.path == "/settings/mind"
    assert read(answer).one("#mind-address").attributes["value"] == models.base_url
    assert services.companion(NAME).mind_status().name == "llama3"


def test_the_enter_key_accepts_no_offer(visitor: TestClient, models: ModelServer) -> None:
    assert "name" not in opened(visitor, look="1").all("#mind button")[0].attributes


# --- the menu in the head


def test_the_head_leads_to_the_menu_with_and_without_scripts(visitor: TestClient, models: ModelServer) -> None:
    fold = read(visitor.get(address_of(NAME, "heart"))).one("#head details.mind-menu")
    assert fold.attributes["data-src"] == fold.one("a").attributes["href"]
    part = visitor.get(fold.attributes["data-src"], headers={"x-utatane": "swap"})
    assert "<html" not in part.text
    page = read(visitor.get(fold.one("a").attributes["href"]))
    assert len(page.all(".minds")) == 1
    assert page.one("#room a").attributes["href"].startswith("/settings/mind")
    assert EN("mind.for_all") in page.one("#room").text


def test_models_of_this_computer_are_chosen_by_one_click_after_a_yes(
    services: Services, visitor: TestClient, models: ModelServer
) -> None:
    page = menu(visitor)
    assert "Ollama" in page.one(".offer").text
    assert labels(page) == ["Automatic"]
    assert "Ollama" in told(press(visitor, page, ".offer button"))
    assert services.companion(NAME).mind_status().name == "llama3"
    page = menu(visitor)
    assert "gemma3" in labels(page)
    assert "llama3" not in labels(page)  # it speaks already
    answer = pressed(visitor, page, "gemma3")
    assert answer.url.path == f"/p/{NAME}/"
    assert read(answer).one("#head .mind-name").text == "gemma3"
    assert "gemma3" in told(answer)
    assert models.chats == []  # nothing was said to it yet


def test_after_the_built_in_mind_there_is_a_way_back_to_the_model(
    services: Services, visitor: TestClient, models: ModelServer
) -> None:
    services.settings_file.change("mind", provider="openai", base_url=models.base_url, model="llama3")
    pressed(visitor, menu(visitor), "Built-in mind")
    assert services.companion(NAME).mind_status().name == "built-in"
    pressed(visitor, menu(visitor), "llama3")
    mind = services.settings().mind
    assert (mind.provider, mind.base_url, mind.model) == ("openai", models.base_url, "llama3")
    pressed(visitor, menu(visitor), "Automatic")
    assert services.settings().mind == MindSettings()


def test_it_leads_back_to_where_it_was_opened_and_nowhere_else(
    services: Services, visitor: TestClient, models: ModelServer
) -> None:
    for back, there in ((address_of(NAME, "heart"), "/heart"), ("//elsewhere.example", "/"), ("", "/")):
        services.settings_file.change("mind", provider="builtin")
        page = read(visitor.get(with_query(MENU, {"back": back})))
        answer = press(visitor, page, '.minds button[value="auto"]')
        assert answer.url.path.endswith(there)
        assert answer.url.host == "127.0.0.1"


def test_it_changes_the_personas_own_mind_where_it_has_one(
    services: Services, visitor: TestClient, models: ModelServer
) -> None:
    services.personas.set_settings(NAME, "mind", provider="gemini", model="", base_url="")
    page = menu(visitor)
    assert EN("mind.for_one", name=NAME) in page.one("#room").text
    pressed(visitor, page, "Built-in mind")
    assert mind_of(services, NAME).provider == "builtin"
    assert services.settings().mind.provider == "builtin"  # as it was


@pytest.mark.parametrize(
    "choice", ["", "nobody", "former", "server http://127.0.0.1:9/v1 m", "server http://evil/v1 m"]
)
def test_a_choice_that_there_is_not_changes_nothing(
    services: Services, visitor: TestClient, models: ModelServer, choice: str
) -> None:
    before = services.settings_file.path.read_bytes()
    assert EN("mind.not_there") in told(_chosen(visitor, menu(visitor), choice))
    assert services.settings_file.path.read_bytes() == before


def test_a_menu_from_before_another_choice_changes_nothing(
    services: Services, visitor: TestClient, models: ModelServer
) -> None:
    page = menu(visitor)
    services.settings_file.change("mind", provider="openai", base_url=models.base_url, model="gemma3")
    assert EN("mind.changed_meanwhile") in told(pressed(visitor, page, "Automatic"))
    assert services.settings().mind.model == "gemma3"


# --- a model that fails in the talk


def test_an_error_offers_the_built_in_mind_and_the_settings_and_may_be_declined(
    services: Services, visitor: TestClient, models: ModelServer
) -> None:
    services.settings_file.change("mind", provider="openai", base_url=models.base_url, model="llama3", retries=0)
    models.otherwise = Refuse(401)
    visitor.post(address_of(NAME, "say"), data={"text": "Hello"})
    turn = services.companion(NAME).turn
    assert turn is None or turn.wait(60)
    failure = read(visitor.get(address_of(NAME))).one(".failure[role]")
    assert failure.texts("button") == ["Try again", "Let the built-in mind answer", "Not now"]
    assert failure.one("a").attributes["href"].startswith("/settings/mind")
    page = read(visitor.get(address_of(NAME)))
    declined = read(press(visitor, page, f'form[action="{address_of(NAME, "decline")}"] button'))
    assert declined.one(".failure").classes == ["failure", "unanswered"]  # quiet; it may be answered any time
    assert len(models.chats) == 1
    assert press(visitor, page, f'form[action="{address_of(NAME, "decline")}"] button').status_code == 200  # sent twice
    answered = read(press(visitor, page, '.failure button[value="builtin"]'))
    turn = services.companion(NAME).turn
    assert turn is None or turn.wait(60)
    assert len(models.chats) == 1
    assert answered.one("#conversation") is not None
