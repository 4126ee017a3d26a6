"""A memory that is there is found at every moment: while old days move to the archives, and before the first round."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from managers.recall.engine import Recall
from managers.recall.index import upkeep
from managers.recall.index.indexing import Indexer
from managers.recall.index.store import Store
from tests.fakes import HandClock
from tests.recall.conftest import Open
from tests.recall.looking import Talk, codes, found

QUESTION = "Where is my kite?"


def test_what_moves_to_the_archives_is_found_after_each_step_and_all_the_while(
    recall: Recall, open_recall: Open, talk: Talk, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_over, indexed, missed = threading.Event(), list[str](), list[str]()
    other, really = open_recall(), Store.transaction  # another process, say

    def look(reader: Recall) -> None:
        known = [*indexed]
        seen = found(reader, "the kite in the attic", 50)
        missed.extend(text for text in known if text not in seen)

    def look_on() -> None:
        while not is_over.is_set():
            look(recall)

    @contextmanager
    def transaction(store: Store) -> Iterator[Any]:
        with really(store) as connection:
            yield connection
        look(other)

    monkeypatch.setattr(Store, "transaction", transaction)
    reader = threading.Thread(target=look_on)
    reader.start()
    for number in range(8):
        said = talk.user(f"My kite number {number} is in the attic.")
        recall.catch_up()
        indexed.append(said.text)
        clock.move(days=40)
        assert talk.log.roll()
        recall.catch_up()
    is_over.set()
    reader.join()
    assert missed == []


def test_who_asks_before_the_first_round_has_begun_is_answered_from_what_is_there(recall: Recall, talk: Talk) -> None:
    said, asked = talk.user("My kite is in the attic."), talk.user(QUESTION)
    assert [hit.message_ids for hit in recall.for_turn(asked.text, window=[asked])] == [(said.id,)]
    assert "index-under-way" not in codes(recall)


def test_the_first_question_waits_for_the_first_round(
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
