"""A persona whose memories can be written by hand, and looked at from inside the index."""

import json
from collections.abc import Callable, Iterator

import pytest

from managers.memory.log import ConversationLog
from managers.recall.engine import Recall
from managers.storage.paths import PersonaPaths
from managers.storage.settings import RecallSettings
from tests.fakes import HandClock
from tests.recall.embedding_server import EmbeddingServer, serving
from tests.recall.looking import Talk

Open = Callable[..., Recall]
Episode = Callable[[str, str], None]


@pytest.fixture
def talk(log: ConversationLog, clock: HandClock) -> Talk:
    return Talk(log, clock)


@pytest.fixture
def open_recall(paths: PersonaPaths, log: ConversationLog, clock: HandClock) -> Iterator[Open]:
    opened: list[Recall] = []

    def make(settings: RecallSettings | None = None, **more: object) -> Recall:
        recall = Recall(paths, log, settings or RecallSettings(), clock, **more)  # type: ignore[arg-type]  # checked by Recall
        opened.append(recall)
        return recall

    yield make
    for recall in opened:
        recall.close()


@pytest.fixture
def recall(open_recall: Open) -> Recall:
    return open_recall()


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with serving() as running:
        yield running


@pytest.fixture
def episode(paths: PersonaPaths) -> Episode:
    def write(day: str, summary: str) -> None:
        paths.episodic_memory.mkdir(parents=True, exist_ok=True)
        content = {"date": day, "summary": summary, "key_events": [], "emotional_tone": "neutral"}
        content["evidence"] = [f"e {day}"]
        (paths.episodic_memory / f"{day}.json").write_text(json.dumps(content, ensure_ascii=False), "utf-8")

    return write
