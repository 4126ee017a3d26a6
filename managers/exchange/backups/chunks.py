"""Cutting files into chunks where their content says so (content-defined chunking).

A file that grew, or in which something was put in, so has the same chunks as before but for those that changed. A cut
stands behind a byte where the gear hash of the last 32 bytes ends in zeros (Xia et al., FastCDC, 2016). The hash of
all positions is worked out at once: that of 2 n bytes is that of the last n, plus that of the n before, shifted by n.
"""

import hashlib
from collections.abc import Iterator
from typing import IO, Final

import numpy as np
from numpy.typing import NDArray

LEAST: Final = 16 * 1024
MOST: Final = 256 * 1024
"""Bytes of a chunk; the last one of a file may be smaller."""
_MASK: Final = np.uint32((1 << 16) - 1)
"""Of so many bits: about 64 KiB lie between two places where one may cut."""
_READ: Final = 4 * 1024 * 1024
_GEAR: Final = np.frombuffer(b"".join(hashlib.sha256(bytes([n])).digest()[:4] for n in range(256)), dtype="<u4")


def chunks(file: IO[bytes], size: int) -> Iterator[bytes]:
    """Yield the first `size` bytes of a file (fewer, if there are not so many) in chunks."""
    held = b""
    while True:
        read = file.read(min(size, _READ))
        size -= len(read)
        held += read
        begin = 0
        for end in _ends(held, is_last=not read):
            yield held[begin:end]
            begin = end
        held = held[begin:]
        if not read:
            return


def _ends(data: bytes, *, is_last: bool) -> Iterator[int]:
    """Yield where chunks end, as far as that does not depend on what follows."""
    begin, whole = 0, len(data)
    places = _places(data) if whole > LEAST else np.zeros(0, np.intp)
    while begin < whole:
        most = min(begin + MOST, whole)
        at = int(np.searchsorted(places, begin + LEAST))
        if at < len(places) and places[at] <= most:
            begin = int(places[at])
        elif is_last or most == begin + MOST:
            begin = most
        else:
            return
        yield begin


def _places(data: bytes) -> NDArray[np.intp]:
    """Return behind which bytes one may cut."""
    hashes = _GEAR[np.frombuffer(data, np.uint8)]
    for shift in (1, 2, 4, 8, 16):
        before = hashes[:-shift] << np.uint32(shift)
        hashes[shift:] += before
    return np.flatnonzero((hashes & _MASK) == 0) + 1
