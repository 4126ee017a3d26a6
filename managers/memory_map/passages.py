"""What the map reads of the search index: which passages there are, what they say, and their vectors.

Passages of two indexes are told apart by their *code*: twice their number, plus one for the current log.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from managers.recall.hits import ALL_TYPES, LOG_TYPES, MemoryType
from managers.recall.index.memory_index import MemoryIndex, Passage
from managers.recall.index.postings import POSTING_BLOCK
from managers.recall.index.sources import IndexName
from managers.recall.index.vectors import vectors_together

LEFT_OUT: tuple[MemoryType, ...] = ("knowledge",)
"""Documents are the person's books on the shelf, not what was lived through together; they have a room."""

_SEARCHED: tuple[IndexName, ...] = ("static", "current")

Codes = npt.NDArray[np.int64]
Vectors = npt.NDArray[np.float32]


class Passages:
    """The passages of a persona's conversations and memories, at one moment."""

    def __init__(self, indexes: Mapping[IndexName, MemoryIndex]) -> None:
        self._indexes = [indexes[name] for name in _SEARCHED]
        self.epoch = "/".join(index.refresh() for index in self._indexes)
        self.embedder = next((index.embedder for index in self._indexes if index.embedder), "")
        self._columns = [index.columns for index in self._indexes]

    def speakers(self) -> set[str]:
        return {name for index in self._indexes for _, name, _ in index.view.speakers}

    def marks(self) -> str:
        """Return what changes when anything that is indexed does."""
        return "/".join("{}:{}".format(*index.store.marks()) for index in self._indexes)

    def all(self) -> Codes:
        """Return the codes of all passages that are there, oldest numbers first."""
        found = []
        for at, columns in enumerate(self._columns):
            wanted = columns["alive"] > 0
            for kind in LEFT_OUT:
                wanted &= columns["kind"] != ALL_TYPES.index(kind)
            found.append(np.flatnonzero(wanted).astype(np.int64) * 2 + at)
        return np.concatenate(found)

    def are_there(self, codes: Codes) -> npt.NDArray[np.bool_]:
        there = np.zeros(len(codes), np.bool_)
        for at, columns in enumerate(self._columns):
            mine = (codes % 2 == at) & (codes // 2 < len(columns))
            there[mine] = columns["alive"][codes[mine] // 2] > 0
        return there

    def _column(self, codes: Codes, name: str) -> npt.NDArray[np.int64]:
        values = np.zeros(len(codes), np.int64)
        for at, columns in enumerate(self._columns):
            mine = codes % 2 == at
            values[mine] = columns[name][codes[mine] // 2]
        return values

    def days(self, codes: Codes) -> npt.NDArray[np.int64]:
        """Return the ordinal of each passage's day; 0: undated."""
        return self._column(codes, "day")

    def lengths(self, codes: Codes) -> npt.NDArray[np.int64]:
        return self._column(codes, "length")

    def are_of(self, codes: Codes, kinds: Sequence[MemoryType]) -> npt.NDArray[np.bool_]:
        return np.isin(self._column(codes, "kind"), [ALL_TYPES.index(kind) for kind in kinds])

    def of_messages(self, ids: Collection[str]) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        if not ids:
            return found
        for at, index in enumerate(self._indexes):
            rows = index.store.connection().execute("SELECT id, unit FROM chunks WHERE type IN (?, ?)", LOG_TYPES)
            for number, unit in rows:
                if unit in ids:
                    found.setdefault(unit, []).append(number * 2 + at)
        return found

    def read(self, codes: Iterable[int]) -> dict[int, Passage]:
        """Return passages by code; one that is gone is left out."""
        found: dict[int, Passage] = {}
        wanted = list(codes)
        for at, index in enumerate(self._indexes):
            numbers = [code // 2 for code in wanted if code % 2 == at]
            found |= {number * 2 + at: passage for number, passage in index.passages(numbers).items()}
        return found

    def vectors(self, codes: Codes) -> Vectors:
        """Return the vectors of passages; rows of zeros where there is none yet."""
        found = [(np.flatnonzero(codes % 2 == at), index) for at, index in enumerate(self._indexes)]
        for index in self._indexes:
            index.refresh()  # what nobody looks for is let go of, and a first map takes its time
        return vectors_together(len(codes), ((mine, index.vectors, codes[mine] // 2) for mine, index in found))

    def words(self, fewest: int = 1) -> Iterator[tuple[str, Codes]]:
        """Yield the words of all passages, each with codes of passages that hold it; a common word comes in parts.

        Args:
            fewest: parts of fewer passages are left out.
        """
        for at, index in enumerate(self._indexes):
            rows = index.store.connection().execute(
                "SELECT term, block, data FROM postings WHERE length(data) >= ? AND term >= ' '", (3 * fewest,)
            )
            for term, block, data in rows:
                places = np.frombuffer(data, "<u2", len(data) // 3).astype(np.int64)
                yield term, (places + block * POSTING_BLOCK) * 2 + at

    def holding(self, term: str) -> Codes:
        """Return the passages that hold a word, those that are gone left out."""
        found = [index.store.postings_of([term])[term][0] * 2 + at for at, index in enumerate(self._indexes)]
        codes = np.concatenate(found)
        return codes[self.are_there(codes)]

    def holding_all(self, terms: Sequence[str]) -> Codes:
        """Return the passages that hold all of some words."""
        found = self.holding(terms[0])
        for term in terms[1:]:
            if not len(found):
                break
            found = found[np.isin(found, self.holding(term))]
        return found
