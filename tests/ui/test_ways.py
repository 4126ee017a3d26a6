"""The way to a model for whoever has none, on the first page and in the settings: what is shown, and what its buttons do."""

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from agent.minds.known_models import suitable
from agent.minds.server_discovery import PORTS
from agent.services import Services
from tests.model_server import NOBODY, Fetching, ModelServer, Say, Served
from tests.ui.reading import Element, press, read
from tests.ui.rooms import NAME
from ui.locales import LANGUAGES, texts
from ui.rooms.mind import ways

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


# What is shown


def test_an_ollama_without_a_model_is_shown_with_one_to_fetch_and_others_behind_it(
    ollama: ModelServer, visitor: TestClient
) -> None:
    for page, lang in ((WELCOME, "en"), (SETTINGS, "ja")):
        visitor.headers["accept-language"] = lang
        shown = opened(visitor, page).one(".ways")
        best, *others = suitable("ja" if lang == "ja" else "en", MEMORY)
        for words in (f"127.0.0.1:{ollama.port}", best.name, best.licence):
            assert words in shown.one(".way").text
        assert f"{best.gigabytes} GB" in shown.one(".way button").text
        assert shown.texts("details li b") == [one.name for one in others]


def test_without_any_server_it_is_said_how_to_get_one_in_three_lines(
    ollama: ModelServer, visitor: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
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


def test_a_server_with_a_model_is_the_way_and_nothing_is_to_be_fetched(
    ollama: ModelServer, visitor: TestClient
) -> None:
    ollama.models.append(Served("llama3"))
    page = opened(visitor)
    assert len(page.all(".ways .offer")) == 1
    assert page.all(".ways .way") == []
    assert read(press(visitor, page, ".offer button")).all(".ways") == []  # there is one now
    assert opened(visitor).all(".ways") == opened(visitor, SETTINGS).all(".ways") == []


def test_whoever_said_no_to_a_server_is_not_told_to_get_one(ollama: ModelServer, visitor: TestClient) -> None:
    ollama.models.append(Served("llama3"))
    no = opened(visitor).all(".offer button")[1].attributes["value"]
    visitor.post("/welcome", data={"provider": "auto", "offer": no})
    page = opened(visitor)
    assert page.all(".way") == []
    assert "app.py servers" in page.one(".ways").text


def test_where_words_go_stands_before_the_field_for_the_key(visitor: TestClient) -> None:
    for page in ("/welcome", "/settings/mind"):
        for lang in LANGUAGES:
            whole = visitor.get(page, headers={"accept-language": lang}).text
            for provider in ("gemini", "anthropic", "openrouter", "openai"):
                assert 0 < whole.index(f'class="quiet for-{provider}"') < whole.index('id="mind-key"')
                assert {"ja": "送られ", "en": "is sent"}[lang] in read(whole).one(f"p.for-{provider}").text


# What its buttons do


def test_a_model_is_fetched_tried_and_used(services: Services, ollama: ModelServer, visitor: TestClient) -> None:
    page = fetched(services, visitor, WELCOME)
    assert "I hear you." in page.one(".fetching").text
    assert page.all(".ways") == []
    assert speaking(services) == BEST
    assert services.settings().mind.provider == "auto"  # which means this one now
    begun = press(visitor, page, "button.main")
    assert begun.url.path.startswith("/p/")  # it was tried already
    assert len(ollama.chats) == 1


def test_in_the_settings_it_is_kept_in_place_of_the_built_in_mind(
    services: Services, ollama: ModelServer, visitor: TestClient
) -> None:
    services.settings_file.change("mind", provider="builtin")
    fetched(services, visitor, SETTINGS)
    mind = services.settings().mind
    assert (mind.provider, mind.base_url, mind.model) == ("openai", ollama.base_url, BEST)
    assert speaking(services) == BEST


def test_its_progress_is_seen_by_reloading_and_it_can_be_stopped_and_gone_on_with(
    services: Services, ollama: ModelServer, visitor: TestClient
) -> None:
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


def test_what_went_wrong_is_said_and_the_others_can_be_had(
    services: Services, ollama: ModelServer, visitor: TestClient
) -> None:
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


def test_an_ollama_that_has_gone_or_a_model_that_nobody_recommends_is_not_asked_for(
    services: Services, ollama: ModelServer, visitor: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    for address in ("/welcome/pull", "/settings/mind/pull"):
        answer = visitor.post(address, data={"pull": "evil:70b"}, follow_redirects=True)
        assert EN("mind.not_there") in read(answer).one("#told").text
    page = opened(visitor)
    monkeypatch.setitem(PORTS, "Ollama", NOBODY)
    assert EN("mind.not_there") in read(press(visitor, page, ".way button")).one("#told").text
    assert services.pulls.current is None


def test_openrouter_is_a_choice_of_its_own(services: Services, visitor: TestClient, ollama: ModelServer) -> None:
    page = opened(visitor, "/settings/mind")
    kept = read(press(visitor, page, "#mind button.main", provider="openrouter", model="openai/gpt-6-luna"))
    assert services.settings().mind.base_url == "https://openrouter.ai/api/v1"
    assert [one.attributes["value"] for one in kept.all('input[name="provider"][checked]')] == ["openrouter"]
    assert kept.one("#mind-address").attributes["value"] == ""
