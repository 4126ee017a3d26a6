"""Warm sessions: the tables of a DuckDB file. `session_thread` has the document's columns, and what made the embedding."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from managers.sessions.database import Database, rows
from managers.sessions.records import SessionRecord, ThreadRecord

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

TABLES: Final = """
CREATE TABLE IF NOT EXISTS session_thread (
  thread_id INT, session_id TEXT, ts_start TIMESTAMP, ts_end TIMESTAMP, domain TEXT, summary TEXT, keywords TEXT[],
  embedding FLOAT[], full_log TEXT, embedder TEXT, dimension INT, present TEXT[], message_ids TEXT[],
  PRIMARY KEY (session_id, thread_id)
);
CREATE TABLE IF NOT EXISTS session (session_id TEXT PRIMARY KEY, updated TIMESTAMP, record TEXT);
"""
_TYPES: Final[Mapping[str, str]] = {
    "thread_id": "INT", "session_id": "TEXT", "ts_start": "TIMESTAMP", "ts_end": "TIMESTAMP", "domain": "TEXT",
    "summary": "TEXT", "keywords": "TEXT[]", "embedding": "FLOAT[]", "full_log": "TEXT", "embedder": "TEXT",
    "dimension": "INT", "present": "TEXT[]", "message_ids": "TEXT[]",
}  # fmt: skip
_COLUMNS: Final = ", ".join(_TYPES)
_SELECT: Final = f"SELECT {_COLUMNS} FROM session_thread"  # noqa: S608  # names of columns
# By lists: row by row it takes eight times as long.
_INSERT: Final = (
    f"INSERT OR REPLACE INTO session_thread ({_COLUMNS}) SELECT "  # the same
    f"{', '.join(f'unnest(?::{kind}[])' for kind in _TYPES.values())}"
)


@dataclass(frozen=True)
class WarmStore:
    """The sessions that are no longer hot, and all threads that ended. Every method is one transaction."""

    database: Database

    def take(self, records: Sequence[SessionRecord], threads: Sequence[ThreadRecord]) -> None:
        """Keep sessions and their threads; of a thread that is there, each message is kept once."""

        def work(connection: Connection) -> None:
            ids = sorted({thread.session_id for thread in threads})
            there = {(one.session_id, one.thread_id): one for one in _threads_of(connection, ids)}
            due = dict[tuple[str, int], ThreadRecord]()
            for thread in threads:
                key = thread.session_id, thread.thread_id
                earlier = due.get(key) or there.get(key)
                due[key] = thread.joined_with(earlier) if earlier else thread
            _put(connection, list(due.values()))
            if records:
                columns: list[object] = [
                    [one.session_id for one in records],
                    [one.updated for one in records],
                    [one.model_dump_json(exclude={"history", "threads"}) for one in records],
                ]
                connection.execute(
                    "INSERT OR REPLACE INTO session SELECT unnest(?::TEXT[]), unnest(?::TIMESTAMP[]), unnest(?::TEXT[])",
                    columns,
                )

        self.database.run(work)

    def session(self, session_id: str) -> tuple[SessionRecord, ThreadRecord | None] | None:
        """Return a session without its turns, and its last thread; None if it is not there."""

        def work(connection: Connection) -> tuple[SessionRecord, ThreadRecord | None] | None:
            found = connection.execute("SELECT record FROM session WHERE session_id = ?", [session_id]).fetchone()
            if found is None:
                return None
            record = SessionRecord.model_validate_json(found[0])
            last = rows(connection, f"{_SELECT} WHERE session_id = ? ORDER BY thread_id DESC LIMIT 1", session_id)
            return record, _thread(last[0]) if last else None

        return self.database.read(work) if self.database.is_there else None

    def threads(self, session_ids: Collection[str] = ()) -> list[ThreadRecord]:
        """Return the threads of some sessions, or of all, in order."""
        if not self.database.is_there:
            return []
        return self.database.read(lambda connection: _threads_of(connection, sorted(session_ids)))

    def ended(self) -> dict[tuple[str, int], tuple[datetime, list[str]]]:
        """Return when each thread was spoken of last, and the messages that it rests on; no words are read."""
        sql = "SELECT session_id, thread_id, ts_end, message_ids FROM session_thread"
        if not self.database.is_there:
            return {}
        found = self.database.read(lambda connection: connection.execute(sql).fetchall())
        return {(session_id, thread_id): (ts_end, ids) for session_id, thread_id, ts_end, ids in found}

    def older_than(self, moment: datetime, most: int) -> list[ThreadRecord]:
        """Return some threads that ended before a moment and have their full log still."""
        if not self.database.is_there:
            return []
        sql = f"{_SELECT} WHERE ts_end < ? AND full_log <> '' ORDER BY session_id, thread_id LIMIT ?"
        return self.database.read(lambda connection: [_thread(row) for row in rows(connection, sql, moment, most)])

    def oldest_log(self) -> datetime | None:
        """Return when the thread ended that has its full log for longest; None if none has."""
        sql = "SELECT min(ts_end) AS oldest FROM session_thread WHERE full_log <> ''"
        if not self.database.is_there:
            return None
        found: datetime | None = self.database.read(lambda connection: rows(connection, sql)[0]["oldest"])
        return found

    def let_logs_go(self, threads: Sequence[ThreadRecord]) -> None:
        """Keep threads without their full logs."""
        self.database.run(lambda one: _put(one, [thread.model_copy(update={"full_log": ""}) for thread in threads]))

    def rewrite(
        self,
        session: Callable[[SessionRecord], SessionRecord | None],
        threads: Mapping[tuple[str, int], ThreadRecord | None],
        session_id: str = "",
    ) -> None:
        """Put threads in the place of what they were, and go through the sessions; None: it goes."""

        def work(connection: Connection) -> None:
            for key in (one for one, left in threads.items() if left is None):
                connection.execute("DELETE FROM session_thread WHERE session_id = ? AND thread_id = ?", list(key))
            _put(connection, [left for left in threads.values() if left is not None])
            for row in rows(connection, "SELECT * FROM session WHERE ? IN ('', session_id)", session_id):
                left = session(SessionRecord.model_validate_json(row["record"]))
                if left is None:
                    connection.execute("DELETE FROM session WHERE session_id = ?", [row["session_id"]])
                elif (text := left.model_dump_json(exclude={"history", "threads"})) != row["record"]:
                    connection.execute("UPDATE session SET record = ? WHERE session_id = ?", [text, row["session_id"]])

        if self.database.is_there:
            self.database.run(work)


def _put(connection: Connection, threads: Sequence[ThreadRecord]) -> None:
    if threads:
        connection.execute(_INSERT, [[getattr(thread, name) for thread in threads] for name in _TYPES])


def _threads_of(connection: Connection, session_ids: Sequence[str]) -> list[ThreadRecord]:
    where = "WHERE session_id IN (SELECT unnest(?::TEXT[]))" if session_ids else ""
    found = rows(connection, f"{_SELECT} {where} ORDER BY session_id, thread_id", *([session_ids] if where else []))
    return [_thread(row) for row in found]


def _thread(row: Mapping[str, Any]) -> ThreadRecord:
    return ThreadRecord.model_validate(row)
