"""How many memories are active, and which are put away: by their C-value, the lower the more there are.

What a person pinned, wrote or changed is never chosen, and a day never goes before what happened on it.
"""

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final

from managers.hygiene.archive import Going, Reason
from managers.hygiene.inventory import KINDS, Kind, Memory
from managers.hygiene.neighbours import near_to
from managers.hygiene.similarity import meaning
from managers.storage.files import entries
from managers.storage.opening import look
from managers.storage.paths import PersonaPaths
from managers.storage.settings import MemorySettings

_CROWDED: Final = ((0.9, 0.3), (0.7, 0.2))
"""Above this share of `max_episodes`, what is below this C-value goes."""
_COLLECTED_BELOW: Final = 0.5
_ESTIMATED_BYTES: Final = 500 + 384 * 4 + 200
"""What one memory weighs by the specification's estimate: its text, its vector, what else is known of it."""


@dataclass(frozen=True, slots=True)
class Census:
    """How many memories are active.

    Attributes:
        counts: of each kind.
        limit: the setting `max_episodes`.
    """

    counts: dict[Kind, int]
    limit: int

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    @property
    def estimate(self) -> int:
        """Bytes, by the specification's estimate, vectors included."""
        return self.total * _ESTIMATED_BYTES


@dataclass(frozen=True, slots=True)
class Weight:
    """What lies on the disk, in bytes.

    Attributes:
        files: the files of active memories, with what stands beside their words.
        index: the search index, vectors included: of the talk, notes and documents, too.
    """

    files: int
    index: int


def count(memories: Iterable[Memory], limit: int) -> Census:
    """Count the active memories."""
    counts = dict.fromkeys(KINDS, 0)
    for memory in memories:
        counts[memory.kind] += 1
    return Census(counts, limit)


def weigh(paths: PersonaPaths) -> Weight:
    """Measure what lies on the disk; costs a look at each file.

    Raises:
        UnreadableError: a folder is there and cannot be listed.
    """
    insights = look(paths.insights)
    days, cards, index = map(_size, (paths.episodic_memory, paths.entity_memory, paths.rag_index))
    return Weight(days + cards + (insights.st_size if insights else 0), index)


def _size(folder: Path) -> int:
    """Return the size of all files beneath a folder; those that go meanwhile are none."""
    there = entries(folder)
    folders = {entry.path for entry in there if entry.is_dir(follow_symlinks=False)}
    found = (look(Path(entry.path)) for entry in there if entry.path not in folders)
    return sum(status.st_size for status in found if status) + sum(_size(Path(inner)) for inner in folders)


def threshold(total: int, settings: MemorySettings) -> float:
    """Return the C-value below which memories are put away, when there are so many: the fuller, the higher."""
    share = total / settings.max_episodes
    return max(settings.prune_threshold, next((least for above, least in _CROWDED if share > above), 0.0))


def pruned(memories: Sequence[Memory], settings: MemorySettings, today: date) -> list[Going]:
    """Return what is put away: what is below the threshold, and the lowest beyond `max_episodes`."""
    values = {memory.id: memory.confidence(today) for memory in memories}
    ordered = sorted((one for one in memories if not one.is_kept), key=lambda one: (values[one.id], one.made or today))
    least = threshold(len(memories), settings)
    beyond = len(memories) - settings.max_episodes
    chosen = {one.id for number, one in enumerate(ordered) if values[one.id] < least or number < beyond}
    return with_whole_days(ordered, memories, chosen, "pruned")


def collected(memories: Sequence[Memory], settings: MemorySettings, today: date) -> list[Going]:
    """Return what is long past by its generation, and trusted little.

    Generations are compared among what could have been merged: what says the same in like words, of one kind and about
    one entity. So what was told only once does not go because something else was told a hundred times.
    """
    grown = [one for one in memories if one.standing.generation > settings.max_generations]
    newest: dict[Hashable, int] = defaultdict(int)
    for memory in grown:
        newest[_family(memory)] = max(newest[_family(memory)], memory.standing.generation)
    chosen = {
        one.id
        for one in _near(grown, memories, settings.merge_threshold)
        if not one.is_kept
        and newest[_family(one)] - one.standing.generation > settings.max_generations
        and one.confidence(today) < _COLLECTED_BELOW
    }
    return with_whole_days(memories, memories, chosen, "collected")


def _near(grown: Sequence[Memory], memories: Sequence[Memory], least: float) -> list[Memory]:
    """Return what is so like something that was merged often: only that is read for what it means."""
    kinds = {one.kind for one in grown}
    asked = [one for one in memories if one.kind in kinds]
    near = near_to([one.text for one in asked], [one.text for one in grown], least)
    return [one for one, is_near in zip(asked, near, strict=True) if is_near]


def _family(memory: Memory) -> Hashable:
    """Return what is the same for all that a memory could be merged with."""
    return memory.kind, memory.place if memory.kind == "fact" else "", meaning(memory.text)


def with_whole_days(
    ordered: Iterable[Memory], memories: Iterable[Memory], chosen: Collection[str], why: Reason
) -> list[Going]:
    """Return what is chosen, each day with its events as one; no day that holds an event which stays."""
    held = {one.place for one in memories if one.kind == "event" and one.id not in chosen}
    days = {one.place for one in ordered if one.kind == "day" and one.id in chosen} - held
    return [
        Going(one, why)
        for one in ordered
        if one.id in chosen and (one.kind not in {"day", "event"} or (one.kind == "day") == (one.place in days))
    ]
