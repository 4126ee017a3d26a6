"""A memory that is there is found at every moment: while old days move to the archives, and before the first round."""

from collections.abc import Sequence
from typing import Any

import pytest

from managers.memory.log import ConversationLog
from managers.recall.engine import Recall
from managers.recall.index import upkeep
from managers.recall.index.file_updates import Carrier, Step
from managers.recall.index.memory_index import MemoryIndex
from managers.recall.index.sources import IndexName
from managers.recall.ranking.ranker import Ranker
from tests.fakes import HandClock
from tests.recall.conftest import Open
from tests.recall.looking import Talk

QUESTION = "Where is my kite?"


@pytest.fixture
def moved(recall: Recall, talk: Talk, log: ConversationLog, clock: HandClock) -> Recall:
    """What was said is indexed where it stood, and lies in the archives since."""
    talk.user("My kite is in the attic.")
    recall.catch_up()
    clock.move(days=40)
    assert log.roll()
    return recall


def finds(recall: Recall) -> bool:
    return any("kite" in hit.text for hit in recall.search(QUESTION))


def test_what_moves_to_the_archives_is_found_after_each_step(moved: Recall, monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[tuple[IndexName, bool]] = []
    real = Carrier._write

    def write(carrier: Carrier, name: IndexName, changes: Sequence[Step]) -> None:
        real(carrier, name, changes)
        steps.append((name, finds(moved)))

    monkeypatch.setattr(Carrier, "_write", write)
    moved.catch_up()
    assert {name for name, _ in steps} == {"static", "current"}
    assert all(is_found for _, is_found in steps), steps


def test_what_moves_while_a_search_looks_at_one_index_after_the_other_is_found(
    moved: Recall, open_recall: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = open_recall()  # of another process
    assert finds(moved)
    real, looked = MemoryIndex.refresh, list[str]()

    def refresh(index: MemoryIndex) -> str:
        epoch = real(index)
        looked.append(index.folder.name)
        if len(looked) == 1:
            other.catch_up()
        return epoch

    monkeypatch.setattr(MemoryIndex, "refresh", refresh)
    assert finds(moved)
    assert len(looked) > 1


def test_what_moves_after_it_was_ranked_is_found(moved: Recall, monkeypatch: pytest.MonkeyPatch) -> None:
    real, asked = Ranker.ranked, list[str]()

    def ranked(ranker: Ranker, query: str, types: Any) -> Any:
        found = real(ranker, query, types)
        asked.append(query)
        if len(asked) == 1:
            moved.catch_up()
        return found

    monkeypatch.setattr(Ranker, "ranked", ranked)
    assert finds(moved)


def test_who_asks_before_the_first_round_has_begun_is_answered_from_what_is_there(recall: Recall, talk: Talk) -> None:
    said, asked = talk.user("My kite is in the attic."), talk.user(QUESTION)
    assert [hit.message_ids for hit in recall.for_turn(asked.text, window=[asked])] == [(said.id,)]
    assert "index-under-way" not in [notice.code for notice in recall.status().notices]


def test_where_there_is_too_much_to_begin_with_it_is_said(recall: Recall, talk: Talk) -> None:
    for number in range(40):
        talk.user(f"My kite number {number} is in the attic. " + "It flies. " * (upkeep.SMALL_BYTES // 200))
    asked = talk.user(QUESTION)
    assert recall.for_turn(asked.text, window=[asked]) == []
    assert "index-under-way" in [notice.code for notice in recall.status().notices]
    recall.catch_up()
    assert recall.for_turn(asked.text, window=[asked])
    assert "index-under-way" not in [notice.code for notice in recall.status().notices]
