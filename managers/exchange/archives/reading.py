"""An archive from anywhere: looked through before anything is written, and checked file by file while it is.

Its list has to be the manifest's, each file as long as the manifest says and with its SHA-256. So a bit that has turned
is told with the file in which it did, and nothing comes along that is not listed.
"""

import hashlib
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from managers.exchange.archives.manifest import (
    FORMAT,
    LARGEST,
    MANIFEST,
    ArchivedFile,
    Manifest,
    UnwrittenNameError,
    path_of,
)
from managers.exchange.archives.writing import Progress, nobody_asks
from managers.exchange.encryption import is_encrypted, is_encrypted_file, open_encrypted
from managers.exchange.errors import (
    ArchiveTooLargeError,
    DamagedArchiveError,
    NamesAlikeError,
    NewerArchiveError,
    NotAnArchiveError,
    PassphraseNeededError,
    UnsafeArchiveError,
)
from managers.exchange.zip_files import UnsafeZipError, ZipEntries, ZipTrouble, open_zip
from managers.memory.errors import NoSuchFileError
from managers.personas.folders import arranging, building, name_key
from managers.personas.persona import Persona
from managers.personas.persona_store import PersonaStore
from managers.storage.errors import UnreadableError, UtataneError
from managers.storage.files import make_folder, remove_tree
from managers.storage.json_text import NotJsonError, load_json
from managers.storage.opening import inside, open_descriptor
from managers.storage.texts import Texts

_say = Texts("notices/archives")
_TRIAL: Final = ".names.utatane-tmp"
_BLOCK: Final = 1024 * 1024
_MEGABYTE: Final = 1_000_000
_ROOM: Final = 100 * _MEGABYTE
"""What is left free on the disk at least."""
_ANY_RATIO: Final = 2000
"""How well a file packs is nobody's harm here: the disk's room is asked before, and ZIP packs to a thousandth at most."""


@dataclass(frozen=True)
class Archive:
    """An archive that is open and was looked through. Made by `open_archive`.

    Attributes:
        path: the file, for whoever is told of it.
        manifest: what it says of itself.
        files: what the manifest says of each file, by the path that it is to have in the persona's folder.
    """

    path: Path
    manifest: Manifest
    files: Mapping[str, ArchivedFile]
    _entries: ZipEntries
    _names: Mapping[str, str]

    @property
    def size(self) -> int:
        """How many bytes its files have."""
        return sum(one.size for one in self.files.values())

    def check(self, progress: Progress = nobody_asks) -> None:
        """Read all of it and write nothing.

        Raises:
            DamagedArchiveError: a file is not what the manifest says.
        """
        self._read(None, progress)

    def unpack(self, folder: Path, progress: Progress = nobody_asks) -> None:
        """Write its files into a folder in which nothing is, durably and checked.

        Raises:
            DamagedArchiveError: a file is not what the manifest says; what was written is for the caller to remove.
            ArchiveTooLargeError: there is no room; nothing was written.
            OSError
        """
        free = shutil.disk_usage(folder).free - _ROOM
        if self.size > free:
            needed, left = self.size // _MEGABYTE, max(free, 0) // _MEGABYTE
            raise ArchiveTooLargeError(path=self.path, needed=needed, free=left)
        for one, other in _alike([*self.files, *map(path_of, self.manifest.folders)]):
            if _is_one_place(folder, one, other):
                raise NamesAlikeError(path=self.path, one=one[:80], other=other[:80])
        for name in self.manifest.folders:
            make_folder(inside(folder, path_of(name)))
        self._read(folder, progress)

    def _read(self, folder: Path | None, progress: Progress) -> None:
        done, total = 0, self.size or 1
        for path, said in self.files.items():
            target = None
            if folder is not None:
                target = inside(folder, path)
                make_folder(target.parent)
            try:
                if self._copy(path, target) != (said.size, said.sha256):
                    raise DamagedArchiveError(path=self.path, name=path)
            except UnsafeZipError as error:
                raise DamagedArchiveError(path=self.path, name=path) from error
            if target is not None:
                os.utime(target, ns=(said.modified, said.modified))
            done += said.size
            progress(done / total)

    def _copy(self, path: str, target: Path | None) -> tuple[int, str]:
        """Read a file, into another one if that is wanted; return its size and its SHA-256."""
        size, seal = 0, hashlib.sha256()
        with ExitStack() as stack:
            source = stack.enter_context(self._entries.open(self._names[path]))
            written = None
            if target is not None:
                descriptor = open_descriptor(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
                written = stack.enter_context(os.fdopen(descriptor, "wb"))
            while block := source.read(_BLOCK):
                seal.update(block)
                size += len(block)
                if written is not None:
                    written.write(block)
            if written is not None:
                written.flush()
                os.fsync(written.fileno())
        return size, seal.hexdigest()


@contextmanager
def open_archive(path: Path, passphrase: str | None = None) -> Iterator[Archive]:
    """Open an archive and look through it; nothing of it is written anywhere.

    Raises:
        NoSuchFileError, UnreadableError: the file is not there, or cannot be read.
        PassphraseNeededError, WrongPassphraseError, NotForPassphraseError, DamagedEncryptionError: it is encrypted.
        NotAnArchiveError, NewerArchiveError, DamagedArchiveError, UnsafeArchiveError: it cannot be taken in.
    """
    with ExitStack() as stack:
        try:
            source = stack.enter_context(path.open("rb"))
            if is_encrypted(source):
                if passphrase is None:
                    raise PassphraseNeededError(path=path.name)
                source = stack.enter_context(open_encrypted(source, passphrase, Path(path.name)))
            entries = stack.enter_context(open_zip(source, _ANY_RATIO))
            manifest = _manifest_of(path, entries)
            files, names = _listed(path, manifest, entries)
        except FileNotFoundError as error:
            raise NoSuchFileError(path=path) from error
        except OSError as error:
            raise UnreadableError(path=path, cause=error.strerror or error) from error
        except UnsafeZipError as error:
            raise _refusal(path, error.trouble, error.name) from error
        yield Archive(path, manifest, files, entries, names)


@dataclass(frozen=True, slots=True)
class Checked:
    """What an archive of which every file was checked says of itself: see `Manifest`; `size` in bytes."""

    persona: str
    made_at: str
    count: int
    size: int
    is_masked: bool
    forgotten: int


def is_archive(path: Path) -> bool:
    """Tell whether a file is an archive, or encrypted, as nothing else is that comes in.

    Raises:
        UtataneError: it is one that cannot be taken in.
    """
    if not path.is_file():
        return False
    if is_encrypted_file(path):
        return True
    try:
        with open_archive(path):
            return True
    except NotAnArchiveError:
        return False


def look_through(path: Path, passphrase: str | None, progress: Progress = nobody_asks) -> Checked:
    """Check all of an archive, and write nothing.

    Raises:
        UtataneError: what `open_archive` and `Archive.check` raise.
    """
    with open_archive(path, passphrase) as archive:
        archive.check(progress)
        told = archive.manifest
        return Checked(told.persona, told.made_at, len(archive.files), archive.size, told.masked, told.forgotten)


@dataclass(frozen=True, slots=True)
class Brought:
    """A persona that came back: as it is now, how many files it had, and whether placeholders stand in them."""

    persona: Persona
    count: int
    is_masked: bool


def bring_in(
    personas: PersonaStore, path: Path, passphrase: str | None, name: str = "", progress: Progress = nobody_asks
) -> Brought:
    """Make a persona of an archive, whole or not at all.

    Args:
        personas: where it is to live.
        path: the archive.
        passphrase: opens it, if it is encrypted.
        name: what the persona is to be called; empty: as it was.
        progress: is told how far it is.

    Raises:
        PersonaExistsError, UnsafeNameError, NotAdmissibleError: it cannot have that name, or cannot come in.
        ArchiveTooLargeError, DiskFullError, UnwritableError: there is no room for it.
        NamesAlikeError: the disk takes two of its names for one.
        UtataneError: what `open_archive` and `Archive.unpack` raise.
    """
    with open_archive(path, passphrase) as archive, arranging(personas.home):
        free = personas.usable_name(name or archive.manifest.persona)
        with building(personas.home.characters, free) as folder:
            archive.unpack(folder, progress)
            personas.door.receive(folder, free)
        return Brought(personas.get(free), len(archive.files), archive.manifest.masked)


def _manifest_of(path: Path, entries: ZipEntries) -> Manifest:
    size = entries.sizes.get(MANIFEST)
    if size is None:
        raise NotAnArchiveError(path=path)
    if size > LARGEST:
        raise _refusal(path, "too-large", MANIFEST)
    try:
        with entries.open(MANIFEST) as file:
            value = load_json(file.read())
        found = value["format"]
        if isinstance(found, int) and found > FORMAT:
            raise NewerArchiveError(path=path)
        return Manifest.model_validate(value)
    except (NotJsonError, ValidationError, KeyError, TypeError, UnsafeZipError) as error:
        raise DamagedArchiveError(path=path, name=MANIFEST) from error


def _listed(path: Path, manifest: Manifest, entries: ZipEntries) -> tuple[dict[str, ArchivedFile], dict[str, str]]:
    """Return what the manifest says of each file, and its name in the ZIP file, by the path that it is to have."""
    files: dict[str, ArchivedFile] = {}
    names: dict[str, str] = {}
    left = set(entries.sizes) - {MANIFEST}
    for name, said in manifest.files.items():
        entry = f"{manifest.persona}/{name}"
        if entries.sizes.get(entry) != said.size:
            raise DamagedArchiveError(path=path, name=name[:80])
        left.discard(entry)
        place = _place(path, name)
        files[place], names[place] = said, entry
    if left:
        raise _refusal(path, "unlisted", min(left))
    _check_apart(path, [*files, *(_place(path, name) for name in manifest.folders)])
    return files, names


def _place(path: Path, name: str) -> str:
    try:
        return path_of(name)
    except UnwrittenNameError as error:
        raise _refusal(path, "unsafe-name", name) from error


def _check_apart(path: Path, places: list[str]) -> None:
    """Refuse two of one name, and files in whose place a folder has to be."""
    known: set[str] = set()
    for place in places:
        if place in known:
            raise _refusal(path, "twice", place)
        known.add(place)
    for place in places:
        if above := known.intersection(_above(place)):
            raise _refusal(path, "twice", min(above))


def _above(place: str) -> Iterator[str]:
    parts = place.split("/")
    return ("/".join(parts[:end]) for end in range(1, len(parts)))


def _alike(places: list[str]) -> Iterator[tuple[str, str]]:
    """Yield names, and names of folders above them, that some file system takes for one."""
    known: dict[str, str] = {}
    for place in places:
        if (other := known.setdefault(name_key(place), place)) != place:
            yield other, place
    for place in places:
        for above in _above(place):
            if (other := known.get(name_key(above), above)) != above:
                yield other, above


def _is_one_place(folder: Path, one: str, other: str) -> bool:
    """Tell whether the disk that a folder is on takes two names for one: it is tried there."""
    first, second = next(pair for pair in zip(one.split("/"), other.split("/"), strict=True) if pair[0] != pair[1])
    tried = folder / _TRIAL
    make_folder(tried / first)
    try:
        return (tried / second).exists()
    finally:
        remove_tree(tried)


def _refusal(path: Path, trouble: ZipTrouble | str, name: str) -> UtataneError:
    if trouble == "no-zip":
        return NotAnArchiveError(path=path)
    if trouble == "broken":
        return DamagedArchiveError(path=path, name=name)
    told = _say.both(trouble, name=name[:80])
    return UnsafeArchiveError(path=path, reason_ja=told["ja"], reason_en=told["en"])
