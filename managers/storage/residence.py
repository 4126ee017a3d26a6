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
_DONT_NEED: Final = 4
"""MADV_DONTNEED of <sys/mman.h>: of a mapped file that nobody writes, nothing is lost."""

_MMAP_THRESHOLD, _ARENA_MAX, _LARGE = -3, -8, 1 << 18
"""Of <malloc.h>; so many bytes go back as soon as they are free, wherever they lie."""

_logger = logging.getLogger(__name__)


def keep_together() -> None:
    """Let all threads share one heap, and large pieces lie apart: what is free between others can hardly be given back."""
    if sys.platform == "linux" and (adjust := getattr(ctypes.CDLL(None), "mallopt", None)) is not None:
        adjust(_ARENA_MAX, 1)
        adjust(_MMAP_THRESHOLD, _LARGE)


def give_back_free() -> None:
    """Let go of garbage, and of whatever is free: for idle moments."""
    gc.collect()
    if sys.platform == "linux" and (trim := getattr(ctypes.CDLL(None), "malloc_trim", None)) is not None:
        trim(0)


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


def _advise(begin: int, length: int) -> bool:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.madvise(ctypes.c_void_p(begin), ctypes.c_size_t(length), _DONT_NEED) == 0:
        return True
    _logger.info("memory could not be given back: %s", os.strerror(ctypes.get_errno()))
    return False
