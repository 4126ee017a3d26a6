"""The emotion log as a curve: averages over hours, days, weeks or months, fast over many years.

`EmotionLog` makes an object of each reading; a curve over a hundred thousand needs none of them. So
the files are read as plain JSON here, and only those that the span touches.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import lru_cache
from heapq import merge
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Any, Literal

from managers.memory.emotions import VALUES, month_files, next_month
from managers.memory.json_documents import JsonFile
from managers.storage.clock import Clock
from managers.storage.files import read_bytes
from managers.storage.json_text import load_json
from managers.storage.paths import PersonaPaths

Step = Literal["hour", "day", "week", "month"]


@dataclass(frozen=True, slots=True)
class Reading:
    """What one message showed; `value` is from -1 to 1."""

    time: datetime
    emotion: str
    value: float
    text: str
    message_id: str


@dataclass(frozen=True, slots=True)
class Bucket:
    """The readings from `start` on and before `end`."""

    start: datetime
    end: datetime
    mean: float
    count: int


@dataclass(frozen=True)
class EmotionCurve:
    """Reads the emotion log of a persona for curves."""

    paths: PersonaPaths
    clock: Clock

    def readings(self, since: datetime, until: datetime) -> Iterator[Reading]:
        """Yield the readings from `since` on and before `until`, oldest first, of years a month at a time."""
        files = map(_readings, self._raw(since, until))
        return merge(next(files), chain.from_iterable(files), key=attrgetter("time"))

    def buckets(self, since: datetime, until: datetime, step: Step) -> list[Bucket]:
        """Return the averages of whole hours, days, weeks (from Monday) or months, oldest first; empty ones are left out."""
        sums: defaultdict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
        key_of = _KEYS[step]
        for stamp, emotion, _, _ in chain.from_iterable(self._raw(since, until)):
            total = sums[key_of(stamp)]
            total[0] += VALUES.get(emotion, 0.0)
            total[1] += 1
        found = []
        for key in sorted(sums):
            start = _start(key)
            if start is not None:
                value, count = sums[key]
                found.append(Bucket(start, end_of(start, step), value / count, int(count)))
        return found

    def first(self) -> datetime | None:
        """Return when the log begins."""
        months = month_files(self.paths)
        stamps = [stamp for stamp, *_ in (_entries(self._read(months[0])) if months else self._current())]
        return _start(min(stamps)[:10]) if stamps else None

    def _raw(self, since: datetime, until: datetime) -> Iterator[list[tuple[str, str, str, str]]]:
        """Yield what stands in each file: in the current ones, then in those of the months, the oldest first."""
        first, last = since.isoformat(), until.isoformat()
        # While months are moved, a reading stands in two files: what is current, and its month's; and in one, twice.
        current = list({one[:1] + one[2:]: one for one in self._current() if first <= one[0] < last}.values())
        yield current
        known = {one[:1] + one[2:] for one in current}
        for path in month_files(self.paths):
            if f"{since:%Y-%m}" <= path.stem.removeprefix("emotion_log_") <= f"{until:%Y-%m}":
                month = _entries(self._read(path))
                yield [one for one in month if first <= one[0] < last and one[:1] + one[2:] not in known]

    def _current(self) -> Iterator[tuple[str, str, str, str]]:
        # Looked at first: what is folded in meanwhile is then in both files, and not in none.
        waiting = read_bytes(self.paths.memory / "emotion_log.new.jsonl") or b""
        yield from _entries(self._read(self.paths.emotion_log))
        for line in waiting.splitlines():
            with suppress(ValueError):  # cut short by a crash: never acknowledged
                yield from _entries([load_json(line)])

    def _read(self, path: Path) -> list[Any]:
        found: list[Any] = JsonFile(self.paths, path, self.clock, list).read()
        return found


def end_of(start: datetime, step: Step) -> datetime:
    """Return the end of the hour, day, week or month that begins at `start`."""
    if step == "month":
        return next_month(start)
    return start + {"hour": timedelta(hours=1), "day": timedelta(days=1), "week": timedelta(days=7)}[step]


def _entries(values: list[Any]) -> Iterator[tuple[str, str, str, str]]:
    for value in values:
        try:
            stamp, emotion = value["timestamp"], value["emotion"]
            text, message_id = value.get("user_text_snippet", ""), value.get("message_id", "")
        except (TypeError, KeyError, AttributeError):
            continue  # not a reading; it stays in its file
        if isinstance(stamp, str) and isinstance(emotion, str):
            yield stamp.replace(" ", "T", 1), emotion, str(text), str(message_id)


def _readings(entries: Iterable[tuple[str, str, str, str]]) -> list[Reading]:
    found = []
    for stamp, emotion, text, message_id in entries:
        with suppress(ValueError):  # a moment that nobody can read, written by hand
            found.append(Reading(datetime.fromisoformat(stamp), emotion, VALUES.get(emotion, 0.0), text, message_id))
    return sorted(found, key=attrgetter("time"))


def _start(key: str) -> datetime | None:
    with suppress(ValueError):
        return datetime.fromisoformat(f"{key}-01" if len(key) == len("2026-01") else f"{key}:00" if "T" in key else key)
    return None


@lru_cache(maxsize=5000)
def _monday(day: str) -> str:
    with suppress(ValueError):
        found = date.fromisoformat(day)
        return (found - timedelta(days=found.weekday())).isoformat()
    return day


_KEYS: dict[Step, Callable[[str], str]] = {
    "hour": lambda stamp: stamp[:13],
    "day": lambda stamp: stamp[:10],
    "week": lambda stamp: _monday(stamp[:10]),
    "month": lambda stamp: stamp[:7],
}
