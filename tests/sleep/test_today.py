"""The day that still goes on: dreamt of when somebody asks, left alone by a night that comes by itself, never doubled."""

from collections import Counter
from collections.abc import Iterator
from datetime import date, datetime
from random import Random
from threading import Event
from typing import Any

import pytest

from agent.services import Services, open_services
from managers.memory.entity_store import EntityStore
from managers.memory.episodes import EpisodeStore
from managers.memory.goals import GoalStore
from managers.memory.insights import InsightStore
from managers.memory.log import ConversationLog
from managers.sleep.diary import DreamDiary
from managers.sleep.tasks import GoalDraft, ReflectionDraft, ReflectionMaterial
from managers.storage.history import History
from managers.storage.paths import Home, PersonaPaths
from tests.fakes import HandClock
from tests.sleep.dreamers import DAY_ONE, DAY_TWO, ScriptedDreamMind, make_dreamer, messages

NAME = "ねむ"
QUIET = datetime(2026, 11, 21, 2, 30)
TODAY = QUIET.date()


@pytest.fixture
def services(own_home: Home, clock: HandClock) -> Iterator[Services]:
    clock.set(QUIET)
    services = open_services(own_home, clock, Random(3))
    services.settings_file.change("mind", provider="builtin")
    log = services.companion(NAME).memories.log
    log.append_many(messages(datetime(2026, 11, 20, 20), DAY_ONE, "a"))
    log.append_many(messages(datetime(2026, 11, 21, 1), DAY_TWO, "b"))
    yield services
    services.close()


def episodes(services: Services) -> list[date]:
    return services.companion(NAME).memories.episodes.days()


def sleep_through(services: Services) -> None:
    services.sleep.tick()
    while services.sleep.status(NAME).is_running:
        Event().wait(0.01)


def test_who_asks_for_a_dream_gets_today_in_quiet_hours_too(services: Services) -> None:
    assert services.sleeper(NAME).pending_days() == [date(2026, 11, 20)]
    assert services.sleeper(NAME).pending_days(today=True) == [date(2026, 11, 20), TODAY]
    services.sleep.dream_now(NAME).result(60)
    assert services.sleep.status(NAME).outcome == "done"
    assert episodes(services) == [date(2026, 11, 20), TODAY]


def test_a_night_that_comes_by_itself_leaves_today_alone(services: Services) -> None:
    sleep_through(services)
    assert episodes(services) == [date(2026, 11, 20)]


def test_a_missed_night_made_up_for_in_the_daytime_leaves_today_alone(services: Services, clock: HandClock) -> None:
    clock.set(datetime(2026, 11, 21, 15))
    sleep_through(services)
    assert episodes(services) == [date(2026, 11, 20)]


def test_the_report_tells_the_days_stories_first_and_as_much_as_the_diary(services: Services) -> None:
    services.sleep.dream_now(NAME).result(60)
    report, memories = services.sleep.status(NAME).report, services.companion(NAME).memories
    assert report is not None
    assert [story.target for story in report.told.stories] == ["2026-11-20", "2026-11-21"]
    assert "有馬温泉" in report.told.stories[0].text
    assert "episode" not in {change.what for change in report.told.changed}
    night = DreamDiary(memories.paths, memories.history, memories.insights, memories.log).latest()
    assert night is not None
    assert [(one.what, one.text) for one in night.told.stories] == [(one.what, one.text) for one in report.told.stories]
    assert night.told.count == report.told.count == len(report.changes)


def test_a_reflection_that_found_nothing_is_no_memory_that_changed(paths: PersonaPaths, clock: HandClock) -> None:
    log = ConversationLog(paths, clock, Random(1))
    log.append("user", "花", "うん。")
    mind = ScriptedDreamMind(reflect=lambda _: None)
    report = make_dreamer(paths, clock, log, mind).dream()
    assert [(change.what, change.target) for change in report.changes if change not in report.told.stories] == [
        ("goal", "meta")
    ]
    assert report.told.count == len(report.told.stories) == 1


def test_asking_twice_with_nothing_said_between_changes_nothing(services: Services) -> None:
    services.sleep.dream_now(NAME).result(60)
    services.sleep.dream_now(NAME).result(60)
    assert services.sleep.status(NAME).outcome == "nothing"


def test_a_day_asked_for_three_times_leaves_nothing_doubled(paths: PersonaPaths, clock: HandClock) -> None:
    clock.set(datetime(2026, 11, 21, 12))
    log = ConversationLog(paths, clock, Random(1))
    dreamer = make_dreamer(paths, clock, log)
    for hour, lines in ((12, DAY_ONE), (15, DAY_TWO), (18, DAY_ONE)):
        clock.set(datetime(2026, 11, 21, hour))
        log.append_many(messages(clock.now(), lines, f"h{hour}-"))
        clock.move(minutes=30)
        dreamer.dream()
    clock.set(datetime(2026, 11, 22, 2))
    assert dreamer.pending_days() == []
    episode = EpisodeStore(paths, clock).get(TODAY)
    assert episode is not None
    assert episode.covered_messages == 2 * len(DAY_ONE) + len(DAY_TWO)
    facts = Counter((entity.name, fact.text) for entity in EntityStore(paths, clock).all() for fact in entity.facts)
    assert facts
    assert set(facts.values()) == {1}
    assert len(InsightStore(paths, clock).entries()) == 1
    goals = GoalStore(paths, clock).load().short_term
    assert Counter("簿記" in goal.goal for goal in goals) == {True: 1}


def reflecting(words: list[str]) -> ScriptedDreamMind:
    """A model that concludes the same in other words each time, and makes the same goal in other words."""

    def reflect(material: ReflectionMaterial) -> ReflectionDraft:
        said, exam = words.pop(0), next(one.id for one in material.days[-1].messages if "簿記" in one.text)
        goal = GoalDraft(action="create", goal=f"簿記の勉強を{said}応援する", priority=1, evidence=[exam])
        text = f"花さんは簿記の勉強のことを、今日も{said}話してくれた。"
        return ReflectionDraft(
            trigger_topic="簿記", insight=text, strategy=text, log_entry=text, evidence=[exam], goals=[goal]
        )

    return ScriptedDreamMind(reflect=reflect)


def two_dreams_of_a_day(paths: PersonaPaths, clock: HandClock) -> tuple[Any, Any]:
    clock.set(datetime(2026, 11, 21, 12))
    log = ConversationLog(paths, clock, Random(1))
    dreamer = make_dreamer(paths, clock, log, reflecting(["楽しそうに", "すこし疲れた声で"]))
    log.append_many(messages(clock.now(), DAY_TWO, "b"))
    clock.move(hours=1)
    first = dreamer.dream()
    log.append("user", "花", "お風呂に入ってきました。", time=datetime(2026, 11, 21, 22))
    clock.set(datetime(2026, 11, 22, 2))
    return first, dreamer.dream()


def test_the_whole_days_insight_takes_the_place_of_the_half_days(paths: PersonaPaths, clock: HandClock) -> None:
    two_dreams_of_a_day(paths, clock)
    assert [one.insight for one in InsightStore(paths, clock).entries()] == [
        "花さんは簿記の勉強のことを、今日もすこし疲れた声で話してくれた。"
    ]
    assert [goal.goal for goal in GoalStore(paths, clock).load().short_term] == ["簿記の勉強を楽しそうに応援する"]
    memories = DreamDiary(paths, History(paths, clock), InsightStore(paths, clock))
    assert [night.told.count > 0 for night in memories.all()] == [True, True]


def test_an_insight_that_a_person_pinned_stays(paths: PersonaPaths, clock: HandClock) -> None:
    clock.set(datetime(2026, 11, 21, 12))
    log = ConversationLog(paths, clock, Random(1))
    log.append_many(messages(clock.now(), DAY_TWO, "b"))
    clock.move(hours=1)
    dreamer = make_dreamer(paths, clock, log, reflecting(["楽しそうに", "すこし疲れた声で"]))
    dreamer.dream()
    insights = InsightStore(paths, clock)
    insights.pin(insights.entries()[0].id, on=True, author="user")
    log.append("user", "花", "お風呂に入ってきました。", time=datetime(2026, 11, 21, 22))
    clock.set(datetime(2026, 11, 22, 2))
    dreamer.dream()
    assert len(insights.entries()) == 2


@pytest.mark.parametrize("which", [0, 1])
def test_either_dream_of_a_day_can_be_taken_back(paths: PersonaPaths, clock: HandClock, which: int) -> None:
    entry = two_dreams_of_a_day(paths, clock)[which].entries[0]
    History(paths, clock).undo(entry, author="user", leave_changed=True)  # both have written the day's episode
    left = [one.insight for one in InsightStore(paths, clock).entries()]
    assert [("疲れた" in one) for one in left] == [which == 0]
