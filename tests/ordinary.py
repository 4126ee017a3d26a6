"""Lets a test run as an ordinary user does, to whom modes of files apply; root passes all of them over."""

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_VERSION = 0x20080522
_ANY_MODE = (1 << 1) | (1 << 2)
"""CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH of <linux/capability.h>."""


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Data(ctypes.Structure):
    _fields_ = (("effective", ctypes.c_uint32), ("permitted", ctypes.c_uint32), ("inheritable", ctypes.c_uint32))


@contextmanager
def ordinary_user() -> Iterator[None]:
    """Let modes count for this thread and those that it starts; skips where root cannot step down."""
    if os.name != "posix":
        pytest.skip("modes of files are POSIX")
    if os.geteuid() != 0:
        yield
        return
    if sys.platform != "linux":
        pytest.skip("root may read and write anything here")
    before = _capabilities()
    _set_effective(before & ~_ANY_MODE)
    try:
        yield
    finally:
        _set_effective(before)


def _capabilities() -> int:
    data = (_Data * 2)()
    assert ctypes.CDLL(None).capget(ctypes.byref(_Header(_VERSION, 0)), data) == 0
    return int(data[0].effective)


def _set_effective(effective: int) -> None:
    libc, header, data = ctypes.CDLL(None), _Header(_VERSION, 0), (_Data * 2)()
    assert libc.capget(ctypes.byref(header), data) == 0
    data[0].effective = effective
    assert libc.capset(ctypes.byref(header), data) == 0


@contextmanager
def closed_to_all(*paths: Path) -> Iterator[None]:
    """Take all rights to some files or folders away, for an ordinary user."""
    modes = [path.stat().st_mode & 0o777 for path in paths]
    for path in paths:
        path.chmod(0)
    try:
        with ordinary_user():
            yield
    finally:
        for path, mode in zip(paths, modes, strict=True):
            path.chmod(mode)
