"""What in a memory file its own readers would not understand: checked before an undo writes what it merged."""

from typing import Any

from pydantic import BaseModel, ValidationError

from managers.memory.dream_state import DreamState
from managers.memory.episodes import Episode
from managers.memory.goals import Goal, GoalsMeta
from managers.memory.insights import Insight
from managers.memory.json_documents import entries_of
from managers.memory.periods import Period
from managers.memory.questions import Question
from managers.memory.strategies import AnyPattern
from managers.storage.json_text import load_json

_LISTS: dict[str, type[BaseModel]] = {
    "memory/insights": Insight,
    "memory/open_questions": Question,
    "memory/strategies": AnyPattern,
}
_WHOLES: dict[str, type[BaseModel]] = {"episodic_memory/": Episode, "memory/dream_state.json": DreamState}
_BROKEN = 1_000_000


def flaws(name: str, content: bytes) -> int:
    """Return how many entries of a file do not fit their model; more than a file can hold if it cannot be read."""
    if not name.endswith(".json"):
        return 0  # in text nothing is wrong
    try:
        value = load_json(content)
    except ValueError:
        return _BROKEN
    for beginning, model in _LISTS.items():
        if name.startswith(beginning):
            return _odd(model, value) if isinstance(value, list) else _BROKEN
    for beginning, model in _WHOLES.items():
        if name.startswith(beginning):
            return 0 if _is(Period if "~" in name else model, value) else _BROKEN
    if name.startswith("goals"):
        return _goal_flaws(value) if isinstance(value, dict) else _BROKEN
    return 0 if isinstance(value, list | dict) else _BROKEN


def _goal_flaws(value: dict[str, Any]) -> int:
    lists = [value.get(horizon, []) for horizon in ("short_term", "long_term")]
    if not all(isinstance(one, list) for one in lists):
        return _BROKEN
    return sum(_odd(Goal, one) for one in lists) + (not _is(GoalsMeta, value.get("meta", {})))


def _odd(model: type[BaseModel], values: list[Any]) -> int:
    return len(entries_of(model, values)[1])


def _is(model: type[BaseModel], value: object) -> bool:
    try:
        model.model_validate(value)
    except ValidationError:
        return False
    return True
