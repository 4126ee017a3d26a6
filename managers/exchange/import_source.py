"""What is imported, as readers see it: a file, a folder or a ZIP file, read-only and within limits.

A ZIP file looks like the folder that it holds, so no reader knows the difference. Nothing is unpacked to the disk.
"""

from __future__ import annotations

import io
import os
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, Final, Literal

from managers.exchange.zip_files import ZipEntries, open_zip
from managers.storage.encodings import decode_foreign, is_utf_8
from managers.storage.opening import guard, open_plain, walk

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

MAX_WHOLE_BYTES: Final = 64_000_000
"""So much of one file is read at once; what may be larger is read as a stream."""
MAX_FILES: Final = 200_000
_BLOCK: Final = 256 * 1024
_ZIP: Final = b"PK\x03\x04"
_LITTER: Final = frozenset({"__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini"})


class SourceTooLargeError(Exception):
    """A file of a source is larger than what is read at once, or there are more files than anybody has."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path


@dataclass
class ImportSource:
    """A source that is open. Made by `open_source`.

    Attributes:
        name: what the file or folder is called.
        shape: `file` (then `files` has that one), `folder` or `zip`.
        files: how many bytes each file has, by its path with `/` between folders. Where all of a folder or ZIP file lies in
            one folder, as it does when somebody packs a folder, that one is left out of the paths.
        opened: which files were opened, in the order of the first time.
        bytes_read: how many bytes were read of them.
    """

    name: str
    shape: Literal["file", "folder", "zip"]
    files: Mapping[str, int]
    opened: dict[str, None] = field(default_factory=dict)
    bytes_read: int = 0
    _folder: Path | None = None
    _zip: ZipEntries | None = None
    _within: str = ""

    def open(self, path: str) -> IO[bytes]:
        """Open one of `files` as a stream of bytes, which need not be able to go back.

        Raises:
            KeyError: there is no such file.
            OSError, UnsafeZipError: it cannot be read; from reading, too.
        """
        if path not in self.files:
            raise KeyError(path)
        self.opened[path] = None
        if self._zip is not None:
            file = self._zip.open(self._within + path)
        else:
            assert self._folder is not None
            file = open_plain(self._folder / (self._within + path))
        return io.BufferedReader(_Counted(file, self), _BLOCK)

    def read(self, path: str, limit: int = MAX_WHOLE_BYTES) -> bytes:
        """Return the bytes of a file.

        Raises:
            SourceTooLargeError: there are more than `limit`.
            KeyError, OSError, UnsafeZipError
        """
        if self.files[path] > limit:
            raise SourceTooLargeError(path)
        with self.open(path) as file:
            data = file.read(limit + 1)
        if len(data) > limit:
            raise SourceTooLargeError(path)
        return data

    def text(self, path: str, limit: int = MAX_WHOLE_BYTES) -> str:
        """Return a file as text, whatever encoding it is in; bytes that are none become U+FFFD, line ends line feeds.

        Raises:
            SourceTooLargeError, KeyError, OSError, UnsafeZipError
        """
        return decode_text(self.read(path, limit))

    def beginning(self, path: str, size: int = 64 * 1024) -> bytes:
        """Return the first bytes of a file: enough to recognise what it is.

        Raises:
            KeyError, OSError, UnsafeZipError
        """
        with self.open(path) as file:
            return file.read(size)


class _Counted(io.RawIOBase):
    """A file of a source: what is read of it is counted, which is how far a reader has come."""

    def __init__(self, file: IO[bytes], source: ImportSource) -> None:
        self._file = file
        self._source = source

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        view = memoryview(buffer)
        data = self._file.read(len(view))
        view[: len(data)] = data
        self._source.bytes_read += len(data)
        return len(data)

    def close(self) -> None:
        self._file.close()
        super().close()


def decode_text(data: bytes) -> str:
    """Return text in whatever encoding it is; bytes that are none become U+FFFD, line ends line feeds."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = decode_foreign(data) or "\n".join(_written_on(data))
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _written_on(data: bytes) -> Iterator[str]:
    """Yield the lines of a text in UTF-8 that somebody wrote on in another encoding, or that is damaged."""
    for is_fine, lines in groupby(data.removeprefix(BOM_UTF8).split(b"\n"), is_utf_8):
        part = b"\n".join(lines)
        yield part.decode() if is_fine else decode_foreign(part) or part.decode("utf-8", "replace")


@contextmanager
def open_source(path: Path) -> Iterator[ImportSource]:
    """Open a file, folder or ZIP file (told by its content) for reading.

    Raises:
        OSError: it is not there, or cannot be read.
        UnsafeZipError, SourceTooLargeError
    """
    path = path.resolve()  # the person's own link leads where it leads; within the folder none is followed
    if path.is_dir():
        guard(path)
        files = _in_folder(path)
        within = _one_folder(files)
        yield ImportSource(path.name, "folder", _below(within, files), _folder=path, _within=within)
        return
    with ExitStack() as stack:
        file = stack.enter_context(path.open("rb"))
        is_zip = file.read(len(_ZIP)) == _ZIP
        file.seek(0)
        if not is_zip:
            size = os.fstat(file.fileno()).st_size
            yield ImportSource(path.name, "file", {path.name: size}, _folder=path.parent)
            return
        entries = stack.enter_context(open_zip(file))
        sizes = {name: size for name, size in entries.sizes.items() if not _is_litter(name)}
        within = _one_folder(sizes)
        yield ImportSource(path.name, "zip", _below(within, sizes), _zip=entries, _within=within)


def _in_folder(folder: Path) -> dict[str, int]:
    """Return the ordinary files of a folder; links, pipes and devices are none."""
    found: dict[str, int] = {}
    for path, kind in walk(folder):
        name = path.relative_to(folder).as_posix()
        if kind != "file" or _is_litter(name):
            continue
        found[name] = path.stat().st_size
        if len(found) > MAX_FILES:
            raise SourceTooLargeError(folder.name)
    return dict(sorted(found.items()))


def _is_litter(name: str) -> bool:
    return not _LITTER.isdisjoint(PurePosixPath(name).parts)


def _one_folder(files: Mapping[str, int]) -> str:
    """Return the folder in which all of some files lie, with a slash; empty where they do not."""
    tops = {name.partition("/")[0] if "/" in name else "" for name in files}
    return f"{tops.pop()}/" if len(tops) == 1 and "" not in tops else ""


def _below(within: str, files: Mapping[str, int]) -> dict[str, int]:
    return {name.removeprefix(within): size for name, size in files.items()}
