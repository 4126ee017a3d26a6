"""What follows a night: memories that have faded are put away, as one change that can be taken back.

It costs what is new. All memories are looked at only once `prune_interval` new ones have come; `memory/hygiene.json`
counts them between the nights. Who talks meanwhile does not wait: the persona's lock is held to write.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, NonNegativeInt

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


@dataclass(frozen=True)
class _Plan:
    """What is to be put away, and what is to be remembered of it; None where that stays as it is."""

    going: list[Going]
    state: HygieneState | None = None


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
        done = self._carried_out(lambda copy: self._tidy(copy, made))
        return Tidied(gone + done, tuple(self._notices()))

    def due(self) -> list[Going]:
        """Return what is older than it stays in use; nothing is changed."""
        return expired(WorkingCopy(Stores.open(self._paths, self._clock)), self._settings, self._clock.now())

    def expire(self) -> int:
        """Put away what is older than it stays in use, as one change; return how much that was."""
        if self._settings.retention == "everything":
            return 0
        return self._carried_out(lambda copy: _Plan(expired(copy, self._settings, self._clock.now())))

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

    def _carried_out(self, think: Callable[[WorkingCopy], _Plan]) -> int:
        """Put away what is to go, as one change; return how much that was.

        All is looked at without the persona's lock, and once more with it only where somebody wrote meanwhile.
        """
        stores = Stores.open(self._paths, self._clock)
        before, there = stores.stamp(), stores.stamp([self._file.path])
        plan, files = self._thought(think)
        read = stores.stamp(files)
        if not files and plan.state is None:
            return 0
        with writing(self._paths):
            if (stores.stamp(), stores.stamp([self._file.path]), stores.stamp(files)) != (before, there, read):
                plan, files = self._thought(think)
            if files:
                self._apply(files, author=AUTHOR, reason="put away", evidence=())
                record(self._paths, self._clock.now(), "put_away", Given({"memories": len(plan.going)}))
            if plan.state is not None:
                write_atomic(self._file.path, encode(plan.state.model_dump(mode="json")))
        return len(plan.going)

    def _thought(self, think: Callable[[WorkingCopy], _Plan]) -> tuple[_Plan, dict[Path, bytes | None]]:
        """Return what is to go, and what the files will hold without it; nothing is written."""
        copy = WorkingCopy(Stores.open(self._paths, self._clock))
        plan = think(copy)
        archived = self.archive.put_away(copy, plan.going)
        return plan, {**copy.files(), **archived} if archived else {}

    def _tidy(self, copy: WorkingCopy, made: int) -> _Plan:
        """Merge what says the same, and choose what has faded, each where enough new memories have come."""
        state, settings, today = _state(self._file), self._settings, self._clock.now().date()
        pruning, merging = state.since_pruning + made, state.since_merging + made
        prunes, merges_too = pruning >= settings.prune_interval, merging >= settings.merge_interval
        if not prunes and not merges_too:
            grown = {"since_pruning": pruning, "since_merging": merging, "active": state.active + made}
            return _Plan([], state.model_copy(update=grown))
        active, going = list(memories(copy)), dict[str, Going]()
        if merges_too:
            for merge in merges(active, settings, today):
                going |= {one.memory.id: one for one in carry_out(copy, merge, today)}
        if prunes:
            left = [memory for memory in active if memory.id not in going]
            for one in (*pruned(left, settings, today), *collected(left, settings, today)):
                going.setdefault(one.memory.id, one)
        counted = {
            "since_pruning": 0 if prunes else pruning,
            "since_merging": 0 if merges_too else merging,
            "active": len(active) - len(going),
        }
        return _Plan(list(going.values()), state.model_copy(update=counted))

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
    return file.read_as(HygieneState) or HygieneState()
