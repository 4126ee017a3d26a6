"""What says the same becomes one and loses no evidence; what contradicts is trusted less, and split at last."""

import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from managers.hygiene.contradictions import doubt, tell, with_contradictions
from managers.hygiene.duplicates import add_insight, in_known_words, without_known_events
from managers.hygiene.housekeeping import Housekeeping
from managers.hygiene.inventory import memories
from managers.hygiene.neighbours import near_another, near_to
from managers.hygiene.similarity import severity, vectors
from managers.language.lexicons import load
from managers.memory.entities import Entity, Fact, with_fact
from managers.memory.entity_store import EntityStore
from managers.memory.episodes import Episode, KeyEvent
from managers.memory.insights import Insight, Insights
from managers.memory.json_documents import USER, write_plainly
from managers.memory.working_copy import Stores, WorkingCopy
from managers.storage.errors import BusyError, Lang
from managers.storage.locks import holding
from managers.storage.paths import PersonaPaths
from managers.storage.settings import MemorySettings
from tests.fakes import HandClock

LIMITS = MemorySettings(merge_interval=1, prune_interval=10_000)
_LONG = (
    "昨日の夕方、駅の前の小さな喫茶店で新しい本を渡したあと、二人で夜まで川沿いの道をゆっくり歩き、"
    "橋のたもとの古い茶店で団子と温かいお茶をいただいて、星を見ながら家に帰ったと母から聞いた。"
)


def insight(text: str, evidence: str, day: str = "2026-11-20") -> Insight:
    return Insight(
        created_at=f"{day} 03:00:00", trigger_topic="x", insight=text, strategy="", log_entry="", evidence=[evidence]
    )


def fill(paths: PersonaPaths, clock: HandClock, texts: list[str], offset: int = 0) -> None:
    """Give each text to an event of a day of its own, to a fact about Tom and to an insight."""
    copy, today = WorkingCopy(Stores.open(paths, clock)), clock.now().date()
    tom = copy.entity(["Tom"]) or Entity("Tom", "person")
    for number, text in enumerate(texts, offset):
        day = today - timedelta(days=number)
        event = {"key_events": [text], "key_event_evidence": [[f"e{number}"]], "evidence": [f"e{number}"]}
        copy.put_episode(Episode(date=day, summary=f"day {number}", mind="built-in", **event).sealed())
        fact = Fact(text, (f"f{number}",), "built-in", f"f_{number}", since=f"{day}")
        tom = Entity(tom.name, tom.kind, lines=(*tom.lines, fact))
        named = insight(text, f"i{number}").model_copy(update={"id": f"in_{number}", "confidence": 0.6})
        copy.insights = Insights([*copy.insights.entries, named])
    copy.put_entity(tom)
    write_plainly(paths)(copy.files(), author="test", reason="test")


def active(paths: PersonaPaths, clock: HandClock) -> WorkingCopy:
    return WorkingCopy(Stores.open(paths, clock))


@pytest.mark.parametrize(
    ("texts", "left"),
    [
        (["Tom went for a run in the park.", "Tom went for a run in the park"], 1),
        (["公園を走った。", "公園を走った"], 1),
        (["Tom walked 3 km today.", "Tom walked 5 km today."], 2),
        (["猫を2匹飼っている", "猫を3匹飼っている"], 2),
        (["Tom likes the sea very much.", "Tom does not like the sea very much."], 2),
        (["Tom met Nora at the station.", "Tom met Nina at the station."], 2),
        (["Tom gave Nora the book at the station.", "Nora gave Tom the book at the station."], 2),
        (["Tom took the train from Paris to Rome.", "Tom took the train to Paris from Rome."], 2),
        (["Tom saw 2 cats and 3 dogs there.", "Tom saw 3 cats and 2 dogs there."], 2),
        ([f"太郎が花子に{_LONG}", f"花子が太郎に{_LONG}"], 2),
        ([f"太郎が花子に{_LONG}", f"太郎に花子が{_LONG}"], 2),
    ],
)
def test_only_what_says_the_same_is_merged(paths: PersonaPaths, clock: HandClock, texts: list[str], left: int) -> None:
    fill(paths, clock, texts)
    Housekeeping(paths, clock, write_plainly(paths), LIMITS).after_night(1)
    for kind in ("event", "fact", "insight"):
        found = [one for one in memories(active(paths, clock)) if one.kind == kind]
        assert len(found) == left, kind
        assert {one for memory in found for one in memory.evidence} == {f"{kind[0]}0", f"{kind[0]}1"}
        assert {one.standing.generation for one in found} == {2 - left}
        if left == 1:
            assert found[0].standing.moves[-1].why == "merged"


def test_of_many_that_say_the_same_five_are_taken_in_each_time(paths: PersonaPaths, clock: HandClock) -> None:
    fill(paths, clock, ["Tom went for a run in the park."] * 13)
    keeping = Housekeeping(paths, clock, write_plainly(paths), LIMITS)
    counts = []
    for _ in range(3):
        keeping.after_night(1)
        counts.append(sum(one.kind == "event" for one in memories(active(paths, clock))))
    assert counts == [3, 1, 1]
    assert {entry.why for entry in keeping.archive.entries(active(paths, clock))} == {"merged"}


class Interrupted(HandClock):
    """A clock by which somebody does something whenever it is asked for the time."""

    def __init__(self, happens: Callable[[], None]) -> None:
        super().__init__()
        self._happens = happens

    def now(self) -> datetime:
        self._happens()
        return super().now()


def test_who_writes_while_housekeeping_thinks_does_not_wait_and_keeps_what_was_written(
    paths: PersonaPaths, clock: HandClock
) -> None:
    fill(paths, clock, ["Tom went for a run in the park."] * 2)
    waited: list[bool] = []

    def pin() -> None:
        waited.append(True)
        with suppress(BusyError), holding(paths.lock, paths.name, wait=0):
            EntityStore(paths, clock).pin("Tom", on=True, author="user")
            waited.append(False)

    def beside() -> None:
        if not waited:
            thread = threading.Thread(target=pin)
            thread.start()
            thread.join()

    Housekeeping(paths, Interrupted(beside), write_plainly(paths), LIMITS).after_night(1)
    assert waited == [True, False]
    found = [one for one in memories(active(paths, clock)) if one.kind != "day"]
    assert sorted(one.kind for one in found) == ["event", "fact", "fact", "insight"]  # what was pinned is left alone


@settings(max_examples=30, deadline=None)
@given(
    texts=st.lists(st.text("あいう公園 ab", min_size=1, max_size=9), max_size=40), least=st.sampled_from([0.5, 0.95])
)
def test_what_is_near_another_is_found_without_a_look_at_each_two(texts: list[str], least: float) -> None:
    rows = vectors(texts)
    near = rows @ rows.T
    known = [
        max((near[at, other] for other in range(len(texts)) if other != at), default=0.0) for at in range(len(texts))
    ]
    found = near_another(texts, least)
    assert all(is_near or value < least for is_near, value in zip(found, known, strict=True))
    assert all(value >= least - 1e-3 for is_near, value in zip(found, known, strict=True) if is_near)
    assert all(near_to(texts, texts, least))


@pytest.mark.parametrize(
    ("one", "other", "grave"),
    [
        ("Tom likes coffee in the morning", "Tom doesn't like coffee in the morning", 1.0),
        ("田中さんはコーヒーが好き", "田中さんはコーヒーが好きではない", 1.0),
        ("Tom has 2 cats", "Tom has 3 cats", 0.7),
        ("猫を2匹飼っている", "猫を三匹飼っている", 0.7),
        ("Tom likes coffee", "Tom likes tea", 0.0),
        ("Tom likes coffee", "Nora doesn't like coffee", 0.0),
        ("コーヒーが好き", "コーヒーが好きです", 0.0),
        ("", "not", 0.0),
    ],
)
def test_what_denies_another_statement_is_a_grave_contradiction(one: str, other: str, grave: float) -> None:
    assert severity(one, other, 0.8) == severity(other, one, 0.8) == grave


@pytest.mark.parametrize("lang", ["ja", "en"])
def test_what_says_the_opposite_is_a_contradiction(lang: Lang) -> None:
    for name, contrast in load(f"{lang}/opposites").items():
        assert contrast["yes"], name
        assert contrast["no"], name
        for kind, grave in (("yes", 0.9), ("no", 0.0)):
            for one, other in contrast[kind]:
                assert severity(one, other, 0.8) == severity(other, one, 0.8) == grave, (name, one, other)


def told(
    entity: Entity, text: str, message: str, day: date, limits: MemorySettings, *, crowded: bool = False
) -> Entity:
    entity = with_fact(entity, Fact(text, (message,), "built-in", since=day.isoformat()))
    return with_contradictions(entity, Fact(text, (message,), "built-in"), day, limits, is_crowded=crowded)


def test_two_grave_contradictions_split_a_memory_and_keep_what_held(clock: HandClock) -> None:
    day, likes, denies = clock.now().date(), "likes coffee in the morning", "doesn't like coffee in the morning"
    tom = told(Entity("Tom", "person"), likes, "m1", day - timedelta(days=3), LIMITS)
    once = told(tom, denies, "m2", day - timedelta(days=2), LIMITS)
    assert [fact.until for fact in once.facts] == ["", ""]
    assert once.facts[0].standing.confidence == pytest.approx(0.3)
    twice = told(once, denies, "m3", day, LIMITS)
    assert twice.facts[0].text == f"until {day:%Y-%m}: {likes}"
    assert twice.facts[0].evidence == ("m1",)
    assert (twice.facts[1].until, twice.facts[1].standing.splits) == ("", 1)
    assert [move.why for move in twice.facts[1].standing.moves] == ["split"]
    crowded = told(once, denies, "m3", day, LIMITS, crowded=True)
    assert [fact.until for fact in crowded.facts] == ["", ""]
    never = told(once, denies, "m3", day, LIMITS.model_copy(update={"max_splits_per_episode": 0}))
    assert [fact.until for fact in never.facts] == ["", ""]


@pytest.mark.parametrize(
    ("known", "told"),
    [
        ("Tom likes coffee in the morning.", "Tom doesn't like coffee in the morning."),
        ("トムさんは朝のコーヒーが好き。", "トムさんは朝のコーヒーが好きではない。"),
    ],
)
def test_an_insight_and_a_day_that_something_is_told_against_are_trusted_less(
    paths: PersonaPaths, clock: HandClock, known: str, told: str
) -> None:
    copy, today = WorkingCopy(Stores.open(paths, clock)), clock.now().date()
    add_insight(copy, insight(known, "m1"))
    mine = insight(known, "m2")
    copy.insights = copy.insights.with_one(mine.model_copy(update={"mind": USER, "id": "in_mine"}))
    for days in (1, 30):
        day = Episode(date=today - timedelta(days=days), summary="A day.", mind="built-in")
        copy.put_episode(day.with_events([KeyEvent(known)]).sealed())
    for _ in range(2):  # what was known is told again: it contradicts nothing anew
        tell(copy, copy.entity(["Tom"]) or Entity("Tom", "person"), [Fact(told, ("m3",), "x", since=f"{today}")], today)
    by_mind = {one.mind: one for one in copy.insights.entries}
    assert by_mind[""].confidence == pytest.approx(0.1)
    assert by_mind[""].moves[-1].severity == 1.0
    assert by_mind[USER].confidence is None
    trusted = [next(iter(episode.events)).standing.confidence for episode in _days(copy, today, 1, 30)]
    assert trusted == [pytest.approx(0.3), None]  # what was long ago may well have been so


def test_an_insight_that_says_otherwise_stands_beside_the_older_one(paths: PersonaPaths, clock: HandClock) -> None:
    copy, today = WorkingCopy(Stores.open(paths, clock)), clock.now().date()
    add_insight(copy, insight("Hana seems to be calmer in the evening.", "m1"))
    denies = insight("Hana does not seem to be calmer in the evening.", "m2")
    doubt(copy, denies.insight, today, today)
    add_insight(copy, denies)
    assert sorted((one.evidence[0], one.confidence) for one in copy.insights.entries) == [("m1", 0.1), ("m2", None)]


def test_what_was_told_before_an_insight_does_not_doubt_it(paths: PersonaPaths, clock: HandClock) -> None:
    copy = WorkingCopy(Stores.open(paths, clock))
    add_insight(copy, insight("Hana seems to be calmer in the evening.", "m1", "2026-11-20"))
    told = "Hana does not seem to be calmer in the evening."
    for day, trusted in (
        (date(2018, 5, 1), None),
        (date(2026, 11, 20), 0.1),
    ):  # years are caught up with, the newest first
        doubt(copy, told, day, day)
        assert [one.confidence for one in copy.insights.entries] == [trusted]


def test_with_hygiene_off_nothing_is_doubted(paths: PersonaPaths, clock: HandClock) -> None:
    copy, today = WorkingCopy(Stores.open(paths, clock, MemorySettings(hygiene=False))), clock.now().date()
    add_insight(copy, insight("Hana seems to be calmer in the evening.", "m1"))
    doubt(copy, "Hana does not seem to be calmer in the evening.", today, today)
    assert [one.confidence for one in copy.insights.entries] == [None]


def _days(copy: WorkingCopy, today: date, *before: int) -> list[Episode]:
    found = [copy.episode(today - timedelta(days=days)) for days in before]
    return [episode for episode in found if episode is not None]


def test_what_a_person_wrote_is_not_contradicted(clock: HandClock) -> None:
    mine = Fact("likes coffee in the morning", ("m1",), since="2026-01-01")
    tom = Entity("Tom", "person", lines=(mine,))
    for number in range(4):
        tom = told(tom, "doesn't like coffee in the morning", f"m{number}", clock.now().date(), LIMITS)
    assert tom.facts[0] == mine


def test_an_insight_that_is_there_is_found_again(paths: PersonaPaths, clock: HandClock) -> None:
    copy = WorkingCopy(Stores.open(paths, clock))
    add_insight(copy, insight("花さんは海が好きで、よく散歩に行く。", "m1", "2026-11-10"))
    add_insight(copy, insight("花さんは海が好きで、よく散歩に行く", "m2"))
    [one] = copy.insights.entries
    assert (one.confidence, one.evidence) == (0.35, ["m1", "m2"])
    add_insight(copy, insight("花さんは山が苦手で、家にいることが多い。", "m3"))
    assert len(copy.insights.entries) == 2


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "Emma slept 4 hours on average this week, and was tired.",
            "Emma slept 8 hours on average this week, and was tired.",
        ),
        ("Hana seems to be calmer in the evening.", "Hana does not seem to be calmer in the evening."),
        ("花さんは海が好きで、休みの日にはよく散歩に行く。", "花さんは海が好きではなく、休みの日にはよく散歩に行く。"),
        ("花さんは夜に3時間ほど本を読むと落ち着く。", "花さんは夜に8時間ほど本を読むと落ち着く。"),
    ],
)
def test_an_insight_with_other_numbers_or_a_denial_is_another_one(
    paths: PersonaPaths, clock: HandClock, one: str, other: str
) -> None:
    copy = WorkingCopy(Stores.open(paths, clock))
    add_insight(copy, insight(one, "m1", "2026-11-10"))
    add_insight(copy, insight(other, "m2"))
    assert sorted(known.evidence for known in copy.insights.entries) == [["m1"], ["m2"]]


def test_a_night_keeps_no_more_insights_than_it_may(paths: PersonaPaths, clock: HandClock) -> None:
    copy = WorkingCopy(Stores.open(paths, clock, MemorySettings(max_insights_per_session=2)))
    for text in ("The sea calms her.", "Work is hard on Mondays.", "Nora is a good friend to have."):
        add_insight(copy, insight(text, text))
    assert len(copy.insights.entries) == 2


# --- the same thing is not saved twice


def test_a_fact_that_the_card_holds_is_found_again_and_another_number_is_not() -> None:
    tom = with_fact(Entity("Tom", "person"), Fact("Tom works in a small bakery.", ("m1",), "x", since="2026-11-01"))
    told = Fact("Tom works in a small bakery!", ("m2",), "x", since="2026-11-05")
    same = in_known_words(tom, replace(told, text="Tom works in small bakery"), MemorySettings(merge_threshold=0.9))
    assert same.text == "Tom works in a small bakery."
    again = with_fact(tom, in_known_words(tom, told, MemorySettings()))
    (one,) = again.current_facts
    assert (one.evidence, one.standing.confidence) == (("m1", "m2"), 0.55)
    for other in ("Tom works in no small bakery.", "Tom works in 2 small bakeries.", "Nora works in a small bakery."):
        assert in_known_words(tom, replace(told, text=other), MemorySettings()).text == other


def test_an_event_that_the_week_before_tells_is_trusted_more_and_not_told_again(
    paths: PersonaPaths, clock: HandClock
) -> None:
    fill(paths, clock, ["Tom went for a run in the park."], offset=2)
    today, copy = clock.now().date(), active(paths, clock)
    about: dict[str, Any] = {
        "key_events": ["Tom went for a run in the park", "Tom made soup.", "Tom made soup!", "Tom ran 3 km."],
        "key_event_evidence": [["a"], ["b"], ["c"], ["d"]],
        "evidence": ["a", "b", "c", "d"],
    }
    day = Episode(date=today, summary="today", mind="built-in", **about).sealed()
    for _ in range(2):  # a day that is read again finds nothing again
        saved = without_known_events(copy, day)
        copy.put_episode(saved)
    assert saved.key_events == ["Tom made soup.", "Tom ran 3 km."]
    assert [event.evidence for event in saved.events] == [("b", "c"), ("d",)]
    assert saved.evidence == ["a", "b", "c", "d"]
    assert not saved.is_users
    before = copy.episode(today - timedelta(days=2))
    assert before is not None
    assert [event.standing.confidence for event in before.events] == [0.55]
    late = day.model_copy(update={"date": today + timedelta(days=7)})
    assert "Tom went for a run in the park" in without_known_events(copy, late).key_events
