"""Making a backup: what has not changed since the last one is neither read nor stored again."""

import hashlib
import logging
import os
import secrets
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from managers.exchange.backups.chunks import chunks
from managers.exchange.backups.contents import Found, around, folders_of_personas, of_persona
from managers.exchange.backups.errors import BackupStoppedError
from managers.exchange.backups.listing import File, Head
from managers.exchange.backups.repository import Repository
from managers.storage.clock import Clock
from managers.storage.errors import BusyError, UnwritableError, UtataneError
from managers.storage.files import entries
from managers.storage.opening import open_plain
from managers.storage.paths import Home, PersonaPaths
from managers.storage.settings import BackupSettings

_MOST_NAMED: Final = 20
_LOOKS: Final = 5
"""So often all is looked at, while personas go on being renamed."""
_BREATH: Final = 0.002
"""Seconds between two chunks: whoever talks meanwhile comes first."""
_logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Maker:
    """One backup being made.

    Attributes:
        home, repository, settings, clock: of what, where, what goes into it, when.
        known: the files of the backup before it, by path; none, if all are to be read anew.
        is_stopped: asked before each file that is read, and each chunk of it.
        is_quiet: somebody may be talking meanwhile.
    """

    home: Home
    repository: Repository
    settings: BackupSettings
    clock: Clock
    known: dict[str, File] = field(default_factory=dict)
    is_stopped: Callable[[], bool] = lambda: False
    is_quiet: bool = False
    left_out: list[str] = field(default_factory=list)
    _found: list[File] = field(default_factory=list)
    _has_moved: bool = False

    def make(self, reason: str, home_id: str, places: set[Path]) -> tuple[Head, list[File]]:
        """Make a backup; the repository is being worked in.

        Args:
            reason: one of `REASONS`.
            home_id: by what the home is known.
            places: folders in which backups lie: they are left out.

        Raises:
            DiskFullError, UnwritableError, BusyError, BackupStoppedError: there is no such backup; those before it stand.
        """
        now, utc = self.clock.now(), self.clock.utc()
        is_encrypted = self.repository.is_encrypted
        self._take_all(places)
        head = Head(
            id=f"{now:%Y%m%d-%H%M%S}-{secrets.token_hex(2)}",
            home=home_id,
            folder=str(self.home.folder),
            made_at=now.isoformat(timespec="seconds"),
            made_utc=utc.isoformat(timespec="microseconds"),
            reason=reason,
            files=len(self._found),
            bytes=sum(file.size for file in self._found),
            new_bytes=self.repository.written_bytes,
            left_out=tuple(self.left_out[:_MOST_NAMED]),
            is_encrypted=is_encrypted,
        )
        return self.repository.save(head, self._found), self._found

    def _take_all(self, places: set[Path]) -> None:
        """Take the whole home; once more, where a persona changed its name, came or went meanwhile: it might be missing.

        Raises:
            BusyError: that went on.
        """
        for _ in range(_LOOKS):
            self.known = {**self.known, **{file.path: file for file in self._found}}
            self._found, self.left_out, self._has_moved = [], [], False
            names = self._names()
            self._take(around(self.home, self.settings, places, is_encrypted=self.repository.is_encrypted))
            for paths, is_resident in folders_of_personas(self.home, self.clock):
                self._take_persona(paths, is_resident=is_resident)
            if not self._has_moved and self._names() == names:
                return
        raise BusyError(name=self.home.characters.name)

    def _names(self) -> set[str]:
        found = {entry.name for entry in entries(self.home.characters, {"folder"})}
        return {name for name in found if not name.startswith(".")}

    def _take_persona(self, paths: PersonaPaths, *, is_resident: bool) -> None:
        try:
            with of_persona(self.home, paths, self._is_known, is_resident=is_resident) as held:
                self._take(held)
        except FileNotFoundError:
            self._has_moved = True
        except UnwritableError:
            if paths.folder.is_dir():
                raise
            self._has_moved = True

    def _take(self, found: Iterable[Found]) -> None:
        for one in found:
            if self._is_known(one):
                self._found.append(self.known[one.path])
                continue
            try:
                file = self._read(one)
            except FileNotFoundError:  # gone since it was listed: as if it had gone before
                self._has_moved |= one.is_held
                continue
            except OSError as error:
                _logger.warning("left out of the backup: %s: %s", one.path, error)
                self.left_out.append(one.path)
                continue
            self._found.append(file)

    def _is_known(self, one: Found) -> bool:
        """Tell whether a file is as it was in the backup before, and all its chunks are there."""
        before = self.known.get(one.path)
        return (
            before is not None
            and (before.size, before.mtime_ns, before.inode) == (one.size, one.mtime_ns, one.inode)
            and all(map(self.repository.has, before.chunks))
        )

    def _read(self, one: Found) -> File:
        names, known, size = [], hashlib.sha256(), 0
        self._let_others_in()
        with open_plain(one.source) as source:
            if not one.is_held:  # another one may lie there since it was listed
                now = os.fstat(source.fileno())
                one = one._replace(size=now.st_size, mtime_ns=now.st_mtime_ns, inode=now.st_ino)
            for chunk in chunks(source, one.size):
                self._let_others_in()
                names.append(self.repository.add(chunk))
                known.update(chunk)
                size += len(chunk)
        return File(one.path, size, one.mtime_ns, one.inode, known.hexdigest(), tuple(names))

    def _let_others_in(self) -> None:
        if self.is_stopped():
            raise BackupStoppedError
        if self.is_quiet:
            time.sleep(_BREATH)


def known_files(repository: Repository, home_id: str) -> dict[str, File]:
    """Return the files of the newest backup of a home whose list can be read, by path."""
    for head in reversed(repository.heads()):
        if head.home == home_id and head.is_encrypted == repository.is_encrypted:
            try:
                return {file.path: file for file in repository.files_of(head)}
            except UtataneError:
                _logger.warning("the list of the backup %s cannot be read", head.id)
    return {}
