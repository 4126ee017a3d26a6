"""The place where backups lie: packs of chunks, and for each backup a head and a list of its files.

    repository.json         its id, and the public half of its key where it is encrypted
    key.age                 the key, encrypted with the passphrase
    damaged.json            names of chunks that are not as they were written, and are stored anew where they can be
    packs/<sha256>.pack     chunks
    backups/<id>.json       the head, written last: without it there is no such backup
    backups/<id>.<hash>.files.gz   the list of its files (`.age` where it is encrypted)

Nothing that a head names is ever changed or removed before the head is. So a process that is killed leaves every
backup as good as it was, and packs that nobody names; the next one takes their chunks for known, or clears them away.
"""

import json
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from managers.exchange.backups import packs
from managers.exchange.backups.errors import BackupDamagedError, BackupLockedError
from managers.exchange.backups.listing import FORMAT, MOST, File, Head, dump_files, dump_head, parse_files, parse_head
from managers.exchange.backups.sealing import Encrypted, Plain, Sealing, read_key, write_key
from managers.storage import opening
from managers.storage.errors import UtataneError
from managers.storage.files import TEMPORARY_SUFFIX, digest, files, read_bytes, remove, write_atomic
from managers.storage.json_text import NotJsonError, load_json
from managers.storage.locks import holding

FOLDER: Final = "utatane-backups"
"""What is made in a folder that a person named."""
_PATIENCE: Final = 600.0
_DIGITS: Final = 16
_DAMAGED: Final = "damaged.json"
_FULL: Final = 32_000_000
"""Bytes after which a pack is written."""
_SMALL: Final = 8_000_000
_MANY: Final = 30
"""So many packs that are small lie there before they are made one."""


class Repository:
    """One place. Read without a lock; written by whoever is `working`."""

    def __init__(self, folder: Path, key: str = "") -> None:
        """Name the folder, and the key if this computer knows one; nothing is read or made yet."""
        self.folder = folder
        self.key = key
        self._is_encrypting: bool | None = None
        self._places: dict[str, list[packs.Place]] | None = None
        self._waiting: dict[str, bytes] = {}
        self._waiting_bytes = 0
        self._waiting_encrypted = False
        self._packs_written: set[Path] = set()
        self._sealings: dict[bool, Sealing] = {}
        self.written_bytes = 0
        self.damaged: set[str] = set()
        """Names of chunks that turned out not to be as they were written."""

    # Itself

    @property
    def id(self) -> str:
        """What tells this place from another one under its path; empty where there is none."""
        return str(self._about().get("id", ""))

    @property
    def is_encrypted(self) -> bool:
        """Whether what is written from now on is encrypted."""
        return bool(self._about().get("recipient"))

    @property
    def key_file(self) -> Path:
        return self.folder / "key.age"

    def _about(self) -> dict[str, Any]:
        data = read_bytes(self.folder / "repository.json")
        if data is None:
            return {}
        try:
            found = load_json(data)
        except NotJsonError as error:
            raise BackupDamagedError(file="repository.json") from error
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise BackupDamagedError(file="repository.json")
        return found

    def begin(self) -> None:
        """Make the place, if it is not there yet."""
        if not self._about():
            self._write_about(id=secrets.token_hex(8))

    def _write_about(self, **facts: str) -> None:
        about = {"format": FORMAT, **self._about(), **facts}
        write_atomic(self.folder / "repository.json", json.dumps(about, indent=1) + "\n")

    def encrypt(self, key: str, passphrase: str) -> None:
        """Encrypt from now on with a key that a passphrase opens; what lies here already stays as it is."""
        write_key(self.key_file, key, passphrase)
        self._write_about(recipient=Encrypted(key).recipient)
        self.key = key
        self._sealings = {}

    def stop_encrypting(self) -> None:
        """Encrypt no more; what is encrypted stays so, and so does its key."""
        self._write_about(recipient="")
        self._sealings = {}

    def unlock(self, passphrase: str) -> str:
        """Return the key that a passphrase opens, and use it.

        Raises:
            WrongBackupPassphraseError, BackupDamagedError, PassphraseNeededError
        """
        key = read_key(self.key_file, passphrase)
        Encrypted(key)
        self.key = key
        self._sealings = {}
        return key

    def sealing(self, *, is_encrypted: bool | None = None) -> Sealing:
        """Return how chunks are written, now, or where it says so.

        Raises:
            BackupLockedError: they are encrypted with a key that is not known here.
        """
        if is_encrypted is None:
            is_encrypted = self._is_encrypting if self._is_encrypting is not None else self.is_encrypted
        if is_encrypted not in self._sealings:
            self._sealings[is_encrypted] = self._encrypted() if is_encrypted else Plain()
        return self._sealings[is_encrypted]

    def _encrypted(self) -> Encrypted:
        if not self.key:
            raise BackupLockedError(place=self.folder)
        encrypted = Encrypted(self.key)
        recipient = self._about().get("recipient")
        if recipient and recipient != encrypted.recipient:  # somebody put another key in its place
            raise BackupLockedError(place=self.folder)
        return encrypted

    @contextmanager
    def working(self) -> Iterator[None]:
        """Be the only one who writes here; what a killed process left half written is removed.

        Raises:
            BusyError, UnwritableError, DiskFullError
        """
        with holding(self.folder / ".lock", self.folder.name, _PATIENCE):
            self.begin()
            self._places = None
            for folder in (self.folder, self.folder / "packs", self.folder / "backups"):
                for path in files(folder, f".*{TEMPORARY_SUFFIX}"):
                    remove(path)
            heads = self.heads()
            unknown = set(self.ids()) - {head.id for head in heads}  # a list whose head cannot be read is left alone
            named = {self._list(head) for head in heads}
            for path in files(self.folder / "backups", "*.files.gz*"):
                if path not in named and path.name.partition(".")[0] not in unknown:
                    remove(path)
            self._is_encrypting = self.is_encrypted
            known = self._read_damaged()
            self.damaged |= known
            try:
                yield
            finally:
                self._is_encrypting = None
                self._waiting.clear()
                self._waiting_bytes = 0
                if self.damaged != known:
                    write_atomic(self.folder / _DAMAGED, json.dumps(sorted(self.damaged)) + "\n")

    def _read_damaged(self) -> set[str]:
        try:
            return set(map(str, load_json(read_bytes(self.folder / _DAMAGED) or b"[]")))
        except (NotJsonError, TypeError):
            return set()

    # Backups

    def ids(self) -> list[str]:
        """Return the ids of all backups, oldest first."""
        return [path.stem for path in files(self.folder / "backups", "*.json")]

    def head(self, name: str) -> Head:
        """Return a backup's head.

        Raises:
            BackupDamagedError, UnreadableError
        """
        data = read_bytes(self.folder / "backups" / f"{name}.json")
        return parse_head(name, data or b"")

    def heads(self) -> list[Head]:
        """Return the heads of all backups that have a readable one, oldest first."""
        found = []
        for name in self.ids():
            with suppress(UtataneError):
                found.append(self.head(name))
        return sorted(found, key=lambda head: (head.made_utc, head.id))

    def files_of(self, head: Head) -> list[File]:
        """Return what a backup holds.

        Raises:
            BackupDamagedError, BackupLockedError, UnreadableError
        """
        data = read_bytes(self._list(head), MOST) or b""
        if digest(data) != head.sha256:
            raise BackupDamagedError(file=head.id)
        if head.is_encrypted:
            data = self.sealing(is_encrypted=True).open(data, most=MOST)
        return parse_files(head.id, data)

    def save(self, head: Head, found: Iterable[File]) -> Head:
        """Write a backup down, its head last; return the head as it was written."""
        self.flush()
        data = dump_files(found)
        if head.is_encrypted:
            data = self.sealing(is_encrypted=True).close(data)
        new = replace(head, sha256=digest(data))
        write_atomic(self._list(new), data)
        self.save_head(new)
        if head.sha256 not in {"", new.sha256}:
            remove(self._list(head))
        return new

    def save_head(self, head: Head) -> None:
        """Write a head anew."""
        write_atomic(self.folder / "backups" / f"{head.id}.json", dump_head(head))

    def remove(self, head: Head) -> None:
        """Take a backup away; its chunks go with the next `collect`."""
        remove(self.folder / "backups" / f"{head.id}.json")
        remove(self._list(head))

    def _list(self, head: Head) -> Path:
        name = f"{head.id}.{head.sha256[:_DIGITS]}.files.gz"
        return self.folder / "backups" / (f"{name}.age" if head.is_encrypted else name)

    # Chunks

    @property
    def places(self) -> dict[str, list[packs.Place]]:
        """Where each chunk lies, by its name; what several packs have lies in each of them."""
        if self._places is None:
            self._places = {}
            for path in self._packs():
                with suppress(UtataneError):
                    self.learn(path)
        return self._places

    def unknown_packs(self) -> set[Path]:
        """Return the packs of which nobody could tell what is in them."""
        return set(self._packs()) - {place.pack for places in self.places.values() for place in places}

    def _packs(self) -> list[Path]:
        return files(self.folder / "packs", f"*{packs.ENDING}")

    def learn(self, path: Path) -> None:
        """Take note of what a pack holds.

        Raises:
            BackupDamagedError, UnreadableError
        """
        for name, place in packs.places_in(path).items():
            self.places.setdefault(name, []).append(place)

    def has(self, name: str) -> bool:
        """Tell whether a chunk lies here, or waits to be written; one that is known to be damaged does not."""
        return name in self._waiting or (name in self.places and name not in self.damaged)

    def add(self, data: bytes, *, is_encrypted: bool | None = None) -> str:
        """Keep a chunk, if it is not there; return its name.

        Args:
            data: its bytes.
            is_encrypted: for a backup that was made when that was set otherwise.
        """
        sealing = self.sealing(is_encrypted=is_encrypted)
        name = sealing.name(data)
        if not self.has(name):
            written = sealing.close(data)
            self.written_bytes += len(written)
            self._put(name, written, is_encrypted=sealing.is_encrypted)
        return name

    def _put(self, name: str, written: bytes, *, is_encrypted: bool) -> None:
        if self._waiting and self._waiting_encrypted != is_encrypted:
            self.flush()
        self._waiting_encrypted = is_encrypted
        self._waiting[name] = written
        self._waiting_bytes += len(written)
        if self._waiting_bytes >= _FULL:
            self.flush()

    def flush(self) -> None:
        """Write what waits."""
        if not self._waiting:
            return
        path = packs.write_pack(self.folder / "packs", self._waiting, is_encrypted=self._waiting_encrypted)
        self.damaged -= self._waiting.keys()
        self._waiting, self._waiting_bytes = {}, 0
        self._packs_written.add(path)
        self.learn(path)

    def read(self, name: str) -> bytes:
        """Return a chunk; what lies in several packs need be good in one.

        Raises:
            BackupDamagedError, BackupLockedError
        """
        why = None
        for place in reversed(self.places.get(name, [])):
            try:
                data = self.sealing(is_encrypted=place.is_encrypted).open(packs.read_at(place), name)
            except UtataneError as error:
                why = error
            else:
                self.damaged.discard(name)  # it could not be read for a while
                return data
        if any(place.is_encrypted for place in self.places.get(name, [])):
            self.sealing(is_encrypted=True)  # says so, where it is the key that is missing
        self.damaged.add(name)
        raise BackupDamagedError(file=name[:12]) from why

    # Clearing away

    def collect(self, *, at_once: bool = False) -> int:
        """Remove chunks that no backup names; return the bytes that this freed.

        Packs of which more than half is needed wait until less is, unless it is to be done `at_once`. Small ones are
        made one. Where a list cannot be read, nobody knows what it needs: nothing is removed then.

        Raises:
            BackupDamagedError, BackupLockedError: a list cannot be read; nothing was removed.
        """
        if len(self.heads()) < len(self.ids()):
            raise BackupDamagedError(file="backups")
        live = {name for head in self.heads() for file in self.files_of(head) for name in file.chunks}
        unknown = self.unknown_packs()
        held: dict[Path, list[tuple[str, packs.Place]]] = {path: [] for path in self._packs() if path not in unknown}
        for name, places in self.places.items():
            good = places[-1] if len(places) == 1 else self._good(name, places)
            for place in places:
                if place.pack in held:
                    held[place.pack].append((name, place) if name in live and place is good else ("", place))
        before = sum(path.stat().st_size for path in held)
        small = [path for path in held if path.stat().st_size < _SMALL]
        anew = set(small) if len(small) > _MANY else set()
        for path, inside in held.items():
            whole = sum(place.length for _, place in inside)
            needed = sum(place.length for name, place in inside if name)
            if needed < whole and (at_once or needed * 2 < whole):
                anew.add(path)
        self._rewrite({path: [one for one in held[path] if one[0]] for path in anew})
        return before - sum(path.stat().st_size for path in held if path.exists())

    def _good(self, name: str, places: list[packs.Place]) -> packs.Place:
        """Return the place of several where a chunk is as it was written."""
        for place in places:
            with suppress(BackupDamagedError):
                self.sealing(is_encrypted=place.is_encrypted).open(packs.read_at(place), name)
                return place
        return places[-1]

    def _rewrite(self, held: dict[Path, list[tuple[str, packs.Place]]]) -> None:
        """Put what is needed of some packs into others, then remove them."""
        damaged = set(self.damaged)
        self._packs_written.clear()
        for inside in held.values():
            for name, place in inside:
                self._put(name, packs.read_at(place), is_encrypted=place.is_encrypted)
        self.flush()
        self.damaged = damaged  # to be moved makes nothing whole
        for path in held:
            if path not in self._packs_written:
                remove(path)
        self._places = None


def exists(folder: Path) -> bool:
    """Tell whether backups lie in a folder."""
    return opening.is_file(folder / "repository.json")
