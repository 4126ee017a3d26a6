"""Every dreamt memory can be listed, taken out, put back as it was, and stand otherwise."""

from datetime import date

import pytest

from managers.hygiene.inventory import KINDS, put_back, take_out
from managers.memory.confidence import Standing, moved, value_of
from managers.memory.entities import Entity, Fact, with_fact
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


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_taken_out_comes_back_as_it_was(stores: Kept, kind: str) -> None:
    def listed() -> set[tuple[str, str, tuple[str, ...]]]:
        return {(one.id, one.text, tuple(one.evidence)) for one in stores.all()}

    before, memory, copy = listed(), stores.all(kind)[0], stores.copy()
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
    assert not stores.all(kind)[0].is_users


def test_a_value_rests_then_halves_in_a_year_and_never_falls_below_the_lowest() -> None:
    new = Standing()
    assert value_of(new, "experience", DAY, date(2025, 3, 31)) == 0.5
    assert value_of(new, "insight", DAY, date(2026, 3, 31)) == pytest.approx(0.15)
    assert value_of(new, "experience", DAY, date(2045, 3, 1)) == 0.1
    assert value_of(new, "experience", None, date(2045, 3, 1)) == 0.5
    full = Standing.model_validate(moved(Standing(confidence=0.97), "experience", DAY, DAY, "used", 0.1))
    assert (full.confidence, full.moves[0].by) == (1.0, 0.03)
