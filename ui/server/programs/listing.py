"""Memories of one kind as plain JSON, with the fields of their files."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from typing import Any, Final, Literal

from agent.memories import Memories
from managers.memory.audience import Kept
from managers.memory.entities import Entity
from managers.sleep.report import DreamReport

Kind = Literal["episodes", "entities", "insights", "goals", "questions"]
_Listed = tuple[int, list[dict[str, Any]]]


def listed(memories: Memories, kind: Kind, span: slice) -> _Listed:
    """Return how many memories of a kind any mind may read, and some of them.

    Episodes and insights come the newest first, entities by name, goals and questions in the order of their files.
    """
    return _LISTS[kind](memories, memories.audiences.kept(), span)


def others_of(kept: Kept, report: DreamReport) -> DreamReport:
    """Return what a dream did, without what is kept."""
    changes = tuple(one for one in report.changes if not kept.holds(one.evidence, place=one.target))
    failures = tuple(one for one in report.failures if not kept.holds(one.evidence, place=one.day))
    return replace(report, changes=changes, failures=failures)


def _episodes(memories: Memories, kept: Kept, span: slice) -> _Listed:
    days = memories.episodes.days()[::-1]
    if kept:  # whether a day rests on what is kept stands in its file
        days = [day for day in days if (one := memories.episodes.get(day)) is not None and kept.other_days([one])]
    found = (memories.episodes.get(day) for day in days[span])
    return len(days), [episode.model_dump(mode="json") for episode in found if episode is not None]


def _entities(memories: Memories, kept: Kept, span: slice) -> _Listed:
    names = memories.entities.names()
    if kept:
        names = [one.name for one in kept.cards(memories.entities.all())]
    found = (memories.entities.get(name) for name in names[span])
    return len(names), [_entity(kept.card(entity)) for entity in found if entity is not None]


def _entity(entity: Entity) -> dict[str, Any]:
    return {
        "name": entity.name,
        "kind": entity.kind,
        "created": entity.created,
        "aliases": list(entity.aliases),
        "text": entity.text(),
        "facts": [asdict(fact) for fact in entity.facts],
    }


def _insights(memories: Memories, kept: Kept, span: slice) -> _Listed:
    entries = kept.others(memories.insights.entries(archived=True))
    return len(entries), [entry.model_dump(mode="json") for entry in entries[span]]


def _goals(memories: Memories, kept: Kept, span: slice) -> _Listed:
    lists = memories.goals.load().lists
    goals = [
        {"horizon": horizon} | goal.plain(horizon) for horizon, some in lists.items() for goal in kept.others(some)
    ]
    return len(goals), goals[span]


def _questions(memories: Memories, kept: Kept, span: slice) -> _Listed:
    entries = kept.others([*memories.questions.load().entries, *memories.questions.archived()])
    return len(entries), [entry.model_dump(mode="json") for entry in entries[span]]


_LISTS: Final[Mapping[Kind, Callable[[Memories, Kept, slice], _Listed]]] = {
    "episodes": _episodes,
    "entities": _entities,
    "insights": _insights,
    "goals": _goals,
    "questions": _questions,
}
