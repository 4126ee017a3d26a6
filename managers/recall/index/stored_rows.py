"""The vectors of an index where they are kept, in SQLite, read as they are asked for."""

import json
from itertools import chain

import numpy as np

from managers.recall.index.scalar_quantization import Bytes, Ids
from managers.recall.index.sparse_rows import taken_together
from managers.recall.index.store import Store
from managers.storage.errors import DerivedDamagedError

_READ = "SELECT code FROM {} WHERE seq IN (SELECT value FROM json_each(?)) ORDER BY seq"


class StoredRows:
    """Rows by place, as `RowsByPlace` has them, within one transaction; places are asked for in order.

    Attributes:
        ids: the passages that they belong to.
        last: SQLite's number of the last one.
    """

    def __init__(self, store: Store, table: str) -> None:
        """Look which vectors there are in a table; there must be one."""
        self._read = _READ.format(table)
        self._connection = store.connection()
        found = self._connection.execute(f"SELECT seq, chunk FROM {table} ORDER BY seq")  # noqa: S608  # a word of ours
        both = np.fromiter(chain.from_iterable(found), np.int64).reshape(-1, 2)
        self._seqs, self.ids = both[:, 0].copy(), both[:, 1].copy()
        self.last = int(self._seqs[-1])
        check_ids(self.ids, store)
        self.width = self.rows(np.zeros(1, np.int64)).shape[1]

    def __len__(self) -> int:
        return len(self._seqs)

    def rows(self, places: Ids) -> Bytes:
        held = self._connection.execute(self._read, (json.dumps(self._seqs[places].tolist()),))
        return taken_together([code for (code,) in held])


def check_ids(ids: Ids, store: Store) -> None:
    """Refuse numbers of passages that cannot be: room for them would take all the memory there is.

    Raises:
        DerivedDamagedError
    """
    if ids.min() < 0 or 0 < store.next_id() <= ids.max():
        raise DerivedDamagedError(path=store.path.name)
