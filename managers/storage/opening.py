"""Opening what lies in a persona's folder: real files in real folders, and never waiting for one.

A folder may come from somebody else, so what stands under a name need not be the file that one expects. A link
would lead elsewhere, a pipe would let whoever reads it wait for ever. Here alone such files are opened and such
folders listed: a link is not followed, neither at the end of a path nor on the way from the persona's folder to
it, and nothing but an ordinary file is opened. Of a file that is denied for a moment see `retrying`.

What lies outside of every persona's folder (settings, what somebody names on the command line) is the person's
own: there links lead where they lead. So they do above a persona's folder: the home folder may be a link.
"""

import errno
import os
import stat
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from pathlib import Path, PurePath
from typing import IO, Final, Literal

from managers.storage.retrying import retried

PRIVATE_FILE: Final = 0o600
PRIVATE_FOLDER: Final = 0o700
FOR_OTHERS: Final = 0o077
"""Whose diary it is reads it, no other account. Windows gives what lies in a user's folder to that user alone."""

Kind = Literal["file", "folder", "link", "special"]
PLAIN: Final[frozenset[Kind]] = frozenset({"file", "folder"})

# Windows has no O_NOFOLLOW: there a file is looked at before it is opened. Nor has it pipes in folders.
_NO_FOLLOW: Final = getattr(os, "O_NOFOLLOW", 0)
_HOW: Final = _NO_FOLLOW | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
_EVERYWHERE: Final = getattr(os, "O_BINARY", 0)
_NOT_PLAIN: Final = frozenset({errno.ELOOP, getattr(errno, "EMLINK", errno.ELOOP), errno.ENXIO, errno.EISDIR})
"""What opening says of a link that is not followed (EMLINK: BSD), of sockets and pipes that nobody reads, of folders."""
_NAME_SURROGATE: Final = 0x20000000
"""The bit of a Windows reparse tag that stands for "another place": links and junctions, but no cloud drive's files."""

_KINDS: Final[Mapping[int, Kind]] = {stat.S_IFLNK: "link", stat.S_IFREG: "file", stat.S_IFDIR: "folder"}

_guarded: set[str] = set()


class NotPlainError(OSError):
    """A link or a special file stands where a file or folder should; `filename` says where."""

    def __init__(self, path: str) -> None:
        super().__init__(errno.ELOOP, "a link or a special file", path)


def guard(folder: Path) -> None:
    """Let a folder, and all that is in it, be opened as a persona's folder is."""
    _guarded.add(os.fspath(folder))


def open_descriptor(path: Path, flags: int = os.O_RDONLY) -> int:
    """Open a file as `os.open` does; one that is made is its owner's alone.

    Raises:
        NotPlainError: it is a link or no ordinary file, or a link is on the way.
        OSError
    """
    name = os.fspath(path)
    if not _look_on_the_way(name):
        return _open(name, flags | _EVERYWHERE)
    if not _NO_FOLLOW and (found := _kind_of(name)) is not None and found != "file":
        raise NotPlainError(name)
    try:
        descriptor = _open(name, flags | _HOW | _EVERYWHERE)
    except OSError as error:
        if error.errno in _NOT_PLAIN:
            raise NotPlainError(name) from error
        raise
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise NotPlainError(name)
    return descriptor


def _open(name: str, flags: int) -> int:
    return retried(name, lambda: os.open(name, flags, PRIVATE_FILE))


def reserve(path: Path) -> None:
    """Make an empty file that is its owner's alone, for a library that would make it everybody's; one there stays.

    It is not opened if it is there: to close a file lets go of all locks that this process has on it.

    Raises:
        NotPlainError, OSError
    """
    with suppress(FileExistsError):
        os.close(open_descriptor(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL))


def make_private(path: Path, *, has: int | None = None) -> bool:
    """Let nobody but its owner read a file or enter a folder; tell whether others could until now.

    Windows gives what lies in a user's folder to that user alone: nothing is done there.

    Raises:
        OSError: it is somebody else's, or on a disk that knows no owners.
    """
    mode = stat.S_IMODE(os.lstat(path).st_mode if has is None else has)
    if os.name != "posix" or not mode & FOR_OTHERS:
        return False
    path.chmod(mode & ~FOR_OTHERS)
    return True


def unlink(path: Path) -> None:
    """Remove a file, or of a link the link, if it is there.

    Raises:
        NotPlainError: a link is on the way.
        OSError
    """
    if look(path) is not None:
        with suppress(FileNotFoundError):
            retried(os.fspath(path), lambda: os.unlink(path))  # noqa: PTH108  # an os call, which crash tests intercept


def move(source: Path, target: Path) -> None:
    """Move a file or folder to a place where nothing, or a file, is; a link there is replaced, not followed.

    Raises:
        NotPlainError: a link is on the way to or from it.
        OSError
    """
    for path in (source, target):
        look(path)
    retried(os.fspath(target), lambda: os.replace(source, target))  # noqa: PTH105  # as above


def open_plain(path: Path) -> IO[bytes]:
    """Open a file for reading.

    Raises:
        NotPlainError, OSError
    """
    return open(path, "rb", opener=lambda _name, _flags: open_descriptor(path))  # Path.open takes no opener


def check_plain(path: Path) -> None:
    """Refuse a place where anything but an ordinary file stands, before a library opens it by its name.

    Raises:
        NotPlainError, OSError
    """
    if kind(path) not in {"file", None}:
        raise NotPlainError(os.fspath(path))


def look(path: Path) -> os.stat_result | None:
    """Return what stands under a path, a link as a link; None where nothing does.

    Raises:
        NotPlainError: a link is on the way.
        OSError
    """
    name = os.fspath(path)
    try:
        return os.lstat(name) if _look_on_the_way(name) else path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None


def kind(path: Path) -> Kind | None:
    """Tell what stands under a path, a link (one on the way too) as a link; None where nothing does."""
    try:
        found = look(path)
    except NotPlainError:
        return "link"
    return None if found is None else kind_of(found)


def is_file(path: Path) -> bool:
    """Tell whether an ordinary file stands there."""
    return kind(path) == "file"


def is_folder(path: Path) -> bool:
    """Tell whether a real folder stands there."""
    return kind(path) == "folder"


def entries(folder: Path, kinds: Collection[Kind] | None = PLAIN) -> list[os.DirEntry[str]]:
    """Return what is in a folder, in no particular order: its files and folders, if nothing else is asked for.

    With None for the kinds, everything: for whoever looks at each entry in another way.

    Raises:
        NotPlainError: the folder is a link, or one is on the way.
        OSError: it cannot be listed; a folder that is not there is empty.
    """
    name = os.fspath(folder)
    try:
        if _look_on_the_way(name) and _kind_of(name) != "folder":
            raise NotPlainError(name) if os.path.lexists(name) else FileNotFoundError
        with os.scandir(name) as found:
            return [entry for entry in found if kinds is None or kind_of_entry(entry) in kinds]
    except (FileNotFoundError, NotADirectoryError):
        return []


def walk(folder: Path) -> Iterator[tuple[Path, Kind]]:
    """Yield everything beneath a folder, folders before what is in them; links are named and not followed."""
    with os.scandir(folder) as found:
        inside = sorted(found, key=lambda entry: entry.name)
    for entry in inside:
        what = kind_of_entry(entry)
        yield Path(entry.path), what
        if what == "folder":
            yield from walk(Path(entry.path))


def kind_of_entry(entry: os.DirEntry[str]) -> Kind:
    """Tell what an entry of a folder is; costs no look at the disk where the listing says it."""
    if entry.is_symlink():
        return "link"
    if os.name == "posix":
        if entry.is_file(follow_symlinks=False):
            return "file"
        return "folder" if entry.is_dir(follow_symlinks=False) else "special"
    return kind_of(entry.stat(follow_symlinks=False))


def free(path: Path) -> Path:
    """Return a place where nothing is: this one, or one beside it with a number behind its name."""
    found, number = path, 1
    while look(found) is not None:
        number += 1
        found = path.with_name(f"{path.name}-{number}")
    return found


def status_of(entry: os.DirEntry[str]) -> os.stat_result:
    """Return what a look at an entry itself tells; on Windows, where the listing knows no inode, one at the disk."""
    return entry.stat(follow_symlinks=False) if os.name == "posix" else os.lstat(entry.path)


def inside(folder: Path, name: str) -> Path:
    """Return where a name leads that stands in a file: into the folder, or nowhere.

    Raises:
        NotPlainError: it would lead out of the folder.
    """
    parts = PurePath(name)
    if parts.is_absolute() or parts.drive or parts.root or ".." in parts.parts or not parts.parts or "\0" in name:
        raise NotPlainError(name)
    return folder / parts


def _look_on_the_way(name: str) -> bool:
    """Tell whether a path lies in a guarded folder (or is one).

    Raises:
        NotPlainError: there is a link, or a step back, between the guarded folder and the path.
    """
    above, way = name, list[str]()
    while above not in _guarded:
        cut = above.rfind(os.sep)
        if cut <= 0:
            return False
        above = above[:cut]
        way.append(above)
    if f"{os.sep}..{os.sep}" in f"{name[len(above) :]}{os.sep}":
        raise NotPlainError(name)
    for step in reversed(way):
        try:
            status = os.lstat(step)
        except (FileNotFoundError, NotADirectoryError):
            return True  # and nothing is in it
        if kind_of(status) != "folder":
            raise NotPlainError(step)
    return True


def _kind_of(name: str) -> Kind | None:
    try:
        return kind_of(os.lstat(name))
    except (FileNotFoundError, NotADirectoryError):
        return None


def kind_of(found: os.stat_result) -> Kind:
    """Tell what was looked at."""
    if getattr(found, "st_reparse_tag", 0) & _NAME_SURROGATE:
        return "link"
    return _KINDS.get(stat.S_IFMT(found.st_mode), "special")
