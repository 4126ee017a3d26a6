"""Memories stay within their limits: what fades is put away, nothing of value is, and all of it comes back."""

import gzip
from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from random import Random

import pytest

from managers.hygiene.archive import Archive, Going
from managers.hygiene.errors import NotInArchiveError, PlaceTakenError
from managers.hygiene.housekeeping import Housekeeping
from managers.hygiene.inventory import memories
from managers.hygiene.limits import Weight, collected, count, threshold, weigh
from managers.memory.confidence import Standing
from managers.memory.entities import Entity, Fact
from managers.memory.entity_store import EntityStore
from managers.memory.episodes import Episode, KeyEvent
from managers.memory.forgotten import bring_back, find_forgotten, forget_words
from managers.memory.insights import Insight, Insights
from managers.memory.json_documents import PINNED, write_plainly
from managers.memory.log import ConversationLog
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


def test_what_rests_on_words_that_were_taken_back_does_not_come_back(paths: PersonaPaths, clock: HandClock) -> None:
    log, day = ConversationLog(paths, clock, Random(1)), date(2025, 3, 4)
    said = {name: log.append("user", "Hana", f"{name}, word for word").id for name in ("asked", "deleted", "kept")}
    asked, deleted, kept = said.values()

    def fill(copy: WorkingCopy) -> None:
        about = {"trigger_topic": "x", "strategy": "", "log_entry": "", "created_at": "2025-03-04 03:00:00"}
        for name, ids in (("asked", [asked, kept]), ("deleted", [deleted]), ("both", [deleted, kept])):
            copy.insights = copy.insights.with_one(Insight(insight=name, evidence=ids, mind="m", **about))
        facts = [("asked", (asked,)), ("deleted", (deleted,)), ("told before", (kept, asked))]
        lines = tuple(
            Fact(text, ids, "m", f"f_{text}", since="2025-03-03" if kept in ids else clock.now().date().isoformat())
            for text, ids in facts
        )
        copy.put_entity(Entity("Tom", "person", lines=lines))
        events = [KeyEvent("deleted", (deleted,)), KeyEvent("kept", (kept,))]
        copy.put_episode(Episode(date=day, summary="day", mind="m").with_events(events).sealed())
        torn = Episode(date=day + timedelta(days=1), summary="torn day", mind="m", evidence=[deleted, kept])
        copy.put_episode(torn.sealed())

    write(paths, clock, fill)
    copy, archive = WorkingCopy(Stores.open(paths, clock)), Archive(paths, clock)
    going = [Going(one, "expired") for one in memories(copy) if one.text != "day"]
    files = archive.put_away(copy, going)
    write_plainly(paths)({**copy.files(), **files}, author="test", reason="test")
    wish = log.append("user", "Hana", "forget it").id
    forget_words(log, [asked], wish)
    log.supersede(deleted, None)

    keeping = Housekeeping(paths, clock, write_plainly(paths), SETTINGS)
    hidden = next(one for one in archive.entries(copy) if one.text == "torn day")
    with pytest.raises(NotInArchiveError):
        keeping.restore([hidden.id])
    back = keeping.restore(None)
    assert sorted((one.kind, one.text) for one in back) == [
        ("event", "kept"),
        ("fact", "told before"),
        ("insight", "both"),
    ]
    bring_back(log, find_forgotten(log, wish))
    back = keeping.restore(None)
    assert sorted((one.kind, one.text) for one in back) == [("fact", "asked"), ("insight", "asked")]


def test_facts_for_which_a_card_had_no_room_are_listed_and_come_back(paths: PersonaPaths, clock: HandClock) -> None:
    told = [
        Fact(f"fact {n}", ("m",), "built-in", f"f_{n}", since=f"2025-{1 + n // 28:02d}-{1 + n % 28:02d}")
        for n in range(120)
    ]
    used = replace(told[0], standing=Standing(last_accessed="2026-01-01"))

    def fill(copy: WorkingCopy) -> None:
        copy.put_entity(Entity("Tom", "person", lines=(used, *told[1:])))
        copy.put_entity(Entity("Ann", "person", lines=tuple(told), extra={PINNED: True}))

    write(paths, clock, fill)
    tom, ann = sorted(EntityStore(paths, clock).all(), key=lambda card: len(card.lines))
    assert len(ann.facts) == 120
    assert {fact.text for fact in tom.facts} == {"fact 0", *(f"fact {n}" for n in range(61, 120))}

    keeping = Housekeeping(paths, clock, write_plainly(paths), SETTINGS)
    listed = list(keeping.archive.entries(WorkingCopy(Stores.open(paths, clock))))
    assert {(one.text, one.place, one.why) for one in listed} == {(f"fact {n}", "Tom", "crowded") for n in range(1, 61)}
    keeping.restore([listed[0].id])
    (back,) = (fact for fact in EntityStore(paths, clock).all()[1].facts if fact.text == listed[0].text)
    assert (back.since, back.evidence) == (told[1].since, ("m",))
    assert len(list(keeping.archive.entries(WorkingCopy(Stores.open(paths, clock))))) == 59


def put_facts_away(paths: PersonaPaths, clock: HandClock) -> Housekeeping:
    copy, keeping = WorkingCopy(Stores.open(paths, clock)), Housekeeping(paths, clock, write_plainly(paths), SETTINGS)
    files = keeping.archive.put_away(copy, [Going(one, "pruned") for one in memories(copy) if one.kind == "fact"])
    write_plainly(paths)({**copy.files(), **files}, author="test", reason="test")
    return keeping


def test_a_fact_that_comes_back_is_history_where_another_one_holds_since(paths: PersonaPaths, clock: HandClock) -> None:
    tom = Entity("Tom", "person")
    old, new = (
        Fact(f"lives in {home}", (home,), "m", f"f_{home}", slot="home", since=since)
        for home, since in (("Bremen", "2025-03-01"), ("Lisbon", "2025-06-01"))
    )
    write(paths, clock, lambda copy: copy.put_entity(replace(tom, lines=(old,))))
    keeping = put_facts_away(paths, clock)
    write(paths, clock, lambda copy: copy.put_entity(replace(tom, lines=(new,))))
    keeping.restore(None)
    (card,) = EntityStore(paths, clock).all()
    assert [fact.text for fact in card.current_facts] == ["lives in Lisbon"]
    assert [fact.until for fact in card.facts] == ["", "2025-06"]
    assert not keeping.restore(None)


def test_a_fact_of_which_a_card_says_the_same_again_stays_put_away(paths: PersonaPaths, clock: HandClock) -> None:
    fact = Fact("likes tea", ("m1",), "m", "f_1", since="2025-03-01")
    write(paths, clock, lambda copy: copy.put_entity(Entity("Tom", "person", lines=(fact,))))
    keeping = put_facts_away(paths, clock)
    own = replace(fact, id="f_2", mind="user")
    write(paths, clock, lambda copy: copy.put_entity(Entity("Tom", "person", lines=(own,))))
    with pytest.raises(PlaceTakenError):
        keeping.restore(["f_1"])
    assert EntityStore(paths, clock).all()[0].lines == (own,)


def test_a_fact_comes_back_to_whom_it_was_about_and_to_nobody_called_so_since(
    paths: PersonaPaths, clock: HandClock
) -> None:
    fact = Fact("is a tabby", ("m1",), "m", "f_1", since="2025-03-01")
    write(paths, clock, lambda copy: copy.put_entity(Entity("Momo", "pet", lines=(fact,))))
    keeping = put_facts_away(paths, clock)
    niece = Fact("is my niece", ("m2",), "m", "f_2", since="2025-04-01")
    write(paths, clock, lambda copy: copy.put_entity(Entity("Aki", "person", aliases=("Momo",), lines=(niece,))))
    keeping.restore(None)
    store, copy = EntityStore(paths, clock), WorkingCopy(Stores.open(paths, clock))
    for found in (store.find("Momo"), copy.entity(["Momo"])):
        assert found is not None
        assert found.lines == (replace(fact, standing=Standing(last_accessed=clock.now().date().isoformat())),)
    assert not keeping.restore(None)

    keeping = put_facts_away(paths, clock)
    renamed = Entity("Momoko", "pet", aliases=("Momo",), lines=("A line of mine.",))
    write(paths, clock, lambda copy: copy.put_entity(renamed))
    store.delete("Aki", author="test", reason="test")
    keeping.restore(["f_1"])
    assert [card.name for card in store.all()] == ["Momoko"]
