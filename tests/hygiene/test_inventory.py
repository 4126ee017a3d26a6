"""Every dreamt memory can be listed, taken out, put back as it was, and stand otherwise."""

from dataclasses import replace
from datetime import date

import pytest

from managers.hygiene.inventory import KINDS, Memory, put_back, restood, take_out
from managers.memory.confidence import Standing, moved, value_of
from managers.memory.entities import Entity, Fact, with_fact
from managers.memory.entity_cards import format_entity, parse_entity
from managers.memory.episodes import Episode, KeyEvent
from managers.memory.insights import Insight, Insights
from managers.memory.working_copy import WorkingCopy
from tests.hygiene.kept import Kept

DAY = date(2025, 3, 1)


@pytest.fixture
def stores(kept: Kept) -> Kept:
    """One memory of each kind, but for two events."""

    def fill(copy: WorkingCopy) -> None:
        events = [KeyEvent("雨が降った", ("m1",)), KeyEvent("猫のモモが来た", ("m2",))]
        episode = Episode(date=DAY, summary="海へ行った", mind="built-in", evidence=["m1", "m2"])
        copy.put_episode(episode.with_events(events).sealed())
        told = {"trigger_topic": "海", "insight": "海が好き", "strategy": "", "log_entry": ""}
        copy.insights = Insights([]).with_one(Insight(created_at="2025-03-01 23:00:00", **told))
        copy.put_entity(with_fact(Entity("モモ", "pet"), Fact("白い", ("m2",), "built-in", since="2025-03-01")))

    kept.write(fill)
    return kept


def of(stores: Kept, kind: str) -> Memory:
    return stores.all(kind)[0]


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_taken_out_comes_back_as_it_was(stores: Kept, kind: str) -> None:
    def listed() -> set[tuple[str, str, tuple[str, ...]]]:
        return {(one.id, one.text, tuple(one.evidence)) for one in stores.all()}

    before, memory, copy = listed(), of(stores, kind), stores.copy()
    assert [one.kind for one in stores.all()] == ["day", "event", "event", "insight", "fact"]
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
    assert not of(stores, kind).is_users


def test_of_two_lines_that_are_the_same_one_is_taken_out(stores: Kept) -> None:
    (card,) = stores.cards()
    stores.put(replace(card, lines=(*card.lines, *card.lines, "- a line of the user's")))
    stores.write(lambda copy: take_out(copy, of(stores, "fact")))
    (card,) = stores.cards()
    assert [fact.text for fact in card.facts] == ["白い"]
    assert card.lines[-1] == "- a line of the user's"


@pytest.mark.parametrize("kind", KINDS)
def test_a_memory_that_is_moved_keeps_its_words_and_tells_what_moved_it(stores: Kept, kind: str) -> None:
    memory, copy, today = of(stores, kind), stores.copy(), date(2025, 3, 11)
    restood(copy, memory, **moved(memory.standing, memory.origin, memory.made, today, "used", 0.1))
    stores.save(copy)
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


def test_a_value_that_somebody_wrote_by_hand_is_taken_as_one_that_can_be() -> None:
    odd = {"generation": "x", "last_accessed": "soon", "moves": [1, {"day": "2025-01-01"}]}
    rows = ((7, 1.0), (-1, 0.1), (0.42, 0.42), ("high", None), (float("nan"), None), (True, None))
    found = [Standing.model_validate({"confidence": written, **odd}) for written, _ in rows]
    assert found == [Standing(confidence=read) for _, read in rows]


def test_a_fact_found_again_rises_and_one_that_is_contradicted_falls() -> None:
    def told(card: Entity, home: str, message: str, since: str) -> Entity:
        return with_fact(card, Fact(f"lives in {home}", (message,), "m", slot="home", since=since))

    again = told(told(Entity("Tom", "person"), "Bremen", "a", "2025-03-01"), "Bremen", "b", "2025-03-05")
    assert (again.facts[0].standing.confidence, again.facts[0].evidence) == (0.55, ("a", "b"))
    assert told(again, "Bremen", "b", "2025-03-05") == again
    moved_on = told(again, "Lisbon", "c", "2025-04-01")
    assert [fact.standing.confidence for fact in moved_on.facts] == [pytest.approx(0.35), 0.4]
    assert parse_entity("Tom", format_entity(moved_on)) == moved_on
