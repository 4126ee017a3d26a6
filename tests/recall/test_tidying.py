"""What was forgotten is out of every derived file by the next night."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from managers.recall.embedders import Vectors
from managers.recall.embedders.cached import CachedEmbedder
from managers.recall.engine import Recall
from managers.recall.index import upkeep
from managers.storage.paths import PersonaPaths
from tests.recall.conftest import Open
from tests.recall.looking import Talk, assert_sound


class Slow:
    """An embedder of random vectors, slow enough to be cached."""

    name = "slow"
    factor = 1.0
    is_remote = False
    is_slow = True
    is_ready = True

    def load(self) -> None:
        """Nothing."""

    def passages(self, texts: Sequence[str]) -> Vectors:
        rows = [np.random.default_rng(len(text)).normal(size=8) / 4 for text in texts]
        return np.array(rows, np.float32)

    def query(self, text: str) -> Vectors:
        return self.passages([text])


def holding(folder: Path, word: bytes) -> list[str]:
    return [path.name for path in folder.rglob("*") if path.is_file() and word in path.read_bytes().lower()]


def test_nothing_of_a_forgotten_message_is_left(recall: Recall, talk: Talk) -> None:
    talk.user("We walked by the river.")
    secret = talk.user("The pangolin has the key.")
    talk.user("The key is under the mat.")
    recall.catch_up()
    for index in recall.indexes.values():
        index.vectors.save(index.store, index._epoch)
    before = [hit.text for hit in recall.search("river", 5)]
    talk.log.supersede(secret.id, None)
    recall.catch_up()
    assert all("pangolin" not in hit.text for hit in recall.search("pangolin", 5))
    recall.tidy()
    assert holding(recall.paths.rag_index, b"pangolin") == []
    current = recall.indexes["current"]
    assert len(current.vectors) == 2
    assert current.store.postings_of(["key"])["key"][0].tolist() == [2]
    assert [hit.text for hit in recall.search("river", 5)] == [text for text in before if "pangolin" not in text]
    assert_sound(recall)


def test_what_is_forgotten_leaves_the_derived_files_soon(
    recall: Recall, talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "TIDY_AFTER_SECONDS", 0.01)
    talk.user("We walked by the river.")
    secret = talk.user("The pangolin has the key.")
    recall.catch_up()
    assert recall._upkeep._tidying is None
    talk.log.supersede(secret.id, None)
    recall.catch_up()
    tidying = recall._upkeep._tidying
    assert tidying is not None
    tidying.join()
    assert holding(recall.paths.rag_index, b"pangolin") == []
    assert recall.search("river")


def test_the_snapshot_holds_only_what_lives(recall: Recall, open_recall: Open, talk: Talk) -> None:
    said = [talk.user(f"Story number {number}.") for number in range(20)]
    recall.catch_up()
    current = recall.indexes["current"]
    current.refresh()
    current.vectors.save(current.store, current._epoch)
    for message in said[:5]:
        talk.log.supersede(message.id, None)
    recall.catch_up()
    recall.tidy()
    later = open_recall()
    later.indexes["current"].vectors._load(current._epoch, is_trusted=False)
    assert len(later.indexes["current"].vectors) == 15
    recall.tidy()  # with nothing to do
    talk.user("Story number 21.")
    recall.catch_up()
    assert recall.search("Story number 21", 1)[0].text == "Story number 21."
    assert_sound(recall)


def test_a_reader_goes_on_over_the_tidying(recall: Recall, open_recall: Open, talk: Talk) -> None:
    reader = open_recall()
    secret = talk.user("The pangolin has the key.")
    talk.user("The lantern stands in the hall.")
    recall.catch_up()
    assert reader.search("lantern", 1)
    talk.log.supersede(secret.id, None)
    recall.catch_up()
    recall.tidy()
    assert [hit.text for hit in reader.search("lantern pangolin", 5)] == ["The lantern stands in the hall."]


def test_the_cache_of_vectors_forgets_too(open_recall: Open, talk: Talk, paths: PersonaPaths) -> None:
    path = paths.rag_index / "embeddings.sqlite"
    cached = CachedEmbedder(Slow(), path)
    recall = open_recall(embedder=cached)
    secret = talk.user("The pangolin has the key.")
    talk.user("We walked by the river.")
    recall.catch_up()
    recall._upkeep.vectors.make_waiting(cached)
    assert _keeps(cached, "The pangolin has the key.")
    talk.log.supersede(secret.id, None)
    recall.catch_up()
    recall.tidy()
    for one in (cached, CachedEmbedder(Slow(), path)):
        assert not _keeps(one, "The pangolin has the key.")
        assert _keeps(one, "We walked by the river.")


def _keeps(cached: CachedEmbedder, text: str) -> bool:
    return bool(cached._known([cached._key("passage", text)]))


def test_a_cache_that_nobody_uses_any_more_goes(open_recall: Open, talk: Talk, paths: PersonaPaths) -> None:
    path = paths.rag_index / "embeddings.sqlite"
    CachedEmbedder(Slow(), path).passages(["The pangolin has the key."])
    recall = open_recall()
    talk.user("We walked by the river.")
    recall.catch_up()
    recall.tidy()
    assert not path.exists()


def test_what_a_killed_rebuild_left_is_removed(recall: Recall, talk: Talk) -> None:
    talk.user("We walked by the river.")
    recall.catch_up()
    left = recall.paths.rag_index / ".faiss_index_static"
    left.mkdir()
    (left / "index.sqlite").write_bytes(b"half")
    recall.tidy()
    assert not left.exists()


def test_a_start_tidies_what_no_night_has(recall: Recall, open_recall: Open, talk: Talk) -> None:
    recall.catch_up()
    secret = talk.user("The pangolin has the key.")
    talk.user("We walked by the river.")
    recall.catch_up()
    talk.log.supersede(secret.id, None)
    recall.catch_up()
    assert holding(recall.paths.rag_index, b"pangolin")
    recall.close()
    open_recall().catch_up()
    assert holding(recall.paths.rag_index, b"pangolin") == []
