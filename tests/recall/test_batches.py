"""A text that cannot be embedded holds up no other, and a model is loaded where nobody waits for it."""

import threading
from collections.abc import Callable, Sequence
from typing import cast

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
from tests.recall.embedding_server import EmbeddingServer, Mood
from tests.recall.looking import Talk, assert_sound, caught_up, codes, found

JADE = "The jade letter lies under the stairs."


def through(server: EmbeddingServer, open_recall: Open, wait: Callable[[float], object] = lambda _: False) -> Recall:
    return open_recall(embedder=GeminiEmbedder("key", address=server.address, wait=lambda _: None), wait=wait)


def herons(count: int) -> list[str]:
    return [f"Heron number {number}." for number in range(count)]


def test_batches_of_twenty_and_a_failed_one_is_not_done(open_recall: Open, talk: Talk, server: EmbeddingServer) -> None:
    talk.user(*herons(45))
    own = open_recall()
    own.catch_up()
    own.close()
    pauses: list[float] = []
    server.moods.extend(["well", 503, 503, 503, 503])
    recall = caught_up(through(server, open_recall, pauses.append))
    asked = [len(body["requests"]) for body in server.requests]
    assert asked == [20, 20, 20, 20, 1]  # three tries, and one whether it is the texts
    assert pauses == [2.0]
    assert recall.status().unembedded == 25
    assert "embedder-failed" in codes(recall)
    assert "Heron number 3." in found(recall, "heron number", 50)  # words find all meanwhile
    assert_sound(recall)
    caught_up(recall)
    assert (recall.status().unembedded, recall.status().notices) == (0, ())
    assert {text for text in server.texts if text.startswith("Heron")} == set(herons(45))
    assert_sound(recall)
    back = open_recall()  # the built-in one again
    back.catch_up()
    assert back.status().unembedded == 0
    assert dict(back.search("herons", 1)[0].why).keys() >= {"semantic"}


def test_one_bad_text_costs_itself_alone_and_is_tried_again_when_it_is_changed_or_a_day_later(
    open_recall: Open, talk: Talk, server: EmbeddingServer, clock: HandClock
) -> None:
    texts = herons(60)
    texts[30] = "The poison is in the tea."
    talk.user(*texts)
    changed = talk.user("There is poison in the soup.")
    server.refused = "poison"
    recall = caught_up(through(server, open_recall))
    assert (recall.status().unembedded, codes(recall)) == (2, ["embedding-put-off"])
    assert "The poison is in the tea." in found(recall, "tea", 5)
    assert_sound(recall)
    asked = len(server.requests)
    caught_up(recall)
    assert len(server.requests) == asked  # it is left alone
    talk.log.supersede(changed.id, "There is sugar in the soup.")
    assert caught_up(recall).status().unembedded == 1
    clock.move(hours=25)
    server.refused = ""
    caught_up(recall)
    assert (recall.status().unembedded, codes(recall)) == (0, [])


def test_where_nothing_can_be_embedded_no_text_is_bad(open_recall: Open, talk: Talk, server: EmbeddingServer) -> None:
    talk.user(*herons(40))
    recall = through(server, open_recall)
    for mood in cast("list[Mood]", [400, 401, 429, 500, "drop", "garbage"]):
        server.always = mood
        server.requests.clear()
        caught_up(recall)
        assert (recall.status().unembedded, codes(recall)) == (40, ["embedder-failed"]), mood
        assert len(server.requests) <= 4, mood
    server.always = "well"
    assert caught_up(recall).status().unembedded == 0


class Library(LocalEmbedder):
    """A model whose loading can be waited for, and whose library fails in its own way."""

    name = "library"
    loaded = 0

    def __init__(self, model: str = "library", fails: str = "") -> None:
        super().__init__(model)
        self.may_load = threading.Event()
        self.may_load.set()
        self.fails = fails

    def _load(self) -> None:
        self.may_load.wait()
        type(self).loaded += 1

    def _encode(self, texts: Sequence[str]) -> Vectors:
        if self.fails and any(self.fails in text for text in texts):
            raise ZeroDivisionError
        return np.array([[len(text), text.count("a"), 1.0] for text in texts], np.float32)


def test_a_text_that_a_library_stumbles_over_costs_itself_alone(open_recall: Open, talk: Talk) -> None:
    talk.user(*herons(20), "poison", *herons(9))
    recall = caught_up(open_recall(embedder=Library(fails="poison")))
    assert (recall.status().unembedded, codes(recall)) == (1, ["embedding-put-off"])


def test_a_model_is_loaded_when_a_persona_wakes_and_no_search_waits_for_it(open_recall: Open, talk: Talk) -> None:
    talk.user("A heron by the river.")
    caught_up(open_recall(embedder=Library())).close()
    library = Library()
    library.may_load.clear()
    recall = open_recall(embedder=library)
    recall.catch_up()  # nothing is unembedded
    assert [dict(hit.why).get("semantic", 0) for hit in recall.search("heron", 1)] == [0]
    assert codes(recall) == ["embedder-loading"]
    library.may_load.set()
    caught_up(recall)
    assert dict(recall.search("heron", 1)[0].why)["semantic"] > 0
    assert codes(recall) == []
    once = open_recall(embedder=Library())
    once.get_ready()  # whoever searches once and goes waits for the model
    assert dict(once.search("heron", 1)[0].why)["semantic"] > 0


def test_all_personas_have_one_model_and_nobody_waits_for_one_that_is_being_loaded() -> None:
    with pytest.raises(EmbeddingError):
        Library().query("heron")
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


@pytest.mark.parametrize("when", ["before", "between two batches"])
def test_what_is_for_this_computer_only_is_given_to_no_embedder_elsewhere(
    open_recall: Open, talk: Talk, server: EmbeddingServer, paths: PersonaPaths, when: str
) -> None:
    kept = talk.user(JADE)
    talk.user(*herons(70))  # the newest are asked for first

    def mark(_: float = 0) -> bool:
        AudienceStore(paths, write_plainly(paths)).mark(kept.id, "this-computer", [kept.id])
        return False

    if when == "before":
        mark()
    recall = caught_up(through(server, open_recall, mark))
    assert any("Heron" in text for text in server.texts)
    assert "jade" not in str(server.requests)
    assert recall.status().unembedded == 1
    assert JADE in found(recall, "jade letter", 5)
    assert_sound(recall)


def test_where_nobody_can_tell_what_is_kept_no_embedder_elsewhere_is_given_anything(
    open_recall: Open, talk: Talk, server: EmbeddingServer, paths: PersonaPaths
) -> None:
    talk.user(JADE)
    paths.memory.mkdir(exist_ok=True)
    (paths.memory / "audience.json").write_text("no json", "utf-8")
    recall = caught_up(through(server, open_recall))
    assert "jade" not in str(server.requests)
    assert any("audience.json" in notice.en for notice in recall.status().notices)
