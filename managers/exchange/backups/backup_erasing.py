"""Erasing in backups: each is written anew without what goes, as the files of the home are.

Each file of the persona's folder goes through the same function as in the home (`managers.hygiene.erasure.rest_of`). The
folder's history goes from these backups altogether: the one in the home, gone through entry by entry, is in the next one.
A backup that cannot be opened is removed: nobody could say what it holds. Of a place that cannot be reached it is noted
what is owed there (`owing`).
"""

import io
import logging
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Final

from managers.exchange.backups.chunks import chunks
from managers.exchange.backups.errors import BackupDamagedError
from managers.exchange.backups.keeping import Backups, backups_of
from managers.exchange.backups.listing import File, Head
from managers.exchange.backups.owing import beside, folders_of, owe, rewrite
from managers.exchange.backups.proving import FOLDER as PROOF
from managers.exchange.backups.repository import Repository, exists
from managers.exchange.backups.restoring import contents, remove_restored
from managers.exchange.backups.state import read_state
from managers.hygiene.erasure import Plan, rest_of
from managers.hygiene.file_kinds import kind_of
from managers.hygiene.scrubbing import Scrubber
from managers.personas.admissions import Admissions, read_mark
from managers.storage.clock import Clock
from managers.storage.errors import UtataneError
from managers.storage.files import MAX_BYTES, digest, remove
from managers.storage.paths import Home, PersonaPaths
from managers.storage.settings import BACKUP

_GONE: Final = frozenset({"history", "index", "journal", "gone"})
_logger = logging.getLogger(__name__)


class ErasableBackups:
    """All backups of a home, wherever they lie, for whoever erases."""

    def __init__(self, home: Home, clock: Clock) -> None:
        self._home = home
        self._clock = clock
        self._backups: Backups = backups_of(home, clock)

    def holding(self, paths: PersonaPaths) -> list[str]:
        """Return the ids of the backups that hold a persona, those that cannot be opened included."""
        marks, found = self._marks(paths), []
        for repository in self._repositories():
            for head in self._own(repository):
                try:
                    is_in = bool(folders_of(repository, repository.files_of(head), _then(marks, head)))
                except UtataneError:
                    is_in = True
                found += [head.id] if is_in else []
        return found

    def unreachable(self) -> list[str]:
        """Return the places in which backups lay, and where nothing can be read now."""
        return [place for place in self._places() if not exists(Path(place))]

    def erase(self, paths: PersonaPaths, plan: Plan) -> tuple[int, list[str]]:
        """Erase what a plan says; return how many backups were written anew or removed, and the places not reached.

        Raises:
            DiskFullError, UnwritableError, BusyError: it can be done once more.
        """
        marks, changed = self._marks(paths), 0
        left, known = self.unreachable(), read_state(self._home).places
        for place in left:
            same = [one.folder for one in self._repositories() if one.id == known.get(place)]
            for mark, until in marks.items():
                owe(self._home, Path(place), mark, until or self._clock.utc(), same)
        for repository in self._repositories():
            with repository.working():
                remove_restored(self._home.folder / PROOF)  # what a killed process left
                erasing = _Erasing(repository, paths.name, marks, plan)
                changed += sum(erasing.erase_in(head) for head in self._own(repository))
                is_clear = _look_again(repository, is_all_ours=repository.folder == self._home.backups)
                is_clear &= not erasing.is_unread
                try:
                    repository.collect(at_once=True)
                except UtataneError:
                    _logger.exception("chunks that nobody needs could not be cleared away")
                    is_clear = False
                if not is_clear:
                    _logger.error("chunks of what was erased may still lie in %s", repository.folder)
                    left.append(str(repository.folder))
        return changed, left

    def _marks(self, paths: PersonaPaths) -> dict[str, datetime | None]:
        """Return what a persona is known by in backups, and until when: one that was brought back has another mark since."""
        admission = Admissions(self._home, self._clock).of(paths)
        former = {mark: datetime.fromisoformat(until) for mark, until in (admission.former if admission else ())}
        return {**former, read_mark(paths): None}

    def _places(self) -> list[str]:
        """Return where backups lie, or lay; a place that was only just named has none yet."""
        return sorted({*read_state(self._home).places, *(str(p) for p in self._likely() if exists(p))})

    def _likely(self) -> Iterator[Path]:
        yield self._home.backups
        with suppress(RuntimeError):  # a `~name` of nobody
            yield self._backups.place

    def _repositories(self) -> Iterator[Repository]:
        for place in self._places():
            if exists(Path(place)):
                yield Repository(Path(place), self._backups.secrets.get(BACKUP))

    def _own(self, repository: Repository) -> list[Head]:
        own = read_state(self._home).home
        return [head for head in repository.heads() if head.home == own]


def _then(marks: dict[str, datetime | None], head: Head) -> set[str]:
    """Return what a persona was known by when a backup was made."""
    return {mark for mark, until in marks.items() if until is None or head.utc <= until}


def _look_again(repository: Repository, *, is_all_ours: bool) -> bool:
    """Look once more at what nobody could read; tell whether it is known by now what lies in each pack.

    Where all is ours, what can be read and not understood is taken away: it is no backup any more. What cannot even be
    opened stays, for it may be good: too many files were open for a moment, say.
    """
    for name in repository.ids() if is_all_ours else ():
        if _is_damaged(partial(repository.head, name)):
            remove(repository.folder / "backups" / f"{name}.json")
    for path in repository.unknown_packs():
        if _is_damaged(partial(repository.learn, path)) and is_all_ours:
            remove(path)
    return not repository.unknown_packs()


def _is_damaged(look: Callable[[], object]) -> bool:
    """Tell whether what is looked at was read, and not understood."""
    try:
        look()
    except BackupDamagedError:
        return True
    except UtataneError:
        return False
    return False


def _is_unread(error: BaseException | None) -> bool:
    """Tell whether the disk would not be read, for now: what lies there may be good."""
    return error is not None and (isinstance(error, OSError) or _is_unread(error.__cause__))


@dataclass(slots=True)
class _Erasing:
    """One persona's words being erased in one place; a file that several backups share is gone through once."""

    repository: Repository
    name: str
    marks: dict[str, datetime | None]
    plan: Plan
    is_unread: bool = False
    _known: dict[tuple[str, str, bool], File | None] = field(default_factory=dict)

    def erase_in(self, head: Head) -> bool:
        """Erase in one backup; tell whether it holds something else now."""
        try:
            files = self.repository.files_of(head)
            folders = folders_of(self.repository, files, _then(self.marks, head))
        except UtataneError as error:
            self.is_unread |= (is_unread := _is_unread(error))
            if not is_unread:
                self.repository.remove(head)
            return not is_unread
        away = beside(self.name)
        left = []
        for file in files:
            folder = next((one for one in folders if file.path.startswith(one)), None)
            rest = self._rest(head, file, folder) if folder else None if file.path.startswith(away) else file
            left += [rest] if rest else []
        if left == files:
            return False
        left_out = tuple(path for path in head.left_out if not self.plan.traces.touches(path))
        rewrite(self.repository, replace(head, left_out=left_out), left)
        return True

    def _rest(self, head: Head, file: File, folder: str) -> File | None:
        name = file.path.removeprefix(folder)
        kind = kind_of(name)
        if kind.how in _GONE:
            return None
        if kind.how == "wordless" or file.size > MAX_BYTES:  # so large a file is named in the home, and stays there too
            return file
        key = (name, file.sha256, head.is_encrypted)
        if key not in self._known:
            self._known[key] = self._without(head, file, name)
        known = self._known[key]
        return None if known is None else replace(file, size=known.size, sha256=known.sha256, chunks=known.chunks)

    def _without(self, head: Head, file: File, name: str) -> File | None:
        """Return a file without what goes; one that is damaged goes whole, one that cannot be read for now stays."""
        try:
            data = b"".join(contents(self.repository, file))
        except UtataneError as error:
            self.is_unread |= (is_unread := _is_unread(error))
            return file if is_unread else None
        rest = rest_of(self.plan, kind_of(name), name, data, Scrubber(self.plan.traces), [])
        if rest is None or rest == data:
            return None if rest is None else file
        names = [
            self.repository.add(chunk, is_encrypted=head.is_encrypted) for chunk in chunks(io.BytesIO(rest), len(rest))
        ]
        return replace(file, size=len(rest), sha256=digest(rest), chunks=tuple(names))
