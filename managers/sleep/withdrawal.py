"""What was taken back is forgotten: memories that rest on deleted messages only are withdrawn.

Looked for on days from which messages have gone since they were dreamt of. What a person wrote or
changed stays; what rests on other messages too loses only the deleted ones from its evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import date

from managers.memory.entities import Entity, Fact, revived
from managers.memory.goals import Goal, Goals
from managers.memory.insights import Insights
from managers.memory.json_documents import USER
from managers.memory.questions import Question, Questions
from managers.sleep.changes import Change
from managers.sleep.forgetting import unanswered, without_step
from managers.sleep.working_copy import Desk

_MIND = "sleep"


def withdrawals(desk: Desk, day: date, is_gone: Callable[[str], bool]) -> list[Change]:
    """Return the changes that withdraw what rests on deleted messages of a day alone.

    Args:
        desk: the memories.
        day: the day from which messages have gone.
        is_gone: whether a message was deleted.
    """
    changes = []
    for entity in desk.all_entities():
        if any(_is_unfounded(fact, day, is_gone) for fact in entity.facts):
            names = entity.names

            def forget(on: Desk, names: tuple[str, ...] = names) -> None:
                there = on.entity(names)
                if there is not None:
                    on.put_entity(_without(there, day, is_gone))

            changes.append(Change("entity", entity.name, "", (), _MIND, forget))
    on = _cleared(desk, day, is_gone)
    if (on.questions.entries, on.goals.lists, on.insights.entries) != (
        desk.questions.entries,
        desk.goals.lists,
        desk.insights.entries,
    ):
        changes.append(Change("question", day.isoformat(), "", (), _MIND, lambda on: _clear_lists(on, day, is_gone)))
    return changes


def without_episode(desk: Desk, day: date) -> list[Change]:
    """Return the change that takes away the episode of a day on which nothing that was said is left."""
    there = desk.episode(day)
    if there is None or there.is_users:
        return []
    return [Change("episode", day.isoformat(), "", (), _MIND, lambda on: on.drop_episode(day))]


@dataclass(frozen=True)
class _Lists:
    questions: Questions
    goals: Goals
    insights: Insights


def _cleared(desk: Desk, day: date, is_gone: Callable[[str], bool]) -> _Lists:
    questions = [asked for one in desk.questions.entries if (asked := _question(one, is_gone)) is not None]
    short, long = (
        [left for one in desk.goals.lists[horizon] if (left := _goal(one, day, is_gone)) is not None]
        for horizon in ("short_term", "long_term")
    )
    nights = [one for one in desk.insights.entries if one.mind == USER or not _rests_on_nothing(one.evidence, is_gone)]
    return _Lists(
        Questions(questions, desk.questions.odd),
        Goals(short, long, desk.goals.meta, desk.goals.odd),
        Insights(nights, desk.insights.odd),
    )


def _clear_lists(desk: Desk, day: date, is_gone: Callable[[str], bool]) -> None:
    cleared = _cleared(desk, day, is_gone)
    if cleared.questions.entries != desk.questions.entries:
        desk.questions = cleared.questions
    if cleared.goals.lists != desk.goals.lists:
        desk.goals = cleared.goals
    if cleared.insights.entries != desk.insights.entries:
        desk.insights = cleared.insights


def _question(question: Question, is_gone: Callable[[str], bool]) -> Question | None:
    """Return a question as it stands now: not asked, or not answered, by what is gone."""
    if question.mind != USER and _rests_on_nothing(question.evidence, is_gone):
        return None
    return unanswered(question) if _rests_on_nothing(question.answer_evidence, is_gone) else question


def _goal(goal: Goal, day: date, is_gone: Callable[[str], bool]) -> Goal | None:
    """Return a goal as it stands now: without the step that what is gone brought it."""
    left = [one for one in goal.evidence if not is_gone(one)]
    if len(left) == len(goal.evidence):
        return goal
    if goal.mind != USER and not left:
        return None
    return without_step(goal, left, day)


def _without(entity: Entity, day: date, is_gone: Callable[[str], bool]) -> Entity:
    lines = tuple(
        replace(line, evidence=tuple(one for one in line.evidence if not is_gone(one)))
        if isinstance(line, Fact) and not line.is_users and line.since == day.isoformat()
        else line
        for line in entity.lines
        if not (isinstance(line, Fact) and _is_unfounded(line, day, is_gone))
    )
    left = replace(entity, lines=lines)
    for fact in entity.facts:
        if _is_unfounded(fact, day, is_gone):
            left = revived(left, fact)
    return left


def _is_unfounded(fact: Fact, day: date, is_gone: Callable[[str], bool]) -> bool:
    return not fact.is_users and fact.since == day.isoformat() and _rests_on_nothing(fact.evidence, is_gone)


def _rests_on_nothing(evidence: Iterable[str], is_gone: Callable[[str], bool]) -> bool:
    found = list(evidence)
    return bool(found) and all(is_gone(one) for one in found)
