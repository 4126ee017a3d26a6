"""The backups of one home folder: made, proved, thinned, found again."""

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

from managers.exchange.backups.errors import (
    BackupDamagedError,
    BackupLockedError,
    BackupPlaceEmptyError,
    BackupPlaceMissingError,
    BackupPlaceRefusedError,
    NoSuchBackupError,
    NotInBackupError,
)
from managers.exchange.backups.listing import File, Head
from managers.exchange.backups.making import Maker, known_files
from managers.exchange.backups.owing import pay
from managers.exchange.backups.proving import Prover, is_due_in_full
from managers.exchange.backups.repository import FOLDER, Repository, exists
from managers.exchange.backups.sealing import new_key
from managers.exchange.backups.state import State, change_state, read_state
from managers.exchange.backups.thinning import kept
from managers.storage.audit import Given, record
from managers.storage.clock import Clock, SystemClock
from managers.storage.errors import UnsafeNameError, UtataneError
from managers.storage.paths import Home
from managers.storage.settings import BACKUP, BackupSettings, Secrets, SettingsFile

FULL_PROOF_DAYS: Final = 7
LATEST: Final = "latest"
_logger = logging.getLogger(__name__)


@dataclass
class Backups:
    """The backups of one home folder. Safe to use from several threads and processes.

    Attributes:
        home, clock: whose, and the time.
        settings: as they stand now.
        secrets: where the key of encrypted backups lies.
        is_stopped: asked again and again while one is made or proved.
        is_quiet: somebody may be talking meanwhile.
        folder: where they lie, if not where the settings say.
        key: of encrypted ones, if it is not to be looked up.
    """

    home: Home
    clock: Clock
    settings: Callable[[], BackupSettings]
    secrets: Secrets
    is_stopped: Callable[[], bool] = lambda: False
    is_quiet: bool = False
    folder: Path | None = None
    key: str = ""

    # Where

    @property
    def home_id(self) -> str:
        """By what this home is known among those whose backups lie in one place; empty before the first one."""
        return read_state(self.home).home

    @property
    def place(self) -> Path:
        """The folder in which backups lie, as it is set now."""
        if self.folder is not None:
            return self.folder
        named = self.settings().place.strip()
        return Path(named).expanduser() / FOLDER if named else self.home.backups

    def repository(self) -> Repository:
        """Return where backups lie, to read there.

        Raises:
            BackupPlaceMissingError, BackupPlaceRefusedError
        """
        self._check(self.place)
        return Repository(self.place, self.key or self.secrets.get(BACKUP))

    def _check(self, place: Path) -> None:
        if place == self.home.backups:
            return
        if not place.parent.is_dir() or not place.is_absolute():
            raise BackupPlaceMissingError(place=place.parent)
        inside = (self.home.characters, self.home.trash)
        if any(place.resolve().is_relative_to(folder.resolve()) for folder in inside):
            raise BackupPlaceRefusedError(place=place.parent)

    def _to_write(self, *, anew: bool) -> Repository:
        """Return where backups are written.

        Raises:
            BackupPlaceEmptyError: there is nothing where something was before, and nobody said that this is meant.
            BackupLockedError
        """
        repository = self.repository()
        known = read_state(self.home).places.get(str(self.place))
        if known and not exists(repository.folder) and not anew and self.place != self.home.backups:
            raise BackupPlaceEmptyError(place=self.place.parent)
        if repository.is_encrypted:
            repository.sealing()
        return repository

    def _noted(self, repository: Repository) -> str:
        """Note what lies here; return by what this home is known."""

        def note(state: State) -> State:
            if self.place == self.home.backups:  # it goes wherever the home goes
                return state
            return state.model_copy(update={"places": {**state.places, str(self.place): repository.id}})

        return change_state(self.home, note).home

    # Making

    def make(self, reason: str = "now", *, in_full: bool = True) -> Head:
        """Make a backup, prove it, and let go of those that are no longer to be kept.

        What turns out to be damaged is stored anew, if it still is in the home: then a second one is made at once.

        Args:
            reason: one of `listing.REASONS`.
            in_full: whether, once a week, all of it is restored to see whether it is good, and not only what is new.

        Raises:
            BackupPlaceMissingError, BackupPlaceEmptyError, BackupPlaceRefusedError, BackupLockedError
            DiskFullError, UnwritableError, BusyError, BackupStoppedError: no backup was made; those before it stand.
        """
        repository = self._to_write(anew=reason == "now")
        with repository.working():
            home_id = self._noted(repository)
            pay(self.home, repository, self.place)
            head = self._made(repository, home_id, reason, in_full=in_full)
            if head.proof.level == "failed":
                _logger.error("the backup %s cannot be restored as it was: it is made anew", head.id)
                head = self._made(repository, home_id, reason, in_full=in_full)
            if reason != "restore":  # it could take the very one away that is to be brought back
                self._thin(repository, home_id)
        return head

    def _made(self, repository: Repository, home_id: str, reason: str, *, in_full: bool) -> Head:
        own = [head for head in repository.heads() if head.home == home_id]
        is_full = in_full and is_due_in_full(own, self.clock.now().toordinal(), FULL_PROOF_DAYS)
        known = {} if is_full else known_files(repository, home_id)
        maker = Maker(
            self.home,
            repository,
            self.settings(),
            self.clock,
            known,
            is_stopped=self.is_stopped,
            is_quiet=self.is_quiet,
        )
        repository.written_bytes = 0
        head, files = maker.make(reason, home_id, {self.place, self.home.backups})
        before = None if is_full else self._last_good(repository, own)
        head = head.proved(self._prover(repository).prove(files, before))
        repository.save_head(head)
        if self.place != self.home.backups:
            note_in_audits(self.home, self.clock, "backup", files)
        return head

    def _prover(self, repository: Repository) -> Prover:
        return Prover(self.home, repository, self.clock, self.is_stopped, self.is_quiet)

    def _last_good(self, repository: Repository, own: Sequence[Head]) -> dict[str, File] | None:
        for head in reversed(own):
            if head.is_good and head.is_encrypted == repository.is_encrypted:
                try:
                    return {file.path: file for file in repository.files_of(head)}
                except UtataneError:
                    continue
        return None

    def _thin(self, repository: Repository, home_id: str) -> None:
        now = self.clock.utc()  # what a clock that was ahead has dated waits for its time
        own = [head for head in repository.heads() if head.home == home_id and head.utc <= now]
        stay = kept(own, self.settings())
        for head in own:
            if head.id not in stay:
                repository.remove(head)
        try:
            repository.collect()
        except UtataneError as error:
            _logger.warning("nothing is cleared away in %s: %s", repository.folder, error)

    # Looking

    def heads(self) -> list[Head]:
        """Return all backups, the newest first.

        Raises:
            BackupPlaceMissingError, BackupPlaceRefusedError, UnreadableError
        """
        return list(reversed(self.repository().heads()))

    def _own(self) -> list[Head]:
        """Return the backups of this home, the newest first; last those that were dated by a clock that was ahead."""
        own, now = self.home_id, self.clock.utc()
        return sorted((head for head in self.heads() if head.home == own), key=lambda head: head.utc > now)

    def last_good(self) -> Head | None:
        """Return the newest backup of this home that was restored to see whether it is good; None if there is none.

        Raises:
            BackupPlaceMissingError, BackupPlaceRefusedError, UnreadableError
        """
        return next((head for head in self._own() if head.is_good), None)

    def is_due(self) -> bool:
        """Tell whether no good backup was made today; costs a look at the place.

        Raises:
            BackupPlaceMissingError, BackupPlaceRefusedError, UnreadableError
        """
        own = (head for head in self._own() if head.is_good and head.reason in {"daily", "now"})
        last = next(own, None)  # one before an import is not after it
        return last is None or last.time.date() != self.clock.now().date()

    def find(self, name: str = LATEST) -> Head:
        """Return a backup by its id, or the beginning of one; `latest` is the newest good one, or the newest at all.

        One that was made before something was brought back holds what somebody wanted to be rid of: it is not the latest.
        Nor is another home's that lies in the same place, unless this one has none: a home that was lost, say.

        Raises:
            NoSuchBackupError, BackupPlaceMissingError, BackupPlaceRefusedError
        """
        if name == LATEST:
            heads = self._own() or self.heads()
            fitting = [head for head in heads if head.is_good and head.reason != "restore"] or heads
        else:
            fitting = [head for head in self.heads() if name and head.id.startswith(name)]
        if not fitting:
            raise NoSuchBackupError(name=name, place=self.place)
        return fitting[0]

    def check(self, name: str = "") -> list[Head]:
        """Restore one backup, or all of this home's, and compare every byte; return them as they are known now.

        Of several, what one shares with a newer one is restored once. Where this home has none, it is all that are there.

        Raises:
            NoSuchBackupError, BackupLockedError, DiskFullError, UnwritableError, BusyError, BackupStoppedError
        """
        repository = self.repository()
        wanted = [self.find(name)] if name else self._own() or self.heads()
        checked, seen = [], dict[str, File]()
        if not wanted:
            return []
        with repository.working():
            for head in wanted:
                files = self._files_or_none(repository, head)
                if files is None:
                    proof = replace(head.proof, level="failed", at=self.clock.now().isoformat(timespec="seconds"))
                else:
                    prover = self._prover(repository)
                    proof = prover.prove(files, dict(seen) if seen else None)
                    bad = set(prover.bad)
                    seen |= {file.path: file for file in files if file.path not in bad}
                    if proof.level == "part":  # the rest was restored with a newer one, just now
                        proof = replace(proof, level="full")
                checked.append(head.proved(proof))
                repository.save_head(checked[-1])
        return checked

    @staticmethod
    def _files_or_none(repository: Repository, head: Head) -> list[File] | None:
        """Return what a backup holds; None where its list is damaged."""
        try:
            return repository.files_of(head)
        except BackupLockedError:
            raise
        except UtataneError:
            return None

    def personas_in(self, head: Head) -> list[str]:
        """Return the names of the personas' folders in a backup.

        Raises:
            BackupDamagedError, BackupLockedError
        """
        parts = (file.path.split("/") for file in self.repository().files_of(head))
        return sorted({part[1] for part in parts if part[0] == "characters" and part[2:] and part[1][0] != "."})

    def files_in(self, head: Head, folder: str = "") -> list[File]:
        """Return the files of a backup below a folder of the home, or the one file of that path.

        Raises:
            NotInBackupError, BackupDamagedError, BackupLockedError
        """
        found = [
            file
            for file in self.repository().files_of(head)
            if not folder or file.path == folder or file.path.startswith(f"{folder}/")
        ]
        if not found:
            raise NotInBackupError(name=head.id, wanted=folder)
        return found

    def remove(self, names: Sequence[str]) -> int:
        """Delete backups; return the bytes that this freed.

        Raises:
            NoSuchBackupError, BusyError, UnwritableError, BackupDamagedError, BackupLockedError
        """
        repository = self.repository()
        heads = [self.find(name) for name in names]
        with repository.working():
            for head in heads:
                repository.remove(head)
            return repository.collect()

    # Encryption

    def encrypt(self, passphrase: str) -> None:
        """Encrypt from the next backup on, with a new key that the passphrase opens, or the one that is there.

        Raises:
            BackupPlaceMissingError, BackupPlaceRefusedError, WrongBackupPassphraseError, PassphraseNeededError
            DiskFullError, UnwritableError, BusyError
        """
        repository = self.repository()
        with repository.working():
            self._noted(repository)
            if repository.key_file.is_file():
                key = repository.unlock(passphrase)  # what was encrypted with it before is still to be opened
            else:
                key = self.secrets.get(BACKUP) or new_key()
            repository.encrypt(key, passphrase)
            self.secrets.set(BACKUP, key)

    def unlock(self, passphrase: str) -> None:
        """Let this computer know the key of backups that were encrypted elsewhere, or before its home was lost.

        Raises:
            WrongBackupPassphraseError, PassphraseNeededError, BackupDamagedError
        """
        self.secrets.set(BACKUP, self.repository().unlock(passphrase))

    def stop_encrypting(self) -> None:
        """Write backups in plain from the next one on."""
        repository = self.repository()
        with repository.working():
            repository.stop_encrypting()


def note_in_audits(home: Home, clock: Clock, kind: Literal["backup", "from_backup"], files: Iterable[File]) -> None:
    """Note with each persona of a home that files of it were copied to where backups lie, or brought back from there."""
    parts = (file.path.split("/") for file in files)
    counts = Counter(
        names[1] for names in parts if names[0] == home.characters.name and len(names) > len(("characters", "name"))
    )
    for name, count in counts.items():
        with suppress(UnsafeNameError):  # what was set aside, say: a folder of no persona has no audit
            record(home.persona(name), clock.now(), kind, Given({"files": count}))


def backups_of(home: Home, clock: Clock | None = None) -> Backups:
    """Return the backups of a home folder, as its settings say."""
    file = SettingsFile(home.settings)
    return Backups(home, clock or SystemClock(), lambda: file.load()[0].backup, Secrets(home.secrets))


def snapshot(home: Home, reason: str, clock: Clock | None = None) -> Head:
    """Make a backup before something rewrites much; where its place cannot be reached, in the home folder.

    What is new in it is restored to see whether it is good; all of it, where no good one is there yet.

    Args:
        home: whose.
        reason: `import`, `migration` or `restore`; before an erasure none is made, for it would keep what is to go.
        clock: the time.

    Raises:
        DiskFullError, UnwritableError, BusyError, BackupDamagedError: none could be made: better leave it at that.
    """
    backups = backups_of(home, clock)
    try:
        head = backups.make(reason, in_full=False)
    except (BackupPlaceMissingError, BackupPlaceEmptyError, BackupPlaceRefusedError, BackupLockedError) as error:
        _logger.warning("the snapshot goes into the home folder: %s", error)
        head = replace(backups, folder=home.backups).make(reason, in_full=False)
    if not head.is_good:
        raise BackupDamagedError(file=head.id)
    return head


def lying_in(backups: Backups, place: Path) -> Backups:
    """Return the backups that lie in a folder, or in the one that is made in a folder that was named for them."""
    place = place.expanduser().resolve()
    return replace(backups, folder=place if exists(place) else place / FOLDER)
