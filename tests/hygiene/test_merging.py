"""What says the same becomes one and loses no evidence; what contradicts is trusted less, and split at last."""

import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from managers.hygiene.contradictions import doubt, tell, with_contradictions
from managers.hygiene.duplicates import add_insight, in_known_words, without_known_events
from managers.hygiene.housekeeping import Housekeeping
from managers.hygiene.similarity import comparable, severity
from managers.language.lexicons import load
from managers.memory.entities import Entity, Fact, with_fact
from managers.memory.entity_store import EntityStore
from managers.memory.episodes import Episode, KeyEvent
from managers.memory.insights import Insight, Insights
from managers.memory.json_documents import USER, write_plainly
from managers.memory.working_copy import WorkingCopy
from managers.storage.errors import BusyError, Lang
from managers.storage.locks import holding
from managers.storage.paths import Home
from managers.storage.settings import MemorySettings
from tests.fakes import HandClock
from tests.hygiene.kept import Kept

LIMITS = MemorySettings(merge_interval=1, prune_interval=10_000)
RUNS = "Tom went for a run in the park."
CALM, DENIED = "Hana seems to be calmer in the evening.", "Hana does not seem to be calmer in the evening."


def insight(text: str, evidence: str, day: str = "2026-11-20", **values: Any) -> Insight:
    told = {"created_at": f"{day} 03:00:00", "trigger_topic": "x", "strategy": "", "log_entry": ""}
    return Insight.model_validate({"insight": text, "evidence": [evidence], **told, **values})


def fill(kept: Kept, texts: list[str], offset: int = 0) -> None:
    """Give each text to an event of a day of its own, to a fact about Tom and to an insight."""

    def each(copy: WorkingCopy) -> None:
        facts, insights = [], []
        for number, text in enumerate(texts, offset):
            day = kept.today - timedelta(days=number)
            events = [KeyEvent(text, (f"e{number}",))]
            episode = Episode(date=day, summary=f"day {number}", mind="built-in", evidence=[f"e{number}"])
            copy.put_episode(episode.with_events(events).sealed())
            facts.append(Fact(text, (f"f{number}",), "built-in", f"f_{number}", since=f"{day}"))
            insights.append(insight(text, f"i{number}", id=f"in_{number}", confidence=0.6))
        copy.insights = Insights(insights)
        copy.put_entity(Entity("Tom", "person", lines=tuple(facts)))

    kept.write(each)


@pytest.mark.parametrize(
    ("texts", "left"),
    [
        (["Tom went for a run in the park.", "Tom went for a run in the park"], 1),
        (["Tom walked 3 km today.", "Tom walked 5 km today."], 2),
        (["猫を2匹飼っている", "猫を3匹飼っている"], 2),
        (["Tom likes the sea very much.", "Tom does not like the sea very much."], 2),
        (["Tom met Nora at the station.", "Tom met Nina at the station."], 2),
        (["Tom took the train from Paris to Rome.", "Tom took the train to Paris from Rome."], 2),
    ],
)
def test_only_what_says_the_same_is_merged(kept: Kept, texts: list[str], left: int) -> None:
    fill(kept, texts)
    kept.keeping(LIMITS).after_night(1)
    for kind in ("event", "fact", "insight"):
        found = kept.all(kind)
        assert len(found) == left, kind
        assert {one for memory in found for one in memory.evidence} == {f"{kind[0]}0", f"{kind[0]}1"}
        assert {one.standing.generation for one in found} == {2 - left}
        if left == 1:
            assert found[0].standing.moves[-1].why == "merged"


@settings(max_examples=15)
@given(which=st.lists(st.integers(0, 3), min_size=2, max_size=8))
def test_merging_loses_no_evidence_and_ends(tmp_path_factory: pytest.TempPathFactory, which: list[int]) -> None:
    texts = ("The sea calms her.", "Work is hard on Mondays.", "Nora is a good friend.", "The cat sleeps a lot.")
    paths = Home(tmp_path_factory.mktemp("home")).persona("x")
    paths.folder.mkdir(parents=True)
    kept = Kept(paths, HandClock())
    fill(kept, [texts[one] for one in which])
    keeping = kept.keeping(LIMITS)
    before = {one for memory in kept.all("event", "fact", "insight") for one in memory.evidence}
    for _ in range(3):
        keeping.after_night(1)
        found = kept.all("event", "fact", "insight")
        assert {one for memory in found for one in memory.evidence} == before
    for kind in ("event", "fact", "insight"):
        assert sorted(one.text for one in kept.all(kind)) == sorted({texts[one] for one in which})


class Interrupted(HandClock):
    """A clock by which somebody does something whenever it is asked for the time."""

    def __init__(self, happens: Callable[[], None]) -> None:
        super().__init__()
        self._happens = happens

    def now(self) -> datetime:
        self._happens()
        return super().now()


def test_who_writes_while_housekeeping_thinks_does_not_wait_and_keeps_what_was_written(kept: Kept) -> None:
    fill(kept, [RUNS] * 2)
    waited: list[bool] = []

    def pin() -> None:
        waited.append(True)
        with suppress(BusyError), holding(kept.paths.lock, kept.paths.name, wait=0):
            EntityStore(kept.paths, kept.clock).pin("Tom", on=True, author="user")
            waited.append(False)

    def beside() -> None:
        if not waited:
            thread = threading.Thread(target=pin)
            thread.start()
            thread.join()

    Housekeeping(kept.paths, Interrupted(beside), write_plainly(kept.paths), LIMITS).after_night(1)
    assert waited == [True, False]
    found = [one.kind for one in kept.all("event", "fact", "insight")]
    assert sorted(found) == ["event", "fact", "fact", "insight"]  # what was pinned is left alone


def test_what_denies_or_says_the_opposite_of_another_statement_is_a_grave_contradiction() -> None:
    rows = [
        ("Tom likes coffee in the morning", "Tom doesn't like coffee in the morning", 1.0),
        ("田中さんはコーヒーが好き", "田中さんはコーヒーが好きではない", 1.0),
        ("Tom has 2 cats", "Tom has 3 cats", 0.7),
        ("猫を2匹飼っている", "猫を三匹飼っている", 0.7),
        ("Tom likes coffee", "Tom likes tea", 0.0),
        ("", "not", 0.0),
    ]
    for lang in get_args(Lang):
        for contrast in load(f"{lang}/opposites").values():
            assert all([contrast["yes"], contrast["no"]])
            rows += [(*pair, 0.9) for pair in contrast["yes"]] + [(*pair, 0.0) for pair in contrast["no"]]
    found = [(one, other, severity(one, other, 0.8), severity(other, one, 0.8)) for one, other, _ in rows]
    assert found == [(one, other, grave, grave) for one, other, grave in rows]
    assert all(comparable([one], [other], 0.8) for one, other, grave in rows if grave)


LIKES, NOT = "likes coffee in the morning", "doesn't like coffee in the morning"


def told(entity: Entity, text: str, message: str, day: date) -> Entity:
    entity = with_fact(entity, Fact(text, (message,), "built-in", since=day.isoformat()))
    return with_contradictions(entity, Fact(text, (message,), "built-in"), day, LIMITS, is_crowded=False)


def test_two_grave_contradictions_split_a_memory_and_keep_what_held_but_nothing_a_person_wrote(kept: Kept) -> None:
    day = kept.today
    tom = told(Entity("Tom", "person"), LIKES, "m1", day - timedelta(days=3))
    once = told(tom, NOT, "m2", day - timedelta(days=2))
    assert [fact.until for fact in once.facts] == ["", ""]
    assert once.facts[0].standing.confidence == pytest.approx(0.3)
    twice = told(once, NOT, "m3", day)
    assert (twice.facts[0].text, twice.facts[0].evidence) == (f"until {day:%Y-%m}: {LIKES}", ("m1",))
    assert (twice.facts[1].until, twice.facts[1].standing.splits) == ("", 1)
    assert [move.why for move in twice.facts[1].standing.moves] == ["split"]
    mine = Fact(LIKES, ("m1",), since="2026-01-01")
    tom = Entity("Tom", "person", lines=(mine,))
    for number in range(4):
        tom = told(tom, NOT, f"m{number}", day)
    assert tom.facts[0] == mine


def test_an_insight_and_a_day_that_something_is_told_against_are_trusted_less(kept: Kept) -> None:
    known, told = "トムさんは朝のコーヒーが好き。", "トムさんは朝のコーヒーが好きではない。"
    copy, today = kept.copy(), kept.today
    add_insight(copy, insight(known, "m1"))
    copy.insights = copy.insights.with_one(insight(known, "m2", mind=USER, id="in_mine"))
    days = [today - timedelta(days=before) for before in (1, 30)]
    for day in days:
        copy.put_episode(Episode(date=day, summary="A day.", mind="built-in").with_events([KeyEvent(known)]).sealed())
    for _ in range(2):  # what was known is told again: it contradicts nothing anew
        tell(copy, copy.entity(["Tom"]) or Entity("Tom", "person"), [Fact(told, ("m3",), "x", since=f"{today}")], today)
    by_mind = {one.mind: one for one in copy.insights.entries}
    assert by_mind[""].confidence == pytest.approx(0.1)
    assert by_mind[""].moves[-1].severity == 1.0
    assert by_mind[USER].confidence is None
    trusted = [event.standing.confidence for day in days if (found := copy.episode(day)) for event in found.events]
    assert trusted == [pytest.approx(0.3), None]  # what was long ago may well have been so


def test_an_insight_is_doubted_by_what_was_told_after_it(kept: Kept) -> None:
    copy = kept.copy()
    add_insight(copy, insight(CALM, "m1"))
    for day, trusted in ((date(2018, 5, 1), None), (date(2026, 11, 20), 0.1)):  # years are caught up with, newest first
        doubt(copy, [DENIED], day, day)
        assert [one.confidence for one in copy.insights.entries] == [trusted]
    add_insight(copy, insight(DENIED, "m2"))
    assert sorted((one.evidence[0], one.confidence) for one in copy.insights.entries) == [("m1", 0.1), ("m2", None)]


def test_an_insight_that_is_there_is_found_again_and_one_with_other_numbers_or_a_denial_is_another(kept: Kept) -> None:
    sleeps = "Emma slept {} hours on average this week, and was tired."
    wants = "Emma {} to move away from the old house in the village by the river where her grandmother was born."
    rows = (
        ("花さんは海が好きで、よく散歩に行く。", "花さんは海が好きで、よく散歩に行く", [["m1", "m2"]]),
        ("花さんは海が好きで、よく散歩に行く。", "花さんは山が苦手で、家にいることが多い。", [["m1"], ["m2"]]),
        (sleeps.format(4), sleeps.format(8), [["m1"], ["m2"]]),
        (CALM, DENIED, [["m1"], ["m2"]]),
        (wants.format("wants"), wants.format("does not want"), [["m1"], ["m2"]]),  # nearly the same words
    )
    for one, other, evidence in rows:
        copy = kept.copy()
        add_insight(copy, insight(one, "m1", "2026-11-10"))
        add_insight(copy, insight(other, "m2"))
        assert sorted(known.evidence for known in copy.insights.entries) == evidence, one
        assert copy.insights.entries[0].confidence == (0.35 if len(evidence) == 1 else None)


def test_a_fact_that_the_card_holds_is_found_again_and_another_number_is_not() -> None:
    tom = with_fact(Entity("Tom", "person"), Fact("Tom works in a small bakery.", ("m1",), "x", since="2026-11-01"))
    told = Fact("Tom works in a small bakery!", ("m2",), "x", since="2026-11-05")
    (one,) = with_fact(tom, in_known_words(tom, told, MemorySettings())).current_facts
    assert (one.evidence, one.standing.confidence) == (("m1", "m2"), 0.55)
    for other in ("Tom works in no small bakery.", "Tom works in 2 small bakeries.", "Nora works in a small bakery."):
        assert in_known_words(tom, replace(told, text=other), MemorySettings()).text == other


def test_an_event_that_the_week_before_tells_is_trusted_more_and_not_told_again(kept: Kept) -> None:
    fill(kept, [RUNS], offset=2)
    copy, told = (
        kept.copy(),
        (("a", RUNS[:-1]), ("b", "Tom made soup."), ("c", "Tom made soup!"), ("d", "Tom ran 3 km.")),
    )
    day = Episode(date=kept.today, summary="today", mind="built-in", evidence=list("abcd"))
    day = day.with_events([KeyEvent(text, (one,)) for one, text in told]).sealed()
    for _ in range(2):  # a day that is read again finds nothing again
        saved = without_known_events(copy, day)
        copy.put_episode(saved)
    assert [(event.text, event.evidence) for event in saved.events] == [
        ("Tom made soup.", ("b", "c")),
        ("Tom ran 3 km.", ("d",)),
    ]
    assert (saved.evidence, saved.is_users) == (list("abcd"), False)
    before = copy.episode(kept.today - timedelta(days=2))
    assert before is not None
    assert [event.standing.confidence for event in before.events] == [0.55]
    late = day.model_copy(update={"date": kept.today + timedelta(days=7)})
    assert RUNS[:-1] in without_known_events(copy, late).key_events
