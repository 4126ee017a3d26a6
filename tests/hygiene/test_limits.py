"""Memories stay within their limits and their time: what fades or is old is put away, nothing of value is, and all of it comes back."""

import gzip
from contextlib import closing
from dataclasses import replace
from datetime import date, timedelta
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from managers.hygiene.archive import Archive, Going
from managers.hygiene.errors import NotInArchiveError, PlaceTakenError
from managers.hygiene.housekeeping import Housekeeping
from managers.hygiene.limits import count, threshold
from managers.memory.confidence import Standing
from managers.memory.entities import Entity, Fact
from managers.memory.entity_store import EntityStore
from managers.memory.episodes import Episode, KeyEvent
from managers.memory.forgotten import bring_back, find_forgotten, forget_words
from managers.memory.insights import Insight, Insights
from managers.memory.json_documents import PINNED, USER, write_plainly
from managers.memory.log import ConversationLog
from managers.memory.strategies import DecompositionPattern, FailurePattern, Pattern, Strategies, StrategyStore
from managers.memory.working_copy import WorkingCopy
from managers.recall.engine import Recall
from managers.storage.history import History
from managers.storage.paths import Home
from managers.storage.settings import MemorySettings, RecallSettings
from tests.fakes import HandClock
from tests.hygiene.kept import Kept

SETTINGS = MemorySettings(max_episodes=100, prune_interval=10)


def test_what_has_faded_is_put_away_and_all_of_it_comes_back(kept: Kept) -> None:
    before = kept.live()
    keeping = kept.keeping(SETTINGS)
    assert keeping.after_night(9).put_away == 0
    off = MemorySettings(hygiene=False, prune_interval=1, max_episodes=100)
    assert kept.keeping(off).after_night(1000).put_away == 0
    assert kept.texts() == before
    assert keeping.after_night(1).put_away > 0
    assert kept.texts() == {"today", "pinned", "mine", "my own", "day 1", "other 1"}
    assert "A line of mine." in (kept.paths.entity_memory / "Tom.md").read_text("utf-8")
    listed = kept.archived(keeping)
    assert {entry.why for entry in listed} == {"pruned"}
    assert len(keeping.restore(None)) == len(listed)
    assert kept.texts() == before
    assert not kept.archived(keeping)
    assert keeping.after_night(10).put_away == 0  # what came back rests first


def test_one_memory_comes_back_an_event_only_with_its_day_and_nothing_to_a_place_that_is_taken(kept: Kept) -> None:
    kept.live()
    keeping = kept.keeping(SETTINGS)
    keeping.after_night(10)
    there = {entry.text: entry for entry in kept.archived(keeping)}
    keeping.restore([there["faded"].id, there["event 1"].id])
    assert {"faded", "event 1"} <= kept.texts()
    assert "day 5" not in kept.texts()
    with pytest.raises(NotInArchiveError):
        keeping.restore([there["thought"].id, "ev_none"])
    assert "thought" not in kept.texts()
    keeping.restore([there["day 5"].id])
    assert {"day 5", "event 5", "other 5"} <= kept.texts()
    taken = date.fromisoformat(there["day 6"].place)
    kept.write(lambda copy: copy.put_episode(Episode(date=taken, summary="new").sealed()))
    with pytest.raises(PlaceTakenError):
        keeping.restore([there["day 6"].id])
    assert "new" in kept.texts()
    assert "day 6" not in kept.texts()


def test_the_fuller_memory_is_the_sooner_things_are_put_away(kept: Kept) -> None:
    settings = MemorySettings(max_episodes=1000)
    assert [threshold(n, settings) for n in (10, 700, 701, 900, 901)] == [0.15, 0.15, 0.2, 0.2, 0.3]
    kept.live(days=120, years=0)  # nothing has faded yet
    kept.keeping(SETTINGS).after_night(10)
    assert count(kept.all(), 100).total == SETTINGS.max_episodes


def test_a_damaged_archive_is_set_aside_and_said(kept: Kept) -> None:
    kept.live()
    keeping = kept.keeping(SETTINGS)
    keeping.after_night(10)
    [path] = keeping.archive.paths()
    bomb = gzip.compress(b"[" + b" " * 70_000_000 + b"]")
    for data in (path.read_bytes()[:-20], b"no gzip", gzip.compress(b"{}"), bomb):
        path.write_bytes(data)
        assert kept.archived(keeping) == []
        [notice] = keeping.archive.notices
        assert path.name in notice.ja
        keeping.archive.notices.clear()
        assert data in {one.read_bytes() for one in kept.paths.memory.iterdir() if ".broken-" in one.name}


def test_what_rests_on_words_that_were_taken_back_does_not_come_back(kept: Kept) -> None:
    log, day = ConversationLog(kept.paths, kept.clock, Random(1)), date(2025, 3, 4)
    said = (log.append("user", "Hana", f"{name}, word for word").id for name in ("asked", "deleted", "kept"))
    asked, deleted, stays = said

    def fill(copy: WorkingCopy) -> None:
        about = {"trigger_topic": "x", "strategy": "", "log_entry": "", "created_at": "2025-03-04 03:00:00"}
        for name, ids in (("asked", [asked, stays]), ("deleted", [deleted]), ("both", [deleted, stays])):
            copy.insights = copy.insights.with_one(Insight(insight=name, evidence=ids, mind="m", **about))
        facts = (
            Fact(text, ids, "m", f"f_{text}", since="2025-03-03" if stays in ids else f"{kept.today}")
            for text, ids in (("asked", (asked,)), ("deleted", (deleted,)), ("told before", (stays, asked)))
        )
        copy.put_entity(Entity("Tom", "person", lines=tuple(facts)))
        events = [KeyEvent("deleted", (deleted,)), KeyEvent("kept", (stays,))]
        copy.put_episode(Episode(date=day, summary="day", mind="m").with_events(events).sealed())
        torn = Episode(date=day + timedelta(days=1), summary="torn day", mind="m", evidence=[deleted, stays])
        copy.put_episode(torn.sealed())

    kept.write(fill)
    copy, archive = kept.copy(), Archive(kept.paths, kept.clock)
    files = archive.put_away(copy, [Going(one, "expired") for one in kept.all() if one.text != "day"])
    write_plainly(kept.paths)({**copy.files(), **files}, author="test", reason="test")
    wish = log.append("user", "Hana", "forget it").id
    forget_words(log, [asked], wish)
    log.supersede(deleted, None)

    keeping = kept.keeping(SETTINGS)
    hidden = next(one for one in archive.entries(copy) if one.text == "torn day")
    with pytest.raises(NotInArchiveError):
        keeping.restore([hidden.id])
    back = sorted((one.kind, one.text) for one in keeping.restore(None))
    assert back == [("event", "kept"), ("fact", "told before"), ("insight", "both")]
    bring_back(log, find_forgotten(log, wish))
    assert sorted((one.kind, one.text) for one in keeping.restore(None)) == [("fact", "asked"), ("insight", "asked")]


def test_facts_for_which_a_card_had_no_room_are_listed_and_come_back(kept: Kept) -> None:
    days = [f"2025-{1 + n // 28:02d}-{1 + n % 28:02d}" for n in range(120)]
    told = [Fact(f"fact {n}", ("m",), "built-in", f"f_{n}", since=day) for n, day in enumerate(days)]
    used = replace(told[0], standing=Standing(last_accessed="2026-01-01"))
    kept.put(
        Entity("Tom", "person", lines=(used, *told[1:])),
        Entity("Ann", "person", lines=tuple(told), extra={PINNED: True}),
    )
    tom, ann = sorted(kept.cards(), key=lambda card: len(card.lines))
    assert len(ann.facts) == 120
    assert {fact.text for fact in tom.facts} == {"fact 0", *(f"fact {n}" for n in range(61, 120))}
    keeping = kept.keeping(SETTINGS)
    listed = kept.archived(keeping)
    assert {(one.text, one.place, one.why) for one in listed} == {(f"fact {n}", "Tom", "crowded") for n in range(1, 61)}
    keeping.restore([listed[0].id])
    (back,) = (fact for fact in kept.cards()[1].facts if fact.text == listed[0].text)
    assert (back.since, back.evidence) == (told[1].since, ("m",))
    assert len(kept.archived(keeping)) == 59


def put_facts_away(kept: Kept, *cards: Entity) -> Housekeeping:
    kept.put(*cards)
    copy, keeping = kept.copy(), kept.keeping(SETTINGS)
    files = keeping.archive.put_away(copy, [Going(one, "pruned") for one in kept.all("fact")])
    write_plainly(kept.paths)({**copy.files(), **files}, author="test", reason="test")
    return keeping


def test_a_fact_that_comes_back_is_history_where_another_one_holds_since(kept: Kept) -> None:
    old, new = (
        Entity("Tom", "person", lines=(Fact(f"lives in {home}", (home,), "m", home, slot="home", since=since),))
        for home, since in (("Bremen", "2025-03-01"), ("Lisbon", "2025-06-01"))
    )
    keeping = put_facts_away(kept, old)
    kept.put(new)
    keeping.restore(None)
    (card,) = kept.cards()
    assert [fact.text for fact in card.current_facts] == ["lives in Lisbon"]
    assert [fact.until for fact in card.facts] == ["", "2025-06"]
    assert not keeping.restore(None)


def test_a_fact_comes_back_to_whom_it_was_about_and_to_nobody_called_so_since(kept: Kept) -> None:
    fact = Fact("is a tabby", ("m1",), "m", "f_1", since="2025-03-01")
    keeping = put_facts_away(kept, Entity("Momo", "pet", lines=(fact,)))
    niece = Fact("is my niece", ("m2",), "m", "f_2", since="2025-04-01")
    kept.put(Entity("Aki", "person", aliases=("Momo",), lines=(niece,)))
    keeping.restore(None)
    store = EntityStore(kept.paths, kept.clock)
    for found in (store.find("Momo"), kept.copy().entity(["Momo"])):
        assert found is not None
        assert found.lines == (replace(fact, standing=Standing(last_accessed=f"{kept.today}")),)
    assert not keeping.restore(None)


TABLE = MemorySettings(retention="table", hygiene=False)


def pattern(number: int, told: str, **values: object) -> DecompositionPattern:
    about = {"kind": "decomposition", "query_pattern": f"way {number}", "created_at": told, "updated_at": told}
    return DecompositionPattern.model_validate({"id": f"st_{number}", **about, **values})


def help_(kept: Kept) -> None:
    """Write ways to help: an old one, a new one, and old ones that a person pinned or changed; and a complaint."""
    old, new = (f"{kept.clock.now() - timedelta(days=days):%Y-%m-%d %H:%M:%S}" for days in (91, 89))
    told = {"created_at": old, "updated_at": old}
    complaint = FailurePattern(id="fp_1", kind="failure", pattern="x", mitigation="less", **told)
    known: list[Pattern] = [pattern(1, old), pattern(2, new), pattern(3, old, pinned=True), pattern(4, old, mind=USER)]

    def fill(copy: WorkingCopy) -> None:
        copy.strategies = Strategies([*known, complaint])

    kept.write(fill)


def ids(kept: Kept) -> set[str]:
    return {one.id for one in StrategyStore(kept.paths, kept.clock).load().entries}


def test_the_table_puts_old_ways_to_help_away_and_they_come_back_and_everything_stays_by_default(kept: Kept) -> None:
    before = kept.live()
    help_(kept)
    by_default, known = kept.keeping(MemorySettings()), ids(kept)
    assert not by_default.due()
    assert by_default.after_night(0).put_away == 0
    assert (kept.texts(), ids(kept)) == (before, known)
    with closing(History(kept.paths, kept.clock)) as history:
        keeping = Housekeeping(kept.paths, kept.clock, history.change, TABLE)
        assert {one.memory.text for one in keeping.due()} == {"way 1", "less"}
        assert keeping.after_night(0).put_away == 2
        assert ids(kept) == {"st_2", "st_3", "st_4"}
        assert kept.texts() == before
        assert {(one.kind, one.why) for one in kept.archived(keeping)} == {("pattern", "expired")}
        keeping.restore(["st_1"])
        assert ids(kept) == {"st_1", "st_2", "st_3", "st_4"}
        assert keeping.after_night(0).put_away == 0  # what came back rests first
        history.undo(history.entries(2)[1].id, author=USER, leave_changed=True)
        assert "fp_1" in ids(kept)


@settings(max_examples=30)
@given(ages=st.lists(st.integers(0, 400), max_size=6), most=st.integers(1, 400))
def test_exactly_what_is_dated_older_goes(tmp_path_factory: pytest.TempPathFactory, ages: list[int], most: int) -> None:
    home = Home(tmp_path_factory.mktemp("home"))
    home.persona("x").folder.mkdir(parents=True)
    kept = Kept(home.persona("x"), HandClock())

    def fill(copy: WorkingCopy) -> None:
        about = {"trigger_topic": "", "strategy": "", "log_entry": ""}
        dated = [(f"thought {n}", f"{kept.clock.now() - timedelta(days=age)}") for n, age in enumerate(ages)]
        told = [Insight(insight=text, created_at=when, **about) for text, when in (*dated, ("undated", ""))]
        copy.insights = Insights([one.model_copy(update={"id": f"in_{n}"}) for n, one in enumerate(told)])

    kept.write(fill)
    keeping = kept.keeping(MemorySettings(retention="own", insights_days=most))
    before = kept.texts()
    expired = {f"thought {n}" for n, age in enumerate(ages) if age > most}
    assert keeping.expire() == len(expired)
    assert kept.texts() == before - expired
    keeping.restore(None)
    assert kept.texts() == before


def test_talk_that_is_older_is_not_found_any_more_and_stays_in_its_files(kept: Kept) -> None:
    clock, now, limits = kept.clock, kept.clock.now(), MemorySettings()
    log = ConversationLog(kept.paths, clock, Random(1))
    for days in (60, 3):
        clock.set(now - timedelta(days=days))
        log.append("user", "Sam", f"Zebulon likes pears, {days} days ago.")
    clock.set(now)
    with closing(Recall(kept.paths, log, RecallSettings(), clock, limits=limits)) as recall:
        recall.catch_up()

        def found() -> set[str]:
            searches = (
                recall.search("Zebulon pears"),
                recall.search_past_conversations("Zebulon", with_recent=True),
                recall.recall_memories("What does Zebulon like?"),
                recall.recall_memories(f"What did we talk about on {now - timedelta(days=60):%Y-%m-%d}?"),
            )
            return {hit.text for hits in searches for hit in hits}

        assert len(found()) == 2
        limits.retention = "table"
        assert found() == {"Zebulon likes pears, 3 days ago."}
        limits.retention = "everything"
        assert len(found()) == 2
