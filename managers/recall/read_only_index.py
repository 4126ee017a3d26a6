"""What the indexes of a persona hold, for whoever may change nothing: neither they nor anything beside them."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from managers.recall.engine import FOLDERS
from managers.recall.hits import LOG_TYPES
from managers.recall.index.connection import Looking
from managers.recall.index.store import FILE_NAME, SCHEMA, FileRecord
from managers.recall.index.unread import unread_among
from managers.recall.status import BROKEN, IndexStatus
from managers.storage.derived import derived
from managers.storage.errors import DerivedDamagedError, Notice, UnreadableError, UtataneError, as_notice
from managers.storage.opening import kind
from managers.storage.paths import PersonaPaths


@dataclass
class IndexLook:
    """What was found.

    Attributes:
        status: how the indexes are.
        messages: the ids of the messages that they hold, with their days (`YYYY-MM-DD`; empty where there is none).
    """

    status: IndexStatus
    messages: dict[str, str] = field(default_factory=dict)


def look_at_indexes(paths: PersonaPaths) -> IndexLook:
    """Look at the indexes of a persona as they lie on the disk; a damaged one is named."""
    chunks: dict[str, int] = {}
    waiting, embedder = 0, ""
    notices: list[Notice] = []
    messages: dict[str, str] = {}
    for folder in FOLDERS.values():
        file = paths.rag_index / folder / FILE_NAME
        chunks[folder] = 0
        try:
            with derived(file):
                if kind(file) is None:
                    continue
                with _opened(file) as connection:
                    chunks[folder] = _number(connection, "SELECT count(*) FROM chunks")
                    waiting += _number(connection, "SELECT count(*) FROM unembedded")
                    embedder = embedder or _embedder(connection)
                    messages |= _messages(connection)
                    notices += [why.notice(record.type) for record, why in unread_among(_files(connection))]
        except DerivedDamagedError:
            notices.append(BROKEN)
        except UtataneError as error:
            unreadable = UnreadableError(path=file, cause=error.facts.get("cause", error))
            notices.append(as_notice("index-unreadable", unreadable))
    return IndexLook(IndexStatus(chunks, waiting, embedder, tuple(dict.fromkeys(notices))), messages)


@contextmanager
def _opened(file: Path) -> Iterator[sqlite3.Connection]:
    with closing(Looking(file, SCHEMA)) as looking, closing(looking.connect()) as connection:
        yield connection


def _number(connection: sqlite3.Connection, statement: str) -> int:
    return int(connection.execute(statement).fetchone()[0])


def _embedder(connection: sqlite3.Connection) -> str:
    row = connection.execute("SELECT value FROM meta WHERE key = 'embedder'").fetchone()
    value = row[0] if row else ""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _messages(connection: sqlite3.Connection) -> dict[str, str]:
    rows = connection.execute(
        "SELECT DISTINCT c.unit, substr(c.time, 1, 10) FROM chunks c JOIN files f ON f.id = c.file WHERE f.type IN (?, ?)",
        LOG_TYPES,
    )
    return {str(unit): str(day or "") for unit, day in rows}


def _files(connection: sqlite3.Connection) -> Iterator[FileRecord]:
    rows = connection.execute("SELECT id, path, type, digest, size, stamp, state FROM files")
    return (FileRecord(*row) for row in rows)
