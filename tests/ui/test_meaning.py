"""How meanings are compared, in the settings: nothing is fetched or sent before a yes."""

import importlib.util
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from agent.services import Services
from managers.recall.embedders import offered as table
from managers.recall.embedders.fetching import Fetches
from managers.recall.embedders.gemini import GeminiEmbedder
from managers.recall.embedders.offered import OfferedModel
from managers.recall.errors import EmbeddingError
from managers.storage.settings import GEMINI_VARIABLES
from tests.recall.model_registry import COMMIT, Registry, registry
from tests.recall.tiny_models import TABLE, gathering
from tests.ui.reading import Element, press, read
from tests.ui.rooms import NAME
from tests.ui.visitors import visitor_of
from ui.components.revision import revision_of
from ui.locales import LANGUAGES
from ui.server.addresses import with_query

FILES = {"model.onnx": "onnx/model.onnx", "tokenizer.json": "tokenizer.json"}
MODEL = OfferedModel("tiny", "Tiny model", "somebody/tiny", COMMIT, FILES, 4, 128, "MIT", "小さなもの", "A small one")


@pytest.fixture
def there(services: Services, monkeypatch: pytest.MonkeyPatch) -> Iterator[Registry]:
    """One model is offered, by a registry on this computer."""
    data = {"onnx/model.onnx": gathering(TABLE), "tokenizer.json": b"{}"}
    with registry(MODEL.repository, data, frozenset({"onnx/model.onnx"})) as running:
        monkeypatch.setattr(table, "offered", lambda: {"tiny": MODEL})
        for module in ("ui.rooms.meaning.view.offered", "ui.rooms.meaning.routes.offered"):
            monkeypatch.setattr(module, lambda: {"tiny": MODEL})
        services.__dict__["fetches"] = Fetches(services.home.models, running.address)
        yield running


@pytest.fixture
def visitor(services: Services) -> TestClient:
    visitor = visitor_of(services)
    visitor.headers["accept-language"] = "en"
    return visitor


def opened(visitor: TestClient, own: str = "") -> Element:
    return read(visitor.get(with_query("/settings/meaning", {"persona": NAME, "own": own})))


def pressed(visitor: TestClient, button: str, own: str = "") -> Element:
    press(visitor, opened(visitor, own), button)
    return opened(visitor, own)


def fetched(services: Services) -> None:
    current = services.fetches.current
    assert current is not None
    assert current._thread is not None
    current._thread.join()


def _nobody(*_: object) -> None:
    raise EmbeddingError(cause="nobody is there", stops=True)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_way_stands_there_with_its_words(visitor: TestClient, services: Services, lang: str) -> None:
    visitor.headers["accept-language"] = lang
    page = opened(visitor)
    assert "set" in page.one('[data-way="auto"]').attributes["class"]
    shown = page.one('[data-model="minilm"]').text
    assert "paraphrase-multilingual-MiniLM-L12-v2" in shown
    assert "252 MB" in shown
    assert "Apache-2.0" in shown
    assert len(page.all("[data-way]")) == 6


def test_a_model_is_fetched_after_a_yes_and_then_used(visitor: TestClient, services: Services, there: Registry) -> None:
    before = revision_of(services, services.companion(NAME))
    opened(visitor)
    assert there.requests == []
    pressed(visitor, '[data-model="tiny"] .control button')
    fetched(services)
    assert revision_of(services, services.companion(NAME)) != before
    pressed(visitor, '[data-model="tiny"] .control form:first-child button')
    assert (services.settings().recall.embedder, services.settings().recall.embedder_model) == (
        "sentence-model",
        "tiny",
    )
    pressed(visitor, '[data-model="tiny"] button.danger')
    assert not (services.home.models / "tiny").exists()


def test_what_fails_is_said_and_goes_on(visitor: TestClient, services: Services, there: Registry) -> None:
    there.mood = "wrong"
    pressed(visitor, '[data-model="tiny"] .control button')
    fetched(services)
    assert "Tiny model" in opened(visitor).one('[data-model="tiny"] [role="alert"]').text
    there.mood = "well"
    pressed(visitor, '[data-model="tiny"] .control button')
    fetched(services)
    assert opened(visitor).all('[data-model="tiny"] [role="alert"]') == []


def test_a_model_that_is_not_offered_is_not_fetched(visitor: TestClient, services: Services, there: Registry) -> None:
    answer = visitor.post("/settings/meaning/fetch", data={"name": "../../etc"})
    assert answer.status_code >= 400
    assert there.requests == []
    assert visitor.post("/settings/meaning/remove", data={"name": "../../etc"}).status_code == 303


def test_the_minds_key_serves_and_sending_takes_a_yes(
    visitor: TestClient, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(GeminiEmbedder, "_ask", _nobody)
    for name in GEMINI_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    gemini = opened(visitor).one('[data-way="gemini"]')
    assert "the same as for the mind" in gemini.text
    assert gemini.all("button") == []
    services.secrets.set("gemini", "a key")
    gemini = opened(visitor).one('[data-way="gemini"]')
    assert "are sent to Google" in gemini.text
    assert "key that you entered for the mind" in gemini.text
    assert services.settings().recall.embedder == "auto"
    pressed(visitor, '[data-way="gemini"] button')
    assert services.settings().recall.embedder == "gemini"
    notices = services.companion(NAME).memories.recall.status().notices
    assert "embedder-missing" not in {notice.code for notice in notices}


def test_what_a_model_needs_besides_is_said(visitor: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    page = opened(visitor)
    assert "needs tokenizers, onnxruntime:" in page.one('[data-model="minilm"]').text
    assert "needs tokenizers:" in page.one('[data-model="potion"]').text


def test_a_key_in_the_environment_serves_too(visitor: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(GEMINI_VARIABLES[0], "a key")
    assert opened(visitor).texts('[data-way="gemini"] button') == ["Send them to Google and use this"]


def test_a_persona_has_a_way_of_its_own(visitor: TestClient, services: Services) -> None:
    pressed(visitor, '[data-way="builtin"] button', own="1")
    assert services.settings().recall.embedder == "auto"
    assert services.companion(NAME).memories.settings().recall.embedder == "builtin"
