"""Memories that say the same become one: the newest stays, with the evidence of all; the others go to the archive.

Compared are insights, key events, and the facts about one entity, each among themselves. Only what says the same in the
same words, numbers and denials is merged (`similarity`), and of that only what is trusted; what a person pinned, wrote or
changed is left alone.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

import numpy as np

from managers.hygiene.archive import Going
from managers.hygiene.inventory import Memory, restood
from managers.hygiene.neighbours import near_another
from managers.hygiene.similarity import meaning, vectors
from managers.memory.confidence import moved
from managers.memory.messages import united
from managers.memory.working_copy import WorkingCopy
from managers.storage.settings import MemorySettings

_TRUSTED: Final = 0.5
_COMPARED: Final = 2000
"""Of more that mean the same the newest are compared; the others follow the next time."""
_NEAREST: Final = 5
"""A memory is compared with so many of those that are most like it (the specification's k)."""


@dataclass(frozen=True, slots=True)
class Merge:
    """One memory, and those that it takes in."""

    kept: Memory
    absorbed: tuple[Memory, ...]


def merges(memories: Iterable[Memory], settings: MemorySettings, today: date) -> list[Merge]:
    """Return what is to be merged."""
    families: dict[Hashable, list[Memory]] = defaultdict(list)
    for memory in memories:
        if memory.kind != "day" and not memory.is_kept and memory.confidence(today) >= _TRUSTED:
            families[memory.kind, memory.place if memory.kind == "fact" else ""].append(memory)
    found = []
    for family in families.values():
        for group in _of_one_meaning(family, settings.merge_threshold):
            newest_first = sorted(group, key=lambda one: one.made or date.min, reverse=True)
            found += _of_group(newest_first, settings.merge_threshold)
    return found


def _of_one_meaning(family: Sequence[Memory], threshold: float) -> Iterable[list[Memory]]:
    """Return what says the same; only what is near another is read for what it means."""
    alike: dict[Hashable, list[Memory]] = defaultdict(list)
    near = near_another([one.text for one in family], threshold)
    for memory, is_near in zip(family, near, strict=True):
        if is_near:
            alike[meaning(memory.text)].append(memory)
    return alike.values()


def carry_out(copy: WorkingCopy, merge: Merge, today: date) -> list[Going]:
    """Let one memory take in others in a working copy; return those, which are to be put away."""
    kept = merge.kept
    evidence = tuple(dict.fromkeys(one for memory in (kept, *merge.absorbed) for one in memory.evidence))
    highest = max(one.confidence(today) for one in (kept, *merge.absorbed))
    change = moved(kept.standing, kept.origin, kept.made, today, "merged", highest - kept.confidence(today))
    generation = max(one.standing.generation for one in (kept, *merge.absorbed)) + 1
    marks = united(*(one.marks for one in (kept, *merge.absorbed)))
    restood(copy, kept, {"evidence": evidence, "origins": marks}, **change | {"generation": generation})
    return [Going(one, "merged", kept.id) for one in merge.absorbed]


def _of_group(newest_first: Sequence[Memory], threshold: float) -> list[Merge]:
    """Return the merges among memories of one meaning."""
    compared = newest_first[:_COMPARED]
    rows = vectors([one.text for one in compared])
    left, found = np.arange(len(compared)), []
    while left.size > 1:
        near = rows[left[1:]] @ rows[left[0]]
        order = np.argsort(-near, kind="stable")[:_NEAREST]
        taken = left[1:][order[near[order] >= threshold]]
        if taken.size:
            found.append(Merge(compared[left[0]], tuple(compared[at] for at in taken)))
        left = left[1:][~np.isin(left[1:], taken)]
    return found
