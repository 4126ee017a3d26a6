"""What was made of words that are gone goes with them; what a person wrote or changed stays.

A night that finds messages deleted withdraws what rests on them alone. Somebody who asks to have words forgotten wants
them gone from what a mind made of them and others together, too: the days that this tears something out of are dreamt
anew the next night, from what is left of them.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

from managers.memory.confidence import day_of
from managers.memory.entities import Entity, Fact, revived
from managers.memory.goals import Goal
from managers.memory.insights import Insights
from managers.memory.json_documents import USER
from managers.memory.messages import united
from managers.memory.questions import Question, Questions
from managers.memory.strategies import Strategies
from managers.memory.working_copy import Stores, WorkingCopy
from managers.sleep.changes import Change
from managers.sleep.marking import Origins
from managers.sleep.tasks import DAY_TASKS

_MIND = "sleep"


@dataclass(frozen=True)
class Gone:
    """Which messages are gone.

    Attributes:
        has: whether a message is: deleted, changed, or in no file any more.
        first: the day on which the first of them was said.
        origins: tells of messages whose foreign words they held.
        is_asked: somebody asked for it: what rests on any of them goes, and not only what rests on nothing else.
        deleted: those that a person took out of the conversation, and that are not merely lost.
    """

    has: Callable[[str], bool]
    first: date
    origins: Origins
    is_asked: bool = False
    deleted: frozenset[str] = frozenset()

    def takes(self, evidence: Iterable[str]) -> bool:
        """Tell whether what rests on some messages is withdrawn."""
        gone = [self.has(one) for one in evidence]
        return any(gone) if self.is_asked else bool(gone) and all(gone)

    def marks(self, memory: Fact | Goal) -> tuple[str, ...]:
        """Return whose foreign words a memory is marked with that goes on without what is gone."""
        return united(memory.origins, *self.origins([*filter(self.has, memory.evidence)]).values())


def withdrawn(
    stores: Stores, ids: Collection[str], days: Collection[date], origins: Origins
) -> dict[Path, bytes | None]:
    """Return the files to write, so that nothing dreamt of some messages outlives them; what a person wrote stays.

    Args:
        stores: the memories.
        ids: the messages that are to be forgotten.
        days: when they were said.
        origins: tells of messages whose foreign words they held.
    """
    copy, gone = WorkingCopy(stores), Gone(frozenset(ids).__contains__, min(days), origins, is_asked=True)
    for entity in copy.all_entities():
        if (left := _entity(entity, gone)) != entity:
            copy.put_entity(left)
    _clear_lists(copy, gone)
    for day in sorted(set(days)):
        episode = copy.episode(day)
        if episode is not None and not episode.is_users and gone.takes(episode.evidence):
            copy.drop_episode(day)
            _wait_for_night(copy, day)
    return copy.files()


def dreamt_anew(stores: Stores, days: Collection[date]) -> dict[Path, bytes | None]:
    """Return the files to write, so that the next night dreams of some days once more."""
    copy = WorkingCopy(stores)
    for day in sorted(days):
        _wait_for_night(copy, day)
    return copy.files()


def withdrawals(copy: WorkingCopy, gone: Gone) -> list[Change]:
    """Return the changes that withdraw what rests on messages alone that are `gone` from a day, or from several by now."""
    changes = []
    for entity in copy.all_entities():
        if any(_is_unfounded(fact, gone) for fact in entity.facts):
            names = entity.names

            def forget(on: WorkingCopy, names: tuple[str, ...] = names) -> None:
                there = on.entity(names)
                if there is not None:
                    on.put_entity(_entity(there, gone))

            changes.append(Change("entity", entity.name, "", (), _MIND, forget))
    if _cleared(copy, gone):
        changes.append(Change("question", gone.first.isoformat(), "", (), _MIND, lambda on: _clear_lists(on, gone)))
    return changes


def without_episode(copy: WorkingCopy, day: date) -> list[Change]:
    """Return the change that takes away the episode of a day on which nothing that was said is left."""
    there = copy.episode(day)
    if there is None or there.is_users:
        return []
    return [Change("episode", day.isoformat(), "", (), _MIND, lambda on: on.drop_episode(day))]


def _wait_for_night(copy: WorkingCopy, day: date) -> None:
    waiting = {**copy.state.waiting, day.isoformat(): list(DAY_TASKS)}
    if waiting != copy.state.waiting:
        copy.state = copy.state.model_copy(update={"waiting": waiting})


def _is_unfounded(fact: Fact, gone: Gone) -> bool:
    """Whether a fact goes; of one that somebody told before, too, a wish to forget takes the later evidence alone."""
    if fact.is_users or not gone.takes(fact.evidence):
        return False
    if gone.is_asked:
        return all(map(gone.has, fact.evidence)) or fact.since >= gone.first.isoformat()
    return fact.since == gone.first.isoformat() or gone.deleted.issuperset(fact.evidence)


def _entity(entity: Entity, gone: Gone) -> Entity:
    """Return an entity without what was told of it in messages that are gone; what that had ended holds again."""

    def is_touched(line: Fact) -> bool:
        return not line.is_users and (gone.is_asked or line.since == gone.first.isoformat())

    left = replace(
        entity,
        lines=tuple(
            replace(line, evidence=tuple(one for one in line.evidence if not gone.has(one)), origins=gone.marks(line))
            if isinstance(line, Fact) and is_touched(line)
            else line
            for line in entity.lines
            if not (isinstance(line, Fact) and _is_unfounded(line, gone))
        ),
    )
    for fact in entity.facts:
        if _is_unfounded(fact, gone):
            left = revived(left, fact)
    return left


def _cleared(copy: WorkingCopy, gone: Gone) -> dict[str, Any]:
    """Return questions, goals, insights and strategies without what is gone: those that stand otherwise then, by name."""

    def left(entries: Iterable[Any]) -> list[Any]:
        return [one for one in entries if one.mind == USER or not gone.takes(one.evidence)]

    asked = [one for asked in copy.questions.entries if (one := _question(asked, gone)) is not None]
    lists = {
        horizon: [kept for goal in goals if (kept := _goal(goal, gone)) is not None]
        for horizon, goals in copy.goals.lists.items()
    }
    cleared: dict[str, Any] = {
        "questions": Questions(asked, copy.questions.odd),
        "goals": copy.goals.with_lists(lists),
        "insights": Insights(left(copy.insights.entries), copy.insights.odd),
        "strategies": Strategies(left(copy.strategies.entries), copy.strategies.odd),
    }
    return {name: one for name, one in cleared.items() if one.all != getattr(copy, name).all}


def _clear_lists(copy: WorkingCopy, gone: Gone) -> None:
    for name, left in _cleared(copy, gone).items():
        setattr(copy, name, left)


def _question(question: Question, gone: Gone) -> Question | None:
    """Return a question as it stands now: not asked, or not answered, by what is gone."""
    if question.mind != USER and gone.takes(question.evidence):
        return None
    if not gone.takes(question.answer_evidence):
        return question
    return question.model_copy(update={"status": "open", "answer": "", "answer_evidence": [], "closed_at": ""})


def _goal(goal: Goal, gone: Gone) -> Goal | None:
    """Return a goal as it stands now: without the steps that what is gone brought it."""
    left = [one for one in goal.evidence if not gone.has(one)]
    if len(left) == len(goal.evidence):
        return goal
    is_new = gone.is_asked and not _is_before(goal.created_at, gone.first)
    if goal.mind != USER and (not left or is_new):
        return None
    notes = [note for note in goal.progress_notes if not gone.takes(goal.rests_on(note))]
    changes: dict[str, object] = {
        "evidence": left,
        "origins": [*gone.marks(goal)],
        "note_evidence": {one: brought for one, brought in goal.note_evidence.items() if not gone.has(one)},
    }
    # What an older version noted does not say what it rests on: then it was the last step.
    is_last = not _is_before(goal.updated_at, gone.first) and any(
        gone.has(one) and one not in goal.note_evidence for one in goal.evidence
    )
    ended = goal.rests_on(goal.reason)
    if goal.status != "active" and (gone.takes(ended) or (is_last and not ended)):
        changes |= {"status": "active", "reason": ""}
    elif goal.status == "active" and is_last and notes and not goal.rests_on(notes[-1]):
        notes = notes[:-1]
    return goal.model_copy(update={**changes, "progress_notes": notes})


def _is_before(moment: str, first: date) -> bool:
    return (day_of(moment[:10]) or first) < first  # or nobody knows when
