"""Proving a backup: it is restored into a folder that is thrown away, and each file compared with the hash it had.

A full proof restores all of it, persona by persona, and lets doctor's checks look at each. A daily one restores what is
new since the last proved backup, and a seventh of the rest: the bytes of what was proved last week are the same ones.
"""

import hashlib
import logging
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from managers.exchange.backups.errors import BackupDamagedError, BackupStoppedError
from managers.exchange.backups.listing import File, Head, Level, Proof
from managers.exchange.backups.repository import Repository
from managers.exchange.backups.restoring import remove_restored, restore_file
from managers.integrity.inspection import examine
from managers.memory.log.reader import LogReader
from managers.storage.clock import Clock
from managers.storage.errors import UtataneError
from managers.storage.files import make_folder, open_binary
from managers.storage.paths import Home, PersonaPaths

FOLDER: Final = ".backup-proof.utatane-tmp"
SHARES: Final = 7
_MOST_NAMED: Final = 20
_BREATH: Final = 0.002
_logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Prover:
    """One backup being proved.

    Attributes:
        home: in which it is restored, into a folder that is removed again.
        is_stopped: asked before each file.
        is_quiet: somebody may be talking meanwhile.
        bad: the files that could not be restored as they were, all of them.
    """

    home: Home
    repository: Repository
    clock: Clock
    is_stopped: Callable[[], bool] = lambda: False
    is_quiet: bool = False
    bad: list[str] = field(default_factory=list)
    _count: int = 0
    _bytes: int = 0

    @property
    def _folder(self) -> Path:
        return self.home.folder / FOLDER

    def prove(self, files: list[File], before: Mapping[str, File] | None) -> Proof:
        """Restore a backup's files and compare them.

        Args:
            files: what it holds.
            before: the files of a proved backup, of which only a share is restored; None: all are.

        Raises:
            DiskFullError, UnwritableError, BackupStoppedError: nothing is known.
        """
        remove_restored(self._folder)  # what a killed process left
        try:
            make_folder(self._folder)
            findings = 0
            if before is None:
                for name, inside in _by_persona(files).items():
                    self._restore(inside)
                    findings += self._examine(name) if name else 0
                    remove_restored(self._folder)
            else:
                day = self.clock.now().toordinal() % SHARES
                self._restore(file for file in files if before.get(file.path) != file or _share(file) == day)
        finally:
            remove_restored(self._folder)
        level: Level = "failed" if self.bad else "full" if before is None else "part"
        at = self.clock.now().isoformat(timespec="seconds")
        return Proof(level, at, self._count, self._bytes, findings, tuple(self.bad[:_MOST_NAMED]))

    def _restore(self, files: Iterable[File]) -> None:
        for file in files:
            if self.is_stopped():
                raise BackupStoppedError
            if not self._comes_back(file):
                _logger.error("the backup is damaged: %s", file.path)
                self.bad.append(file.path)
            self._count += 1
            self._bytes += file.size
            if self.is_quiet:
                time.sleep(_BREATH)

    def _comes_back(self, file: File) -> bool:
        try:
            restore_file(self.repository, file, self._folder, lasting=False)
        except BackupDamagedError:
            return False
        return _hash(self._folder / file.path) == file.sha256

    def _examine(self, name: str) -> int:
        """Let doctor's checks look at a persona that was restored; return how much they found."""
        paths = PersonaPaths(self._folder / "characters" / name)
        with suppress(UtataneError):
            return len(examine(paths, LogReader(paths, self.clock, keeps_indexes=False), {}))
        return 1


def _by_persona(files: Iterable[File]) -> dict[str, list[File]]:
    """Return files by the persona whose they are, under an empty name those that are nobody's."""
    found: dict[str, list[File]] = {}
    for file in files:
        parts = file.path.split("/")
        is_ones = len(parts) > 2 and parts[0] == "characters" and not parts[1].startswith(".")  # noqa: PLR2004
        found.setdefault(parts[1] if is_ones else "", []).append(file)
    return found


def _share(file: File) -> int:
    return int(file.sha256[:8], 16) % SHARES


def _hash(path: Path) -> str:
    with open_binary(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]  # it is a plain file


def is_due_in_full(heads: Iterable[Head], now_ordinal: int, days: int) -> bool:
    """Tell whether the last full proof was made so many days ago, or never."""
    proved = (head.time.toordinal() for head in heads if head.proof.level == "full")
    return not any(0 <= now_ordinal - day < days for day in proved)  # the clock may have been ahead
