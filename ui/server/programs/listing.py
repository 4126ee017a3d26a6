"""Memories of one kind as plain JSON, with the fields of their files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, Final, Literal

from agent.memories import Memories
from managers.memory.entities import Entity

Kind = Literal["episodes", "entities", "insights", "goals", "questions"]
_Listed = tuple[int, list[dict[str, Any]]]


def listed(memories: Memories, kind: Kind, span: slice) -> _Listed:
    """Return how many memories of a kind there are, and some of them.

    Episodes and insights come the newest first, entities by name, goals and questions in the order of their files.
    """
    return _LISTS[kind](memories, span)


def _episodes(memories: Memories, span: slice) -> _Listed:
    days = memories.episodes.days()[::-1]
    found = (memories.episodes.get(day) for day in days[span])
    return len(days), [episode.model_dump(mode="json") for episode in found if episode is not None]


def _entities(memories: Memories, span: slice) -> _Listed:
    names = memories.entities.names()
    found = (memories.entities.get(name) for name in names[span])
    return len(names), [_entity(entity) for entity in found if entity is not None]


def _entity(entity: Entity) -> dict[str, Any]:
    return {
        "name": entity.name,
        "kind": entity.kind,
        "created": entity.created,
        "aliases": list(entity.aliases),
        "text": entity.text(),
        "facts": [asdict(fact) for fact in entity.facts],
    }


def _insights(memories: Memories, span: slice) -> _Listed:
    entries = memories.insights.entries(archived=True)
    return len(entries), [entry.model_dump(mode="json") for entry in entries[span]]


def _goals(memories: Memories, span: slice) -> _Listed:
    lists = memories.goals.load().lists
    goals = [{"horizon": horizon} | goal.plain(horizon) for horizon, some in lists.items() for goal in some]
    return len(goals), goals[span]


def _questions(memories: Memories, span: slice) -> _Listed:
    entries = [*memories.questions.load().entries, *memories.questions.archived()]
    return len(entries), [entry.model_dump(mode="json") for entry in entries[span]]


_LISTS: Final[Mapping[Kind, Callable[[Memories, slice], _Listed]]] = {
    "episodes": _episodes,
    "entities": _entities,
    "insights": _insights,
    "goals": _goals,
    "questions": _questions,
}
