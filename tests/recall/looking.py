"""What tests do with memories: say things, and look into the indexes."""

from datetime import timedelta

import numpy as np

from managers.memory.log import ConversationLog
from managers.memory.messages import Message
from managers.recall.engine import Recall
from tests.fakes import HandClock


class Talk:
    """A conversation between Emma and Sora."""

    def __init__(self, log: ConversationLog, clock: HandClock) -> None:
        self.log = log
        self.clock = clock

    def user(self, text: str) -> Message:
        self.clock.move(seconds=20)
        return self.log.append("user", "Emma", text)

    def persona(self, text: str) -> Message:
        self.clock.move(seconds=20)
        return self.log.append("persona", "Sora", text)

    def past(self, text: str, days: int, *, role: str = "user", message_id: str = "") -> Message:
        """Say something some days ago: it goes where its time belongs."""
        time = (self.clock.now() - timedelta(days=days)).replace(microsecond=0)
        name = "Emma" if role == "user" else "Sora"
        message = Message(message_id or f"p{days}-{abs(hash(text)) % 10**9}", time, role, name, text)  # type: ignore[arg-type]  # user or persona
        self.log.append_many([message])
        return message


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


def texts(hits: list[object]) -> list[str]:
    return [hit.text for hit in hits]  # type: ignore[attr-defined]  # hits
