"""ZIP files from elsewhere: read within limits, and nothing of them is ever written under a name that they say.

All that a ZIP file can do to whoever reads it is refused here, for imports, cards and archives alike: names that lead
elsewhere, links, encrypted entries, two entries of one name, more entries or more bytes than anything needs, and entries
that unfold to much more than they are. ZIP files within are files like others and are not opened.
"""

from __future__ import annotations

import io
import stat
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import IO, TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

MAX_ENTRIES: Final = 200_000
MAX_UNPACKED_BYTES: Final = 20_000_000_000
"""All entries together, as they say of themselves; no entry may give more than it says."""
MAX_RATIO: Final = 200
"""So much more than it is an entry may unfold to: chats pack to a tenth, a bomb to a thousandth."""
_SMALL: Final = 1_000_000
_SMALL_WHOLE: Final = 100_000_000
"""Below that many bytes nobody asks how well an entry is packed, or all of them together."""
_CREATED_ON_UNIX: Final = 3
_ENCRYPTED: Final = 0x1
_UTF_8: Final = 0x800
_UNNAMED: Final = "cp437"
"""What Python takes a name for that says of no encoding; Japanese Windows writes Shift_JIS there, macOS UTF-8."""

ZipTrouble = Literal["no-zip", "unsafe-name", "link", "encrypted", "twice", "too-many", "too-large", "bomb", "broken"]


class UnsafeZipError(Exception):
    """A ZIP file is not to be read; `trouble` says why, `name` where (as it stands there, shortened)."""

    def __init__(self, trouble: ZipTrouble, name: str = "") -> None:
        super().__init__(trouble, name)
        self.trouble: ZipTrouble = trouble
        self.name = name[:80]


class ZipEntries:
    """The files of a ZIP file that was looked through; opened one after the other."""

    def __init__(self, archive: zipfile.ZipFile, max_ratio: int) -> None:
        """Look through the list of a ZIP file.

        Raises:
            UnsafeZipError
        """
        self._archive = archive
        self._infos = _checked(archive, max_ratio)

    @property
    def sizes(self) -> dict[str, int]:
        """How many bytes each file holds, by its path with `/` between folders, in the order of the list."""
        return {name: info.file_size for name, info in self._infos.items()}

    def open(self, name: str) -> IO[bytes]:
        """Open a file; reading it raises where it gives more bytes than the list says, or others.

        Raises:
            KeyError: there is no such file.
            UnsafeZipError: from reading, too.
        """
        try:
            return io.BufferedReader(_Bounded(self._archive.open(self._infos[name]), name, self._infos[name].file_size))
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, ValueError) as error:
            raise UnsafeZipError("broken", name) from error


@contextmanager
def open_zip(file: IO[bytes], max_ratio: int = MAX_RATIO) -> Iterator[ZipEntries]:
    """Open a ZIP file for reading.

    Args:
        file: can leap.
        max_ratio: so much more than it is an entry may unfold to.

    Raises:
        UnsafeZipError
    """
    try:
        archive = zipfile.ZipFile(file)
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError) as error:
        raise UnsafeZipError("no-zip") from error
    with archive:
        yield ZipEntries(archive, max_ratio)


def _checked(archive: zipfile.ZipFile, max_ratio: int) -> dict[str, zipfile.ZipInfo]:
    infos = archive.infolist()
    if len(infos) > MAX_ENTRIES:
        raise UnsafeZipError("too-many")
    files: dict[str, zipfile.ZipInfo] = {}
    unpacked = packed = 0
    for info in infos:
        name = _spelled(info)
        _check(name, info, max_ratio)
        if info.is_dir():
            continue
        if name in files:
            raise UnsafeZipError("twice", name)
        files[name] = info
        unpacked, packed = unpacked + info.file_size, packed + info.compress_size
        if unpacked > MAX_UNPACKED_BYTES:
            raise UnsafeZipError("too-large")
    if unpacked > _SMALL_WHOLE and unpacked > max_ratio * max(packed, 1):
        raise UnsafeZipError("bomb", max(files, key=lambda name: files[name].file_size))
    return files


def _spelled(info: zipfile.ZipInfo) -> str:
    """Return an entry's name as it was meant."""
    name = info.orig_filename
    if not info.flag_bits & _UTF_8 and not name.isascii():
        for encoding in ("utf-8", "cp932"):
            try:
                return name.encode(_UNNAMED).decode(encoding)
            except UnicodeError:
                continue
    return name


def _check(name: str, info: zipfile.ZipInfo, max_ratio: int) -> None:
    path = PurePosixPath(name)
    if path.is_absolute() or not path.parts or ".." in path.parts or any(odd in name for odd in "\\\0:"):
        raise UnsafeZipError("unsafe-name", name)
    kind = stat.S_IFMT(info.external_attr >> 16) if info.create_system == _CREATED_ON_UNIX else 0
    if kind not in {0, stat.S_IFREG, stat.S_IFDIR}:
        raise UnsafeZipError("link", name)
    if info.flag_bits & _ENCRYPTED:
        raise UnsafeZipError("encrypted", name)
    if info.file_size > _SMALL and info.file_size > max_ratio * max(info.compress_size, 1):
        raise UnsafeZipError("bomb", name)


class _Bounded(io.RawIOBase):
    """A file in a ZIP file that may give no more than the list says."""

    def __init__(self, file: IO[bytes], name: str, size: int) -> None:
        self._file = file
        self._name = name
        self._left = size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        view = memoryview(buffer)
        try:
            data = self._file.read(len(view))
        except Exception as error:  # each way of packing has errors of its own
            raise UnsafeZipError("broken", self._name) from error
        self._left -= len(data)
        if self._left < 0:
            raise UnsafeZipError("bomb", self._name)
        view[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._file.close()
        super().close()
