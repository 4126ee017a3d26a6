"""Whose foreign words a night has before its eyes: what it makes then carries their mark, whatever evidence a mind names."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import TypeVar

from managers.memory.entities import Fact
from managers.memory.json_documents import Remembered
from managers.memory.messages import united
from managers.recall.hits import Hit

Origins = Callable[[Collection[str]], Mapping[str, Sequence[str]]]
"""Tells of messages whose foreign words they hold."""
_Known = TypeVar("_Known", bound=Remembered | Fact | Hit)


class Marks:
    """The marks of what one task is shown, gathered in `all` while that is chosen, from those of its days on."""

    def __init__(self, origins: Origins, of_days: Iterable[str] = ()) -> None:
        self._origins, self.all = origins, united(of_days)

    def of(self, memories: Sequence[Remembered | Fact | Hit]) -> list[tuple[str, ...]]:
        """Return of each of some memories whose foreign words it rests on."""
        own = ((getattr(one, "origins", ()), getattr(one, "key_event_evidence", ())) for one in memories)
        rests = [one.message_ids if isinstance(one, Hit) else one.evidence for one in memories]
        both = [(marks, [*ids, *chain(*events)]) for ids, (marks, events) in zip(rests, own, strict=True)]
        told = self._origins({one for _, ids in both for one in ids})
        return [united(marks, *(told.get(one, ()) for one in ids)) for marks, ids in both]

    def shown(self, memories: Iterable[_Known], *, always: bool = False) -> list[_Known]:
        """Return which of some memories are shown; only beside foreign words such as rest on them, or all nights would be marked."""
        found = list(memories)
        marks = self.of(found)
        if not (always or self.all):
            return [one for one, mark in zip(found, marks, strict=True) if not mark]
        self.all = united(self.all, *marks)
        return found
