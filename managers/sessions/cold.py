"""The archive of full logs: one compressed file a thread. An object store would be another `ColdArchive`."""

import gzip
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from pydantic import ValidationError

from managers.sessions.damaged import set_aside
from managers.sessions.records import ThreadRecord
from managers.storage.clock import Clock
from managers.storage.errors import Notice
from managers.storage.files import entries, files, read_bytes, remove, write_atomic
from managers.storage.paths import safe_name

_SUFFIX: Final = ".json.gz"


class ColdArchive(Protocol):
    """Where full logs go after a week. To put the same thread twice leaves it there once."""

    def put(self, thread: ThreadRecord) -> None:
        """Keep a thread with its full log; it is safe when this returns.

        Raises:
            DiskFullError, UnwritableError: it is as it was.
        """

    def get(self, session_id: str, thread_id: int) -> ThreadRecord | None:
        """Return a thread; None if it is not there."""

    def remove(self, session_id: str, thread_id: int) -> None:
        """Destroy a thread."""

    def threads(self, session_id: str = "") -> Iterator[tuple[str, int]]:
        """Yield the session and the number of every thread, of one session or of all."""


@dataclass(frozen=True)
class FolderArchive:
    """An archive in a folder: `<session_id>/<thread_id>.json.gz`."""

    folder: Path
    clock: Clock
    tell: Callable[[Notice], None]

    def put(self, thread: ThreadRecord) -> None:
        data = thread.model_dump_json().encode()
        write_atomic(self._path(thread.session_id, thread.thread_id), gzip.compress(data, mtime=0))

    def get(self, session_id: str, thread_id: int) -> ThreadRecord | None:
        """Return a thread; a damaged file is set aside with every byte."""
        path = self._path(session_id, thread_id)
        data = read_bytes(path)
        try:
            return ThreadRecord.model_validate_json(gzip.decompress(data)) if data is not None else None
        except (OSError, EOFError, zlib.error, ValidationError):
            self.tell(set_aside(path, self.clock.now()))
            return None

    def remove(self, session_id: str, thread_id: int) -> None:
        remove(self._path(session_id, thread_id))

    def threads(self, session_id: str = "") -> Iterator[tuple[str, int]]:
        names = [session_id] if session_id else sorted(entry.name for entry in entries(self.folder, {"folder"}))
        for name in names:
            for path in files(self.folder / safe_name(name), f"*{_SUFFIX}"):
                number = path.name.removesuffix(_SUFFIX)
                if number.isdecimal():
                    yield name, int(number)

    def _path(self, session_id: str, thread_id: int) -> Path:
        return self.folder / safe_name(session_id) / f"{thread_id:06d}{_SUFFIX}"
