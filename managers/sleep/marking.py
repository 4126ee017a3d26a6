"""Whose foreign words a night has before its eyes: what it makes then carries their mark, whatever evidence a mind names."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TypeVar

from managers.memory.entities import Entity, Fact
from managers.memory.episodes import Episode
from managers.memory.json_documents import Remembered
from managers.memory.messages import united
from managers.recall.hits import Hit

Origins = Callable[[Collection[str]], Mapping[str, Sequence[str]]]
"""Tells of messages whose foreign words they hold."""
_Known = TypeVar("_Known", bound=Remembered | Fact | Hit)


class Marks:
    """The marks of what one task is shown, gathered while that is chosen."""

    def __init__(self, origins: Origins, of_days: Iterable[str] = ()) -> None:
        """Begin with those of the days that are looked at."""
        self._origins = origins
        self.all = united(of_days)

    def of(self, memories: Sequence[Remembered | Fact | Hit]) -> list[tuple[str, ...]]:
        """Return of each of some memories whose foreign words it rests on."""
        rests = [(*(one.message_ids if isinstance(one, Hit) else one.evidence), *_of_events(one)) for one in memories]
        told = self._origins({message for ids in rests for message in ids})
        own = (() if isinstance(one, Hit) else one.origins for one in memories)
        return [united(mark, *(told.get(one, ()) for one in ids)) for mark, ids in zip(own, rests, strict=True)]

    def clean(self, memories: Iterable[_Known]) -> list[_Known]:
        """Return those of some memories that rest on no foreign words."""
        found = list(memories)
        return [one for one, marks in zip(found, self.of(found), strict=True) if not marks]

    def shown(self, memories: Iterable[_Known], *, always: bool = False) -> list[_Known]:
        """Return which of some memories are shown; only beside foreign words such as rest on them, or all nights would be marked."""
        found = list(memories)
        if not (always or self.all):
            return self.clean(found)
        self.all = united(self.all, *self.of(found))
        return found

    def cards(self, cards: Sequence[Entity]) -> list[Entity]:
        """Return cards without what rests on foreign words: new facts, which carry no mark, may not rest on it."""
        clean = {id(one) for one in self.clean(fact for card in cards for fact in card.facts)}
        left = (tuple(one for one in card.lines if isinstance(one, str) or id(one) in clean) for card in cards)
        return [replace(card, lines=lines) for card, lines in zip(cards, left, strict=True)]


def _of_events(memory: Remembered | Fact | Hit) -> Iterable[str]:
    return chain(*memory.key_event_evidence) if isinstance(memory, Episode) else ()
