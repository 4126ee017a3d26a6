"""What was forgotten is out of every derived file by the next night, or soon, or at the next start."""

import pytest

from managers.recall.embedders.cached import CachedEmbedder
from managers.recall.engine import Recall
from managers.recall.index import upkeep
from managers.storage.paths import PersonaPaths
from tests.recall.conftest import Open
from tests.recall.looking import FakeEmbedder, Talk, assert_sound, caught_up, found, save_vectors, wait_for

SECRET, RIVER = "The pangolin has the key.", "We walked by the river."


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


def test_what_is_forgotten_leaves_the_derived_files_soon_or_at_the_next_start(
    open_recall: Open, talk: Talk, paths: PersonaPaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    recall = open_recall()
    talk.user(RIVER)
    for soon in (True, False):
        monkeypatch.setattr(upkeep, "TIDY_AFTER_SECONDS", 0.01 if soon else 600)
        secret = talk.user(SECRET)
        recall.catch_up()
        assert holds_secret(paths)
        talk.log.supersede(secret.id, None)
        recall.catch_up()
        if soon:
            wait_for("recall-tidying")
        else:  # neither soon nor by night: at the next start
            assert holds_secret(paths)
            recall.close()
            recall = open_recall()
            recall.catch_up()
        assert holds_secret(paths) == []
        assert found(recall, "river")


def test_the_cache_forgets_too_and_goes_when_nobody_uses_it(open_recall: Open, talk: Talk, paths: PersonaPaths) -> None:
    path = paths.rag_index / "embeddings.sqlite"
    slow = FakeEmbedder()
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
