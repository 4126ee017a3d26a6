"""What answers rest on is trusted more from the next night on, and nothing else is."""

import json
from datetime import date

import pytest

from managers.hygiene.use import note_use
from managers.memory.entities import Entity, Fact
from managers.memory.episodes import Episode, KeyEvent
from managers.memory.insights import Insight, Insights
from managers.memory.working_copy import WorkingCopy
from managers.recall.recall_log import RecallLog
from tests.hygiene.kept import Kept

DAY = date(2026, 11, 3)
SAID = [f"20261103T10000{n}-aaaaaaa{n}" for n in range(4)]


@pytest.fixture
def stores(kept: Kept) -> Kept:
    def fill(copy: WorkingCopy) -> None:
        events = [KeyEvent("one", (SAID[0],)), KeyEvent("two", (SAID[1], SAID[2]))]
        episode = Episode(date=DAY, summary="day", mind="built-in", evidence=SAID[:3])
        copy.put_episode(episode.with_events(events).sealed())
        fact = Fact("fact", (SAID[0],), "built-in", "f_1", since=f"{DAY}")
        copy.put_entity(Entity("Tom", "person", lines=(fact, Fact("other", (SAID[3],), "built-in", "f_2"))))
        told = {"insight": "thought", "trigger_topic": "x", "strategy": "", "log_entry": "", "evidence": SAID[2:]}
        copy.insights = Insights([]).with_one(Insight.model_validate({"created_at": f"{DAY} 23:00:00", **told}))

    kept.write(fill)
    return kept


def answer(stores: Kept, time: str, *recalled: tuple[str, list[str]]) -> None:
    about = {"type": "log_archive", "_source": "semantic", "score": 0.3, "why": {}}
    hits = [{"path": path, "message_ids": ids, **about} for path, ids in recalled]
    stores.paths.recall_log.parent.mkdir(parents=True, exist_ok=True)
    with stores.paths.recall_log.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"time": time, "message_id": "x", "query": "q", "recalled": hits}) + "\n")


def night(stores: Kept) -> dict[str, float]:
    """Let a night note what was used; return how far each memory is trusted now."""
    stores.write(lambda copy: note_use(copy, RecallLog(stores.paths), DAY))
    return {one.text: one.confidence(DAY) for one in stores.all()}


def test_what_an_answer_rests_on_rises_and_what_it_does_not_stays(stores: Kept) -> None:
    before = night(stores)
    answer(stores, "2026-11-03T20:00:00", ("log.txt", [SAID[0], SAID[1]]))
    after = night(stores)
    assert {text for text, value in after.items() if value > before[text]} == {"one", "fact"}
    (fact,) = (one for one in stores.all("fact") if one.text == "fact")
    assert fact.standing.moves[-1].why == "used"
    assert fact.standing.last_accessed == f"{DAY}"


def test_a_passage_of_its_own_file_counts_for_a_memory_and_each_answer_once(stores: Kept) -> None:
    answer(stores, "2026-11-03T20:00:00", ("episodic_memory/2026-11-03.json", SAID[:1]), ("log.txt", SAID[:1]))
    answer(stores, "2026-11-03T21:00:00", ("memory/insights.json", SAID[3:]))
    trusted = {"day": 0.6, "one": 0.6, "two": 0.5, "thought": 0.4, "fact": 0.6, "other": 0.6}
    assert night(stores) == pytest.approx(trusted)


def test_the_next_night_counts_only_what_came_since(stores: Kept) -> None:
    answer(stores, "2026-11-03T20:00:00", ("entity_memory/Tom.md", SAID[:1]))
    assert [night(stores)["fact"] for _ in range(2)] == pytest.approx([0.6, 0.6])
    with stores.paths.recall_log.open("a", encoding="utf-8") as file:
        file.write('{"time": "2026-11-03T22:00:00", "broken\n')
    answer(stores, "2026-11-03T22:30:00", ("entity_memory/Tom.md", SAID[:1]))
    answer(stores, "2036-01-01T03:00:00", ("entity_memory/Tom.md", SAID[:1]))  # by a clock that was ahead
    assert [night(stores)["fact"] for _ in range(2)] == pytest.approx([0.7, 0.7])
    answer(stores, "2026-11-03T23:00:00", ("entity_memory/Tom.md", SAID[:1]))
    assert night(stores)["fact"] == pytest.approx(0.8)
