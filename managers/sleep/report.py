"""What a dream did, for whoever asks."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Generic, Protocol, TypeVar

from managers.memory.json_documents import TIME
from managers.sleep.changes import Change
from managers.sleep.errors import DraftRejectedError
from managers.sleep.night import Failure
from managers.sleep.tasks import Level
from managers.storage.errors import Notice
from managers.storage.texts import Texts

_say = Texts("notices/dreams")


class Changed(Protocol):
    """A memory that a dream made or changed: as the dream proposed it, or as its record tells of it."""

    @property
    def what(self) -> str:
        """Which kind of memory."""

    @property
    def target(self) -> str:
        """Which one: a day, a name, a topic."""

    @property
    def text(self) -> str:
        """What it says now; empty where it was taken away."""


AnyChange = TypeVar("AnyChange", bound=Changed)


@dataclass(frozen=True, slots=True)
class Told(Generic[AnyChange]):
    """What a person is told of a dream, in this order.

    Attributes:
        stories: the episodes, one for each day: `target` is the day (ISO), `text` its story.
        changed: the other memories that were made, changed or taken away.
    """

    stories: tuple[AnyChange, ...] = ()
    changed: tuple[AnyChange, ...] = ()

    @property
    def count(self) -> int:
        """How many memories that are: the number for any headline."""
        return len(self.stories) + len(self.changed)


def told_of(changes: Sequence[AnyChange]) -> Told[AnyChange]:
    """Return what of a dream's changes a person is told; that a reflection took place is no memory."""
    shown = [change for change in changes if (change.what, change.target) != ("goal", "meta")]
    stories = tuple(change for change in shown if change.what == "episode" and change.text)
    return Told(stories, tuple(change for change in shown if change not in stories))


@dataclass(frozen=True)
class DreamReport:
    """What a dream did.

    Attributes:
        level: the depth of its reflection; None: it did not reflect.
        days: the days that it dreamt of.
        changes: what it changed (or would, in a dry run).
        entries: the history entries, one a transaction.
        failures: tasks that failed, and items that were left out.
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

    @property
    def told(self) -> Told[Change]:
        """What a person is told of it; the nights of the diary tell the same."""
        return told_of(self.changes)

    def plain(self) -> dict[str, Any]:
        """Return it for `--json`."""
        return {
            "started_at": f"{self.started_at:{TIME}}",
            "level": self.level,
            "days": [day.isoformat() for day in self.days],
            "messages": self.messages,
            "changes": [change.plain() for change in self.changes],
            "entries": list(self.entries),
            "failures": [failure.plain() for failure in self.failures],
            "left": self.left,
            "calls": self.calls,
            "cancelled": self.cancelled,
        }


def failure_notices(failures: Sequence[Failure]) -> list[Notice]:
    """Return what a person should know about tasks that failed: one notice for all of them; the diary tells the rest."""
    failures = [failure for failure in failures if not failure.is_left_out]
    if not failures:
        return []
    first = failures[0].error
    rejected = isinstance(first, DraftRejectedError)
    why = {"ja": "", "en": ""} if rejected else {"ja": first.sentence("ja"), "en": first.sentence("en")}
    told = _say.both("dream-incomplete", count=len(failures), why=why)
    return [Notice("dream-incomplete", told["ja"], told["en"].strip(), level="info" if rejected else "warning")]
