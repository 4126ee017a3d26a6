"""Unpacking the history's objects no further than any memory goes: half a megabyte may unfold to a gigabyte.

What an object unfolds to stands before it, so one that is too large is refused before that; one that unfolds to
more than it says is damaged. Packed objects are differences to others, which may be differences again: what has to
be made for one of them has a limit, too.
"""

import zlib
from functools import partial
from mmap import mmap
from pathlib import Path
from typing import Final

from dulwich.object_format import ObjectFormat
from dulwich.objects import Blob, ObjectID, ShaFile, object_class
from dulwich.pack import DELTA_TYPES, Pack, PackData, PackIndex, UnpackedObject, load_pack_index

from managers.storage.files import MAX_BYTES

_MAX_LISTING: Final = MAX_BYTES // 8
"""Bytes of a commit or of a folder's list, of which ten thousand files need one: each takes many times that to read."""
MAX_MADE: Final = 16 * MAX_BYTES
"""Bytes of all that is made for one object; the packing here keeps to half of it."""
_STEP: Final = 1 << 16
"""What one more difference costs of that however small it is, so that no chain is endless."""
_KEPT_OF_A_PACK: Final = 4 << 20
"""Bytes of unpacked objects that are kept for those that are made with them; dulwich keeps five times as much of each pack."""
_HEAD: Final = 64
_SEVEN_BITS: Final = 0x7F
_MORE: Final = 0x80


class TooLargeError(ValueError):
    """An object is larger than anything that the history keeps."""


def check_size(kind: int, size: int) -> None:
    """Refuse what is too large.

    Raises:
        TooLargeError
    """
    if size > (MAX_BYTES if kind == Blob.type_num or kind in DELTA_TYPES else _MAX_LISTING):
        raise TooLargeError(size)


def unpacked_loose(data: bytes, object_id: ObjectID) -> ShaFile:
    """Return the object that a file of its own holds.

    Raises:
        ValueError, zlib.error: it is damaged, or too large.
    """
    unpacking = zlib.decompressobj()
    head, _, begun = unpacking.decompress(data, _HEAD).partition(b"\0")
    name, _, told = head.partition(b" ")
    kind, size = object_class(name), int(told)
    if kind is None:
        raise ValueError(name)
    check_size(kind.type_num, size)
    content = begun + unpacking.decompress(unpacking.unconsumed_tail, max(1, size + 1 - len(begun)))
    if len(content) != size:
        raise zlib.error("not as long as it says")
    return ShaFile.from_raw_string(kind.type_num, content, sha=object_id)


class Allowance:
    """How much may still be unpacked for the object that is being asked for."""

    def __init__(self) -> None:
        self.left = MAX_MADE

    def renew(self) -> None:
        """Begin with another object."""
        self.left = MAX_MADE

    def take(self, kind: int, size: int) -> None:
        """Use some of it up.

        Raises:
            TooLargeError
        """
        check_size(kind, size)
        self.left -= size + _STEP
        if self.left < 0:
            raise TooLargeError(size)


def limit_pack(pack: Pack, allowance: Allowance) -> None:
    """Let a pack that is not opened yet be read within limits; dulwich has no other way in."""
    pack._idx_load = partial(_index, pack._idx_path, pack.object_format)  # noqa: SLF001
    pack._data_load = partial(_LimitedPackData, pack._data_path, pack.object_format, allowance)  # noqa: SLF001


def _index(path: str, object_format: ObjectFormat) -> PackIndex:
    check_size(Blob.type_num, Path(path).stat().st_size)
    return load_pack_index(path, object_format)


class _LimitedPackData(PackData):
    """The objects of a pack."""

    def __init__(self, path: str, object_format: ObjectFormat, allowance: Allowance) -> None:
        super().__init__(path, object_format, delta_base_cache_limit=_KEPT_OF_A_PACK)
        self._allowance = allowance

    def get_unpacked_object_at(self, offset: int, *, include_comp: bool = False) -> UnpackedObject:
        """Return the object that begins at an offset, a difference as such.

        Raises:
            TooLargeError: it, or what is made with the difference, is too large.
        """
        kind, size = _head_at(self._buffer(), offset)
        self._allowance.take(kind, size)
        found = super().get_unpacked_object_at(offset, include_comp=include_comp)
        if kind in DELTA_TYPES:
            self._allowance.take(kind, _made(b"".join(found.decomp_chunks)))
        return found


def _head_at(data: bytes | mmap, offset: int) -> tuple[int, int]:
    """Return the kind and the size that stand before a packed object: three bits and four, then seven a byte."""
    first = data[offset]
    higher, _ = _number(data, offset + 1) if first & _MORE else (0, 0)
    return first >> 4 & 0b111, (first & 0b1111) | higher << 4


def _made(delta: bytes) -> int:
    """Return the size of what is made with a difference; that of what it is made of stands before it."""
    _, after = _number(delta, 0)
    return _number(delta, after)[0]


def _number(data: bytes | mmap, start: int) -> tuple[int, int]:
    """Return a number of seven bits a byte, the lowest first, and where it ends."""
    end = start
    while data[end] & _MORE:
        end += 1
    return sum((data[at] & _SEVEN_BITS) << 7 * (at - start) for at in range(start, end + 1)), end + 1
