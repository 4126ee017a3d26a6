"""What follows a night: memories that have faded are put away, as one change that can be taken back.

It costs what is new. All memories are looked at only once `prune_interval` new ones have come; `memory/hygiene.json`
counts them between the nights.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, NonNegativeInt, ValidationError

from managers.hygiene.archive import Archive, PutAway
from managers.hygiene.inventory import memories
from managers.hygiene.limits import collected, pruned
from managers.memory.json_documents import Apply, JsonFile, encode
from managers.memory.working_copy import Stores, WorkingCopy
from managers.storage.clock import Clock
from managers.storage.errors import Notice
from managers.storage.files import write_atomic
from managers.storage.locks import writing
from managers.storage.paths import PersonaPaths
from managers.storage.settings import MemorySettings

AUTHOR = "utatane"
"""Who made a change, in the history."""


class HygieneState(BaseModel):
    """What housekeeping must remember: how many memories were made since it last looked at all of them."""

    model_config = ConfigDict(extra="allow")

    since_pruning: NonNegativeInt = 0


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
        self._file = JsonFile(paths, paths.memory / "hygiene.json", clock, dict)
        self.archive = Archive(paths, clock)

    def after_night(self, made: int) -> Tidied:
        """Do what is due after a night.

        Args:
            made: how many memories the night has made.
        """
        if not self._settings.hygiene or not made:
            return Tidied()
        with writing(self._paths):
            state = self._state()
            since = state.since_pruning + made
            is_due = since >= self._settings.prune_interval
            put_away = self._put_away_what_fades() if is_due else 0
            state = state.model_copy(update={"since_pruning": 0 if is_due else since})
            write_atomic(self._file.path, encode(state.model_dump(mode="json")))
            return Tidied(put_away, tuple(self._notices()))

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
            return back

    def _put_away_what_fades(self) -> int:
        """Put away what has faded or was collected; return how many memories that were."""
        today, copy = self._clock.now().date(), WorkingCopy(Stores.open(self._paths, self._clock))
        active = list(memories(copy))
        chosen = [*pruned(active, self._settings, today), *collected(active, self._settings, today)]
        going = {one.memory.id: one for one in chosen}
        archived = self.archive.put_away(copy, going.values())
        if archived:
            self._apply({**copy.files(), **archived}, author=AUTHOR, reason="put away", evidence=())
        return len(going)

    def _state(self) -> HygieneState:
        try:
            return HygieneState.model_validate(self._file.read())
        except ValidationError:
            return HygieneState()

    def _notices(self) -> list[Notice]:
        found, self.archive.notices = [*self._file.take_notices(), *self.archive.notices], []
        return found
