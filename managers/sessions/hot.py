"""Hot sessions: the running state of a conversation for a day after it was last spoken in.

Each is a small private file, read anew every time: so the page and a command beside it see the same, and a killed process
loses nothing. Where there is a Redis, it holds them too (`redis_hot`).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Final, Protocol

from pydantic import ValidationError

from managers.sessions.damaged import set_aside
from managers.sessions.records import SessionRecord
from managers.storage.clock import Clock
from managers.storage.errors import Notice
from managers.storage.files import files, read_bytes, remove, write_atomic
from managers.storage.paths import safe_name

HOT: Final = timedelta(hours=24)
_SUFFIX: Final = ".json"


class HotStore(Protocol):
    """Where hot sessions are. Whoever changes one holds the sessions' lock."""

    def get(self, session_id: str) -> SessionRecord | None:
        """Return a session; None if it is not hot."""

    def put(self, record: SessionRecord) -> None:
        """Keep a session; it is on the disk when this returns.

        Raises:
            DiskFullError, UnwritableError: it is as it was.
        """

    def drop(self, session_id: str) -> None:
        """Let go of a session."""

    def ids(self) -> Iterator[str]:
        """Yield the ids of all."""

    def flush(self) -> None:
        """Bring up to date what could not be reached before."""


@dataclass(frozen=True)
class FileHot:
    """Hot sessions as files of a folder."""

    folder: Path
    clock: Clock
    tell: Callable[[Notice], None]

    def get(self, session_id: str) -> SessionRecord | None:
        """Return a session; a damaged file is set aside with every byte."""
        path = self._path(session_id)
        data = read_bytes(path)
        if data is None:
            return None
        try:
            return SessionRecord.model_validate_json(data)
        except ValidationError:
            self.tell(set_aside(path, self.clock.now()))
            return None

    def put(self, record: SessionRecord) -> None:
        write_atomic(self._path(record.session_id), record.model_dump_json(indent=2) + "\n")

    def drop(self, session_id: str) -> None:
        remove(self._path(session_id))

    def ids(self) -> Iterator[str]:
        yield from (path.stem for path in files(self.folder, f"*{_SUFFIX}"))

    def flush(self) -> None:
        """Do nothing: files are always up to date."""

    def _path(self, session_id: str) -> Path:
        return self.folder / f"{safe_name(session_id)}{_SUFFIX}"
