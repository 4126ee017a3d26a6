"""What one transaction of a dream has gathered: what it read, what it will change, and what failed."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from managers.memory.working_copy import WorkingCopy
from managers.sleep.changes import Change
from managers.sleep.errors import LeftOutError
from managers.sleep.tasks import DayMaterial, Level
from managers.storage.errors import UtataneError


@dataclass(frozen=True)
class Failure:
    """A task that failed, or an item of its answer that was left out.

    Attributes:
        evidence: the messages that the item rests on, or all of its day where it names none that exist.
    """

    task: str
    day: str
    error: UtataneError
    evidence: tuple[str, ...] = ()

    @property
    def is_left_out(self) -> bool:
        """Whether only an item is missing, and the task is done."""
        return isinstance(self.error, LeftOutError)

    def plain(self) -> dict[str, Any]:
        """Return it for `--json` and for the dream's own record."""
        told = {"task": self.task, "day": self.day, "error": self.error.sentence("en")}
        if not self.is_left_out:
            return told
        return {
            **told,
            "item": self.error.facts["item"],
            "why": self.error.facts["why"],
            "evidence": list(self.evidence),
        }


@dataclass
class Night:
    """What one transaction has gathered so far.

    Attributes:
        now: when it began.
        at: when what is thought now would have been thought in time: years may be made up for in one night.
    """

    copy: WorkingCopy
    now: datetime
    changes: list[Change] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    waiting: dict[str, list[str]] = field(default_factory=dict)
    settled: list[date] = field(default_factory=list)
    materials: list[DayMaterial] = field(default_factory=list)
    read: list[DayMaterial] = field(default_factory=list)
    """The days of which nothing is left unread."""
    calls: int = 0
    level: Level | None = None
    """How deep it reflected at its end."""
    tasks: frozenset[str] | None = None
    """The only tasks that it did of its days; None: all that were to be done."""
    at: datetime = field(init=False)

    def __post_init__(self) -> None:
        self.at = self.now

    def take(self, changes: Sequence[Change]) -> None:
        for change in changes:
            change.make(self.copy)
        self.changes += changes
