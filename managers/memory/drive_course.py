"""The course of the four drives: `memory/drive_course_YYYY-MM.jsonl`, one line an hour at most.

The inner state says what the drives are now; this is what they were. Lines are only ever appended,
each month in its own file (at most 744 lines, about 90 KB), so nothing that is rewritten grows.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from managers.memory.drives import DRIVES, Drive, Levels
from managers.storage.files import append_durably, files, read_bytes
from managers.storage.json_text import load_json
from managers.storage.locks import WAIT_SECONDS, writing
from managers.storage.paths import PersonaPaths

EVERY = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class CoursePoint:
    """The drives at one moment."""

    time: datetime
    levels: dict[Drive, float]


class DriveCourse:
    """The course of a persona's drives."""

    def __init__(self, paths: PersonaPaths) -> None:
        self._paths = paths
        self._last: datetime | None = None

    def note(self, levels: Levels, now: datetime, wait: float = WAIT_SECONDS) -> bool:
        """Note the drives, unless that was done within the last hour; return whether it was.

        Raises:
            BusyError: somebody else has been writing for longer than `wait` seconds.
        """
        if not self._is_due(now):
            return False
        with writing(self._paths, wait):
            self._last = self._last_noted(now)  # another process may have noted them
            if not self._is_due(now):
                return False
            noted = {str(drive): round(levels.of(drive), 4) for drive in DRIVES}
            line = {"time": now.isoformat(timespec="seconds"), **noted}
            append_durably(self._path(now), (json.dumps(line) + "\n").encode())
            self._last = now
        return True

    def points(self, since: datetime, until: datetime) -> list[CoursePoint]:
        """Return what was noted from `since` on and before `until`, oldest first; only those months are read."""
        found = [
            point
            for path in files(self._paths.memory, "drive_course_[0-9][0-9][0-9][0-9]-[0-9][0-9].jsonl")
            if f"{since:%Y-%m}" <= path.stem.removeprefix("drive_course_") <= f"{until:%Y-%m}"
            for point in _points(path)
            if since <= point.time < until
        ]
        return sorted(found, key=lambda point: point.time)

    def _is_due(self, now: datetime) -> bool:
        # A clock that was set back far must not silence the course until it has caught up.
        return self._last is None or abs(now - self._last) >= EVERY

    def _last_noted(self, now: datetime) -> datetime | None:
        times = [point.time for point in _points(self._path(now))]
        return times[-1] if times else self._last

    def _path(self, now: datetime) -> Path:
        return self._paths.memory / f"drive_course_{now:%Y-%m}.jsonl"


def _points(path: Path) -> Iterator[CoursePoint]:
    for line in (read_bytes(path) or b"").splitlines():
        try:
            value = load_json(line)
            levels: dict[Drive, float] = {drive: min(1.0, max(0.0, float(value[drive]))) for drive in DRIVES}
            yield CoursePoint(datetime.fromisoformat(value["time"]), levels)
        except (ValueError, KeyError, TypeError):  # cut short by a crash, or by hand: the others stand
            continue
