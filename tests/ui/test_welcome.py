"""The first meeting: who, and which mind; the way to a model for whoever has none; nothing must be answered."""

from collections.abc import Iterator

import pytest
from httpx2 import Response  # what Starlette answers with in tests
from starlette.testclient import TestClient

from agent.minds.known_models import suitable
from agent.minds.server_discovery import PORTS
from agent.services import Services
from tests.model_server import NOBODY, Fetching, ModelServer, Refuse, Say
from tests.ui.reading import Element, press, read
from tests.ui.rooms import NAME
from ui.locales import LANGUAGES, texts
from ui.rooms.mind import ways

BEGIN, ANYWAY, LATER = "button.main", 'button[name="anyway"]', 'button[formaction="/welcome/later"]'


@pytest.fixture
def visitor(services: Services, visitor: TestClient) -> TestClient:
    services.settings_file.change("page", onboarded=None)
    return visitor


@pytest.fixture
def models() -> Iterator[ModelServer]:
    """A model that is not found by itself."""
    with ModelServer() as models:
        models.otherwise = Say("I hear you.")
        yield models


def first_page(visitor: TestClient) -> Element:
    assert visitor.get("/").headers["location"] == "/welcome"
    return read(visitor.get("/welcome"))


def results(answer: Response) -> list[str]:
    return [one.classes[1] for one in read(answer).all(".result")]


def entered(models: ModelServer, key: str = "right-key") -> dict[str, str]:
    return {"persona": "Hazel", "provider": "openai", "address": models.base_url, "model": "test-model", "key": key}


def test_a_persona_and_the_built_in_mind_need_no_trial(services: Services, visitor: TestClient) -> None:
    page = first_page(visitor)
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
    answer = press(visitor, first_page(visitor), LATER, provider="gemini", key="typed")
    assert answer.url.path == "/p/Hazel/"
    assert services.settings().page.onboarded
    assert services.settings().mind.provider == "builtin"  # as it was
    assert not services.home.secrets.exists()


def test_what_was_entered_is_tried_first(services: Services, visitor: TestClient, models: ModelServer) -> None:
    shown = press(visitor, first_page(visitor), BEGIN, **entered(models))
    page = read(shown)
    assert results(shown) == ["right"]
    assert "I hear you." in page.one(".result").text
    assert not services.settings().page.onboarded
    assert page.one("#mind-address").attributes["value"] == models.base_url
    assert page.one("#mind-key").attributes["placeholder"] == texts("en")("mind.key_stored")
    assert "right-key" not in shown.text
    again = press(visitor, page, BEGIN, model="another-model")  # another choice is tried, too
    assert again.url.path == "/welcome"
    begun = press(visitor, read(again), BEGIN)  # as it stands
    assert begun.url.path == "/p/Hazel/"
    assert [chat.body["model"] for chat in models.chats] == ["test-model", "another-model"]  # no further trial
    mind = services.settings().mind
    assert (mind.provider, mind.base_url, mind.model) == ("openai", models.base_url, "another-model")


@pytest.mark.slow
def test_one_may_go_on_anyway(services: Services, visitor: TestClient, models: ModelServer) -> None:
    models.otherwise = Refuse(401)
    shown = press(visitor, first_page(visitor), BEGIN, **entered(models, "wrong-key"))
    page = read(shown)
    assert results(shown) == ["wrong"]
    assert "key" in page.one(".result").text
    assert not services.settings().page.onboarded
    models.otherwise = Say("Now.")
    assert results(press(visitor, page, BEGIN, key="right-key")) == ["right"]
    models.otherwise = Refuse(401)
    assert press(visitor, page, ANYWAY).url.path == "/p/Hazel/"
    assert services.settings().mind.model == "test-model"


def test_where_nobody_lives_one_comes_to_a_new_persona(services: Services, visitor: TestClient) -> None:
    for name in services.personas.list_names():
        services.personas.delete(name)
    page = first_page(visitor)
    assert page.all(".people") == []
    assert press(visitor, page, BEGIN, provider="builtin").url.path == "/new"
    services.settings_file.path.write_text('[mind]\nprovider = "auto"\n\n[mind]\nmodel = "m"\n', "utf-8")
    there = visitor.get("/").headers["location"]  # a mistake in the settings is no first meeting, and is named
    assert not there.startswith("/welcome")
    assert "settings.toml" in read(visitor.get(there)).one("#notices").text


EN = texts("en")
MEMORY = 16.0
WELCOME, SETTINGS = "/welcome?look=1", f"/settings/mind?persona={NAME}&look=1"
BEST, NEXT = (one.name for one in suitable("en", MEMORY)[:2])


@pytest.fixture
def ollama(services: Services, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """An Ollama without a model, where everybody's mind is left on automatic."""
    services.settings_file.change("mind", provider=None, retries=0)
    monkeypatch.setattr(services.minds, "_answer_seconds", 60.0)  # the machine may be busy
    monkeypatch.setattr(ways, "memory_gigabytes", lambda: MEMORY)
    with ModelServer(plays=("openai", "ollama"), models=[]) as server:
        server.otherwise = Say("I hear you.")
        for service in PORTS:
            monkeypatch.setitem(PORTS, service, server.port if service == "Ollama" else NOBODY)
        yield server


def opened(visitor: TestClient, page: str = WELCOME) -> Element:
    return read(visitor.get(page))


def fetched(services: Services, visitor: TestClient, page: str, button: str = ".way button") -> Element:
    """Press a button that fetches a model, wait, and look again."""
    press(visitor, opened(visitor, page), button)
    services.pulls.settle()
    return opened(visitor, page)


def speaking(services: Services) -> str:
    return services.companion(NAME).mind_status().name


def test_an_ollama_without_a_model_is_shown_with_some_to_fetch(ollama: ModelServer, visitor: TestClient) -> None:
    for page, lang in ((WELCOME, "en"), (SETTINGS, "ja")):
        visitor.headers["accept-language"] = lang
        shown = opened(visitor, page).one(".ways")
        best, *others = suitable("ja" if lang == "ja" else "en", MEMORY)
        for words in (f"127.0.0.1:{ollama.port}", best.name, best.licence):
            assert words in shown.one(".way").text
        assert f"{best.gigabytes} GB" in shown.one(".way button").text
        assert shown.texts("details li b") == [one.name for one in others]


def test_how_to_get_a_server_is_said(ollama: ModelServer, visitor: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PORTS, "Ollama", NOBODY)
    for system, says in (("linux", "install.sh"), ("mac", "Applications"), ("windows", "installer")):
        monkeypatch.setattr(ways, "this_system", lambda system=system: system)
        page = opened(visitor)
        steps = page.texts(".ways ol li")
        assert len(steps) == 3
        assert says in steps[0]
    monkeypatch.setitem(PORTS, "Ollama", ollama.port)
    again = read(press(visitor, page, ".way button"))  # it was installed meanwhile
    assert BEST in again.one(".way").text
    monkeypatch.setattr(ways, "memory_gigabytes", lambda: 1.9)
    page = opened(visitor)  # with little memory a key is the way
    assert "leaves this computer" in page.one(".way").text
    assert page.all(".way button") == []


def test_where_words_go_stands_before_the_field_for_the_key(visitor: TestClient) -> None:
    for page in ("/welcome", "/settings/mind"):
        for lang in LANGUAGES:
            whole = visitor.get(page, headers={"accept-language": lang}).text
            for provider in ("gemini", "anthropic", "openrouter", "openai"):
                assert 0 < whole.index(f'class="quiet for-{provider}"') < whole.index('id="mind-key"')
                assert {"ja": "送られ", "en": "is sent"}[lang] in read(whole).one(f"p.for-{provider}").text


def test_a_model_is_fetched_tried_and_used(services: Services, ollama: ModelServer, visitor: TestClient) -> None:
    page = fetched(services, visitor, WELCOME)
    assert "I hear you." in page.one(".fetching").text
    assert page.all(".ways") == []
    assert speaking(services) == BEST
    assert services.settings().mind.provider == "auto"  # which means this one now
    begun = press(visitor, page, "button.main")
    assert begun.url.path.startswith("/p/")  # it was tried already
    assert len(ollama.chats) == 1


def test_it_can_be_stopped_and_gone_on_with(services: Services, ollama: ModelServer, visitor: TestClient) -> None:
    ollama.fetching = Fetching("waits")
    begun = read(press(visitor, opened(visitor), ".way button"))
    assert begun.all(".fetching noscript a")[0].attributes["href"] == "/welcome?look=1"
    assert len(opened(visitor, "/welcome").all(".fetching progress")) == 1  # without a look, too
    part = read(visitor.get("/settings/mind/ways", headers={"x-utatane": "swap"}))  # the other page says the same
    assert "data-again" in part.one(".fetching").attributes
    stopped = read(press(visitor, begun, ".fetching button"))
    assert EN("ways.stopped", model=BEST) in stopped.one(".fetching").text
    assert ollama.models == []
    ollama.fetching = Fetching()
    press(visitor, stopped, ".fetching button")
    services.pulls.settle()
    assert speaking(services) == BEST


@pytest.mark.slow
def test_what_went_wrong_is_said(services: Services, ollama: ModelServer, visitor: TestClient) -> None:
    ollama.fetching = Fetching("error")
    for page in (WELCOME, SETTINGS):
        shown = fetched(services, visitor, page, ".way button" if page == WELCOME else ".fetching button")
        assert "no space left on device" in shown.one(".fetching").text
        assert shown.one(".fetching button").text == EN("ways.go_on")
        assert BEST not in shown.texts(".ways li b")
    assert speaking(services) == "built-in"
    ollama.fetching = Fetching()
    fetched(services, visitor, WELCOME, ".ways li button")
    assert speaking(services) == NEXT


def test_nobody_else_is_asked_for_a_model(
    services: Services, ollama: ModelServer, visitor: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    for address in ("/welcome/pull", "/settings/mind/pull"):
        answer = visitor.post(address, data={"pull": "evil:70b"}, follow_redirects=True)
        assert EN("mind.not_there") in read(answer).one("#told").text
    page = opened(visitor)
    monkeypatch.setitem(PORTS, "Ollama", NOBODY)
    assert EN("mind.not_there") in read(press(visitor, page, ".way button")).one("#told").text
    assert services.pulls.current is None
