"""The dream diary night by night: what each dream read, concluded and changed, and whether it still stands.

A night is known by the record that its dream left (`memory/dream_<when>-<day>.json`), by what it
concluded (`memory/insights.json`), and by its entry in the history. A night that was taken back has
lost its record with everything else: the history still has it.
"""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from managers.memory.confidence import day_of
from managers.memory.entry_files import shelves
from managers.memory.insights import Insight, InsightStore
from managers.memory.log.reader import LogReader
from managers.sleep.report import Told, told_of
from managers.storage.files import files, read_bytes
from managers.storage.history import History
from managers.storage.history.entries import Entry
from managers.storage.json_text import load_json
from managers.storage.paths import PersonaPaths
from managers.storage.unchanged import Unchanged

_RECORD = re.compile(r"dream_(\d{8}-\d{6})-[\w-]+\.json")
_STAMP = "%Y%m%d-%H%M%S"
_shelves: Final = Unchanged[list[Path]]()
_records: Final = Unchanged[list[str]]()
_concluded: Final = Unchanged["Mapping[str, list[Insight]]"]()
_FIRST_LOOK = 20
"""So many entries of the history are read first, and four times as many as long as the nights go back further."""


@dataclass(frozen=True, slots=True)
class NightChange:
    """One memory that a dream made or changed."""

    what: str
    target: str
    text: str
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LeftOut:
    """An item of a mind's answer that did not become memory; `why` is a name of `managers.sleep.review`."""

    item: str
    why: str
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DreamNight:
    """One night of the diary.

    Attributes:
        key: names it in this diary.
        level: how deep it reflected; None: it did not.
        days: the days that it dreamt of.
        entry: its entry in the history; None where the history does not know it.
    """

    key: str
    time: datetime
    level: int | None = None
    days: tuple[date, ...] = ()
    messages: int = 0
    mind: str = ""
    changes: tuple[NightChange, ...] = ()
    failed: tuple[str, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    insight: Insight | None = None
    entry: Entry | None = None

    @property
    def told(self) -> Told[NightChange]:
        """What a person is told of it: the stories of the days, then what else changed."""
        return told_of(self.changes)

    @property
    def undone(self) -> bool:
        """Whether it is taken back now."""
        return self.entry is not None and self.entry.undone_by is not None


@dataclass(frozen=True, slots=True)
class DiaryPage:
    """Some nights, newest first; `pages` is how many such pages there are."""

    nights: Sequence[DreamNight]
    number: int
    pages: int
    total: int


class DreamDiary:
    """Reads the diary of a persona."""

    def __init__(
        self, paths: PersonaPaths, history: History, insights: InsightStore, log: LogReader | None = None
    ) -> None:
        """Hold what it is read from; of what rests on messages that the log has no more, nothing is shown."""
        self._log = log
        self._paths = paths
        self._history = history
        self._insights = insights

    def page(self, number: int, size: int) -> DiaryPage:
        """Return a page, counted from 0; beyond the last one the last one. Nights taken back stand between the others."""
        paths = self._paths
        old = _shelves.get(lambda: shelves(paths.insights), paths.memory)
        concluded = _concluded.get(lambda: _by_stamp(self._insights.entries(archived=True)), paths.insights, *old)
        keys = self._keys(concluded)
        pages = max(1, -(-len(keys) // size))
        number = min(max(number, 0), pages - 1)
        shown = keys[number * size : (number + 1) * size]
        newest = keys[number * size - 1] if number else ""
        oldest = shown[-1] if shown and number < pages - 1 else ""
        entries, standing = self._entries(oldest), set(keys)
        lost = [key for key in entries if key not in standing and (not newest or key < newest) and key >= oldest]
        nights = [self._night(key, entries.get(key), concluded) for key in sorted({*shown, *lost}, reverse=True)]
        return DiaryPage([night for night in nights if night is not None], number, pages, len(keys))

    def latest(self) -> DreamNight | None:
        """Return the newest night that stands; the shelves are not opened for it."""
        concluded = _by_stamp(self._insights.entries())
        keys = self._keys(concluded)[:1]
        nights = (self._night(key, self._entries(key).get(key), concluded) for key in keys)
        return next((night for night in nights if night is not None), None)

    def all(self) -> list[DreamNight]:
        """Return every night, newest first, for a table of them."""
        return list(self.page(0, 1_000_000).nights)

    def _keys(self, concluded: Mapping[str, Sequence[Insight]]) -> list[str]:
        folder = self._paths.memory
        records = _records.get(lambda: [path.stem[6:] for path in files(folder, "dream_*.json")], folder)
        records = [key for key in records if _RECORD.fullmatch(f"dream_{key}.json")]
        recorded = {_stamp(key) for key in records}
        return sorted({*records, *(stamp for stamp in concluded if stamp not in recorded)}, reverse=True)

    def _entries(self, oldest: str) -> dict[str, Entry]:
        """Return the entries of the dreams since one, by the key of the night; the history is read no further back."""
        limit = _FIRST_LOOK
        while True:
            entries = self._history.entries(limit)
            if len(entries) < limit or f"{entries[-1].time:{_STAMP}}" < oldest:
                break
            limit *= 4
        found: dict[str, Entry] = {}
        for entry in entries:
            for name in entry.files if entry.kind == "change" else ():
                if match := _RECORD.fullmatch(name.removeprefix("memory/")):
                    found.setdefault(match.group(0).removeprefix("dream_").removesuffix(".json"), entry)
        return found

    def _night(self, key: str, entry: Entry | None, concluded: Mapping[str, Sequence[Insight]]) -> DreamNight | None:
        try:
            time = datetime.strptime(_stamp(key), _STAMP)
        except ValueError:  # a name of somebody's own
            return None
        record = self._record(key, entry)
        changes = tuple(change for change in _changes(record) if self._stands(change))
        texts = {change.text for change in changes if change.what == "insight"}
        insights = concluded.get(_stamp(key), ())
        insight = next((one for one in insights if not record or one.insight in texts), None)
        level = record.get("level", insight.level if insight else None)
        return DreamNight(
            key=key,
            time=time,
            level=level if isinstance(level, int) else None,
            days=tuple(_days(record)),
            messages=record["messages_read"] if isinstance(record.get("messages_read"), int) else 0,
            mind=str(record.get("mind", insight.mind if insight else "")),
            changes=changes,
            failed=tuple(str(one.get("task", "")) for one in _dicts(record, "failures") if "item" not in one),
            left_out=tuple(one for one in _left_out(record) if self._stands(one)),
            insight=insight,
            entry=entry,
        )

    def _stands(self, change: NightChange | LeftOut) -> bool:
        """Tell whether all that a change rested on is still there: its record keeps what has been forgotten since."""
        return self._gone.isdisjoint(change.evidence)

    @cached_property
    def _gone(self) -> frozenset[str]:
        readings = self._log.corrections() if self._log is not None else {}
        return frozenset(message_id for message_id, text in readings.items() if text is None)

    def _record(self, key: str, entry: Entry | None) -> dict[str, Any]:
        path = self._paths.memory / f"dream_{key}.json"
        data = read_bytes(path)
        if data is None and entry is not None:
            data = self._history.at(entry.id, path)
        with suppress(ValueError):  # broken by hand: the night is shown without it
            value = load_json(data or b"{}")
            if isinstance(value, dict):
                return value
        return {}


def _by_stamp(insights: Sequence[Insight]) -> dict[str, list[Insight]]:
    found: dict[str, list[Insight]] = {}
    for insight in insights:
        with suppress(ValueError):  # a moment that nobody can read, written by hand
            found.setdefault(f"{datetime.fromisoformat(insight.created_at):{_STAMP}}", []).append(insight)
    return found


def _stamp(key: str) -> str:
    return key[:15]


def _changes(record: Mapping[str, Any]) -> list[NightChange]:
    return [
        NightChange(str(one.get("what", "")), str(one.get("target", "")), str(one.get("text", "")), _evidence(one))
        for one in _dicts(record, "changes")
    ]


def _left_out(record: Mapping[str, Any]) -> list[LeftOut]:
    failures = (one for one in _dicts(record, "failures") if "item" in one)
    return [LeftOut(str(one["item"]), str(one.get("why", "")), _evidence(one)) for one in failures]


def _evidence(one: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(str(message) for message in one.get("evidence") or ())


def _days(record: Mapping[str, Any]) -> list[date]:
    days = record.get("days")
    return [day for one in (days if isinstance(days, list) else ()) if (day := day_of(str(one)))]


def _dicts(record: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    values = record.get(key)
    return [one for one in values if isinstance(one, dict)] if isinstance(values, list) else []
