"""`rag_index/kpi.duckdb`: the counts as they are kept. Numbers, days and ids of messages that are gone; no word.

day(uid, day, messages, turns, seconds, positive, talks)   of the log and the emotion log
ended(what, uid, day, count)                               `goals` and `threads`
gone(id)                                                   messages that were taken away, or stand aside
missing(count)                                             by how many messages the log's own count differs
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from managers.sessions.database import Database
from managers.storage.clock import Clock
from managers.storage.files import make_folder
from managers.storage.unchanged import Unchanged

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

COUNTED: Final = ("messages", "turns", "seconds", "positive", "talks")
_TABLES: Final = """
CREATE TABLE IF NOT EXISTS day (
    uid TEXT, day DATE, messages BIGINT, turns BIGINT, seconds BIGINT, positive BIGINT, talks BIGINT
);
CREATE TABLE IF NOT EXISTS ended (what TEXT, uid TEXT, day DATE, count BIGINT);
CREATE TABLE IF NOT EXISTS gone (id TEXT);
CREATE TABLE IF NOT EXISTS missing (count BIGINT);
"""
_SUMS: Final = """
SELECT count(*) FILTER (turns > 0), coalesce(sum(turns), 0), coalesce(sum(seconds), 0), coalesce(sum(positive), 0),
    coalesce(sum(talks), 0),
    (SELECT coalesce(sum(count), 0) FROM ended WHERE uid = $uid AND what = 'threads'),
    (SELECT coalesce(sum(count), 0) FROM ended WHERE uid = $uid AND what = 'goals')
FROM day WHERE uid = $uid
"""
_DAYS: Final = """
WITH e AS (
    SELECT day, coalesce(sum(count) FILTER (what = 'threads'), 0) AS threads,
        coalesce(sum(count) FILTER (what = 'goals'), 0) AS goals
    FROM ended WHERE uid = $uid GROUP BY day
)
SELECT coalesce(d.day, e.day), coalesce(messages, 0), coalesce(turns, 0), coalesce(seconds, 0), coalesce(positive, 0),
    coalesce(talks, 0), coalesce(threads, 0), coalesce(goals, 0)
FROM (SELECT * FROM day WHERE uid = $uid) d FULL JOIN e ON d.day = e.day ORDER BY 1
"""


class Held:
    """The counts, opened to be changed."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def gone(self) -> set[str]:
        """Return the messages that were known to be gone."""
        return {one for (one,) in self._connection.execute("SELECT id FROM gone").fetchall()}

    def last(self) -> date | None:
        """Return the last day on which the log had a message; None where nothing was counted."""
        found: date | None = self._one("SELECT max(day) FROM day WHERE messages > 0")
        return found

    def messages(self) -> int:
        return int(self._one("SELECT coalesce(sum(messages), 0)::BIGINT FROM day"))

    def missing(self) -> int:
        return int(self._one("SELECT coalesce(max(count), 0)::BIGINT FROM missing"))

    def replace(self, since: date | None, until: date | None, rows: Sequence[Sequence[object]]) -> None:
        """Put other counts in the place of some days', or of all."""
        self._connection.execute("DELETE FROM day WHERE day >= ? AND day <= ?", [since or date.min, until or date.max])
        self._add("INSERT INTO day VALUES (?, ?, ?, ?, ?, ?, ?)", rows)

    def replace_ended(self, what: str, rows: Sequence[Sequence[object]]) -> None:
        self._connection.execute("DELETE FROM ended WHERE what = ?", [what])
        self._add("INSERT INTO ended VALUES (?, ?, ?, ?)", [(what, *row) for row in rows])

    def note(self, gone: Collection[str], missing: int) -> None:
        """Note which messages are gone, and by how much the log's own count differs."""
        known = self.gone()
        self._add("INSERT INTO gone VALUES (?)", [[one] for one in gone if one not in known])
        self._add("DELETE FROM gone WHERE id = ?", [[one] for one in known if one not in gone])
        self._connection.execute("DELETE FROM missing")
        self._add("INSERT INTO missing VALUES (?)", [[missing]])

    def _add(self, statement: str, rows: Sequence[Sequence[object]]) -> None:
        if rows:
            self._connection.executemany(statement, rows)

    def _one(self, query: str) -> Any:  # noqa: ANN401  # a number or a day
        found = self._connection.execute(query).fetchone()
        return found[0] if found else None


class KpiFile:
    """The file. A damaged one is set aside and made anew."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self._database = Database(path, _TABLES, clock)
        self._known = Unchanged[Mapping[str, int]]()

    def sums(self, uid: str) -> Mapping[str, int]:
        """Return the sums of a user: of `COUNTED` (but messages), `threads`, `goals`, and `days` with a turn."""
        return self._known.get(partial(self._summed, uid), self._database.path, of=uid)

    def _summed(self, uid: str) -> Mapping[str, int]:
        names = ("days", *COUNTED[1:], "threads", "goals")
        found = self._read(_SUMS, uid) or [(0,) * len(names)]
        return dict(zip(names, map(int, found[0]), strict=True))

    def days(self, uid: str) -> list[tuple[Any, ...]]:
        """Return the days of a user in order: the day, `COUNTED`, threads, goals."""
        return self._read(_DAYS, uid)

    def change(self, work: Callable[[Held], None]) -> None:
        """Change the counts; all of it or nothing.

        Raises:
            UtataneError: as `Database.run`.
        """
        make_folder(self._database.path.parent)
        self._database.run(lambda connection: work(Held(connection)))

    def _read(self, query: str, uid: str) -> list[tuple[Any, ...]]:
        if not self._database.is_there:
            return []
        return self._database.read(lambda connection: connection.execute(query, {"uid": uid}).fetchall())
