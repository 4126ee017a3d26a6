"""Settings of the memory that each make sense alone, and contradict one another: said in a sentence, and changed by nobody."""

from collections.abc import Iterator

from managers.memory.confidence import START
from managers.storage.errors import Notice
from managers.storage.settings import Settings
from managers.storage.texts import Texts

_say = Texts("notices/setting_conflicts")


def conflicts(settings: Settings) -> list[Notice]:
    """Return a sentence for each contradiction, which names the settings and what would come of them."""
    return list(_found(settings))


def own_conflicts(own: Settings, common: Settings) -> list[Notice]:
    """Return those of a persona's settings that are not everybody's."""
    known = conflicts(common)
    return [one for one in conflicts(own) if one not in known]


def _found(settings: Settings) -> Iterator[Notice]:
    memory, lookback = settings.memory, settings.conversation.episode_memory_lookback_days
    if 0 < (days := memory.kept_days("episodes")) < lookback:
        yield _say.notice("days-gone-too-soon", days=days, lookback=lookback)
    if not memory.hygiene:
        return
    if memory.prune_threshold > START["insight"]:
        starts = {"insight": START["insight"], "other": START["experience"]}
        yield _say.notice("pruned-at-once", threshold=memory.prune_threshold, **starts)
    if memory.merge_threshold < memory.split_threshold:
        yield _say.notice("merged-before-split", merge=memory.merge_threshold, split=memory.split_threshold)
    if memory.prune_interval > memory.max_episodes:
        yield _say.notice("limit-out-of-sight", interval=memory.prune_interval, limit=memory.max_episodes)
    if not memory.max_insights_per_session and settings.sleep.dreaming:
        yield _say.notice("no-insights")
