"""What is forgotten by word leaves all that was dreamt of it, and not only what rests on nothing else.

A night that finds messages taken back withdraws what rests on them alone (`withdrawal.py`). Somebody who asks to
have words forgotten wants them gone from what a mind made of them and others together, too. The days that this
tears something out of are dreamt anew the next night, from what is left of them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path

from managers.memory.entities import Entity, revived
from managers.memory.goals import Goal, Goals
from managers.memory.insights import Insights
from managers.memory.json_documents import USER
from managers.memory.questions import Question, Questions
from managers.sleep.tasks import DAY_TASKS
from managers.sleep.working_copy import Desk, Stores


def withdrawn(stores: Stores, ids: Collection[str], days: Collection[date]) -> dict[Path, bytes | None]:
    """Return the files to write, so that nothing dreamt of some messages outlives them; what a person wrote stays.

    Args:
        stores: the memories.
        ids: the messages that are gone.
        days: when they were said.
    """
    desk, gone = Desk(stores), frozenset(ids)
    first = min(days)
    for entity in desk.all_entities():
        if not gone.isdisjoint(entity.evidence):
            desk.put_entity(_without(entity, gone, first))
    _clear_lists(desk, gone, first)
    files: dict[Path, bytes | None] = {}
    for day in sorted(set(days)):
        episode = desk.episode(day)
        if episode is not None and not episode.is_users and not gone.isdisjoint(episode.evidence):
            files[stores.episodes.path(day)] = None
            wait_for_night(desk, day)
    return desk.files() | files


def dreamt_anew(stores: Stores, days: Collection[date]) -> dict[Path, bytes | None]:
    """Return the files to write, so that the next night dreams of some days once more."""
    desk = Desk(stores)
    for day in sorted(days):
        wait_for_night(desk, day)
    return desk.files()


def wait_for_night(desk: Desk, day: date) -> None:
    """Let the next night dream of a day once more."""
    waiting = {**desk.state.waiting, day.isoformat(): list(DAY_TASKS)}
    if waiting != desk.state.waiting:
        desk.state = desk.state.model_copy(update={"waiting": waiting})


def _without(entity: Entity, gone: frozenset[str], first: date) -> Entity:
    """Return an entity without what was told of it in some messages; what was known before is not ended by them."""
    for fact in [fact for fact in entity.facts if not fact.is_users and not gone.isdisjoint(fact.evidence)]:
        left = tuple(one for one in fact.evidence if one not in gone)
        is_older = bool(left) and fact.since < first.isoformat()  # the same was told before, on another day
        lines = tuple(replace(fact, evidence=left) if line is fact else line for line in entity.lines)
        entity = replace(entity, lines=lines if is_older else tuple(line for line in entity.lines if line is not fact))
        if not is_older:
            entity = revived(entity, fact)
    return entity


def _clear_lists(desk: Desk, gone: frozenset[str], first: date) -> None:
    questions = [left for one in desk.questions.entries if (left := _question(one, gone)) is not None]
    if questions != desk.questions.entries:
        desk.questions = Questions(questions, desk.questions.odd)
    goals = desk.goals
    short, long = (
        [kept for one in goals.lists[horizon] if (kept := _goal(one, gone, first)) is not None]
        for horizon in ("short_term", "long_term")
    )
    if [short, long] != [goals.short_term, goals.long_term]:
        desk.goals = Goals(short, long, goals.meta, goals.odd)
    nights = [one for one in desk.insights.entries if one.mind == USER or gone.isdisjoint(one.evidence)]
    if len(nights) != len(desk.insights.entries):
        desk.insights = Insights(nights, desk.insights.odd)


def _question(question: Question, gone: frozenset[str]) -> Question | None:
    """Return a question as it stands without some messages: not asked, or not answered, by them."""
    if question.mind != USER and not gone.isdisjoint(question.evidence):
        return None
    if gone.isdisjoint(question.answer_evidence):
        return question
    return unanswered(question)


def unanswered(question: Question) -> Question:
    """Return a question as it was before it was answered."""
    return question.model_copy(update={"status": "open", "answer": "", "answer_evidence": [], "closed_at": ""})


def _goal(goal: Goal, gone: frozenset[str], first: date) -> Goal | None:
    """Return a goal as it stands without some messages: an older one loses the step that they brought it."""
    if gone.isdisjoint(goal.evidence):
        return goal
    left = [one for one in goal.evidence if one not in gone]
    if goal.mind != USER and (not left or not _is_before(goal.created_at, first)):
        return None
    return without_step(goal, left, first)


def without_step(goal: Goal, left: Sequence[str], first: date) -> Goal:
    """Return a goal that rests on what is left, without the last step where that was made on a day or since."""
    if _is_before(goal.updated_at, first):
        return goal.model_copy(update={"evidence": list(left)})
    if goal.status != "active":
        return goal.model_copy(update={"evidence": list(left), "status": "active", "reason": ""})
    return goal.model_copy(update={"evidence": list(left), "progress_notes": goal.progress_notes[:-1]})


def _is_before(moment: str, first: date) -> bool:
    try:
        return datetime.fromisoformat(moment).date() < first
    except ValueError:  # nobody knows when
        return False
