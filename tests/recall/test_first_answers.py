"""A memory that is there is found at every moment: while old days move to the archives, and before the first round."""

import threading
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from managers.memory.log import ConversationLog
from managers.recall.engine import Recall
from managers.recall.index import upkeep
from managers.recall.index.file_updates import Carrier, Step
from managers.recall.index.indexing import Indexer
from managers.recall.index.memory_index import MemoryIndex
from managers.recall.index.sources import IndexName
from managers.recall.ranking.ranker import Ranker
from tests.fakes import HandClock
from tests.recall.conftest import Open
from tests.recall.looking import Talk, codes, found

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
    return any("kite" in text for text in found(recall, QUESTION))


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


@pytest.mark.parametrize("step", [(MemoryIndex, "refresh"), (Ranker, "ranked")], ids=["between two indexes", "ranked"])
def test_what_moves_in_the_middle_of_a_search_is_found(
    moved: Recall, open_recall: Open, monkeypatch: pytest.MonkeyPatch, step: tuple[type, str]
) -> None:
    other = open_recall()  # of another process
    assert finds(moved)
    real: Callable[..., Any] = getattr(*step)
    done = list[Any]()

    def and_meanwhile(*given: Any) -> Any:
        result = real(*given)
        done.append(result)
        if len(done) == 1:
            other.catch_up()
        return result

    monkeypatch.setattr(*step, and_meanwhile)
    assert finds(moved)
    assert len(done) > 1


def test_who_asks_before_the_first_round_has_begun_is_answered_from_what_is_there(recall: Recall, talk: Talk) -> None:
    said, asked = talk.user("My kite is in the attic."), talk.user(QUESTION)
    assert [hit.message_ids for hit in recall.for_turn(asked.text, window=[asked])] == [(said.id,)]
    assert "index-under-way" not in codes(recall)


def test_the_first_question_waits_for_the_round_that_waking_began(
    recall: Recall, talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "FIRST_SECONDS", 600)
    said, asked = talk.user("My kite is in the attic."), talk.user(QUESTION)
    under_way, may_go_on = threading.Event(), threading.Event()
    real = Indexer.run

    def run(*given: Any) -> Any:
        under_way.set()
        may_go_on.wait()
        return real(*given)

    monkeypatch.setattr(Indexer, "run", run)
    waking = threading.Thread(target=recall.catch_up)
    waking.start()
    under_way.wait()
    threading.Timer(0.1, may_go_on.set).start()
    assert [hit.message_ids for hit in recall.for_turn(asked.text, window=[asked])] == [(said.id,)]
    waking.join()


def test_where_there_is_too_much_to_begin_with_it_is_said(recall: Recall, talk: Talk) -> None:
    filler = "It flies. " * (upkeep.SMALL_BYTES // 200)
    talk.user(*(f"My kite number {number} is in the attic. {filler}" for number in range(40)))
    asked = talk.user(QUESTION)
    assert recall.for_turn(asked.text, window=[asked]) == []
    assert "index-under-way" in codes(recall)
    recall.catch_up()
    assert recall.for_turn(asked.text, window=[asked])
    assert "index-under-way" not in codes(recall)
