"""Derived data (indexes, maps, caches): it may be damaged or out of reach, and can always be made anew.

SQLite, FAISS, numpy and json each raise what they like over bytes that are not theirs: a flipped byte in a schema
makes `sqlite3` raise a UnicodeDecodeError, one in a list an IndexError far from where it was read. So whatever is
raised while derived data is read or written comes out as one of two things: the disk refuses, or it is damaged.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from managers.storage.errors import BusyError, DerivedDamagedError, DiskFullError, UnwritableError, UtataneError
from managers.storage.files import explained

_HELD = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL})
_REFUSED = frozenset(
    {sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_NOLFS}
)
_UNREADABLE = frozenset({sqlite3.SQLITE_IOERR_READ, sqlite3.SQLITE_IOERR_SHORT_READ, sqlite3.SQLITE_IOERR_CORRUPTFS})
_PRIMARY = 0xFF
"""SQLite's extended codes carry the primary one in their lowest byte."""


@contextmanager
def derived(path: Path) -> Iterator[None]:
    """Let whatever derived data raises come out as one of a few errors.

    Raises:
        DiskFullError, UnwritableError, BusyError: the disk refuses; the data may be whole.
        DerivedDamagedError: it is damaged and has to be made anew.
        UtataneError: as it came.
    """
    try:
        yield
    except UtataneError:
        raise
    except Exception as error:
        raise _said(error, path) from error


def _said(error: Exception, path: Path) -> UtataneError:
    if isinstance(error, OSError):
        return explained(error, path)
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK)
    primary = code & _PRIMARY
    if primary == sqlite3.SQLITE_FULL:
        return DiskFullError(path=path.name)
    if primary in _HELD or isinstance(error, sqlite3.ProgrammingError):  # the latter: it was closed meanwhile
        return BusyError(name=path.name)
    if primary in _REFUSED and code not in _UNREADABLE:
        return UnwritableError(path=path, cause=error)
    return DerivedDamagedError(path=path.name)
