"""What tests do with memories: say things, search, and look into the indexes."""

import itertools
import threading
import zlib
from collections.abc import Iterable, Sequence
from datetime import timedelta

import numpy as np

from managers.memory.log import ConversationLog
from managers.memory.messages import Message
from managers.recall.embedders import Vectors
from managers.recall.engine import Recall
from managers.recall.hits import Hit
from tests.fakes import HandClock


class Talk:
    """A conversation between Emma and Sora."""

    def __init__(self, log: ConversationLog, clock: HandClock) -> None:
        self.log = log
        self.clock = clock
        self._numbers = itertools.count()

    def user(self, *said: str) -> Message:
        """Say something, or one thing after the other; return the last."""
        for text in said:
            self.clock.move(seconds=20)
            message = self.log.append("user", "Emma", text)
        return message

    def persona(self, text: str) -> Message:
        self.clock.move(seconds=20)
        return self.log.append("persona", "Sora", text)

    def past(self, text: str, days: int) -> Message:
        """Say something some days ago: it goes where its time belongs."""
        time = (self.clock.now() - timedelta(days=days)).replace(microsecond=0)
        message = Message(f"p{days}-{next(self._numbers)}", time, "user", "Emma", text)
        self.log.append_many([message])
        return message


class FakeEmbedder:
    """Makes vectors that are the same for the same text; stumbles over poison, as a library with a flaw might."""

    name = "fake"
    factor = 1.0
    is_remote = False
    is_ready = True

    def __init__(self, *, is_slow: bool = True) -> None:
        self.is_slow = is_slow
        self.asked: list[str] = []

    def load(self) -> None:
        """Nothing."""

    def passages(self, texts: Sequence[str]) -> Vectors:
        self.asked += texts
        if any("poison" in text for text in texts):
            raise ZeroDivisionError
        rows = [np.random.default_rng(zlib.crc32(text.encode())).normal(size=8) / 4 for text in texts]
        return np.array(rows, np.float32)

    def query(self, text: str) -> Vectors:
        return self.passages([text])


def texts(hits: Iterable[Hit]) -> list[str]:
    return [hit.text for hit in hits]


def found(recall: Recall, query: str, k: int = 20) -> list[str]:
    """Return what a search finds, best first."""
    return texts(recall.search(query, k))


def codes(recall: Recall) -> list[str]:
    """Return what a person is told of the indexes."""
    return sorted({notice.code for notice in recall.status().notices})


def wait_for(threads: str) -> None:
    """Wait until what goes on in the background under a name has ended."""
    for thread in threading.enumerate():
        if thread.name == threads:
            thread.join()


def caught_up(recall: Recall) -> Recall:
    """Catch up, and wait until all vectors are made."""
    recall.catch_up()
    wait_for("recall")
    return recall


def contents(recall: Recall) -> set[tuple[str, str, str, str]]:
    """Return what is indexed: file, unit, text, message ids."""
    return {
        (path, unit, text, str(ids))
        for index in recall.indexes.values()
        for path, unit, text, ids in index.store.connection().execute(
            "SELECT f.path, c.unit, c.text, c.message_ids FROM chunks c JOIN files f ON f.id = c.file"
        )
    }


def assert_sound(recall: Recall) -> None:
    """Check that the parts of each index tell the same story."""
    for index in recall.indexes.values():
        index.refresh()
        rows = [row[0] for row in index.store.connection().execute("SELECT id FROM chunks ORDER BY id")]
        assert np.flatnonzero(index.columns["alive"]).tolist() == rows
        vectors = {row[0] for row in index.store.connection().execute("SELECT chunk FROM vectors")}
        waiting = {row[0] for row in index.store.connection().execute("SELECT chunk FROM unembedded")}
        assert vectors | waiting == set(rows)
        assert not vectors & waiting


def numbered(recall: Recall) -> dict[tuple[str, int], str]:
    """Return each passage under its index and number: what is indexed anew has another number."""
    return {
        (name, number): text
        for name, index in recall.indexes.items()
        for number, text in index.store.connection().execute("SELECT id, text FROM chunks")
    }


def added(recall: Recall, before: dict[tuple[str, int], str]) -> list[str]:
    """Return what has been indexed since."""
    return [text for key, text in numbered(recall).items() if key not in before]


def save_vectors(recall: Recall) -> None:
    """Write the snapshots of vectors, as is done where there are many."""
    for index in recall.indexes.values():
        index.refresh()
        index.vectors.save(index.store, index._epoch)
