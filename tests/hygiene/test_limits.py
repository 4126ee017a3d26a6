"""Memories stay within their limits: what fades is put away, nothing of value is, and all of it comes back."""

import gzip
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import pytest

from managers.hygiene.errors import NotInArchiveError, PlaceTakenError
from managers.hygiene.housekeeping import Housekeeping
from managers.hygiene.inventory import memories
from managers.hygiene.limits import Weight, collected, count, threshold, weigh
from managers.memory.confidence import Standing
from managers.memory.entities import Entity, Fact
from managers.memory.episodes import Episode, KeyEvent
from managers.memory.insights import Insight, Insights
from managers.memory.json_documents import write_plainly
from managers.memory.working_copy import Stores, WorkingCopy
from managers.storage.history import History
from managers.storage.paths import PersonaPaths
from managers.storage.settings import MemorySettings
from tests.fakes import HandClock

SETTINGS = MemorySettings(max_episodes=100, prune_interval=10)


def write(paths: PersonaPaths, clock: HandClock, fill: Callable[[WorkingCopy], None]) -> None:
    copy = WorkingCopy(Stores.open(paths, clock))
    fill(copy)
    write_plainly(paths)(copy.files(), author="test", reason="test")


def texts(paths: PersonaPaths, clock: HandClock) -> set[str]:
    return {memory.text for memory in memories(WorkingCopy(Stores.open(paths, clock)))}


def lives(paths: PersonaPaths, clock: HandClock, *, days: int = 12, years: int = 4) -> None:
    """Write days of years ago with two events each, of which the second day's was used lately, and facts."""
    today = clock.now().date()
    lately = Standing(confidence=0.6, last_accessed=today.isoformat())

    def fill(copy: WorkingCopy) -> None:
        for number in range(days):
            day = today - timedelta(days=365 * years + number)
            events = [
                KeyEvent(f"event {number}"),
                KeyEvent(f"other {number}", standing=lately if number == 1 else Standing()),
            ]
            copy.put_episode(Episode(date=day, summary=f"day {number}", mind="built-in").with_events(events).sealed())
        copy.put_episode(Episode(date=today, summary="today", mind="built-in").sealed())
        pinned = Episode(date=today - timedelta(days=3000), summary="pinned", mind="built-in", pinned=True)
        copy.put_episode(pinned.sealed())
        copy.put_episode(Episode(date=today - timedelta(days=3001), summary="mine", mind="user").sealed())
        old = f"{today.year - years}-01-01"
        facts = (Fact("faded", ("m",), "built-in", "f_1", since=old), Fact("my own", (), since=old))
        copy.put_entity(Entity("Tom", "person", lines=(*facts, "A line of mine.")))
        about = {"trigger_topic": "x", "strategy": "", "log_entry": ""}
        copy.insights = Insights([]).with_one(Insight(created_at=f"{old} 00:00:00", insight="thought", **about))

    write(paths, clock, fill)


def test_what_has_faded_is_put_away_and_all_of_it_comes_back(paths: PersonaPaths, clock: HandClock) -> None:
    lives(paths, clock)
    before = texts(paths, clock)
    keeping = Housekeeping(paths, clock, write_plainly(paths), SETTINGS)
    assert keeping.after_night(9).put_away == 0
    assert texts(paths, clock) == before
    assert keeping.after_night(1).put_away > 0
    left = texts(paths, clock)
    assert left == {"today", "pinned", "mine", "my own", "day 1", "other 1"}
    assert "A line of mine." in (paths.entity_memory / "Tom.md").read_text("utf-8")
    listed = list(keeping.archive.entries(WorkingCopy(Stores.open(paths, clock))))
    assert {entry.why for entry in listed} == {"pruned"}
    assert len(keeping.restore(None)) == len(listed)
    assert texts(paths, clock) == before
    assert not list(keeping.archive.entries(WorkingCopy(Stores.open(paths, clock))))
    assert keeping.after_night(10).put_away == 0  # what came back rests first


def test_what_memories_weigh_is_what_lies_on_the_disk(paths: PersonaPaths, clock: HandClock) -> None:
    assert weigh(paths) == Weight(0, 0)
    lives(paths, clock)
    written = [paths.insights, *paths.episodic_memory.glob("*.json"), *paths.entity_memory.glob("*.md")]
    (paths.rag_index / "current_log_index").mkdir(parents=True)
    (paths.rag_index / "files.json").write_bytes(bytes(234))
    (paths.rag_index / "current_log_index" / "vectors.bin").write_bytes(bytes(1000))
    assert weigh(paths) == Weight(sum(path.stat().st_size for path in written), 1234)


def test_one_memory_comes_back_and_an_event_only_with_its_day(paths: PersonaPaths, clock: HandClock) -> None:
    lives(paths, clock)
    keeping = Housekeeping(paths, clock, write_plainly(paths), SETTINGS)
    keeping.after_night(10)
    there = {entry.text: entry.id for entry in keeping.archive.entries(WorkingCopy(Stores.open(paths, clock)))}
    keeping.restore([there["faded"], there["event 1"]])
    assert {"faded", "event 1"} <= texts(paths, clock)
    assert "day 5" not in texts(paths, clock)
    with pytest.raises(NotInArchiveError):
        keeping.restore([there["thought"], "ev_none"])
    assert "thought" not in texts(paths, clock)
    keeping.restore([there["day 5"]])
    assert {"day 5", "event 5", "other 5"} <= texts(paths, clock)


def test_where_another_memory_has_taken_the_place_nothing_is_changed(paths: PersonaPaths, clock: HandClock) -> None:
    lives(paths, clock)
    keeping = Housekeeping(paths, clock, write_plainly(paths), SETTINGS)
    keeping.after_night(10)
    gone = next(one for one in keeping.archive.entries(WorkingCopy(Stores.open(paths, clock))) if one.text == "day 5")
    write(
        paths,
        clock,
        lambda copy: copy.put_episode(Episode(date=date.fromisoformat(gone.place), summary="new").sealed()),
    )
    with pytest.raises(PlaceTakenError):
        keeping.restore([gone.id])
    assert "new" in texts(paths, clock)
    assert gone.text not in texts(paths, clock)


def test_undoing_takes_the_memories_back_and_the_archive_with_them(paths: PersonaPaths, clock: HandClock) -> None:
    lives(paths, clock)
    before = texts(paths, clock)
    history = History(paths, clock)
    keeping = Housekeeping(paths, clock, history.change, SETTINGS)
    keeping.after_night(10)
    entry = history.entries(1)[0]
    assert (entry.author, entry.reason) == ("utatane", "put away")
    history.undo(entry.id, author="user")
    assert texts(paths, clock) == before
    assert not keeping.archive.paths()


def test_the_fuller_memory_is_the_sooner_things_are_put_away(paths: PersonaPaths, clock: HandClock) -> None:
    settings = MemorySettings(max_episodes=1000)
    assert [threshold(n, settings) for n in (10, 700, 701, 900, 901)] == [0.15, 0.15, 0.2, 0.2, 0.3]
    strict = MemorySettings(max_episodes=1000, prune_threshold=0.25)
    assert [threshold(n, strict) for n in (10, 710, 910)] == [0.25, 0.25, 0.3]  # never less than what was asked for
    lives(paths, clock, days=120, years=0)  # nothing has faded yet
    Housekeeping(paths, clock, write_plainly(paths), SETTINGS).after_night(10)
    assert count(memories(WorkingCopy(Stores.open(paths, clock))), 100).total == SETTINGS.max_episodes


def test_a_damaged_archive_is_set_aside_and_said(paths: PersonaPaths, clock: HandClock) -> None:
    lives(paths, clock)
    keeping = Housekeeping(paths, clock, write_plainly(paths), SETTINGS)
    keeping.after_night(10)
    [path] = keeping.archive.paths()
    bomb = gzip.compress(b"[" + b" " * 70_000_000 + b"]")
    for data in (path.read_bytes()[:-20], b"no gzip", gzip.compress(b"{}"), bomb):
        path.write_bytes(data)
        assert list(keeping.archive.entries(WorkingCopy(Stores.open(paths, clock)))) == []
        [notice] = keeping.archive.notices
        assert path.name in notice.ja
        keeping.archive.notices.clear()
        aside = [one for one in Path(paths.memory).iterdir() if ".broken-" in one.name]
        assert data in {one.read_bytes() for one in aside}


def test_with_hygiene_off_nothing_is_put_away(paths: PersonaPaths, clock: HandClock) -> None:
    lives(paths, clock)
    before = texts(paths, clock)
    off = MemorySettings(hygiene=False, prune_interval=1, max_episodes=100)
    assert Housekeeping(paths, clock, write_plainly(paths), off).after_night(1000).put_away == 0
    assert texts(paths, clock) == before


def test_only_what_says_the_same_as_something_many_generations_newer_is_collected(
    paths: PersonaPaths, clock: HandClock
) -> None:
    long_ago = f"{clock.now().date() - timedelta(days=200)}"
    said = {"old": ("Tom runs in the park.", 0), "new": ("Tom runs in the park", 11), "else": ("Tom likes tea.", 0)}
    facts = [
        Fact(text, ("m",), "built-in", f"f_{name}", since=long_ago, standing=Standing(generation=generation))
        for name, (text, generation) in said.items()
    ]
    write(paths, clock, lambda copy: copy.put_entity(Entity("Tom", "person", lines=tuple(facts))))
    active, today = list(memories(WorkingCopy(Stores.open(paths, clock)))), clock.now().date()
    assert [(one.memory.text, one.why) for one in collected(active, SETTINGS, today)] == [
        ("Tom runs in the park.", "collected")
    ]
    assert not collected(active, SETTINGS.model_copy(update={"max_generations": 11}), today)
