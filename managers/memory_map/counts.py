"""How often two entities come up together: counted in arrays, for five thousand of them have millions of meetings."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from managers.memory.entities import name_key
from managers.memory_map.passages import Codes
from managers.memory_map.placing import Whole

CROWD = 20
"""A passage that names more than this is a list, and ties nobody."""


@dataclass(frozen=True, slots=True)
class Tie:
    """Two entities and how many messages and days name both."""

    one: str
    other: str
    count: int


class TieCounts:
    """The meetings of all entities, the strongest ties first.

    Who is called by another's name and more (Mia, Mia's bakery) is named with it every time: that is no tie.
    """

    def __init__(self, held: Mapping[str, Codes], words: Callable[[str], Collection[str]]) -> None:
        self.names = sorted(held)
        self.mentions = {name: len(held[name]) for name in self.names}
        self._number = {name: at for at, name in enumerate(self.names)}
        self._words = words
        self._one, self._other, self._count = _meetings([held[name] for name in self.names])

    def strongest(self, most: int) -> list[str]:
        """Return the entities that are tied most; those with no tie only where there is room."""
        count = len(self.names)
        strength = np.bincount(self._one, self._count, count) + np.bincount(self._other, self._count, count)
        often = np.array([self.mentions[name] for name in self.names])
        return sorted(self.names[at] for at in np.lexsort((np.arange(count), -often, -strength))[:most].tolist())

    def beside(self, centre: str, most: int) -> list[str]:
        """Return those that are tied most to one."""
        found = [tie.other if tie.one == centre else tie.one for tie in self.of(centre, most)]
        return sorted(found)

    def of(self, name: str, most: int) -> list[Tie]:
        at = self._number.get(name, -1)
        return self._ties(np.flatnonzero((self._one == at) | (self._other == at)), most)

    def among(self, names: Iterable[str], most: int) -> list[Tie]:
        inside = np.zeros(len(self.names), np.bool_)
        inside[[self._number[name] for name in names]] = True
        return self._ties(np.flatnonzero(inside[self._one] & inside[self._other]), most)

    def all(self, most: int) -> list[Tie]:
        return self._ties(np.arange(len(self._count)), most)

    def _ties(self, rows: Whole, most: int) -> list[Tie]:
        found: list[Tie] = []
        for row in rows.tolist():
            if len(found) == most:
                break
            one, other = self.names[int(self._one[row])], self.names[int(self._other[row])]
            if not self._is_part(one, other):
                found.append(Tie(one, other, int(self._count[row])))
        return found

    def _is_part(self, one: str, other: str) -> bool:
        mine, theirs = frozenset(self._words(one)), frozenset(self._words(other))
        if mine and theirs and (mine <= theirs or theirs <= mine):
            return True
        return name_key(one) in name_key(other) or name_key(other) in name_key(one)


def _meetings(held: Sequence[Codes]) -> tuple[Whole, Whole, Whole]:
    """Return (one, other, how often) of all that meet in a passage, by number, the most frequent first."""
    none = np.zeros(0, np.int64)
    codes = np.concatenate([*held, none])
    owners = np.repeat(np.arange(len(held)), [len(found) for found in held])
    order = np.argsort(codes, kind="stable")  # within a passage the owners stay in order
    codes, owners = codes[order], owners[order]
    _, starts, sizes = np.unique(codes, return_index=True, return_counts=True)
    group = np.repeat(np.where(sizes <= CROWD, np.arange(len(starts)), -1 - np.arange(len(starts))), sizes)
    # Four bytes a meeting do where they can: there may be millions.
    owners = owners.astype(np.int32 if len(held) ** 2 < np.iinfo(np.int32).max else np.int64)
    pairs = []
    for apart in range(1, min(CROWD, int(sizes.max(initial=0)))):
        meet = (group[apart:] == group[:-apart]) & (group[apart:] >= 0)
        if not meet.any():
            break
        pairs.append(owners[:-apart][meet] * len(held) + owners[apart:][meet])
    found, counts = np.unique(np.concatenate(pairs) if pairs else none, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    found, counts = found[order].astype(np.int64), counts[order].astype(np.int64)
    return found // max(len(held), 1), found % max(len(held), 1), counts
