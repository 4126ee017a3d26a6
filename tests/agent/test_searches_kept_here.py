"""What is for this computer only reaches no embedder elsewhere as a question either, whichever mind asks it."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest

from agent.services import Services, open_services
from agent.tools.context import ToolContext
from agent.tools.search_tools import Query, recall_memories, search_knowledge_base
from managers.recall.embedders import gemini
from managers.recall.embedders.gemini import GeminiEmbedder
from managers.storage.paths import Home
from managers.storage.settings import GEMINI
from tests.fakes import HandClock
from tests.recall.embedding_server import EmbeddingServer, serving

NEMU = "ねむ"
SECRET = "翡翠色の手紙"


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with serving() as running:
        yield running


@pytest.fixture
def services(
    own_home: Home, clock: HandClock, server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Services]:
    def here(key: str, model: str = "", **more: object) -> GeminiEmbedder:
        return GeminiEmbedder(key, model, address=server.address, **more)  # type: ignore[arg-type]  # as it was called

    monkeypatch.setattr(gemini, "GeminiEmbedder", here)
    services = open_services(own_home, clock, Random(3))
    services.settings_file.change("mind", provider="builtin")
    services.settings_file.change("recall", embedder="gemini")
    services.secrets.set(GEMINI, "key")
    yield services
    services.close()


def said(services: Services, text: str) -> str:
    companion = services.companion(NEMU)
    turn = companion.say(text)
    assert list(turn.events())
    companion.settle()
    return services.memories(NEMU).log.tail(1, roles=["user"])[0].id


def settled(services: Services) -> None:
    """Wait until the vectors are made of what was said."""
    if worker := services.memories(NEMU).recall._upkeep.vectors.worker:
        worker.join()


def test_a_kept_message_that_is_answered_anew_is_asked_of_no_embedder_elsewhere(
    services: Services, server: EmbeddingServer
) -> None:
    said(services, "犬の名前はポチです。")
    message = said(services, f"{SECRET}はどこにあるか覚えてる?")
    settled(services)
    assert SECRET in str(server.texts)  # it was said before it was marked
    services.memories(NEMU).audiences.mark(message, "this-computer", [message])
    services.close()  # what was asked is remembered as long as the process lives
    server.requests.clear()
    companion = services.companion(NEMU)
    assert list(companion.regenerate(message).events())
    companion.settle()
    settled(services)
    assert SECRET not in str(server.texts)


def test_a_question_that_goes_on_from_a_kept_message_is_found_by_words(
    services: Services, server: EmbeddingServer
) -> None:
    message = said(services, f"{SECRET}を書いたよ。")
    settled(services)
    services.memories(NEMU).audiences.mark(message, "this-computer", [message])
    server.requests.clear()
    plan = services.memories(NEMU).recall.plan("それはいつだっけ?", services.memories(NEMU).window())
    assert SECRET[:2] in plan.query  # the question takes its subject from there
    said(services, "それはいつだっけ?")
    answer = (
        services.memories(NEMU).log.tail(1, roles=["persona"])[0].text
    )  # words of its own, embedded some time later
    assert not [text for text in server.texts if SECRET[:2] in text and text not in answer]


def test_a_question_among_words_for_anybody_is_embedded(services: Services, server: EmbeddingServer) -> None:
    said(services, "犬の名前はポチです。")
    settled(services)
    server.requests.clear()
    said(services, "犬の名前を覚えてる?")
    assert any("犬の名前" in text for text in server.texts)


def test_what_a_mind_here_searches_for_with_kept_words_before_its_eyes_is_found_by_words(
    services: Services, server: EmbeddingServer, clock: HandClock
) -> None:
    message = said(services, f"{SECRET}を書いたよ。")
    settled(services)
    memories = services.memories(NEMU)
    memories.audiences.mark(message, "this-computer", [message])
    server.requests.clear()
    settings = services.settings()
    mind = services.minds.choose(settings.mind, persona=NEMU).mind
    context = ToolContext(
        memories.sheet(), mind, settings, memories, clock, (message,), leaves=False, shown=frozenset({message})
    )
    for tool in (recall_memories, search_knowledge_base):
        tool(context, Query(query=SECRET))
    assert server.texts == []
    recall_memories(replace(context, shown=frozenset()), Query(query="犬"))
    assert server.texts == ["犬"]


def test_a_night_looks_back_by_words_on_days_of_which_something_is_kept(
    services: Services, server: EmbeddingServer
) -> None:
    message = said(services, f"{SECRET}を書いたよ。")
    settled(services)
    services.memories(NEMU).audiences.mark(message, "this-computer", [message])
    server.requests.clear()
    past = services.sleeper(NEMU).dreamer()._thinker.recall
    past(SECRET, [message])
    assert server.texts == []
    past("犬", [])
    assert server.texts == ["犬"]
