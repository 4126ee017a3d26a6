"""Reading the safetensors format: a length, a JSON header of that length, then plain numbers. Nothing in it is executed.

The file may come from anybody, so every number of the header is checked against the file before it is used.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from managers.storage.files import open_binary

_HEADER_BYTES: Final = 1 << 20
_KINDS: Final[Mapping[str, str]] = {
    "F64": "<f8",
    "F32": "<f4",
    "F16": "<f2",
    "I64": "<i8",
    "I32": "<i4",
    "I16": "<i2",
    "I8": "i1",
    "U8": "u1",
}
_BFLOAT16: Final = "BF16"
_DIMENSIONS: Final = 2
_TOO_MANY: Final = 1 << 40


class UnreadableTensorsError(ValueError):
    """A file is no safetensors file, or one that is not used here."""


def read_tensors(path: Path) -> dict[str, npt.NDArray[Any]]:
    """Return the tensors of a file by name, mapped from the disk and not read yet.

    Raises:
        UnreadableTensorsError: the file is not what it should be.
        OSError: it cannot be read.
    """
    if not path.is_file():
        raise UnreadableTensorsError("no plain file")
    with open_binary(path) as file:
        size = path.stat().st_size
        length = int.from_bytes(file.read(8), "little")
        if not 0 < length <= min(_HEADER_BYTES, size - 8):
            raise UnreadableTensorsError("a header of the wrong length")
        header = file.read(length)
    start, found = 8 + length, {}
    for name, one in described(header, size - start).items():
        tensor: npt.NDArray[Any] = np.memmap(path, one.numbers, "r", start + one.begin, one.shape)
        found[name] = (tensor.astype("<u4") << 16).view("<f4") if one.is_bfloat else tensor
    return found


@dataclass(frozen=True, slots=True)
class Described:
    """What a header says of a tensor: its numbers, its shape, and where it begins."""

    numbers: np.dtype[Any]
    shape: tuple[int, ...]
    begin: int
    is_bfloat: bool


def described(header: bytes, room: int) -> dict[str, Described]:
    """Return what a header says, where it can be true of so many bytes.

    Raises:
        UnreadableTensorsError: it cannot.
    """
    try:
        held = json.loads(header)
    except (ValueError, RecursionError) as error:
        raise UnreadableTensorsError("a header that is no JSON") from error
    if not isinstance(held, dict):
        raise UnreadableTensorsError("a header that is no table")
    facts = {name: one for name, one in held.items() if name != "__metadata__" and isinstance(one, dict)}
    return {name: _described(one, room) for name, one in facts.items()}


def _described(facts: Mapping[str, Any], room: int) -> Described:
    sort, shape, place = str(facts.get("dtype")), _counts(facts.get("shape")), _counts(facts.get("data_offsets"))
    numbers = np.dtype("<u2") if sort == _BFLOAT16 else np.dtype(_KINDS.get(sort, "V0"))
    count = math.prod(shape)
    if not numbers.itemsize or not count or not 1 <= len(shape) <= _DIMENSIONS or len(place) != len(("begin", "end")):
        raise UnreadableTensorsError("a tensor of an unknown kind")
    begin, end = place
    if not begin <= end <= room or end - begin != count * numbers.itemsize:
        raise UnreadableTensorsError("a tensor that is not where its header says")
    return Described(numbers, shape, begin, sort == _BFLOAT16)


def _counts(values: object) -> tuple[int, ...]:
    """Return whole numbers of a foreign JSON; none where they are anything else."""
    if not isinstance(values, list) or not all(type(value) is int and 0 <= value < _TOO_MANY for value in values):
        return ()
    return tuple(values)
