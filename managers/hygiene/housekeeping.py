"""What follows a night: memories that have faded are put away, as one change that can be taken back.

It costs what is new. All memories are looked at only once `prune_interval` new ones have come; `memory/hygiene.json`
counts them between the nights.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, NonNegativeInt, ValidationError

from managers.hygiene.archive import Archive, Going, PutAway
from managers.hygiene.inventory import memories
from managers.hygiene.limits import collected, pruned
from managers.hygiene.merging import carry_out, merges
from managers.hygiene.retention import expired
from managers.memory.json_documents import Apply, JsonFile, encode
from managers.memory.working_copy import Stores, WorkingCopy
from managers.storage.audit import Given, record
from managers.storage.clock import Clock
from managers.storage.errors import Notice
from managers.storage.files import write_atomic
from managers.storage.locks import writing
from managers.storage.paths import PersonaPaths
from managers.storage.settings import MemorySettings

AUTHOR = "utatane"
"""Who made a change, in the history."""
_CROWDED = 0.8


class HygieneState(BaseModel):
    """What housekeeping must remember.

    Attributes:
        since_pruning, since_merging: how many memories were made since it last looked at all of them for that.
        active: how many were in use when they were last counted.
    """

    model_config = ConfigDict(extra="allow")

    since_pruning: NonNegativeInt = 0
    since_merging: NonNegativeInt = 0
    active: NonNegativeInt = 0


@dataclass(frozen=True)
class Tidied:
    """What housekeeping did: how many memories it put away, and what a person should know."""

    put_away: int = 0
    notices: tuple[Notice, ...] = ()


class Housekeeping:
    """Keeps one persona's memories within their limits."""

    def __init__(self, paths: PersonaPaths, clock: Clock, apply: Apply, settings: MemorySettings) -> None:
        self._paths = paths
        self._clock = clock
        self._apply = apply
        self._settings = settings
        self._file = _file_of(paths, clock)
        self.archive = Archive(paths, clock)

    def after_night(self, made: int) -> Tidied:
        """Do what is due after a night.

        Args:
            made: how many memories the night has made.
        """
        gone = self.expire()
        if not self._settings.hygiene or not made:
            return Tidied(gone, tuple(self._notices()))
        with writing(self._paths):
            state = _state(self._file)
            pruning, merging = state.since_pruning + made, state.since_merging + made
            prunes, merges_too = pruning >= self._settings.prune_interval, merging >= self._settings.merge_interval
            done, active = self._tidy(prunes=prunes, merges_too=merges_too) if prunes or merges_too else (0, None)
            state = state.model_copy(
                update={
                    "since_pruning": 0 if prunes else pruning,
                    "since_merging": 0 if merges_too else merging,
                    "active": state.active + made if active is None else active,
                }
            )
            write_atomic(self._file.path, encode(state.model_dump(mode="json")))
            return Tidied(gone + done, tuple(self._notices()))

    def due(self) -> list[Going]:
        """Return what is older than it stays in use; nothing is changed."""
        return expired(WorkingCopy(Stores.open(self._paths, self._clock)), self._settings, self._clock.now())

    def expire(self) -> int:
        """Put away what is older than it stays in use, as one change; return how much that was."""
        if self._settings.retention == "everything":
            return 0
        with writing(self._paths):
            copy = WorkingCopy(Stores.open(self._paths, self._clock))
            going = expired(copy, self._settings, self._clock.now())
            self._put_away(copy, going)
            return len(going)

    def restore(self, ids: Sequence[str] | None) -> list[PutAway]:
        """Put memories back from the archive; with None all that can be.

        Raises:
            NotInArchiveError, PlaceTakenError: nothing was changed.
        """
        with writing(self._paths):
            copy = WorkingCopy(Stores.open(self._paths, self._clock))
            back = self.archive.restore(copy, ids)
            if back:
                self._apply(copy.files(), author="user", reason="restored", evidence=())
                record(self._paths, self._clock.now(), "restore", Given({"memories": len(back)}))
            return back

    def _tidy(self, *, prunes: bool, merges_too: bool) -> tuple[int, int]:
        """Merge what says the same, and put away what has faded, as one change.

        Returns:
            How many memories were put away, and how many are in use now.
        """
        today, copy = self._clock.now().date(), WorkingCopy(Stores.open(self._paths, self._clock))
        active, going = list(memories(copy)), dict[str, Going]()
        if merges_too:
            for merge in merges(active, self._settings, today):
                going |= {one.memory.id: one for one in carry_out(copy, merge, today)}
        if prunes:
            left = [memory for memory in active if memory.id not in going]
            for one in (*pruned(left, self._settings, today), *collected(left, self._settings, today)):
                going.setdefault(one.memory.id, one)
        self._put_away(copy, list(going.values()))
        return len(going), len(active) - len(going)

    def _put_away(self, copy: WorkingCopy, going: Sequence[Going]) -> None:
        archived = self.archive.put_away(copy, going)
        if archived:
            self._apply({**copy.files(), **archived}, author=AUTHOR, reason="put away", evidence=())
            record(self._paths, self._clock.now(), "put_away", Given({"memories": len(going)}))

    def _notices(self) -> list[Notice]:
        found, self.archive.notices = [*self._file.take_notices(), *self.archive.notices], []
        return found


def is_crowded(paths: PersonaPaths, clock: Clock, limits: MemorySettings | None) -> bool:
    """Tell whether more than 80 % of the memories that may be in use are, as they were last counted."""
    settings = limits or MemorySettings()
    return _state(_file_of(paths, clock)).active > _CROWDED * settings.max_episodes


def _file_of(paths: PersonaPaths, clock: Clock) -> JsonFile:
    return JsonFile(paths, paths.memory / "hygiene.json", clock, dict)


def _state(file: JsonFile) -> HygieneState:
    try:
        return HygieneState.model_validate(file.read())
    except ValidationError:
        return HygieneState()
