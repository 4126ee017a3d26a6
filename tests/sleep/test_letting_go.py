"""What a night lets go, and what it leaves alone: pins, a person's own, answers older than their questions."""

from datetime import datetime, timedelta

import pytest

from managers.memory.entity_store import EntityStore
from managers.memory.goals import Goal, GoalStore
from managers.memory.log import ConversationLog
from managers.memory.questions import MAX_OPEN, Question, Questions, QuestionStore
from managers.sleep.tasks import (
    AnswerMaterial,
    EntitiesDraft,
    EntityDraft,
    EntityMaterial,
    FactDraft,
    ResolutionDraft,
    ResolutionsDraft,
)
from managers.storage.paths import PersonaPaths
from tests.fakes import HandClock
from tests.sleep.dreamers import ScriptedDreamMind, make_dreamer, messages

OLD = "2026-08-01 03:00:00"


def test_old_goals_and_questions_are_let_go_but_not_what_a_person_pinned(
    paths: PersonaPaths, night: HandClock, log: ConversationLog
) -> None:
    goals, questions = GoalStore(paths, night), QuestionStore(paths, night)
    for name in ("pinned", "old", "own"):
        mind = "user" if name == "own" else "model"
        goal = Goal(goal=name, id=name, created_at=OLD, updated_at=OLD, mind=mind)
        goals.change(lambda all_of_them, goal=goal: all_of_them.created("short_term", goal), author="dream", reason="")  # type: ignore[misc]  # bound now
        asked = Question(topic=name, id=name, priority=0.1, created_at=OLD, mind=mind)
        questions.add(asked, author="dream", reason="")
    goals.pin("pinned", on=True, author="user")
    questions.pin("pinned", on=True, author="user")
    make_dreamer(paths, night, log).dream(level=2)
    assert {goal.id for goal in goals.load().active("short_term")} >= {"pinned", "own"}
    assert {goal.id: goal.status for goal in goals.load().short_term}["old"] == "abandoned"
    assert {q.id: q.status for q in questions.load().entries if q.id in ("pinned", "old", "own")} == {
        "pinned": "open",
        "old": "dropped",
        "own": "open",
    }


def test_a_pinned_question_does_not_give_way_to_more_pressing_ones() -> None:
    questions = Questions([Question.model_validate({"id": "mine", "topic": "mine", "priority": 0.1, "pinned": True})])
    for number in range(MAX_OPEN + 5):
        questions = questions.with_one(Question(topic=f"topic {number}", id=f"q{number}", priority=0.9))
    assert len(questions.open) == MAX_OPEN
    assert "mine" in {question.id for question in questions.open}


def test_what_was_said_before_a_question_came_up_does_not_answer_it(
    paths: PersonaPaths, night: HandClock, log: ConversationLog
) -> None:
    """An old conversation is brought in after the question was asked."""
    make_dreamer(paths, night, log).dream()
    store = QuestionStore(paths, night)
    store.add(Question(topic="旅行", id="trip", priority=0.9, evidence=["b2"]), author="dream", reason="")

    def answers(material: AnswerMaterial) -> ResolutionsDraft:
        first = material.day.messages[0].id
        return ResolutionsDraft(
            resolutions=[
                ResolutionDraft(question_id=one.id, answer="楽しかった。", evidence=[first]) for one in material.open
            ]
        )

    mind = ScriptedDreamMind(resolve_questions=answers)
    log.append_many(messages(datetime(2025, 1, 5, 20), (("user", "旅行は楽しかったです。"),), "old"))
    make_dreamer(paths, night, log, mind).dream(catch_up=True)
    assert "trip" in {question.id for question in store.open()}
    log.append_many(messages(night.now() - timedelta(hours=2), (("user", "旅行は楽しかったです。"),), "new"))
    night.move(days=1)
    make_dreamer(paths, night, log, mind).dream()
    assert "trip" not in {question.id for question in store.open()}


@pytest.mark.parametrize(("name", "alias"), [("モモ", "花"), ("モモ", "ねむ"), ("美咲", "友達")])
def test_an_alias_does_not_make_one_of_two(
    paths: PersonaPaths, night: HandClock, log: ConversationLog, name: str, alias: str
) -> None:
    def two(material: EntityMaterial) -> EntitiesDraft:
        fact = FactDraft(text="京都で働いている", evidence=["a2"])
        one = EntityDraft(name="花", kind="person", aliases=["友達"], facts=[fact])
        other = FactDraft(text="入院していた", evidence=["a5"])
        found = [one, EntityDraft(name=name, kind="pet", aliases=[alias], facts=[other])]
        return EntitiesDraft(entities=found if material.day.date.day == 19 else [])

    make_dreamer(paths, night, log, ScriptedDreamMind(describe_entities=two)).dream()
    store = EntityStore(paths, night)
    keeper, other = store.get("花"), store.get(name)
    assert keeper is not None
    assert other is not None
    assert "入院していた" not in {fact.text for fact in keeper.facts}
    told = {fact.text for fact in other.facts}
    assert "入院していた" in told
    assert "京都で働いている" not in told


def test_who_speaks_does_not_swallow_whom_they_speak_of(
    paths: PersonaPaths, night: HandClock, log: ConversationLog
) -> None:
    def two(material: EntityMaterial) -> EntitiesDraft:
        own = FactDraft(text="本屋で働いている", evidence=["b3"])
        one = EntityDraft(name="花", kind="person", aliases=["私", "美咲", "ねむ", "彼女"], facts=[own])
        friend = EntityDraft(
            name="美咲", kind="person", aliases=["彼女"], facts=[FactDraft(text="医者", evidence=["b3"])]
        )
        return EntitiesDraft(entities=[one, friend] if material.day.date.day == 20 else [])

    make_dreamer(paths, night, log, ScriptedDreamMind(describe_entities=two)).dream()
    store = EntityStore(paths, night)
    keeper, friend = store.get("花"), store.get("美咲")
    assert keeper is not None
    assert friend is not None
    assert (keeper.aliases, friend.aliases) == ((), ())
    assert [fact.text for fact in friend.facts] == ["医者"]
