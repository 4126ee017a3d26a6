"""What the control records of a log say of messages, also of those that stand in its other files."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from managers.memory.log.log_files import MONTH
from managers.recall.hits import LOG_TYPES
from managers.recall.index.file_updates import UNCORRECTED, Indexes
from managers.recall.index.sources import Source
from managers.recall.index.store import FileRecord

Corrections = Mapping[str, str | None]
"""How messages read now, by their ids; None: not at all."""

_CARRIED_OUT = "corrections"
_IN_EPOCH = "corrections_epoch"
"""Of the static index: one that was lost and made anew holds what messages said at first."""


@dataclass(frozen=True)
class LogCorrections:
    """The corrections that the indexed files of a log hold, and those that have been carried out in all of them."""

    indexes: Indexes

    def told(self, fresh: Mapping[str, Corrections] = {}) -> dict[str, str | None]:
        """Return what the control records of all log files say; the newest file has the last word.

        Args:
            fresh: what files say that are not indexed yet as they are now.
        """
        told = dict[str, Corrections]()
        for index in (self.indexes["static"], self.indexes["current"]):
            told |= {
                name: json.loads(one.state).get("changes", {}) for name, one in index.store.files(LOG_TYPES).items()
            }
        found: dict[str, str | None] = {}
        for name in sorted({**told, **fresh}, key=_age):
            found |= fresh.get(name, told.get(name, {}))
        return found

    def are_under_way(self) -> bool:
        """Whether a round that brought corrections was killed before it had carried them out everywhere."""
        return any(index.store.meta(UNCORRECTED) for index in self.indexes.values())

    def changed(self, corrections: Corrections) -> set[str]:
        """Return the messages that read otherwise than when corrections were last carried out."""
        current = self.indexes["current"].store
        is_other = current.meta(_IN_EPOCH) not in ("", self._epoch)
        held: Corrections = {} if is_other else json.loads(current.meta(_CARRIED_OUT) or "{}")
        return {one for one in {*held, *corrections} if held.get(one, "") != corrections.get(one, "")}

    def note_carried_out(self, corrections: Corrections) -> None:
        """Note that all files read as these corrections say."""
        current = self.indexes["current"].store
        for key, value in ((_CARRIED_OUT, json.dumps(corrections, ensure_ascii=False)), (_IN_EPOCH, self._epoch)):
            if current.meta(key) != value:
                current.set_meta(key, value)
        for index in self.indexes.values():
            if index.store.meta(UNCORRECTED):
                index.store.set_meta(UNCORRECTED, "")

    @property
    def _epoch(self) -> str:
        return self.indexes["static"].store.marks()[0]

    def concern(self, source: Source, old: FileRecord, changed: Collection[str]) -> bool:
        """Whether one of these messages is, or once was, in a file."""
        index = self.indexes[source.index]
        if any(index.has_unit(old, unit) for unit in changed):
            return True
        # A message that had been deleted and is there again is in no index: any file may hold it.
        return any(not self._is_indexed(unit) for unit in changed)

    def _is_indexed(self, unit: str) -> bool:
        return any(
            index.has_unit(record, unit)
            for index in self.indexes.values()
            for record in index.store.files(LOG_TYPES).values()
        )


def _age(name: str) -> tuple[bool, bool, str]:
    """Return what puts the files of a log in order, the oldest first."""
    path = PurePosixPath(name)
    return path.parent.name != "log_archives", MONTH.fullmatch(path.name) is not None, name
