"""What a night lets go, and what it leaves alone: pins, a person's own, answers older than their questions."""

from collections.abc import Callable
from datetime import datetime, timedelta

from managers.memory.goals import Goal
from managers.memory.questions import Question
from managers.sleep.tasks import (
    AnswerMaterial,
    EntitiesDraft,
    EntityDraft,
    EntityMaterial,
    FactDraft,
    ResolutionDraft,
    ResolutionsDraft,
)
from tests.sleep.dreamers import Life, ScriptedDreamMind, messages

OLD = "2026-08-01 03:00:00"


def test_old_goals_and_questions_are_let_go_but_not_what_a_person_pinned(life: Life) -> None:
    goals, questions = life.goals, life.questions
    for name in ("pinned", "old", "own"):
        mind = "user" if name == "own" else "model"
        goal = Goal(goal=name, id=name, created_at=OLD, updated_at=OLD, mind=mind)
        goals.change(lambda there, goal=goal: there.created("short_term", goal), author="dream", reason="")  # type: ignore[misc]
        asked = Question(topic=name, id=name, priority=0.1, created_at=OLD, mind=mind)
        questions.add(asked, author="dream", reason="")
    goals.pin("pinned", on=True, author="user")
    questions.pin("pinned", on=True, author="user")
    life.dreamer().dream(level=2)
    statuses = {goal.id: goal.status for goal in goals.load().short_term}
    assert [statuses[one] for one in ("pinned", "old", "own")] == ["active", "abandoned", "active"]
    asked_of = {q.id: q.status for q in questions.load().entries}
    assert [asked_of[one] for one in ("pinned", "old", "own")] == ["open", "dropped", "open"]


def test_what_was_said_before_a_question_came_up_does_not_answer_it(life: Life) -> None:
    """An old conversation is brought in after the question was asked."""
    life.dreamer().dream()
    life.questions.add(Question(topic="旅行", id="trip", priority=0.9, evidence=["b2"]), author="dream", reason="")

    def answers(material: AnswerMaterial) -> ResolutionsDraft:
        told = {"answer": "楽しかった。", "evidence": [material.day.messages[0].id]}
        found = [ResolutionDraft.model_validate({"question_id": one.id, **told}) for one in material.open]
        return ResolutionsDraft(resolutions=found)

    mind, line = ScriptedDreamMind(resolve_questions=answers), (("user", "旅行は楽しかったです。"),)
    life.log.append_many(messages(datetime(2025, 1, 5, 20), line, "old"))
    life.dreamer(mind).dream(catch_up=True)
    assert "trip" in {question.id for question in life.questions.open()}
    life.log.append_many(messages(life.clock.now() - timedelta(hours=2), line, "new"))
    life.clock.move(days=1)
    life.dreamer(mind).dream()
    assert "trip" not in {question.id for question in life.questions.open()}


def described(*found: EntityDraft) -> Callable[[EntityMaterial], EntitiesDraft]:
    return lambda material: EntitiesDraft(entities=list(found) if material.day.date.day == 20 else [])


def person(name: str, fact: str, *aliases: str) -> EntityDraft:
    facts = [FactDraft(text=fact, evidence=["b3"])]
    return EntityDraft(name=name, kind="person", aliases=list(aliases), facts=facts)


def test_an_alias_does_not_make_one_of_two(life: Life) -> None:
    works = person("花", "本屋で働いている", "友達", "私", "簿記", "ねむ", "彼女")
    others = [person("モモ", "入院していた", "花", "ねむ"), person("簿記", "勉強を頑張る", "友達", "彼女")]
    life.dreamer(ScriptedDreamMind(describe_entities=described(works, *others))).dream()
    cards = {card.name: card for card in life.entities.all()}
    assert {name: [fact.text for fact in card.facts] for name, card in cards.items()} == {
        "花": ["本屋で働いている"],
        "モモ": ["入院していた"],
        "簿記": ["勉強を頑張る"],
    }
    assert not {alias for card in cards.values() for alias in card.aliases} & {*cards, "私", "彼女", "ねむ"}
