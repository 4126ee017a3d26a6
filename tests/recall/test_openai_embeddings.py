"""Vectors by the OpenAI protocol: what a model wants before texts, what it is measured by, and servers that misbehave."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from managers.known_servers import KnownServers, Server
from managers.recall.embedders.openai_embeddings import ServerEmbedder, family_of, models_at
from managers.recall.errors import EmbedderAccountError, EmbedderChangedError, EmbeddingError
from managers.storage.paths import Home
from managers.storage.peers import owner_of_listener
from managers.storage.settings import RecallSettings
from managers.transport import BODY_BYTES
from tests.fakes import HandClock
from tests.recall.conftest import Open
from tests.recall.embedding_server import EmbeddingServer, Mood
from tests.recall.looking import Talk, caught_up, found

Make = Callable[..., ServerEmbedder]
PREFIXES = {
    "embeddinggemma:300m": ("task: search result | query: ", "title: none | text: "),
    "hf.co/someone/ruri-v3-310m-GGUF:Q8_0": ("検索クエリ: ", "検索文書: "),
    "text-embedding-nomic-embed-text-v1.5": ("search_query: ", "search_document: "),
    "intfloat/multilingual-e5-large": ("query: ", "passage: "),
    "snowflake-arctic-embed2": ("query: ", ""),
    "bge-m3": ("", ""),
}


@pytest.fixture
def known(own_home: Home, clock: HandClock) -> KnownServers:
    return KnownServers(own_home, clock)


@pytest.fixture
def make(server: EmbeddingServer, known: KnownServers, tmp_path: Path) -> Make:
    address = f"{server.address}/v1"
    return lambda model="bge-m3", numbers=0: ServerEmbedder(
        address, model, "key", tmp_path, numbers, known, wait=lambda _: None
    )


def test_a_model_is_asked_as_its_makers_want_and_measured_once(server: EmbeddingServer, make: Make) -> None:
    for model, (before_query, before_passage) in PREFIXES.items():
        make(model).query("a boat")
        make(model).passages(["My boat."])
        query, passage = server.texts[-2:]
        assert (query.startswith(before_query), query.endswith("a boat")) == (True, True), model
        assert passage == before_passage + "My boat."
    assert family_of("qwen3:8b") is None
    assert models_at(f"{server.address}/v1") == ["bge-m3:latest", "ruri-v3-310m"]
    server.moods.extend([503, 503, 503])  # it still reads its model
    embedder = make()
    before = (embedder.is_ready, embedder.factor)
    embedder.load()
    asked = len(server.requests)
    assert (before, embedder.is_ready, embedder.is_remote, make().factor) == (
        (False, 1.0),
        True,
        False,
        embedder.factor,
    )
    assert (len(server.requests), make("ruri-v3-310m").is_ready) == (asked, False)


@pytest.mark.parametrize("mood", ["short", "numberless", "garbage", "endless", "drop", 401, 503])
def test_what_is_no_answer_is_no_vector(mood: Mood, server: EmbeddingServer, make: Make) -> None:
    server.moods.append(mood)
    with pytest.raises(EmbeddingError, match=r"127\.0\.0\.1:"):
        make().query("a boat")
    assert server.sent < 4 * BODY_BYTES
    assert make().passages([f"boat {number}" for number in range(70)]).shape == (70, 768)
    server.longest = 100
    assert make().query("a boat " * 99).shape == (1, 768)


def test_words_go_on_where_a_server_is_another(
    server: EmbeddingServer, known: KnownServers, make: Make, open_recall: Open, talk: Talk
) -> None:
    talk.user("My boat is green.")
    address = f"{server.address}/v1"
    settings = partial(RecallSettings, embedder="server", embedder_address=address, embedder_dimensions=768)
    recall = caught_up(open_recall(settings(embedder_model="bge-m3")))
    recall.get_ready()
    assert (found(recall, "a green boat"), recall.notices()) == (["My boat is green."], [])
    server.dimensions = 512
    with pytest.raises(EmbedderChangedError):
        make(numbers=768).query("a boat")
    assert found(recall, "boats") == ["My boat is green."]
    assert ["512" in one.sentence("en") for one in recall.notices()] == [True]
    owner, asked = owner_of_listener("127.0.0.1", int(server.address.rpartition(":")[2])), len(server.requests)
    if owner is not None:
        known.decide(Server("Ollama", address, owner + 1), yes=True)
        with pytest.raises(EmbedderAccountError):
            make().query("a boat")
        assert len(server.requests) == asked
    away = ServerEmbedder("https://api.example.com/v1", "bge-m3", "", Path(), 0, known)
    assert away.is_remote
    assert away.name.endswith(":masked")
