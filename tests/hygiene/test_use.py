"""What answers rest on is trusted more from the next night on, and nothing else is."""

import json
from datetime import date

import pytest

from managers.hygiene.inventory import Memory, memories
from managers.hygiene.use import note_use
from managers.memory.entities import Entity, Fact
from managers.memory.episodes import Episode
from managers.memory.insights import Insight, Insights
from managers.memory.json_documents import write_plainly
from managers.memory.working_copy import Stores, WorkingCopy
from managers.recall.recall_log import RecallLog
from managers.storage.paths import PersonaPaths
from tests.fakes import HandClock

DAY = date(2026, 11, 3)
SAID = [f"20261103T10000{n}-aaaaaaa{n}" for n in range(4)]


@pytest.fixture
def stores(paths: PersonaPaths, clock: HandClock) -> Stores:
    copy = WorkingCopy(Stores.open(paths, clock))
    events = {"key_events": ["one", "two"], "key_event_evidence": [SAID[:1], SAID[1:3]]}
    copy.put_episode(Episode(date=DAY, summary="day", mind="built-in", evidence=SAID[:3], **events).sealed())
    facts = (Fact("fact", (SAID[0],), "built-in", "f_1", since=f"{DAY}"), Fact("other", (SAID[3],), "built-in", "f_2"))
    copy.put_entity(Entity("Tom", "person", lines=facts))
    about = {"trigger_topic": "x", "strategy": "", "log_entry": "", "evidence": SAID[2:]}
    copy.insights = Insights([]).with_one(Insight(created_at=f"{DAY} 23:00:00", insight="thought", **about))
    write_plainly(paths)(copy.files(), author="test", reason="test")
    return Stores.open(paths, clock)


def answer(paths: PersonaPaths, time: str, *recalled: tuple[str, list[str]]) -> None:
    hits = [
        {"type": "log_archive", "_source": "semantic", "path": path, "message_ids": ids, "score": 0.3, "why": {}}
        for path, ids in recalled
    ]
    paths.recall_log.parent.mkdir(parents=True, exist_ok=True)
    with paths.recall_log.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"time": time, "message_id": "x", "query": "q", "recalled": hits}) + "\n")


def values(stores: Stores) -> dict[str, float]:
    return {one.text: one.confidence(DAY) for one in memories(WorkingCopy(stores))}


def night(stores: Stores, paths: PersonaPaths) -> None:
    copy = WorkingCopy(stores)
    note_use(copy, RecallLog(paths), DAY)
    write_plainly(paths)(copy.files(), author="test", reason="test")


def moves(stores: Stores) -> dict[str, Memory]:
    return {one.text: one for one in memories(WorkingCopy(stores)) if one.standing.moves}


def test_what_an_answer_rests_on_rises_and_what_it_does_not_stays(stores: Stores, paths: PersonaPaths) -> None:
    before = values(stores)
    answer(paths, "2026-11-03T20:00:00", ("log.txt", [SAID[0], SAID[1]]))
    night(stores, paths)
    assert {text for text, value in values(stores).items() if value > before[text]} == {"one", "fact"}
    assert moves(stores)["fact"].standing.moves[-1].why == "used"
    assert moves(stores)["fact"].standing.last_accessed == f"{DAY}"


def test_a_passage_of_its_own_file_counts_for_a_memory_and_each_answer_once(
    stores: Stores, paths: PersonaPaths
) -> None:
    answer(paths, "2026-11-03T20:00:00", ("episodic_memory/2026-11-03.json", SAID[:1]), ("log.txt", SAID[:1]))
    answer(paths, "2026-11-03T21:00:00", ("memory/insights.json", SAID[3:]))
    night(stores, paths)
    now = values(stores)
    assert now == pytest.approx({"day": 0.6, "one": 0.6, "two": 0.5, "thought": 0.4, "fact": 0.6, "other": 0.6})


def test_the_next_night_counts_only_what_came_since(stores: Stores, paths: PersonaPaths) -> None:
    answer(paths, "2026-11-03T20:00:00", ("entity_memory/Tom.md", SAID[:1]))
    night(stores, paths)
    night(stores, paths)
    assert values(stores)["fact"] == pytest.approx(0.6)
    paths.recall_log.write_bytes(paths.recall_log.read_bytes() + b'{"time": "2026-11-03T22:00:00", "broken\n')
    answer(paths, "2026-11-03T22:30:00", ("entity_memory/Tom.md", SAID[:1]))
    night(stores, paths)
    assert values(stores)["fact"] == pytest.approx(0.7)
