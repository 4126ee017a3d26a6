"""What a dream did, for whoever asks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from managers.memory.documents import TIME
from managers.sleep.changes import Change
from managers.sleep.errors import DraftRejectedError
from managers.sleep.tasks import Level
from managers.sleep.thinking import Failure
from managers.storage.errors import Notice


@dataclass(frozen=True)
class DreamReport:
    """What a dream did.

    Attributes:
        level: the depth of its reflection; None: it did not reflect.
        days: the days that it dreamt of.
        changes: what it changed (or would, in a dry run).
        entries: the history entries, one a transaction.
        failures: tasks that failed.
        notices: what a person should know.
        left: days that remain, where it was stopped.
        calls: how often a mind was asked.
    """

    started_at: datetime
    level: Level | None = None
    days: tuple[date, ...] = ()
    changes: tuple[Change, ...] = ()
    entries: tuple[str, ...] = ()
    failures: tuple[Failure, ...] = ()
    notices: tuple[Notice, ...] = ()
    left: int = 0
    messages: int = 0
    calls: int = 0
    cancelled: bool = False

    def plain(self) -> dict[str, Any]:
        """Return it for `--json`."""
        return {
            "started_at": f"{self.started_at:{TIME}}",
            "level": self.level,
            "days": [day.isoformat() for day in self.days],
            "messages": self.messages,
            "changes": [change.plain() for change in self.changes],
            "entries": list(self.entries),
            "failures": [{"task": f.task, "day": f.day, "error": f.error.sentence("en")} for f in self.failures],
            "left": self.left,
            "calls": self.calls,
            "cancelled": self.cancelled,
        }


def failure_notices(failures: Sequence[Failure]) -> list[Notice]:
    """Return what a person should know about tasks that failed: one notice for all of them."""
    if not failures:
        return []
    first = failures[0].error
    rejected = isinstance(first, DraftRejectedError)
    return [
        Notice(
            code="dream-incomplete",
            ja=f"夢のうち{len(failures)}件がうまくいきませんでした。次の夜にもう一度試します。{'' if rejected else first.sentence('ja')}",
            en=f"{len(failures)} part(s) of the dream did not work out and will be tried again the next night. "
            f"{'' if rejected else first.sentence('en')}".strip(),
            level="info" if rejected else "warning",
        )
    ]
