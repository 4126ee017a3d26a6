"""A cache in front of an embedder that is slow or costs money: 2,048 vectors in memory, all passages on disk."""

from __future__ import annotations

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from pathlib import Path

import numpy as np
import numpy.typing as npt

from managers.recall.embedders import Embedder, Vectors
from managers.storage.files import make_folder

IN_MEMORY = 2048


class CachedEmbedder:
    """An embedder that embeds no text twice."""

    def __init__(self, inner: Embedder, path: Path) -> None:
        """Take the embedder and the SQLite file; it is made when needed, and may be deleted at any time."""
        self.inner = inner
        self._path = path
        self._memory: OrderedDict[bytes, npt.NDArray[np.float32]] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def factor(self) -> float:
        return self.inner.factor

    @property
    def is_remote(self) -> bool:
        return self.inner.is_remote

    @property
    def is_slow(self) -> bool:
        return self.inner.is_slow

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Embed what is to be found; only texts that are not known yet go to the embedder."""
        return self._through("passage", texts)

    def query(self, text: str) -> Vectors:
        """Embed a question; it is remembered as long as the process lives."""
        return self._through("query", [text])

    def missing(self, texts: Sequence[str]) -> list[str]:
        """Return the passages that are not in the cache."""
        keys = [self._key("passage", text) for text in texts]
        known = self._known(keys)
        return [text for text, key in zip(texts, keys, strict=True) if key not in known]

    def keep_only(self, texts: Iterable[str]) -> int:
        """Remove everything but these passages, questions too: what is forgotten leaves nothing behind.

        Returns:
            how many vectors were removed from the disk.
        """
        keys = {self._key("passage", text) for text in texts}
        with self._lock:
            for key in [key for key in self._memory if key not in keys]:
                del self._memory[key]
            if not self._path.exists():
                return 0
            with self._open() as connection:
                gone = [row for row in connection.execute("SELECT key FROM vectors") if row[0] not in keys]
                connection.executemany("DELETE FROM vectors WHERE key = ?", gone)
                connection.commit()
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            return len(gone)

    def _through(self, kind: str, texts: Sequence[str]) -> Vectors:
        keys = [self._key(kind, text) for text in texts]
        known = self._known(keys)
        fresh = list(dict.fromkeys(text for text, key in zip(texts, keys, strict=True) if key not in known))
        if fresh:
            made = self.inner.query(fresh[0]) if kind == "query" else self.inner.passages(fresh)
            new = {self._key(kind, text): row for text, row in zip(fresh, made, strict=True)}
            if kind == "query":
                with self._lock:
                    self._remember(new)  # not on the disk: what is asked off the record is written nowhere
            else:
                self._keep(new)
            known |= new
        return np.stack([known[key] for key in keys]) if keys else np.zeros((0, 1), np.float32)

    def _key(self, kind: str, text: str) -> bytes:
        whole = f"{self.name}\0{kind}\0{text}".encode("utf-8", "surrogatepass")
        return blake2b(whole, digest_size=16).digest()

    def _known(self, keys: Sequence[bytes]) -> dict[bytes, npt.NDArray[np.float32]]:
        found: dict[bytes, npt.NDArray[np.float32]] = {}
        with self._lock:
            for key in keys:
                if key in self._memory:
                    self._memory.move_to_end(key)
                    found[key] = self._memory[key]
            wanted = [key for key in dict.fromkeys(keys) if key not in found]
            if wanted and self._path.exists():
                with self._open() as connection:
                    for key in wanted:
                        row = connection.execute("SELECT vector FROM vectors WHERE key = ?", (key,)).fetchone()
                        if row is not None:
                            found[key] = np.frombuffer(row[0], np.float16).astype(np.float32)
                self._remember({key: found[key] for key in wanted if key in found})
        return found

    def _keep(self, new: dict[bytes, npt.NDArray[np.float32]]) -> None:
        with self._lock:
            make_folder(self._path.parent)
            with self._open() as connection:
                rows = [(key, row.astype(np.float16).tobytes()) for key, row in new.items()]
                connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)
            self._remember(new)

    def _remember(self, new: dict[bytes, npt.NDArray[np.float32]]) -> None:
        self._memory.update(new)
        while len(self._memory) > IN_MEMORY:
            self._memory.popitem(last=False)

    def _open(self) -> _Opened:
        return _Opened(self._path)


class _Opened:
    """The cache's file, opened for a moment; one that is broken is begun anew, for it is only a cache."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> sqlite3.Connection:
        try:
            self._connection = self._connect()
        except sqlite3.DatabaseError:
            for suffix in ("", "-wal", "-shm"):
                self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)
            self._connection = self._connect()
        return self._connection

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self._connection.commit()
        self._connection.close()

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, timeout=10)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL)")
        except sqlite3.DatabaseError:
            connection.close()
            raise
        return connection
