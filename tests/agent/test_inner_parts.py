"""What sleep made enters the prompt, and only as much as it should."""

from datetime import timedelta

from managers.memory.episodes import Episode
from managers.memory.goals import Goal
from managers.memory.insights import Insight, Insights
from managers.memory.questions import Question
from tests.agent.conftest import Scene


def ask(scene: Scene, text: str = "Hello") -> str:
    scene.mind.enqueue("Hm.")
    scene.live(scene.companion.say(text))
    request = scene.mind.requests[-1]
    return f"{request.system}\n\n{request.turns[-1].quoted}"


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


def test_no_day_falls_between_the_episodes_and_what_is_told_word_for_word(scene: Scene) -> None:
    scene.settings.conversation.window_turns = 2
    yesterday = scene.clock.now().date()
    for number in range(3):
        ask(scene, f"It was morning, part {number}.")
    scene.memories.episodes.save(
        Episode(date=yesterday, summary="We spoke of the morning.", covered_messages=6), author="user", reason="-"
    )
    scene.clock.move(days=1)
    assert "We spoke of the morning." in ask(scene)  # the window holds four of its six messages
    scene.settings.conversation.window_turns = 10
    assert "We spoke of the morning." not in ask(scene)


def test_a_small_mind_is_told_in_short_what_it_cannot_read_word_for_word(scene: Scene) -> None:
    for days in range(3):
        ask(scene, f"Day {days}: " + "the sea was wide. " * 120)
        day = scene.clock.now().date()
        scene.memories.episodes.save(
            Episode(date=day, summary=f"Day {days} was at the sea.", covered_messages=2), author="user", reason="-"
        )
        scene.clock.move(days=1)
    assert "was at the sea" not in ask(scene)
    scene.companion.settle()  # what is indexed by now decides what is recalled
    scene.mind.context_tokens = 6000
    system = ask(scene)
    told = " ".join(turn.text for turn in scene.mind.requests[-1].turns)
    quoted = scene.mind.requests[-1].turns[-1].quoted
    assert "Day 0:" not in told
    for days in range(3):
        assert f"Day {days}:" in told or f"Day {days} was at the sea." in system + quoted  # recalled, it stands there


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
    subjects = ("bake bread", "hear of the sea", "learn a song", "ask about Momo", "draw the harbour")
    for number, subject in enumerate(subjects):
        for horizon in ("short_term", "long_term"):
            goal = Goal(goal=f"{horizon}: {subject}", priority=number + 1)
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
    assert system.count("the moon") == 1  # the drive does not name it again


def test_boredom_is_told_as_it_was_before_the_message(scene: Scene) -> None:
    ask(scene)
    assert "glad" not in ask(scene, "And then?")
    scene.clock.move(days=3)
    told = ask(scene, "Hello again")
    assert "You had not talked for 3 days, and you are glad to be spoken to." in told
    assert "glad" not in ask(scene, "And then?")


def test_the_goal_that_moves_the_drive_is_the_first_that_is_shown(scene: Scene) -> None:
    for horizon, goal in (
        ("short_term", Goal(goal="water the fern", priority=3)),
        ("long_term", Goal(goal="be patient", priority=1)),
    ):
        scene.memories.goals.change(lambda goals, h=horizon, g=goal: goals.created(h, g), author="user", reason="-")  # type: ignore[misc]
    told = ask(scene)
    assert told.index("be patient") < told.index("water the fern")
    assert "be patient" in scene.memories.inner_state.motivation("en").narrative


def test_what_is_due_to_be_asked_goes_before_what_was_said_long_ago(scene: Scene) -> None:
    for part in range(12):
        ask(scene, f"Part {part}: " + "the sea was wide. " * 60)
    scene.memories.questions.add(Question(topic="your sister's exam", priority=0.9), author="dream", reason="-")
    scene.mind.context_tokens = 4096
    assert "your sister's exam" in ask(scene)
    assert not any(
        turn.text.startswith("Part 0:") for turn in scene.mind.requests[-1].turns
    )  # there was no room for all


def test_curiosity_rests_with_the_question_that_was_asked(scene: Scene) -> None:
    scene.memories.questions.add(Question(topic="your sister's exam", priority=0.9), author="dream", reason="-")
    assert scene.memories.inner_state.levels().curiosity > 0.8
    scene.mind.enqueue("How did your sister's exam go?")
    scene.live(scene.companion.say("I am back"))
    assert scene.memories.inner_state.levels().curiosity == 0
