"""What was forgotten is out of every derived file by the next night, or soon, or at the next start."""

from collections.abc import Sequence

import numpy as np
import pytest

from managers.recall.embedders import Vectors
from managers.recall.embedders.cached import CachedEmbedder
from managers.recall.engine import Recall
from managers.recall.index import upkeep
from managers.storage.paths import PersonaPaths
from tests.recall.conftest import Open
from tests.recall.looking import Talk, assert_sound, caught_up, found, save_vectors, wait_for

SECRET, RIVER = "The pangolin has the key.", "We walked by the river."


class Slow:
    """An embedder of random vectors, slow enough to be cached, which counts what it is asked."""

    name = "slow"
    factor = 1.0
    is_remote = False
    is_slow = True
    is_ready = True

    def __init__(self) -> None:
        self.asked: list[str] = []

    def load(self) -> None:
        """Nothing."""

    def passages(self, texts: Sequence[str]) -> Vectors:
        self.asked += texts
        rows = [np.random.default_rng(len(text)).normal(size=8) / 4 for text in texts]
        return np.array(rows, np.float32)

    def query(self, text: str) -> Vectors:
        return self.passages([text])


def holds_secret(paths: PersonaPaths) -> list[str]:
    """Return the derived files that hold what was forgotten."""
    files = [path for path in paths.rag_index.rglob("*") if path.is_file()]
    return [path.name for path in files if b"pangolin" in path.read_bytes().lower()]


def test_nothing_of_a_forgotten_message_is_left_and_a_reader_goes_on_over_the_tidying(
    recall: Recall, open_recall: Open, talk: Talk, paths: PersonaPaths
) -> None:
    reader = open_recall()
    talk.user(RIVER)
    secret = talk.user(SECRET)
    talk.user("The key is under the mat.")
    recall.catch_up()
    save_vectors(recall)
    before = found(reader, "river key")
    talk.log.supersede(secret.id, None)
    recall.catch_up()
    assert SECRET not in found(recall, "pangolin")
    recall.tidy()
    assert holds_secret(paths) == []
    assert recall.indexes["current"].store.postings_of(["key"])["key"][0].tolist() == [2]
    for one in (recall, reader):
        assert found(one, "river key") == [text for text in before if text != SECRET]
        assert_sound(one)


def test_what_is_forgotten_leaves_the_derived_files_soon(
    recall: Recall, talk: Talk, paths: PersonaPaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "TIDY_AFTER_SECONDS", 0.01)
    talk.user(RIVER)
    secret = talk.user(SECRET)
    recall.catch_up()
    assert holds_secret(paths)
    talk.log.supersede(secret.id, None)
    recall.catch_up()
    wait_for("recall-tidying")
    assert holds_secret(paths) == []
    assert found(recall, "river")


def test_a_start_tidies_what_no_night_has(recall: Recall, open_recall: Open, talk: Talk, paths: PersonaPaths) -> None:
    recall.catch_up()
    secret = talk.user(SECRET)
    talk.user(RIVER)
    recall.catch_up()
    talk.log.supersede(secret.id, None)
    recall.catch_up()
    assert holds_secret(paths)
    recall.close()
    open_recall().catch_up()
    assert holds_secret(paths) == []


def test_the_snapshot_holds_only_what_lives(recall: Recall, open_recall: Open, talk: Talk) -> None:
    said = [talk.user(f"Story number {number}.") for number in range(20)]
    recall.catch_up()
    save_vectors(recall)
    for message in said[:5]:
        talk.log.supersede(message.id, None)
    recall.catch_up()
    recall.tidy()
    later = open_recall().indexes["current"]
    later.refresh()
    assert len(later.vectors) == 15
    recall.tidy()  # with nothing to do
    talk.user("Story number 21.")
    recall.catch_up()
    assert found(recall, "Story number 21", 1) == ["Story number 21."]
    assert_sound(recall)


def test_the_cache_of_vectors_forgets_too_and_goes_when_nobody_uses_it_any_more(
    open_recall: Open, talk: Talk, paths: PersonaPaths
) -> None:
    path = paths.rag_index / "embeddings.sqlite"
    slow = Slow()
    secret = talk.user(SECRET)
    talk.user(RIVER)
    recall = caught_up(open_recall(embedder=CachedEmbedder(slow, path)))
    again = CachedEmbedder(slow, path)
    asked = len(slow.asked)
    again.passages([SECRET, RIVER])
    assert slow.asked[asked:] == []
    talk.log.supersede(secret.id, None)
    caught_up(recall)
    recall.tidy()
    assert holds_secret(paths) == []
    CachedEmbedder(slow, path).passages([RIVER, SECRET])
    assert slow.asked[asked:] == [SECRET]
    recall.close()
    own = open_recall()
    own.catch_up()
    own.tidy()
    assert not path.exists()
