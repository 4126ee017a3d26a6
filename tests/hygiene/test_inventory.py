"""Every dreamt memory can be listed, taken out, put back as it was, and stand otherwise."""

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from managers.hygiene.inventory import KINDS, Memory, memories, put_back, restood, take_out
from managers.memory.confidence import Standing, moved, value_of
from managers.memory.entities import Entity, Fact, with_fact
from managers.memory.entity_cards import format_entity, parse_entity
from managers.memory.episodes import Episode
from managers.memory.insights import Insight, Insights
from managers.memory.json_documents import write_plainly
from managers.memory.working_copy import Stores, WorkingCopy
from managers.storage.paths import PersonaPaths
from tests.fakes import HandClock

DAY = date(2025, 3, 1)


@pytest.fixture
def stores(paths: PersonaPaths, clock: HandClock) -> Stores:
    stores = Stores.open(paths, clock)
    copy = WorkingCopy(stores)
    copy.put_episode(
        Episode(
            date=DAY, summary="海へ行った", key_events=["雨が降った", "猫のモモが来た"], mind="built-in",
            evidence=["m1", "m2"], key_event_evidence=[["m1"], ["m2"]],
        ).sealed()
    )  # fmt: skip
    insight = Insight(
        created_at="2025-03-01 23:00:00", trigger_topic="海", insight="海が好き", strategy="", log_entry=""
    )
    copy.insights = Insights([]).with_one(insight)
    copy.put_entity(with_fact(Entity("モモ", "pet"), Fact("白い", ("m2",), "built-in", since="2025-03-01")))
    save(copy)
    return stores


def save(copy: WorkingCopy) -> None:
    write_plainly(copy.stores.paths)(copy.files(), author="test", reason="test")


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.suffix in {".json", ".md"}
    }


def of(stores: Stores, kind: str) -> Memory:
    return next(memory for memory in memories(WorkingCopy(stores)) if memory.kind == kind)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_taken_out_comes_back_as_it_was(stores: Stores, paths: PersonaPaths, kind: str) -> None:
    listed = list(memories(WorkingCopy(stores)))
    assert [memory.kind for memory in listed] == ["day", "event", "event", "insight", "fact"]
    memory = of(stores, kind)
    copy = WorkingCopy(stores)
    kept = take_out(copy, memory)
    assert kept is not None
    save(copy)
    assert memory.id not in {one.id for one in memories(WorkingCopy(stores))}
    assert not any(memory.text.encode() in data for data in contents(paths.folder).values())
    copy = WorkingCopy(stores)
    assert put_back(copy, memory.kind, memory.place, kept)
    save(copy)
    assert {(one.id, one.text, one.evidence) for one in memories(WorkingCopy(stores))} == {
        (one.id, one.text, one.evidence) for one in listed
    }
    assert not of(stores, kind).is_users


def test_of_two_lines_that_are_the_same_one_is_taken_out(stores: Stores) -> None:
    copy = WorkingCopy(stores)
    (card,) = copy.all_entities()
    copy.put_entity(replace(card, lines=(*card.lines, *card.lines, "- a line of the user's")))
    save(copy)
    copy = WorkingCopy(stores)
    take_out(copy, of(stores, "fact"))
    save(copy)
    (card,) = WorkingCopy(stores).all_entities()
    assert [fact.text for fact in card.facts] == ["白い"]
    assert card.lines[-1] == "- a line of the user's"


@pytest.mark.parametrize("kind", KINDS)
def test_a_memory_that_is_moved_keeps_its_words_and_tells_what_moved_it(stores: Stores, kind: str) -> None:
    memory, copy = of(stores, kind), WorkingCopy(stores)
    today = date(2025, 3, 11)
    restood(copy, memory, **moved(memory.standing, memory.origin, memory.made, today, "used", 0.1))
    save(copy)
    now = of(stores, kind)
    assert (now.id, now.text, now.is_users) == (memory.id, memory.text, False)
    assert now.confidence(today) == pytest.approx(memory.confidence(today) + 0.1)
    assert [(move.day, move.why) for move in now.standing.moves] == [("2025-03-11", "used")]


def test_a_value_rests_then_halves_in_a_year_and_never_falls_below_the_lowest() -> None:
    new = Standing()
    assert value_of(new, "experience", DAY, date(2025, 3, 31)) == 0.5
    assert value_of(new, "insight", DAY, date(2026, 3, 31)) == pytest.approx(0.15)
    assert value_of(new, "experience", DAY, date(2045, 3, 1)) == 0.1
    assert value_of(new, "experience", None, date(2045, 3, 1)) == 0.5
    full = Standing.model_validate(moved(Standing(confidence=0.97), "experience", DAY, DAY, "used", 0.1))
    assert (full.confidence, full.moves[0].by) == (1.0, 0.03)


@pytest.mark.parametrize(
    ("written", "read"), [(7, 1.0), (-1, 0.1), (0.42, 0.42), ("high", None), (float("nan"), None), (True, None)]
)
def test_a_value_that_somebody_wrote_by_hand_is_taken_as_one_that_can_be(written: object, read: float | None) -> None:
    odd = {"confidence": written, "generation": "x", "last_accessed": "soon", "moves": [1, {"day": "2025-01-01"}]}
    assert Standing.model_validate(odd) == Standing(confidence=read)


def test_a_fact_found_again_rises_and_one_that_is_contradicted_falls() -> None:
    entity = with_fact(Entity("Tom", "person"), Fact("lives in Bremen", ("a",), "m", slot="home", since="2025-03-01"))
    again = with_fact(entity, Fact("lives in Bremen", ("b",), "m", slot="home", since="2025-03-05"))
    assert (again.facts[0].standing.confidence, again.facts[0].evidence) == (0.55, ("a", "b"))
    assert with_fact(again, Fact("lives in Bremen", ("b",), "m", slot="home", since="2025-03-05")) == again
    moved_on = with_fact(again, Fact("lives in Lisbon", ("c",), "m", slot="home", since="2025-04-01"))
    assert [fact.standing.confidence for fact in moved_on.facts] == [pytest.approx(0.35), 0.4]
    assert parse_entity("Tom", format_entity(moved_on)) == moved_on
