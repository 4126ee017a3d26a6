"""How long memories stay in use, by their kind: what is older is put away in the archive, from which it comes back.

Talk is not moved: its archive is `log_archives`, and what was said longer ago than it stays in use is left out of searches
and prompts (`MemorySettings.said_since`).
"""

from collections.abc import Iterator, Mapping
from datetime import date, datetime, timedelta
from typing import Final

from managers.hygiene.archive import Going
from managers.hygiene.inventory import Kind, Memory, of_entity, of_episode, of_insight, of_pattern
from managers.hygiene.limits import with_whole_days
from managers.memory.confidence import day_of
from managers.memory.working_copy import WorkingCopy
from managers.storage.settings import Data, MemorySettings

_DATA: Final[Mapping[Kind, Data]] = {
    "day": "episodes",
    "event": "episodes",
    "insight": "insights",
    "fact": "facts",
    "pattern": "patterns",
}


def expired(copy: WorkingCopy, settings: MemorySettings, now: datetime) -> list[Going]:
    """Return what is older than it stays in use, counted from when it was made or used last.

    What a person pinned, wrote or changed stays; a day stays as long as something that happened on it does.
    """
    found = list(_older(copy, settings, now.date()))
    days = {kind: settings.kept_days(data) for kind, data in _DATA.items()}
    cutoffs = {kind: _before(now.date(), kept) if kept else date.min for kind, kept in days.items()}
    chosen = {one.id for one in found if not one.is_kept and _last(one) < cutoffs[one.kind]}
    return with_whole_days(found, found, chosen, "expired")


def _older(copy: WorkingCopy, settings: MemorySettings, today: date) -> Iterator[Memory]:
    """Yield what may be older, and no other file is read: of kinds that are kept for ever nothing."""
    if days := settings.kept_days("episodes"):
        before = _before(today, days)
        for day in copy.stores.episodes.days():
            if day < before and (episode := copy.episode(day)) is not None:
                yield from of_episode(episode)
    if settings.kept_days("insights"):
        yield from map(of_insight, copy.insights.entries)
    if settings.kept_days("facts"):
        for entity in copy.all_entities():
            yield from of_entity(entity)
    if settings.kept_days("patterns"):
        yield from map(of_pattern, copy.strategies.entries)


def _before(today: date, days: int) -> date:
    return today - timedelta(days=min(days, today.toordinal() - 1))


def _last(memory: Memory) -> date:
    """Return the day on which a memory was made or used last; one of which nobody knows that does not go."""
    return max((day for day in (memory.made, day_of(memory.standing.last_accessed)) if day), default=date.max)
