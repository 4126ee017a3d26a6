"""What was taken back is forgotten: memories that rest on deleted messages only are withdrawn.

Looked for on days from which messages have gone since they were dreamt of. What a person wrote or
changed stays; what rests on other messages too loses only the deleted ones from its evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import date

from managers.memory.entities import Entity, Fact
from managers.memory.goals import Goals
from managers.memory.insights import Insights
from managers.memory.questions import Questions
from managers.sleep.changes import Change
from managers.sleep.desk import Desk

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
    lists = [*desk.questions.entries, *desk.goals.short_term, *desk.goals.long_term, *desk.insights.entries]
    if any(_rests_on_nothing(memory.evidence, is_gone) for memory in lists):
        changes.append(Change("question", day.isoformat(), "", (), _MIND, lambda on: _clear_lists(on, is_gone)))
    return changes


def _clear_lists(desk: Desk, is_gone: Callable[[str], bool]) -> None:
    questions, goals, insights = desk.questions, desk.goals, desk.insights
    kept = [q for q in questions.entries if not _rests_on_nothing(q.evidence, is_gone)]
    if len(kept) != len(questions.entries):
        desk.questions = Questions(kept, questions.odd)
    short, long = (
        [goal for goal in goals.lists[horizon] if not _rests_on_nothing(goal.evidence, is_gone)]
        for horizon in ("short_term", "long_term")
    )
    if len(short) + len(long) != len(goals.short_term) + len(goals.long_term):
        desk.goals = Goals(short, long, goals.meta, goals.odd)
    nights = [insight for insight in insights.entries if not _rests_on_nothing(insight.evidence, is_gone)]
    if len(nights) != len(insights.entries):
        desk.insights = Insights(nights, insights.odd)


def _without(entity: Entity, day: date, is_gone: Callable[[str], bool]) -> Entity:
    lines = tuple(
        replace(line, evidence=tuple(one for one in line.evidence if not is_gone(one)))
        if isinstance(line, Fact) and not line.is_users and line.since == day.isoformat()
        else line
        for line in entity.lines
        if not (isinstance(line, Fact) and _is_unfounded(line, day, is_gone))
    )
    return replace(entity, lines=lines)


def _is_unfounded(fact: Fact, day: date, is_gone: Callable[[str], bool]) -> bool:
    return not fact.is_users and fact.since == day.isoformat() and _rests_on_nothing(fact.evidence, is_gone)


def _rests_on_nothing(evidence: Iterable[str], is_gone: Callable[[str], bool]) -> bool:
    found = list(evidence)
    return bool(found) and all(is_gone(one) for one in found)
