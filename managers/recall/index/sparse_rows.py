"""Rows of signed bytes of which most are nought: where the others stand, and what they are.

The built-in embedder's vectors have 1,024 dimensions, of which a short message touches sixty: so they take a fifth
of the room, on the disk and of what a search reads.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from managers.recall.embedders import Vectors
from managers.recall.index.scalar_quantization import Bytes, Ids, Scores

TOGETHER: Final = 16
"""So many numbers of a row are read together; the last of them are filled up with noughts."""
_PLACES: Final = 2 * TOGETHER
GROUP: Final = _PLACES + TOGETHER
"""Bytes of a group: where its numbers stand, two bytes each, then the numbers."""
_EACH: Final = 3
_HEAD: Final = 2
"""Bytes before a row that is kept by itself: how many dimensions it has."""
_WORTH: Final = 0.7
"""They must take less than this part of what whole rows take, which are compared a little faster."""


class SparseRows:
    """Rows of one width, each a run of groups of numbers with their places."""

    def __init__(self, width: int, groups: Bytes, counts: Ids) -> None:
        """Take the groups of all rows, one row after the other, and how many each has."""
        self.width = width
        self._held = groups.reshape(-1, GROUP)
        self._counts = counts
        self._begins = np.cumsum(counts) - counts

    def __len__(self) -> int:
        return len(self._counts)

    def rows(self, chosen: Ids) -> Bytes:
        """Return some rows whole."""
        places, values, counts = self._groups(chosen)
        found = np.zeros((len(chosen), self.width), np.int8)
        group, number = np.nonzero(values)
        owner = np.repeat(np.arange(len(chosen)), counts)
        found[owner[group], places[group, number]] = values[group, number]
        return found

    def products(self, chosen: Ids, query: Vectors) -> Scores:
        """Return the inner products of some rows and a query (one row)."""
        places, values, counts = self._groups(chosen)
        total = np.zeros(len(values) + 1)
        np.cumsum(np.vecdot(query[0].take(places, mode="clip"), values.astype(np.float32)), out=total[1:])
        ends = np.cumsum(counts)
        found: Scores = (total[ends] - total[ends - counts]).astype(np.float32)
        return found

    def _groups(self, chosen: Ids) -> tuple[npt.NDArray[np.uint16], Bytes, Ids]:
        """Return the places and the numbers of some rows' groups, and how many groups each row has."""
        counts = self._counts[chosen]
        groups = np.repeat(self._begins[chosen] - np.cumsum(counts) + counts, counts)
        groups += np.arange(len(groups))
        held = self._held.take(groups, 0)
        return held[:, :_PLACES].view("<u2"), held[:, _PLACES:], counts


def is_worth(codes: Bytes) -> bool:
    """Tell of a sample of rows whether groups take noticeably less room than whole ones."""
    _, counts = grouped(codes)
    return int(counts.sum()) * GROUP < _WORTH * codes.size


def grouped(codes: Bytes) -> tuple[Bytes, Ids]:
    """Return rows as `SparseRows` takes them."""
    row, place = np.nonzero(codes)
    held = np.bincount(row, minlength=len(codes))
    counts = -(-held // TOGETHER)
    before = TOGETHER * (np.cumsum(counts) - counts)
    at = np.repeat(before - np.cumsum(held) + held, held) + np.arange(len(row))
    places, values = np.zeros(TOGETHER * int(counts.sum()), "<u2"), np.zeros(TOGETHER * int(counts.sum()), np.int8)
    places[at], values[at] = place, codes[row, place]
    return np.hstack([places.view(np.int8).reshape(-1, _PLACES), values.reshape(-1, TOGETHER)]), counts


def kept_alone(codes: Bytes) -> list[bytes]:
    """Return rows as each is kept by itself: where its numbers stand and what they are, or whole where that is shorter."""
    row, place = np.nonzero(codes)
    ends = np.cumsum(np.bincount(row, minlength=len(codes))).tolist()
    places, values = place.astype("<u2").tobytes(), codes[row, place].tobytes()
    width = codes.shape[1]
    head = width.to_bytes(_HEAD, "little")
    return [
        head + (places[2 * begin : 2 * end] + values[begin:end] if _EACH * (end - begin) < width else whole.tobytes())
        for begin, end, whole in zip([0, *ends[:-1]], ends, codes, strict=True)
    ]


def taken_together(rows: Sequence[bytes]) -> Bytes:
    """Return rows that were kept each by itself."""
    width = int.from_bytes(rows[0][:_HEAD], "little")
    found = np.zeros((len(rows), width), np.int8)
    for row, data in zip(found, rows, strict=True):
        if len(data) == width + _HEAD:
            row[:] = np.frombuffer(data, np.int8, offset=_HEAD)
        else:
            count = (len(data) - _HEAD) // _EACH
            row[np.frombuffer(data, "<u2", count, _HEAD)] = np.frombuffer(data, np.int8, count, _HEAD + 2 * count)
    return found
