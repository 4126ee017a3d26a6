"""A text that cannot be embedded holds up no other, and a model is loaded where nobody waits for it."""

import threading
from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from managers.memory.audience import AudienceStore
from managers.memory.json_documents import write_plainly
from managers.recall.embedders import Vectors
from managers.recall.embedders.gemini import GeminiEmbedder
from managers.recall.embedders.local import LocalEmbedder, shared
from managers.recall.engine import Recall
from managers.recall.errors import EmbeddingError
from managers.storage.paths import PersonaPaths
from tests.fakes import HandClock
from tests.recall.conftest import Open
from tests.recall.embedding_server import EmbeddingServer, serving
from tests.recall.looking import Talk, assert_sound


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with serving() as running:
        yield running


def caught_up(recall: Recall) -> Recall:
    recall.catch_up()
    if worker := recall._upkeep.vectors.worker:
        worker.join()
    return recall


def codes(recall: Recall) -> set[str]:
    return {notice.code for notice in recall.status().notices}


def through(server: EmbeddingServer, open_recall: Open) -> Recall:
    return open_recall(
        embedder=GeminiEmbedder("key", address=server.address, wait=lambda _: None), wait=lambda _: False
    )


def test_one_bad_text_costs_itself_alone(
    open_recall: Open, talk: Talk, server: EmbeddingServer, clock: HandClock
) -> None:
    for number in range(120):
        talk.user("The poison is in the tea." if number == 60 else f"Heron number {number}.")
    server.refused = "poison"
    recall = caught_up(through(server, open_recall))
    assert recall.status().unembedded == 1
    assert codes(recall) == {"embedding-put-off"}
    assert "The poison is in the tea." in [hit.text for hit in recall.search("tea", 5)]
    assert_sound(recall)
    asked = len(server.requests)
    caught_up(recall)
    assert len(server.requests) == asked  # it is left alone
    clock.move(hours=25)
    server.refused = ""
    caught_up(recall)
    assert recall.status().unembedded == 0
    assert codes(recall) == set()


def test_a_bad_text_that_is_changed_is_tried_at_once(open_recall: Open, talk: Talk, server: EmbeddingServer) -> None:
    poison = talk.user("The poison is in the tea.")
    talk.user("A heron.")
    server.refused = "poison"
    recall = caught_up(through(server, open_recall))
    assert recall.status().unembedded == 1
    talk.log.supersede(poison.id, "The sugar is in the tea.")
    caught_up(recall)
    assert recall.status().unembedded == 0
    assert codes(recall) == set()


@pytest.mark.parametrize("mood", [400, 401, 429, 500, "drop", "garbage"])
def test_where_nothing_can_be_embedded_no_text_is_at_fault(
    open_recall: Open, talk: Talk, server: EmbeddingServer, mood: object
) -> None:
    for number in range(40):
        talk.user(f"Heron number {number}.")
    server.always = mood  # type: ignore[assignment]  # a mood
    recall = caught_up(through(server, open_recall))
    assert recall.status().unembedded == 40
    assert codes(recall) == {"embedder-failed"}
    assert len(server.requests) <= 4
    server.always = "well"
    caught_up(recall)
    assert recall.status().unembedded == 0


class Library(LocalEmbedder):
    """A model whose loading can be waited for, and whose library fails in its own way."""

    loaded = 0

    def __init__(self, model: str = "library") -> None:
        super().__init__(model)
        self.may_load = threading.Event()
        self.may_load.set()
        self.fails = ""

    @property
    def name(self) -> str:
        return "library"

    def _load(self) -> None:
        self.may_load.wait(5)
        type(self).loaded += 1

    def _encode(self, texts: Sequence[str]) -> Vectors:
        if self.fails and any(self.fails in text for text in texts):
            raise ZeroDivisionError
        return np.array([[len(text), text.count("a"), 1.0] for text in texts], np.float32)


def test_a_text_that_a_library_stumbles_over_costs_itself_alone(open_recall: Open, talk: Talk) -> None:
    for number in range(30):
        talk.user("poison" if number == 7 else f"Heron number {number}.")
    library = Library()
    library.fails = "poison"
    recall = caught_up(open_recall(embedder=library))
    assert recall.status().unembedded == 1
    assert codes(recall) == {"embedding-put-off"}


def test_a_model_is_loaded_when_a_persona_wakes_and_no_search_waits_for_it(open_recall: Open, talk: Talk) -> None:
    talk.user("A heron by the river.")
    caught_up(open_recall(embedder=Library())).close()
    library = Library()
    library.may_load.clear()
    recall = open_recall(embedder=library)
    recall.catch_up()  # nothing is unembedded
    assert [dict(hit.why).get("semantic", 0) for hit in recall.search("heron", 1)] == [0]
    assert codes(recall) == {"embedder-loading"}
    library.may_load.set()
    worker = recall._upkeep.vectors.worker
    assert worker is not None
    worker.join()
    assert dict(recall.search("heron", 1)[0].why)["semantic"] > 0
    assert codes(recall) == set()


def test_whoever_searches_once_and_goes_waits_for_the_model(open_recall: Open, talk: Talk) -> None:
    talk.user("A heron by the river.")
    caught_up(open_recall(embedder=Library())).close()
    recall = open_recall(embedder=Library())
    recall.get_ready()
    assert dict(recall.search("heron", 1)[0].why)["semantic"] > 0


def test_all_personas_have_one_model() -> None:
    one, two = shared(Library, "a"), shared(Library, "a")
    assert one is two
    assert shared(Library, "b") is not one
    before = Library.loaded
    threads = [threading.Thread(target=each.load) for each in (one, two, one)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Library.loaded == before + 1


def test_nobody_waits_for_a_model_that_is_being_loaded() -> None:
    with pytest.raises(EmbeddingError):
        Library().query("heron")


def test_what_is_for_this_computer_only_is_given_to_no_embedder_elsewhere(
    open_recall: Open, talk: Talk, server: EmbeddingServer, paths: PersonaPaths
) -> None:
    kept = talk.user("The jade letter lies under the stairs.")
    for number in range(30):
        talk.user(f"Heron number {number}.")
    AudienceStore(paths, write_plainly(paths)).mark(kept.id, "this-computer", [kept.id])
    recall = caught_up(through(server, open_recall))
    assert "jade" not in str(server.requests)
    assert recall.status().unembedded == 1
    assert "The jade letter lies under the stairs." in [hit.text for hit in recall.search("jade letter", 5)]
    assert_sound(recall)


def test_what_is_marked_while_vectors_are_made_reaches_no_embedder_elsewhere(
    open_recall: Open, talk: Talk, server: EmbeddingServer, paths: PersonaPaths
) -> None:
    kept = talk.user("The jade letter lies under the stairs.")
    for number in range(120):
        talk.user(f"Heron number {number}.")  # the newest are asked for first

    def mark_between_batches(_: float) -> bool:
        AudienceStore(paths, write_plainly(paths)).mark(kept.id, "this-computer", [kept.id])
        return False

    embedder = GeminiEmbedder("key", address=server.address, wait=lambda _: None)
    recall = caught_up(open_recall(embedder=embedder, wait=mark_between_batches))
    assert any("Heron" in text for text in server.texts)
    assert not [text for text in server.texts if "jade" in text]
    assert recall.status().unembedded == 1


def test_where_nobody_can_tell_what_is_kept_no_embedder_elsewhere_is_given_anything(
    open_recall: Open, talk: Talk, server: EmbeddingServer, paths: PersonaPaths
) -> None:
    talk.user("The jade letter lies under the stairs.")
    paths.memory.mkdir(exist_ok=True)
    (paths.memory / "audience.json").write_text("no json", "utf-8")
    recall = caught_up(through(server, open_recall))
    assert "jade" not in str(server.requests)
    assert any("audience.json" in notice.en for notice in recall.status().notices)
