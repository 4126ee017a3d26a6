"""How meanings are compared, in the settings: nothing is fetched or sent before a yes."""

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from agent.services import Services
from managers.addresses import key_name
from managers.fetching.fetch import Fetch
from managers.known_servers import Server
from managers.recall.embedders import offered as table
from managers.recall.embedders.gemini import GeminiEmbedder
from managers.recall.embedders.offered import OfferedModel
from managers.recall.errors import EmbeddingError
from managers.storage.settings import GEMINI_VARIABLES
from tests.fetching.model_registry import COMMIT, Registry, registry
from tests.recall.embedding_server import serving
from tests.recall.tiny_models import TABLE, gathering
from tests.ui.reading import Element, press, read
from tests.ui.rooms import NAME
from ui.components.revision import revision_of
from ui.server.addresses import with_query

FILES = {"model.onnx": "onnx/model.onnx", "tokenizer.json": "tokenizer.json"}
MODEL = OfferedModel("tiny", "Tiny model", "somebody/tiny", COMMIT, FILES, 4, 128, "MIT", "小さなもの", "A small one")
TINY = '[data-model="tiny"]'


@pytest.fixture
def there(services: Services, monkeypatch: pytest.MonkeyPatch) -> Iterator[Registry]:
    """One model is offered, by a registry on this computer."""
    data = {"onnx/model.onnx": gathering(TABLE), "tokenizer.json": b"{}"}
    with registry(MODEL.repository, data, frozenset({"onnx/model.onnx"})) as running:
        monkeypatch.setattr(table, "offered", lambda: {"tiny": MODEL})
        for module in ("ui.rooms.meaning.view.offered", "ui.rooms.meaning.routes.offered"):
            monkeypatch.setattr(module, lambda: {"tiny": MODEL})
        monkeypatch.setattr(
            "ui.rooms.meaning.routes.Fetch", lambda model, models: Fetch(model, models, running.address)
        )
        yield running


def opened(visitor: TestClient, own: str = "") -> Element:
    return read(visitor.get(with_query("/settings/meaning", {"persona": NAME, "own": own})))


def fetched(services: Services, visitor: TestClient) -> Element:
    press(visitor, opened(visitor), f"{TINY} .control button")
    services.fetches.settle()
    return opened(visitor)


def test_every_way_stands_there(visitor: TestClient, services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    page = opened(visitor)
    assert "set" in page.one('[data-way="auto"]').attributes["class"]
    shown = page.one('[data-model="minilm"]').text
    for words in ("paraphrase-multilingual-MiniLM-L12-v2", "252 MB", "Apache-2.0"):
        assert words in shown
    assert len(page.all("[data-way]")) == 7
    press(visitor, opened(visitor, "1"), '[data-way="builtin"] button')
    assert services.settings().recall.embedder == "auto"
    assert services.companion(NAME).memories.settings().recall.embedder == "builtin"


def test_a_server_is_asked_before_it_is_used(visitor: TestClient, services: Services) -> None:
    form = {"embedder": "server", "model": "bge-m3:latest", "key": "sk-1"}
    said = visitor.post("/settings/meaning", data=form | {"address": "http://127.0.0.1:9"}, follow_redirects=True).text
    assert ("127.0.0.1:9" in said, services.settings().recall.embedder) == (True, "auto")
    with serving() as server:
        address = f"{server.address}/v1"
        services.minds.local_servers = lambda: [(Server("llama.cpp", address, None), True)]  # type: ignore[method-assign]
        visitor.post("/settings/meaning", data=form | {"address": f"{address}/embeddings"})
        recall = services.settings().recall
        assert (recall.embedder, recall.embedder_address, recall.embedder_dimensions) == ("server", address, 768)
        assert services.secrets.get(key_name(address)) == "sk-1"
        shown = opened(visitor).all('[data-way="server"]')
        assert [one.attributes["data-model"] for one in shown] == ["bge-m3:latest", "ruri-v3-310m"]
        services.let_sleep(NAME)


def test_a_model_is_fetched_after_a_yes_and_then_used(visitor: TestClient, services: Services, there: Registry) -> None:
    before = revision_of(services, services.companion(NAME))
    opened(visitor)
    assert visitor.post("/settings/meaning/fetch", data={"name": "../../etc"}).status_code >= 400
    assert there.requests == []
    assert visitor.post("/settings/meaning/remove", data={"name": "../../etc"}).status_code == 303
    there.mood = "wrong"
    assert "Tiny model" in fetched(services, visitor).one(f'{TINY} [role="alert"]').text
    there.mood = "well"
    page = fetched(services, visitor)  # it goes on
    assert page.all(f'{TINY} [role="alert"]') == []
    assert revision_of(services, services.companion(NAME)) != before
    press(visitor, page, f"{TINY} .control form:first-child button")
    recall = services.settings().recall
    assert (recall.embedder, recall.embedder_model) == ("sentence-model", "tiny")
    press(visitor, opened(visitor), f"{TINY} button.danger")
    assert not (services.home.models / "tiny").exists()


def test_sending_takes_a_yes(visitor: TestClient, services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody(*_: object) -> None:
        raise EmbeddingError(cause="nobody is there", stops=True)

    monkeypatch.setattr(GeminiEmbedder, "_ask", nobody)
    gemini = opened(visitor).one('[data-way="gemini"]')
    assert "the same as for the mind" in gemini.text
    assert gemini.all("button") == []
    with monkeypatch.context() as environment:
        environment.setenv(GEMINI_VARIABLES[0], "a key")
        assert opened(visitor).texts('[data-way="gemini"] button') == ["Send them to Google and use this"]
    services.secrets.set("gemini", "a key")
    page = opened(visitor)
    gemini = page.one('[data-way="gemini"]')
    assert "are sent to Google" in gemini.text
    assert "key that you entered for the mind" in gemini.text
    assert services.settings().recall.embedder == "auto"
    press(visitor, page, '[data-way="gemini"] button')
    assert services.settings().recall.embedder == "gemini"
    notices = services.companion(NAME).memories.recall.status().notices
    assert "embedder-missing" not in {notice.code for notice in notices}
