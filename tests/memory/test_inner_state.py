import json
from datetime import datetime, timedelta

import pytest

from managers.memory.drives import boredom, curiosity, decayed, devotion_after, goal_achievement
from managers.memory.emotions import EmotionLog
from managers.memory.goals import Goal, GoalStore
from managers.memory.inner_state import InnerStateStore
from managers.memory.questions import Question, QuestionStore
from managers.storage.paths import PersonaPaths
from managers.storage.settings import SleepSettings
from tests.fakes import HandClock


@pytest.fixture
def inner(paths: PersonaPaths, clock: HandClock) -> InnerStateStore:
    return InnerStateStore(paths, clock, SleepSettings())


def test_boredom_follows_a_logarithm() -> None:
    assert boredom(0, 72) == 0
    assert boredom(12, 72) == pytest.approx(0.598, abs=0.001)
    assert boredom(72, 72) == 1
    assert boredom(10_000, 72) == 1
    assert boredom(-5, 72) == 0
    rises = [boredom(h + 1, 72) - boredom(h, 72) for h in range(20)]
    assert rises == sorted(rises, reverse=True)


def test_one_question_weighs_its_priority_and_more_weigh_more() -> None:
    one = Question(topic="雪", priority=0.8)
    assert curiosity([]) == 0
    assert curiosity([one]) == pytest.approx(0.8)
    assert curiosity([one, Question(topic="b", priority=0.1)]) == pytest.approx(0.82)


def test_a_neglected_goal_calls_louder() -> None:
    now = datetime(2026, 1, 15, 12)
    fresh = Goal(goal="g", priority=1, created_at="2026-01-15 12:00:00")
    stale = Goal(goal="g", priority=1, created_at="2026-01-01 12:00:00")
    assert goal_achievement([fresh], now) == pytest.approx(0.6)
    assert goal_achievement([stale], now) == pytest.approx(0.7)
    assert goal_achievement([Goal(goal="g", priority=4)], now) == pytest.approx(0.3)


def test_devotion_rises_as_the_specification_says_and_fades() -> None:
    assert devotion_after(0.1, "sadness") == pytest.approx(0.4)
    assert devotion_after(0.1, "joy") == pytest.approx(0.2)
    assert devotion_after(0.1, "neutral") == pytest.approx(0.1)
    assert devotion_after(0.9, "anger") == 1
    assert decayed(0.8, 24, 24) == pytest.approx(0.4)


def test_the_state_is_written_with_what_moves_it_most(
    paths: PersonaPaths, clock: HandClock, inner: InnerStateStore
) -> None:
    question = Question(topic="初詣での雪の冷たさ", context="彼女が何を感じていたか知りたい", priority=0.8)
    QuestionStore(paths, clock).add(question, author="dream", reason="")
    goal = Goal(goal="詩を書く", id="sh_abc123")
    GoalStore(paths, clock).change(lambda goals: goals.created("short_term", goal), author="dream", reason="")
    inner.touch()
    inner.meet("sadness")
    inner.refresh(lang="ja")
    value = json.loads(paths.internal_state.read_text())
    drives, log = value["drives"], value["motivation_log"]
    assert drives["boredom"]["last_interaction"] == "2026-11-21T12:00:00"
    assert (drives["curiosity"]["level"], drives["curiosity"]["open_questions"][0]["topic"]) == (0.8, question.topic)
    assert drives["goal_achievement"]["active_goal_id"] == "sh_abc123"
    assert (drives["devotion"]["level"], drives["devotion"]["user_emotional_state"]) == (0.3, "sadness")
    assert (log["dominant_drive"], log["dominant_drive_label"]) == ("curiosity", "好奇心（Curiosity）")
    assert question.topic in log["narrative"]
    questions = QuestionStore(paths, clock)
    questions.resolve(questions.open()[0].id, author="user", reason="known")
    assert inner.levels().curiosity == 0


def test_whoever_never_talked_is_told_so_and_what_could_not_be_read_is_called_no_feeling(
    inner: InnerStateStore,
) -> None:
    assert "まだ話していない" in inner.full_text("ja")
    assert "You have not talked yet" in inner.full_text("en")
    inner.touch()
    assert "最終対話から0分経過" in inner.full_text("ja")
    inner.meet("neutral")
    assert not any(calm in inner.full_text("ja") + inner.full_text("en") for calm in ("穏やか", "calm"))
    inner.meet("fear")
    assert all(word in inner.full_text("ja") for word in ("退屈", "好奇心", "目標達成欲", "奉仕欲", "恐れ"))


def test_light_form_is_one_sentence_about_what_is_felt_most(clock: HandClock, inner: InnerStateStore) -> None:
    inner.touch()
    assert inner.light_text("ja") == ""
    clock.move(hours=5, minutes=30)
    assert "5時間" in inner.light_text("ja")
    assert "5 hours" in inner.light_text("en")
    assert len(inner.light_text("ja").splitlines()) == 1
    assert not any(mark in inner.light_text("ja") for mark in ("退屈", "0.", "Boredom"))


def test_the_narrative_quotes_what_it_comes_from(paths: PersonaPaths, clock: HandClock, inner: InnerStateStore) -> None:
    EmotionLog(paths, clock).append("犬のポチの元気がなくて心配。", "sadness", message_id="m1")
    inner.meet("sadness")
    inner.meet("neutral")
    assert inner.refresh(lang="ja").motivation_log.narrative == (
        "「犬のポチの元気がなくて心配。」という言葉に悲しみを感じた。そばで力になりたい。"
    )


def test_a_clock_set_back_makes_nobody_bored(clock: HandClock, inner: InnerStateStore) -> None:
    inner.touch()
    inner.meet("sadness")
    clock.set(clock.now() - timedelta(days=365))
    levels = inner.levels()
    assert levels.boredom == 0
    assert levels.devotion == pytest.approx(0.3)


def test_a_broken_state_is_set_aside(paths: PersonaPaths, inner: InnerStateStore) -> None:
    paths.memory.mkdir()
    paths.internal_state.write_text("{")
    inner.touch()
    assert inner.last_interaction() is not None
    assert inner.take_notices()
