"""A cache in front of an embedder that is slow or costs money: 2,048 vectors in memory, all passages on disk."""

import logging
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import closing
from hashlib import blake2b
from pathlib import Path
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from managers.recall.embedders import Embedder, Vectors
from managers.recall.index.connection import connect, make_tables, remove_database, transaction
from managers.storage.derived import derived
from managers.storage.errors import DerivedDamagedError, UtataneError
from managers.storage.files import make_folder

IN_MEMORY = 2048
_SCHEMA = "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL);"

Row = npt.NDArray[np.float32]
Result = TypeVar("Result")

_logger = logging.getLogger(__name__)


class CachedEmbedder:
    """An embedder that embeds no text twice."""

    def __init__(self, inner: Embedder, path: Path) -> None:
        """Take the embedder and the SQLite file; it is made when needed, and may be deleted at any time."""
        self.inner = inner
        self.name = inner.name
        self.is_remote = inner.is_remote
        self.is_slow = inner.is_slow
        self._path = path
        self._memory: OrderedDict[bytes, Row] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def factor(self) -> float:
        return self.inner.factor

    @property
    def is_ready(self) -> bool:
        return self.inner.is_ready

    def load(self) -> None:
        self.inner.load()

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Embed what is to be found; only texts that are not known yet go to the embedder."""
        return self._through("passage", texts)

    def query(self, text: str) -> Vectors:
        """Embed a question; it is remembered as long as the process lives."""
        return self._through("query", [text])

    def keep_only(self, texts: Iterable[str]) -> int:
        """Remove everything but these passages, questions too: what is forgotten leaves nothing behind.

        Returns:
            how many vectors were removed from the disk.
        """
        keys = {self._key("passage", text) for text in texts}
        with self._lock:
            for key in [key for key in self._memory if key not in keys]:
                del self._memory[key]
            return self._in_file(lambda connection: _delete_others(connection, keys), 0) if self._path.exists() else 0

    def _through(self, kind: str, texts: Sequence[str]) -> Vectors:
        keys = [self._key(kind, text) for text in texts]
        known = self._known(keys)
        fresh = list(dict.fromkeys(text for text, key in zip(texts, keys, strict=True) if key not in known))
        if fresh:
            made = self._made(kind, fresh)
            new = {self._key(kind, text): row for text, row in zip(fresh, made, strict=True)}
            if kind == "query":
                with self._lock:
                    self._remember(new)  # not on the disk: what is asked off the record is written nowhere
            else:
                self._keep(new)
            known |= new
        if len({len(row) for row in known.values()}) > 1:  # damaged: one model's vectors are all as long
            with self._lock:
                self._memory.clear()
                self._if_possible(lambda connection: connection.execute("DELETE FROM vectors"), None)
            return self._made(kind, texts)
        return np.stack([known[key] for key in keys]) if keys else np.zeros((0, 1), np.float32)

    def _made(self, kind: str, texts: Sequence[str]) -> Vectors:
        return self.inner.query(texts[0]) if kind == "query" else self.inner.passages(texts)

    def _key(self, kind: str, text: str) -> bytes:
        whole = f"{self.name}\0{kind}\0{text}".encode("utf-8", "surrogatepass")
        return blake2b(whole, digest_size=16).digest()

    def _known(self, keys: Sequence[bytes]) -> dict[bytes, Row]:
        found: dict[bytes, Row] = {}
        with self._lock:
            for key in keys:
                if key in self._memory:
                    self._memory.move_to_end(key)
                    found[key] = self._memory[key]
            wanted = [key for key in dict.fromkeys(keys) if key not in found]
            if wanted and self._path.exists():
                nothing: dict[bytes, Row] = {}
                kept = self._if_possible(lambda connection: _read(connection, wanted), nothing)
                self._remember(kept)
                found |= kept
        return found

    def _keep(self, new: dict[bytes, Row]) -> None:
        rows = [(key, row.astype(np.float16).tobytes()) for key, row in new.items()]
        with self._lock:
            self._if_possible(
                lambda connection: connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows), None
            )
            self._remember(new)

    def _remember(self, new: dict[bytes, Row]) -> None:
        self._memory.update(new)
        while len(self._memory) > IN_MEMORY:
            self._memory.popitem(last=False)

    def _if_possible(self, work: Callable[[sqlite3.Connection], Result], otherwise: Result) -> Result:
        """Do what `_in_file` does; where the disk refuses, do without: vectors that were made are not lost by it."""
        try:
            return self._in_file(work, otherwise)
        except UtataneError as error:
            _logger.warning("vectors are not kept: %s", error)
            return otherwise

    def _in_file(self, work: Callable[[sqlite3.Connection], Result], otherwise: Result) -> Result:
        """Do something with the file, all or nothing; one that is damaged is thrown away, for it is only a cache.

        Raises:
            DiskFullError, UnwritableError, BusyError: the disk refuses.
        """
        with derived(self._path):
            try:
                with derived(self._path), closing(self._connect()) as connection:
                    with transaction(connection):
                        done = work(connection)
                    if connection.total_changes:
                        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                    return done
            except DerivedDamagedError:
                _logger.warning("the cache of vectors is damaged and begins anew", exc_info=True)
                remove_database(self._path)
                return otherwise

    def _connect(self) -> sqlite3.Connection:
        make_folder(self._path.parent)
        connection = connect(self._path, 10, _SCHEMA)
        try:
            make_tables(connection, _SCHEMA)
        except Exception:
            connection.close()
            raise
        return connection


def _read(connection: sqlite3.Connection, keys: Iterable[bytes]) -> dict[bytes, Row]:
    found: dict[bytes, Row] = {}
    for key in keys:
        row = connection.execute("SELECT vector FROM vectors WHERE key = ?", (key,)).fetchone()
        if row is not None:
            found[key] = np.frombuffer(row[0], np.float16).astype(np.float32)
    return found


def _delete_others(connection: sqlite3.Connection, keys: Collection[bytes]) -> int:
    gone = [row for row in connection.execute("SELECT key FROM vectors") if row[0] not in keys]
    connection.executemany("DELETE FROM vectors WHERE key = ?", gone)
    return len(gone)
