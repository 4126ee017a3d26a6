"""The dream diary: `memory/insights.json`, newest first. Only the latest strategy enters a prompt."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from pydantic import Field

from managers.memory.entry_files import EntryList, EntryStore
from managers.memory.json_documents import TIME, Apply, Remembered, entries_of, short_id
from managers.storage.clock import AHEAD, Clock
from managers.storage.paths import PersonaPaths


class Insight(Remembered):
    """What a night's reflection concluded."""

    created_at: str
    trigger_topic: str
    insight: str
    strategy: str
    log_entry: str
    level: int = Field(1, ge=1, le=3)
    values: list[str] = Field(default_factory=list)
    """What a month's reflection found to matter most."""
    day: str = ""
    """Which day it is about, `YYYY-MM-DD`; empty where it is about more than one."""


class Insights(EntryList[Insight]):
    """The diary as it stands in its file, and pure changes of it."""

    KEPT = 365

    def __init__(self, entries: Sequence[Insight], odd: Sequence[Any] = ()) -> None:
        """Hold entries, which are put in order, and whatever else was in the file."""
        super().__init__(sorted(entries, key=lambda entry: entry.created_at, reverse=True), odd)

    def with_one(self, insight: Insight) -> Insights:
        """Return the diary with one more entry; the same entry is not taken twice."""
        named = insight.model_copy(update={"id": insight.id or short_id("in_", insight.created_at, insight.insight)})
        return self if self.get(named.id) else Insights([named, *self.entries], self.odd)


class InsightStore(EntryStore[Insights, Insight]):
    """The dream diary of a persona."""

    def __init__(self, paths: PersonaPaths, clock: Clock, apply: Apply | None = None) -> None:
        super().__init__(paths, paths.insights, clock, apply, lambda value: Insights(*entries_of(Insight, value)))

    def entries(self, *, archived: bool = False) -> list[Insight]:
        """Return the entries, newest first; with `archived` also those on the shelves."""
        return [*self.load().entries, *(self.archived() if archived else [])]

    def with_strategy(self, chosen: Callable[[Iterable[Insight]], Iterable[Insight]] = iter) -> Insight | None:
        """Return the newest entry whose strategy says something, of those that are chosen: what a prompt holds of the diary."""
        now = f"{self._clock.now() + AHEAD:{TIME}}"
        known = (entry for entry in chosen(self.load().entries) if entry.created_at <= now)
        return next((entry for entry in known if entry.strategy.strip()), None)
