"""Every dreamt memory can be listed, taken out, put back; what answers rest on, and nothing else, is trusted more the next night."""

import json
from datetime import date

import pytest

from managers.hygiene.inventory import KINDS, put_back, take_out
from managers.hygiene.use import note_use
from managers.memory.confidence import Standing, moved, value_of
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
    """One memory of each kind, but for two events and two facts."""

    def fill(copy: WorkingCopy) -> None:
        events = [KeyEvent("雨が降った", (SAID[0],)), KeyEvent("モモが来た", (SAID[1], SAID[2]))]
        episode = Episode(date=DAY, summary="海へ行った", mind="built-in", evidence=SAID[:3])
        copy.put_episode(episode.with_events(events).sealed())
        fact = Fact("白い", (SAID[0],), "built-in", "f_1", since=f"{DAY}")
        copy.put_entity(Entity("Tom", "pet", lines=(fact, Fact("小さい", (SAID[3],), "built-in", "f_2"))))
        told = {"insight": "海が好き", "trigger_topic": "x", "strategy": "", "log_entry": "", "evidence": SAID[2:]}
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
    assert {text for text, value in after.items() if value > before[text]} == {"雨が降った", "白い"}
    (fact,) = (one for one in stores.all("fact") if one.text == "白い")
    assert fact.standing.moves[-1].why == "used"
    assert fact.standing.last_accessed == f"{DAY}"


def test_a_passage_of_its_own_file_counts_for_a_memory_and_each_answer_once(stores: Kept) -> None:
    answer(stores, "2026-11-03T20:00:00", ("episodic_memory/2026-11-03.json", SAID[:1]), ("log.txt", SAID[:1]))
    answer(stores, "2026-11-03T21:00:00", ("memory/insights.json", SAID[3:]))
    trusted = {"海へ行った": 0.6, "雨が降った": 0.6, "モモが来た": 0.5, "海が好き": 0.4, "白い": 0.6, "小さい": 0.6}
    assert night(stores) == pytest.approx(trusted)


def test_the_next_night_counts_only_what_came_since(stores: Kept) -> None:
    answer(stores, "2026-11-03T20:00:00", ("entity_memory/Tom.md", SAID[:1]))
    assert [night(stores)["白い"] for _ in range(2)] == pytest.approx([0.6, 0.6])
    with stores.paths.recall_log.open("a", encoding="utf-8") as file:
        file.write('{"time": "2026-11-03T22:00:00", "broken\n')
    answer(stores, "2026-11-03T22:30:00", ("entity_memory/Tom.md", SAID[:1]))
    answer(stores, "2036-01-01T03:00:00", ("entity_memory/Tom.md", SAID[:1]))  # by a clock that was ahead
    assert [night(stores)["白い"] for _ in range(2)] == pytest.approx([0.7, 0.7])
    answer(stores, "2026-11-03T23:00:00", ("entity_memory/Tom.md", SAID[:1]))
    assert night(stores)["白い"] == pytest.approx(0.8)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_taken_out_comes_back_as_it_was(stores: Kept, kind: str) -> None:
    def listed() -> set[tuple[str, str, tuple[str, ...]]]:
        return {(one.id, one.text, tuple(one.evidence)) for one in stores.all()}

    before, memory, copy = listed(), stores.all(kind)[0], stores.copy()
    assert [one.kind for one in stores.all()] == ["day", "event", "event", "insight", "fact", "fact"]
    taken = take_out(copy, memory)
    assert taken is not None
    stores.save(copy)
    assert memory.id not in {one.id for one in stores.all()}
    files = [path for path in stores.paths.folder.rglob("*") if path.suffix in {".json", ".md"}]
    assert not any(memory.text.encode() in path.read_bytes() for path in files)
    copy = stores.copy()
    assert put_back(copy, memory.kind, memory.place, taken)
    stores.save(copy)
    assert listed() == before
    assert not stores.all(kind)[0].is_users


def test_a_value_rests_then_halves_in_a_year_and_never_falls_below_the_lowest() -> None:
    new, day = Standing(), date(2025, 3, 1)
    assert value_of(new, "experience", day, date(2025, 3, 31)) == 0.5
    assert value_of(new, "insight", day, date(2026, 3, 31)) == pytest.approx(0.15)
    assert value_of(new, "experience", day, date(2045, 3, 1)) == 0.1
    assert value_of(new, "experience", None, date(2045, 3, 1)) == 0.5
    full = Standing.model_validate(moved(Standing(confidence=0.97), "experience", day, day, "used", 0.1))
    assert (full.confidence, full.moves[0].by) == (1.0, 0.03)
