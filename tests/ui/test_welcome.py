"""The first meeting: who, and which mind; what was entered is tried before it begins, and nothing must be answered."""

from collections.abc import Iterator

import pytest
from httpx2 import Response  # what Starlette answers with in tests
from starlette.testclient import TestClient

from agent.services import Services
from tests.model_server import ModelServer, Refuse, Say
from tests.ui.reading import Element, press, read
from tests.ui.rooms import NAME
from ui.locales import texts

BEGIN, ANYWAY, LATER = "button.main", 'button[name="anyway"]', 'button[formaction="/welcome/later"]'


@pytest.fixture
def visitor(services: Services, visitor: TestClient) -> TestClient:
    services.settings_file.change("page", onboarded=None)
    return visitor


@pytest.fixture
def models() -> Iterator[ModelServer]:
    with ModelServer() as models:
        models.otherwise = Say("I hear you.")
        yield models


def opened(visitor: TestClient) -> Element:
    assert visitor.get("/").headers["location"] == "/welcome"
    return read(visitor.get("/welcome"))


def results(answer: Response) -> list[str]:
    return [one.classes[1] for one in read(answer).all(".result")]


def entered(models: ModelServer, key: str = "right-key") -> dict[str, str]:
    return {"persona": "Hazel", "provider": "openai", "address": models.base_url, "model": "test-model", "key": key}


def test_a_persona_and_the_built_in_mind_need_no_trial(services: Services, visitor: TestClient) -> None:
    page = opened(visitor)
    assert page.texts(".person b") == services.personas.list_names()
    assert "name" not in page.all("#welcome button")[0].attributes  # the Enter key accepts no offer
    assert press(visitor, page, BEGIN, provider="somebody").status_code == 400
    assert not services.settings().page.onboarded
    answer = press(visitor, page, BEGIN, persona=NAME, provider="builtin")
    assert answer.url.path == f"/p/{NAME}/"
    settings = services.settings()
    assert (settings.page.onboarded, settings.mind.provider) == (True, "builtin")
    assert visitor.get("/").headers["location"] != "/welcome"


def test_it_may_be_decided_later(services: Services, visitor: TestClient) -> None:
    answer = press(visitor, opened(visitor), LATER, provider="gemini", key="typed")
    assert answer.url.path == "/p/Hazel/"
    assert services.settings().page.onboarded
    assert services.settings().mind.provider == "builtin"  # as it was
    assert not services.home.secrets.exists()


def test_what_was_entered_is_tried_and_its_answer_shown_before_it_begins(
    services: Services, visitor: TestClient, models: ModelServer
) -> None:
    shown = press(visitor, opened(visitor), BEGIN, **entered(models))
    page = read(shown)
    assert results(shown) == ["right"]
    assert "It speaks." in page.one(".result").text
    assert "I hear you." in page.one(".result").text
    assert not services.settings().page.onboarded
    assert page.one("#mind-address").attributes["value"] == models.base_url
    assert page.one("#mind-key").attributes["value"] == ""
    assert page.one("#mind-key").attributes["placeholder"] == texts("en")("mind.key_stored")
    assert "right-key" not in shown.text
    again = press(visitor, page, BEGIN, model="another-model")  # another choice is tried, too
    assert again.url.path == "/welcome"
    begun = press(visitor, read(again), BEGIN)  # as it stands
    assert begun.url.path == "/p/Hazel/"
    assert [chat.body["model"] for chat in models.chats] == ["test-model", "another-model"]  # no further trial
    mind = services.settings().mind
    assert (mind.provider, mind.base_url, mind.model) == ("openai", models.base_url, "another-model")


def test_what_failed_is_said_and_one_may_go_on_anyway(
    services: Services, visitor: TestClient, models: ModelServer
) -> None:
    models.otherwise = Refuse(401)
    shown = press(visitor, opened(visitor), BEGIN, **entered(models, "wrong-key"))
    page = read(shown)
    assert results(shown) == ["wrong"]
    assert "key" in page.one(".result").text
    assert not services.settings().page.onboarded
    assert page.one(BEGIN).text == "Try again"
    models.otherwise = Say("Now.")
    assert results(press(visitor, page, BEGIN, key="right-key")) == ["right"]
    models.otherwise = Refuse(401)
    assert press(visitor, page, ANYWAY).url.path == "/p/Hazel/"
    assert services.settings().mind.model == "test-model"


def test_a_key_of_the_environment_is_offered_after_the_page_is_there(
    services: Services, visitor: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    services.settings_file.change("mind", provider=None)
    monkeypatch.setattr(services.minds, "_environment", {"GEMINI_API_KEY": "x"})
    monkeypatch.setattr(services.minds, "_ports", {})
    page = opened(visitor)
    assert page.all(".offer") == []
    place = page.all("[data-src]")[0]
    assert "GEMINI_API_KEY" in read(visitor.get(place.attributes["data-src"], headers={"x-utatane": "swap"})).text
    page = read(visitor.get(place.one("a").attributes["href"]))  # without scripts
    taken = read(press(visitor, page, ".offer button"))
    assert [one.attributes["value"] for one in taken.all('input[name="provider"][checked]')] == ["gemini"]
    assert services.settings().mind.provider == "auto"  # nothing has begun yet


def test_where_nobody_lives_one_comes_to_a_new_persona(services: Services, visitor: TestClient) -> None:
    for name in services.personas.list_names():
        services.personas.delete(name)
    page = opened(visitor)
    assert page.all(".people") == []
    assert press(visitor, page, BEGIN, provider="builtin").url.path == "/new"
    services.settings_file.path.write_text('[mind]\nprovider = "auto"\n\n[mind]\nmodel = "m"\n', "utf-8")
    there = visitor.get("/").headers["location"]  # a mistake in the settings is no first meeting, and is named
    assert not there.startswith("/welcome")
    assert "settings.toml" in read(visitor.get(there)).one("#notices").text
