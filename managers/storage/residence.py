"""Giving back to the system what a mapped file takes of its memory: pages that are read again come again.

A dictionary of 200 MB that is mapped from disk counts as this program's memory as far as it was ever
read, although most of it is never read twice. Only Linux can be told so from here; elsewhere the
system takes such pages back by itself when it needs them.
"""

import ctypes
import logging
import os
import sys
from pathlib import Path
from typing import Final

_MAPS: Final = Path("/proc/self/maps")
_DONT_NEED: Final = 4
"""MADV_DONTNEED of <sys/mman.h>: of a mapped file that nobody writes, nothing is lost."""

_logger = logging.getLogger(__name__)


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
