"""What the talks of a persona and a user come to: a few counts a day, their weights, and the level that they make.

All of it is derived from the persona's own files (and from the sessions, which threads among several ended) and holds no
word: `rag_index/kpi.duckdb` can be thrown away at any time.
It follows what is new. The log is read from the last day on that was counted; of older days only those whose messages were
taken away or came back since; all of it only where the numbers of messages do not fit otherwise (an import, an erasure).
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final

from managers.growth.kpi_file import COUNTED, Held, KpiFile
from managers.memory.emotions import EmotionLog
from managers.memory.goals import GoalStore
from managers.memory.log.reader import LogReader
from managers.memory.messages import Message
from managers.sessions.users import Users
from managers.storage.clock import Clock
from managers.storage.errors import UtataneError
from managers.storage.paths import PersonaPaths
from managers.storage.unchanged import Unchanged

if TYPE_CHECKING:
    import pandas as pd

APART: Final = timedelta(minutes=15)
"""A talk has ended after so long a silence, as for dreams (`sleep.idle_minutes` by default)."""
_DAY: Final = timedelta(days=1)
TALK_TURNS: Final = 3
"""A talk of fewer turns is no thread that anybody completed."""


@dataclass(frozen=True, slots=True)
class Kpi:
    """What is counted, of a day or of all of them.

    Attributes:
        turns: messages of the user that this persona answered.
        returns: days on which the user came back: all on which they spoke but the first.
        minutes: how long they talked, silences above `APART` left out.
        positive: messages in which the user felt joy, happiness or a good surprise.
        threads: talks of at least `TALK_TURNS` turns that came to their end; among several, threads that ended.
        goals: goals of the persona that were reached.
    """

    turns: int = 0
    returns: int = 0
    minutes: int = 0
    positive: int = 0
    threads: int = 0
    goals: int = 0

    @property
    def total(self) -> float:
        """The weighted sum."""
        return sum(weight * int(getattr(self, name)) for name, weight in WEIGHTS.items())

    @property
    def level(self) -> int:
        return level_of(self.total)


WEIGHTS: Final[Mapping[str, float]] = {
    "turns": 1.0,
    "returns": 5.0,
    "minutes": 0.1,
    "positive": 0.5,
    "threads": 2.0,
    "goals": 10.0,
}
"""What each is worth, with the reasons in `docs/architecture.md`. A turn is the unit."""


def level_of(total: float) -> int:
    """Return the level that a sum makes."""
    return math.floor(math.sqrt(max(total, 0.0) / 10))


@dataclass
class _Talk:
    """The talk that one user is in, wherever midnight falls in it; it counts on the day of its last message (`day`)."""

    last: datetime | None = None
    day: Counter[str] = field(default_factory=Counter)
    turns: int = 0

    def go_on(self, moment: datetime, day: Counter[str]) -> None:
        """Add the time since the message before to a day's counts, or let another talk begin."""
        gap = moment - self.last if self.last is not None else timedelta(0)
        if gap > APART:
            self.end()
        else:
            day["seconds"] += max(int(gap.total_seconds()), 0)
        self.last, self.day = moment, day

    def end(self) -> None:
        self.day["talks"] += self.turns >= TALK_TURNS
        self.turns = 0


Ended = Callable[[], Iterable[tuple[datetime, Sequence[str]]]]
"""Tells when each thread among several ended, and the messages that it rests on."""


class KpiStore:
    """The counts of one persona. Safe to use from several threads and processes."""

    def __init__(
        self,
        paths: PersonaPaths,
        clock: Clock,
        log: LogReader,
        emotions: EmotionLog,
        goals: GoalStore,
        users: Callable[[], Users],
        ended: Ended = tuple,
        *,
        only_look: bool = False,
    ) -> None:
        """Remember where everything is; nothing is opened.

        Args:
            paths: the persona's folder.
            clock: what "ended" is reckoned from.
            log: its log.
            emotions: what the user felt.
            goals: what it strives for.
            users: tells whose time it was.
            ended: the threads among several that ended.
            only_look: nothing is counted; what was is shown.
        """
        self._only_look = only_look
        self._paths = paths
        self._clock = clock
        self._log = log
        self._emotions = emotions
        self._goals = goals
        self._users = users
        self._ended = ended
        self._file = KpiFile(_path(paths), clock)
        self._courses = Unchanged["pd.DataFrame"]()

    def all_of(self, uid: str = "") -> Kpi:
        """Return what there is of a user (of the one who is there now), as it was last counted; mostly from memory."""
        found = self._file.sums(uid or self._users().now)
        return _summed({**found, "returns": max(found["days"] - 1, 0)})

    def counted(self) -> pd.DataFrame:
        """Count what is new, and return the course; where nothing changed that is done once in ten minutes."""

        def count() -> pd.DataFrame:
            self.update()
            return self.course()

        state = self._log.revision(), self._users().now, f"{self._clock.now():%Y-%m-%d %H:%M}"[:-1]
        return self._courses.get(count, self._paths.goals, self._paths.emotion_log, of=state)

    def course(self, uid: str = "") -> pd.DataFrame:
        """Return a row a day on which there was anything: the counts of the day, the sum until then, and the level."""
        import pandas as pd  # noqa: PLC0415  # takes half a second, and only who looks at a table needs it

        table = pd.DataFrame(self._file.days(uid or self._users().now), columns=["day", *COUNTED, "threads", "goals"])
        spoken = table["turns"] > 0
        table["returns"] = (spoken & (spoken.cumsum() > 1)).astype(int)
        table["minutes"] = (table["seconds"].cumsum() // 60).diff().fillna(table["seconds"] // 60).astype(int)
        table["threads"] += table["talks"]
        table["total"] = sum(
            (weight * table[name] for name, weight in WEIGHTS.items()), pd.Series(0.0, table.index)
        ).cumsum()
        table["level"] = [level_of(total) for total in table["total"]]
        return table[["day", *WEIGHTS, "total", "level"]]

    def update(self) -> None:
        """Count what is new.

        Raises:
            UtataneError: as `Database.run`; it is made up for the next time.
        """
        if not self._only_look:
            self._file.change(self._update)

    def _update(self, held: Held) -> None:
        gone = {one for one, text in self._log.corrections().items() if text is None}
        changed = gone ^ held.gone()
        last = held.last()
        days = {message.time.date() for message in self._log.originals(changed).values()} if changed else set[date]()
        for day in sorted(days):
            if last is not None and day < last:
                held.replace(day, day + _DAY, self._counted(day, day + _DAY))  # a talk of it may end on the next
        since = last and last - _DAY  # a talk that midnight fell in may not have ended when it was counted
        held.replace(since, None, self._counted(since, None))
        missing = self._log.count() - held.messages()
        if missing != held.missing():  # words came, or went, that no record of the log tells of
            held.replace(None, None, self._counted(None, None))
            missing = self._log.count() - held.messages()
        held.note(gone, missing)
        held.replace_ended("goals", self._by_day(_reached(self._goals)))
        with suppress(UtataneError):  # they stand as they were counted last, until the sessions can be read
            held.replace_ended("threads", self._by_day(self._threads()))

    def _counted(self, since: date | None, until: date | None) -> list[tuple[object, ...]]:
        """Count some days: a row for each and each user. Those around are read along, for what goes on over midnight."""
        users = self._users()
        found, talks = defaultdict[tuple[str, date], Counter[str]](Counter), defaultdict[str, _Talk](_Talk)
        asked: Message | None = None
        for message in self._log.messages(since and since - _DAY, until and until + _DAY):
            uid = users.at(message.time)
            day, talk = found[uid, message.time.date()], talks[uid]
            day["messages"] += 1
            if message.role == "system":
                continue
            talk.go_on(message.time, day)
            if message.role == "user":
                asked = message
            elif message.role == "persona" and asked is not None:
                day["turns"] += 1
                talk.turns += not message.group
                asked = None
        for talk in talks.values():
            if talk.last is not None and abs(self._clock.now() - talk.last) > APART:
                talk.end()
        begin = datetime.combine(since, time.min) if since else None
        end = datetime.combine(until, time.min) + timedelta(days=1) if until else None
        for entry in self._emotions.each(begin, end):
            moment = entry.timestamp.replace(tzinfo=None)
            found[users.at(moment), moment.date()]["positive"] += entry.value > 0
        wanted = {key: day for key, day in found.items() if (since or key[1]) <= key[1] <= (until or key[1])}
        return [(*key, *(day[name] for name in COUNTED)) for key, day in wanted.items()]

    def _threads(self) -> Iterator[datetime]:
        """Yield when the threads among several ended that this persona heard all of: its own log has every message."""
        ended = [*self._ended()]
        known = self._log.known({one for _, ids in ended for one in ids})
        return (at for at, ids in ended if known.issuperset(ids))

    def _by_day(self, moments: Iterable[datetime]) -> list[tuple[object, ...]]:
        """Return how often something came to its end, a row for each day and user: few, so all of them."""
        users = self._users()
        return [(*key, count) for key, count in Counter((users.at(at), at.date()) for at in moments).items()]


def months(paths: PersonaPaths, clock: Clock, uid: str) -> list[tuple[str, Kpi]]:
    """Return what was counted of a persona and a user, month by month (`2026-11`), as it stands; no file is read but one."""
    found = defaultdict[str, Counter[str]](Counter)
    is_first = True
    for day, *counts in KpiFile(_path(paths), clock).days(uid):
        of_day = dict(zip((*COUNTED, "threads", "goals"), counts, strict=True))
        returns = int(of_day["turns"] > 0 and not is_first)
        is_first = is_first and not of_day["turns"]
        found[f"{day:%Y-%m}"].update({**of_day, "returns": returns})
    return [(month, _summed(counts)) for month, counts in found.items()]


def _summed(counts: Mapping[str, int]) -> Kpi:
    """Return what some sums of the file's columns come to, with the `returns` among them."""
    own = {name: counts[name] for name in ("turns", "returns", "positive", "goals")}
    return Kpi(**own, minutes=counts["seconds"] // 60, threads=counts["talks"] + counts["threads"])


def _path(paths: PersonaPaths) -> Path:
    return paths.rag_index / "kpi.duckdb"


def _reached(goals: GoalStore) -> Iterator[datetime]:
    for goal in (*goals.load().all, *goals.archived()):
        if goal.status == "completed":
            with suppress(ValueError):  # a date that somebody wrote by hand
                yield datetime.fromisoformat(goal.updated_at or goal.created_at).replace(tzinfo=None)
