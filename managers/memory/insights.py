"""The dream diary: `memory/insights.json`, newest first. Only the latest strategy enters a prompt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pydantic import Field

from managers.memory.json_documents import (
    PINNED,
    Apply,
    JsonFile,
    Remembered,
    as_plain,
    encode,
    entries_of,
    pin_reason,
    short_id,
    write_plainly,
)
from managers.memory.rolling_lists import next_shelf, shelve, shelves
from managers.storage.clock import Clock
from managers.storage.errors import Notice
from managers.storage.locks import writing
from managers.storage.paths import PersonaPaths

KEPT = 365


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


class Insights:
    """The diary as it stands in its file, and pure changes of it."""

    def __init__(self, entries: Sequence[Insight], odd: Sequence[Any] = ()) -> None:
        """Hold entries (newest first) and whatever else was in the file."""
        self.entries = sorted(entries, key=lambda entry: entry.created_at, reverse=True)
        self.odd = list(odd)

    def with_one(self, insight: Insight) -> Insights:
        """Return the diary with one more entry; the same entry is not taken twice."""
        named = insight.model_copy(update={"id": insight.id or short_id("in_", insight.created_at, insight.insight)})
        if any(entry.id == named.id for entry in self.entries):
            return self
        return Insights([named, *self.entries], self.odd)

    def pinned(self, insight_id: str, *, on: bool) -> Insights:
        """Return the diary with one entry pinned, or its pin taken off."""
        entries = [e.model_copy(update={PINNED: on}) if e.id == insight_id else e for e in self.entries]
        return Insights(entries, self.odd)

    def without(self, insight_id: str) -> Insights:
        """Return the diary without one entry."""
        return Insights([entry for entry in self.entries if entry.id != insight_id], self.odd)

    def changes(self, path: Path) -> dict[Path, bytes | None]:
        """Return the files to write: the diary, and a shelf when it has become long."""
        kept, older = shelve(self.entries, KEPT)
        files: dict[Path, bytes | None] = {path: encode(as_plain(kept, self.odd))}
        if older:
            files[next_shelf(path)] = encode(as_plain(older))
        return files


class InsightStore:
    """The dream diary of a persona."""

    def __init__(self, paths: PersonaPaths, clock: Clock, apply: Apply | None = None) -> None:
        """Remember the file; `apply` writes with a history entry."""
        self._paths = paths
        self._clock = clock
        self._apply = apply or write_plainly(paths)
        self._file = JsonFile(paths, paths.insights, clock, list)

    def load(self) -> Insights:
        """Return the diary (its newest part)."""
        return Insights(*entries_of(Insight, self._file.read()))

    def entries(self, *, archived: bool = False) -> list[Insight]:
        """Return the entries, newest first; with `archived` also those on the shelves."""
        found = self.load().entries
        if archived:
            for path in reversed(shelves(self._paths.insights)):
                found += entries_of(Insight, JsonFile(self._paths, path, self._clock, list).read())[0]
        return found

    def latest_strategy(self) -> str:
        """Return the newest strategy that says something: what a prompt holds of the diary."""
        return next((entry.strategy for entry in self.load().entries if entry.strategy.strip()), "")

    def delete(self, insight_id: str, *, author: str, reason: str) -> None:
        """Delete an entry (the history keeps it)."""
        self._change(lambda diary: diary.without(insight_id), author, reason)

    def pin(self, insight_id: str, *, on: bool, author: str) -> None:
        """Pin an entry, or take the pin off."""
        self._change(lambda diary: diary.pinned(insight_id, on=on), author, pin_reason(on=on))

    def _change(self, change: Callable[[Insights], Insights], author: str, reason: str) -> None:
        with writing(self._paths):
            self._apply(change(self.load()).changes(self._paths.insights), author=author, reason=reason)

    def take_notices(self) -> list[Notice]:
        """Return what was found wrong with the file since the last time."""
        return self._file.take_notices()
