"""The day that still goes on: dreamt of when somebody asks, left alone by a night that comes by itself, never doubled."""

from collections import Counter
from collections.abc import Iterator
from datetime import date, datetime
from random import Random
from threading import Event

import pytest

from agent.services import Services, open_services
from managers.sleep.diary import DreamDiary
from managers.sleep.dream import DreamReport
from managers.sleep.tasks import GoalDraft, ReflectionDraft, ReflectionMaterial
from managers.storage.paths import Home
from tests.fakes import HandClock
from tests.sleep.dreamers import DAY_ONE, DAY_TWO, Life, ScriptedDreamMind, messages

NAME = "ねむ"
QUIET = datetime(2026, 11, 21, 2, 30)
YESTERDAY, TODAY = date(2026, 11, 20), QUIET.date()


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


def test_who_asks_for_a_dream_gets_today_too_and_its_report_tells_as_much_as_the_diary(services: Services) -> None:
    assert services.sleeper(NAME).pending_days() == [YESTERDAY]
    assert services.sleeper(NAME).pending_days(today=True) == [YESTERDAY, TODAY]
    services.sleep.dream_now(NAME).result()
    status, memories = services.sleep.status(NAME), services.companion(NAME).memories
    assert status.outcome == "done"
    assert memories.episodes.days() == [YESTERDAY, TODAY]
    report = status.report
    assert report is not None
    assert [story.target for story in report.told.stories] == ["2026-11-20", "2026-11-21"]
    assert "有馬温泉" in report.told.stories[0].text
    assert "episode" not in {change.what for change in report.told.changed}
    night = DreamDiary(memories.paths, memories.history, memories.insights, memories.log).latest()
    assert night is not None
    assert [(one.what, one.text) for one in night.told.stories] == [(one.what, one.text) for one in report.told.stories]
    assert night.told.count == report.told.count == len(report.changes)
    services.sleep.dream_now(NAME).result()
    assert services.sleep.status(NAME).outcome == "nothing"


@pytest.mark.parametrize("at", [QUIET, datetime(2026, 11, 21, 15)], ids=["night", "a missed night, made up for"])
def test_a_night_that_comes_by_itself_leaves_today_alone(services: Services, clock: HandClock, at: datetime) -> None:
    clock.set(at)
    services.sleep.tick()
    while services.sleep.status(NAME).is_running:
        Event().wait(0.01)
    assert services.companion(NAME).memories.episodes.days() == [YESTERDAY]


def test_a_day_asked_for_three_times_leaves_nothing_doubled(bare: Life) -> None:
    for hour, lines in ((12, DAY_ONE), (15, DAY_TWO), (18, DAY_ONE)):
        bare.clock.set(datetime(2026, 11, 21, hour))
        bare.log.append_many(messages(bare.clock.now(), lines, f"h{hour}-"))
        bare.clock.move(minutes=30)
        bare.dreamer().dream()
    bare.clock.set(datetime(2026, 11, 22, 2))
    assert bare.dreamer().pending_days() == []
    assert bare.episode(TODAY).covered_messages == 2 * len(DAY_ONE) + len(DAY_TWO)
    facts = Counter((entity.name, fact.text) for entity in bare.entities.all() for fact in entity.facts)
    assert set(facts.values()) == {1}
    assert len(bare.insights.entries()) == 1
    assert Counter("簿記" in goal.goal for goal in bare.goals.load().short_term) == {True: 1}


def two_dreams_of_a_day(life: Life) -> list[DreamReport]:
    """Dream twice of one day, with a model that concludes the same in other words and makes the same goal in other words."""
    words = ["楽しそうに", "すこし疲れた声で"]

    def reflect(material: ReflectionMaterial) -> ReflectionDraft:
        said, exam = words.pop(0), [next(one.id for one in material.days[-1].messages if "簿記" in one.text)]
        goal = GoalDraft(action="create", goal=f"簿記の勉強を{said}応援する", priority=1, evidence=exam)
        text = f"花さんは簿記の勉強のことを、今日も{said}話してくれた。"
        told = dict.fromkeys(("insight", "strategy", "log_entry"), text)
        return ReflectionDraft(trigger_topic="簿記", evidence=exam, goals=[goal], **told)

    dreamer = life.dreamer(ScriptedDreamMind(reflect=reflect))
    life.clock.set(datetime(2026, 11, 21, 12))
    life.log.append_many(messages(life.clock.now(), DAY_TWO, "b"))
    life.clock.move(hours=1)
    reports = [dreamer.dream()]
    life.say("お風呂に入ってきました。", time=datetime(2026, 11, 21, 22))
    life.clock.set(datetime(2026, 11, 22, 2))
    return [*reports, dreamer.dream()]


def test_the_whole_days_insight_takes_the_place_of_the_half_days(bare: Life) -> None:
    two_dreams_of_a_day(bare)
    assert [one.insight for one in bare.insights.entries()] == [
        "花さんは簿記の勉強のことを、今日もすこし疲れた声で話してくれた。"
    ]
    assert [goal.goal for goal in bare.goals.load().short_term] == ["簿記の勉強を楽しそうに応援する"]
    diary = DreamDiary(bare.paths, bare.history, bare.insights)
    assert [night.told.count > 0 for night in diary.all()] == [True, True]


@pytest.mark.parametrize("which", [0, 1])
def test_either_dream_of_a_day_can_be_taken_back(bare: Life, which: int) -> None:
    entry = two_dreams_of_a_day(bare)[which].entries[0]
    bare.history.undo(entry, author="user", leave_changed=True)  # both have written the day's episode
    left = [one.insight for one in bare.insights.entries()]
    assert [("疲れた" in one) for one in left] == [which == 0]
