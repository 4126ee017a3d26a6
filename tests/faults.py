"""Lets the n-th call of the operating system fail, as SQLite tests itself: a full disk, a bad sector, a locked file.

Counted are the calls that Python makes for files below a folder (`os`, `open`, reads and writes of opened files),
and those that SQLite makes by itself, which lets its system calls be replaced for the sake of such tests.
"""

import builtins
import ctypes
import errno
import io
import os
import sqlite3
import sys
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final, Literal

from managers.storage.edges import told
from managers.storage.errors import UnexpectedError

NAMES: Final = ("ENOSPC", "EIO", "EACCES", "EINTR")

_ON_PATHS: Final = frozenset(
    {"open", "stat", "lstat", "scandir", "listdir", "unlink", "remove", "replace", "rename", "link", "mkdir", "rmdir"}
)
_ON_DESCRIPTORS: Final = frozenset({"read", "write", "fsync", "ftruncate", "fstat", "sendfile"})
_NEEDING_SPACE: Final = frozenset({"write", "replace", "rename", "link", "mkdir", "ftruncate", "fsync", "sendfile"})
_MAKING: Final = os.O_CREAT | os.O_WRONLY | os.O_RDWR


@dataclass(frozen=True, slots=True)
class Fault:
    """Which call fails, counted from 1 (0: none), and how. A full disk stays full: every later call fails too."""

    number: int
    name: str

    @property
    def code(self) -> int:
        return int(getattr(errno, self.name))

    @property
    def lasts(self) -> bool:
        return self.name == "ENOSPC"

    def concerns(self, call: str, *, making: bool) -> bool:
        """Tell whether a call can fail so at all; `making`: it opens a file to write."""
        if self.name == "ENOSPC":
            return call in _NEEDING_SPACE or (call == "open" and making)
        return call in _ON_PATHS if self.name == "EACCES" else True


@dataclass(frozen=True, slots=True)
class Lived:
    """How a run went.

    Attributes:
        how: it was `done`, it `said` an error of ours, or it `raised` something else.
        value: what the work returned, the error's name and sentences, or a traceback.
        calls: how many calls were counted.
        at: the call that failed; empty if none did.
        terminal: what was written to standard error.
    """

    how: Literal["done", "said", "raised"]
    value: Any
    calls: int
    at: str
    terminal: str


def faulted(work: Callable[..., Any], given: tuple[Any, ...], fault: Fault, sender: Connection) -> int:
    """Do the work in a child of a `Breeder`, with one call for files below the folder that it is given failing."""
    (folder,) = given
    terminal = io.StringIO()
    sys.stderr = terminal
    counter = _Counter(Path(folder), fault)
    counter.arm()
    how: Literal["done", "said", "raised"] = "done"
    try:
        value = work(folder)
    except Exception as error:  # noqa: BLE001  # an edge, as those of a turn, a command and the page
        sentence = told(error)
        how, value = "said", (type(sentence).__name__, sentence.sentence("ja"), sentence.sentence("en"))
        if isinstance(sentence, UnexpectedError):
            how, value = "raised", traceback.format_exc()
    counter.disarm()
    sender.send(Lived(how, value, counter.count, counter.at, terminal.getvalue()))
    return 0


class _Counter:
    """Counts calls that a fault concerns, and lets one fail."""

    def __init__(self, root: Path, fault: Fault) -> None:
        self.count = 0
        self.at = ""
        self._fault = fault
        self._root = os.fspath(root)
        self._ours: set[int] = set()
        self._guard = threading.Lock()
        self._armed = True

    def arm(self) -> None:
        for call in _ON_PATHS | _ON_DESCRIPTORS:
            if hasattr(os, call):
                setattr(os, call, self._replaced(call, getattr(os, call)))
        self._replace_open()
        _replace_in_sqlite(self)

    def disarm(self) -> None:
        self._armed = False

    def step(self, call: str, about: object, *, making: bool = False) -> int:
        """Count a call; return the number of the error with which it is to fail, 0 if it is not."""
        if not self._armed or not self._fault.concerns(call, making=making):
            return 0
        with self._guard:
            self.count += 1
            is_due = self.count >= self._fault.number if self._fault.lasts else self.count == self._fault.number
            if not self._fault.number or not is_due:
                return 0
            self.at = self.at or f"{call} {about!s:.150}"
            return self._fault.code

    def _replaced(self, call: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*given: Any, **named: Any) -> Any:
            if self._is_ours(given, named):
                making = call == "open" and bool(given[1] & _MAKING)
                if code := self.step(call, given[0] if given else named, making=making):
                    raise OSError(code, os.strerror(code), given[0] if given and isinstance(given[0], str) else None)
            done = real(*given, **named)
            if call == "open" and self._is_ours(given, named):
                self._ours.add(done)
            return done

        return counted

    def _is_ours(self, given: tuple[Any, ...], named: dict[str, Any]) -> bool:
        around = [named.get(name) for name in ("dir_fd", "src_dir_fd", "dst_dir_fd", "path")]
        return any(self._is_below(one) for one in (*given[:2], *around))

    def _is_below(self, one: Any) -> bool:
        if isinstance(one, int):
            return one in self._ours
        return isinstance(one, str | os.PathLike) and os.fspath(one).startswith(self._root)

    def _replace_open(self) -> None:
        counter, real = self, io.open

        class Counted(io.FileIO):
            def readinto(self, buffer: Any) -> int | None:
                counter.fail("read", self.name)
                return super().readinto(buffer)

            def readall(self) -> bytes:
                counter.fail("read", self.name)
                return super().readall()

            def write(self, data: Any) -> int:
                counter.fail("write", self.name)
                return super().write(data)

        def opened(file: Any, mode: str = "r", buffering: int = -1, *given: Any, **named: Any) -> Any:
            if not self._is_below(file):
                return real(file, mode, buffering, *given, **named)
            opener, closefd = named.pop("opener", None) or os.open, named.pop("closefd", True)
            raw = Counted(file, mode.replace("b", "").replace("t", ""), closefd=closefd, opener=opener)
            if buffering == 0:
                return raw
            buffered: Any = (
                io.BufferedRandom if "+" in mode else io.BufferedReader if "r" in mode else io.BufferedWriter
            )
            whole = buffered(raw, buffering if buffering > 1 else io.DEFAULT_BUFFER_SIZE)
            return whole if "b" in mode else io.TextIOWrapper(whole, *given, **named)

        io.open = builtins.open = opened

    def fail(self, call: str, about: object) -> None:
        """Count a call of an opened file, and fail if it is to."""
        if code := self.step(call, about):
            raise OSError(code, os.strerror(code))


_PATH, _INT, _POINTER, _SIZE, _OFFSET = ctypes.c_char_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_long
_IN_SQLITE: Final[dict[str, tuple[str, Any, tuple[Any, ...]]]] = {
    "open": ("open", _INT, (_PATH, _INT, _INT)),
    "stat": ("stat", _INT, (_PATH, _POINTER)),
    "fstat": ("fstat", _INT, (_INT, _POINTER)),
    "ftruncate": ("ftruncate", _INT, (_INT, _OFFSET)),
    "pread64": ("read", ctypes.c_ssize_t, (_INT, _POINTER, _SIZE, _OFFSET)),
    "pwrite64": ("write", ctypes.c_ssize_t, (_INT, _POINTER, _SIZE, _OFFSET)),
    "unlink": ("unlink", _INT, (_PATH,)),
}
"""SQLite's name of a call, ours, what it returns, what it takes."""
_METHODS_BEFORE: Final = 13
"""How many pointers to other methods stand before those that replace and tell system calls: xOpen to xCurrentTimeInt64."""


class _Vfs(ctypes.Structure):
    """`struct sqlite3_vfs` of <sqlite3.h>."""

    _fields_ = (
        ("iVersion", _INT), ("szOsFile", _INT), ("mxPathname", _INT), ("pNext", _POINTER),
        ("zName", ctypes.c_char_p), ("pAppData", _POINTER), ("methods", _POINTER * _METHODS_BEFORE),
        *((name, _POINTER) for name in ("xSetSystemCall", "xGetSystemCall", "xNextSystemCall"))
    )  # fmt: skip


_kept: list[Any] = []
"""SQLite calls these as long as the process lives."""


def can_reach_sqlite() -> bool:
    """Whether SQLite's system calls can be replaced here: on a POSIX system, where it is a library of its own."""
    return _vfs() is not None


def _vfs() -> Any:
    import _sqlite3  # noqa: PLC0415  # where it is built into Python there is no file to look into

    try:
        library = ctypes.CDLL(_sqlite3.__file__)
        library.sqlite3_libversion.restype = ctypes.c_char_p
        if library.sqlite3_libversion().decode() != sqlite3.sqlite_version:
            return None
        library.sqlite3_vfs_find.restype = ctypes.POINTER(_Vfs)
        vfs = library.sqlite3_vfs_find(None)
    except (AttributeError, OSError):
        return None
    return vfs if vfs and vfs.contents.zName == b"unix" else None


def _replace_in_sqlite(counter: _Counter) -> None:
    vfs = _vfs()
    if vfs is None:
        return
    get = ctypes.CFUNCTYPE(_POINTER, _POINTER, _PATH)(vfs.contents.xGetSystemCall)
    put = ctypes.CFUNCTYPE(_INT, _POINTER, _PATH, _POINTER)(vfs.contents.xSetSystemCall)
    for name, (call, returns, takes) in _IN_SQLITE.items():
        address = get(ctypes.addressof(vfs.contents), name.encode())
        if not address:
            continue
        kind = ctypes.CFUNCTYPE(returns, *takes, use_errno=True)
        replaced = kind(_counted(counter, call, kind(address)))
        _kept.append(replaced)
        put(ctypes.addressof(vfs.contents), name.encode(), ctypes.cast(replaced, _POINTER))


def _counted(counter: _Counter, call: str, real: Callable[..., int]) -> Callable[..., int]:
    def counted(*given: Any) -> int:
        making = call == "open" and bool(given[1] & os.O_CREAT)
        if code := counter.step(call, f"by SQLite {given[0]!r}", making=making):
            ctypes.set_errno(code)
            return -1
        return real(*given)

    return counted
