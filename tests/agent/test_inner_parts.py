"""What sleep made enters the prompt, and only as much as it should."""

from __future__ import annotations

from datetime import timedelta

from managers.memory.episodes import Episode
from managers.memory.goals import Goal
from managers.memory.insights import Insight, Insights
from managers.memory.questions import Question
from tests.agent.conftest import Scene


def ask(scene: Scene, text: str = "Hello") -> str:
    scene.mind.enqueue("Hm.")
    scene.live(scene.companion.say(text))
    return scene.mind.requests[-1].system


def test_episodes_of_the_days_before_the_window_are_in_the_prompt_and_no_other(scene: Scene) -> None:
    today = scene.clock.now().date()
    for days in (0, 1, 14, 15):
        day = today - timedelta(days=days)
        scene.memories.episodes.save(Episode(date=day, summary=f"It was {days} days ago."), author="user", reason="-")
    system = ask(scene)
    assert "It was 1 days ago." in system
    assert "It was 14 days ago." in system
    assert "It was 15 days ago." not in system
    assert "It was 0 days ago." not in system


def test_only_the_latest_strategy_is_in_the_prompt(scene: Scene) -> None:
    insights = Insights([])
    for number in (1, 2):
        insights = insights.with_one(
            Insight(
                created_at=f"2026-11-{number:02d} 03:00:00",
                trigger_topic="t",
                insight="i",
                strategy=f"Plan {number}.",
                log_entry="l",
            )
        )
    scene.memories.apply(insights.changes(scene.memories.paths.insights), author="dream", reason="-")
    system = ask(scene)
    assert "Plan 2." in system
    assert "Plan 1." not in system


def test_three_short_and_two_long_goals_are_in_the_prompt(scene: Scene) -> None:
    for number in range(5):
        for horizon in ("short_term", "long_term"):
            goal = Goal(goal=f"{horizon} {number}", priority=number + 1)
            scene.memories.goals.change(lambda goals, h=horizon, g=goal: goals.created(h, g), author="user", reason="-")  # type: ignore[misc]
    system = ask(scene)
    assert [system.count("- short_term"), system.count("- long_term")] == [3, 2]


def test_a_question_is_offered_until_it_was_asked_and_then_rests(scene: Scene) -> None:
    scene.memories.questions.add(Question(topic="your sister's exam", priority=0.9), author="dream", reason="-")
    assert "your sister's exam" in ask(scene)
    scene.mind.enqueue("How did your sister's exam go?")
    scene.live(scene.companion.say("I am back"))
    ask(scene, "Let us talk about soup")
    assert "your sister's exam" not in [q.topic for q in scene.mind.requests[-1].questions]


def test_drives_are_in_the_prompt_from_their_threshold_on(scene: Scene) -> None:
    assert "How you feel now" not in ask(scene)
    scene.clock.move(days=3)
    scene.memories.questions.add(Question(topic="the moon", priority=1.0), author="dream", reason="-")
    system = ask(scene, "Hello again")
    assert "How you feel now" in system
    assert "Most pressing question: the moon" in system
