"""Giving memory back to the system: what a mapped file takes, whose pages come again when they are read, and what is free.

A dictionary of 200 MB that is mapped from disk counts as this program's memory as far as it was ever
read, although most of it is never read twice. Only Linux can be told so from here; elsewhere the
system takes such pages back by itself when it needs them. What a room or a night has freed stays this
program's until the C library is told to let go of it, which glibc can be; Python's own pieces go by themselves.
"""

import ctypes
import gc
import logging
import os
import sys
from pathlib import Path
from typing import Final

_MAPS: Final = Path("/proc/self/maps")
_PAGES: Final = Path("/proc/self/statm")
_WORTH: Final = 4_000_000
_DONT_NEED: Final = 4
"""MADV_DONTNEED of <sys/mman.h>: of a mapped file that nobody writes, nothing is lost."""

_MMAP_THRESHOLD: Final = -3
_ARENA_MAX: Final = -8
"""What M_MMAP_THRESHOLD and M_ARENA_MAX are called in <malloc.h>."""
_LARGE: Final = 1 << 18
"""Bytes: so large a piece goes back as soon as it is free, wherever it lies."""

_logger = logging.getLogger(__name__)


def keep_together() -> None:
    """Let all threads share one heap, and large pieces lie apart: what is free between others can hardly be given back."""
    if (adjust := getattr(_libc(), "mallopt", None)) is not None:
        adjust(_ARENA_MAX, 1)
        adjust(_MMAP_THRESHOLD, _LARGE)


def give_back_free(before: int = 0) -> int:
    """Let go of garbage, and of whatever is free: for idle moments; it takes a tenth of a second of the processor.

    Args:
        before: what it returned the last time: where hardly more is held by now, nothing is done.

    Returns:
        how many bytes this program holds; 0 where nobody can tell.
    """
    trim = getattr(_libc(), "malloc_trim", None)
    if trim is None or resident() < before + _WORTH:
        return before
    gc.collect()
    trim(0)
    return resident()


def resident() -> int:
    """Return how many bytes of memory this program holds."""
    return int(_PAGES.read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def give_back(file_name: str) -> int:
    """Let go of the pages of all read-only mappings of files with this name; they may be in use.

    Returns:
        how many bytes are mapped; 0 where there is nothing to be done or no way to do it.
    """
    if sys.platform != "linux":
        return 0
    given = 0
    for line in _MAPS.read_text("utf-8").splitlines():
        addresses, rights, *_ = line.split(maxsplit=5)
        if not line.endswith(f"/{file_name}") or "w" in rights:
            continue
        begin, end = (int(address, 16) for address in addresses.split("-"))
        if _advise(begin, end - begin):
            given += end - begin
    return given


def _libc() -> ctypes.CDLL | None:
    return ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def _advise(begin: int, length: int) -> bool:
    if ctypes.CDLL(None, use_errno=True).madvise(ctypes.c_void_p(begin), ctypes.c_size_t(length), _DONT_NEED) == 0:
        return True
    _logger.info("memory could not be given back: %s", os.strerror(ctypes.get_errno()))
    return False
