"""What was read of a source, on the disk until it is taken over: in the order of time, each message once.

A source may be larger than the memory and in any order, so its messages wait in a SQLite file in a folder of their own in
the home folder. It is thrown away in the end, and by the next import where a process was killed.
"""

import hashlib
import os
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Final

from managers.exchange.items import LINES, FoundMemory, FoundMessage, FoundPersona, Item, MemoryKind, NotTaken
from managers.memory.log.format import clean_text, tidy_name
from managers.memory.messages import Role
from managers.storage.clock import instant, local
from managers.storage.errors import DiskFullError, UnwritableError
from managers.storage.files import entries, make_folder, remove_tree
from managers.storage.paths import Home

MAX_ID: Final = 200
"""Longer ids are no ids: something else stands in their place."""
OVERLAP: Final = timedelta(minutes=10)
"""Real chats have answers that were begun before and sent after one another: they keep the order in which they were read."""
_LOST: Final = "\ufffd"
_MOST_PLACES: Final = 200
"""So many places are told apart of what was left out, and so many speakers."""
_BATCH_BYTES: Final = 8_000_000
"""So much is taken over at once at most: what is worked on stands in memory several times."""
_numbers = count()

_TABLES: Final = """
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA temp_store = MEMORY;
CREATE TABLE said (
    seq INTEGER PRIMARY KEY, placed TEXT, instant TEXT, time TEXT, fold INTEGER, id TEXT, line BLOB
);
CREATE INDEX in_order ON said (placed, seq);
CREATE TABLE ids (id TEXT PRIMARY KEY, words BLOB) WITHOUT ROWID;
CREATE TABLE seen (content INTEGER PRIMARY KEY, n INTEGER);
CREATE TABLE memories (seq INTEGER PRIMARY KEY, line BLOB);
"""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A message that waits.

    Attributes:
        time: when it was said; its `fold` is 1 where the clock showed that for the second time.
        id: its id here.
        found: what was read of it.
    """

    time: datetime
    id: str
    found: FoundMessage


class Spool:
    """The items of one source. Made by `open_spool`.

    Attributes:
        persona: who the persona and the user are, as far as the source says.
        speakers: how many messages stand under which role and name.
        repeated: how many messages stand in the source more than once, beyond the first time.
        undated: how many messages have no time that is sure.
        lost: how many characters nobody could read: they stand as U+FFFD.
        left_out: what the reader did not take, and why.
        threads: how often one conversation gives way to another.
    """

    def __init__(self, file: Path) -> None:
        self._database = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
        self._database.executescript(_TABLES)
        self._database.execute("BEGIN")
        self.persona = FoundPersona()
        self.speakers: Counter[tuple[Role, str]] = Counter()
        self.memories: Counter[MemoryKind] = Counter()
        self.repeated = self.undated = self.lost = self.files = self.threads = 0
        self._left_out: dict[tuple[str, str], NotTaken] = {}
        self._last: datetime | None = None
        self._last_of_thread: datetime | None = None
        self._placed: datetime | None = None
        self._thread: str | None = None
        self._waits = False
        self._forward = self._backward = 0
        self._before: datetime | None = None

    def close(self) -> None:
        self._database.close()

    @property
    def left_out(self) -> tuple[NotTaken, ...]:
        return tuple(self._left_out.values())

    def add(self, item: Item) -> None:
        """Take an item.

        Raises:
            DiskFullError, UnwritableError
        """
        with _told():
            if isinstance(item, FoundMessage):
                self._add_message(item)
            elif isinstance(item, FoundPersona):
                self.persona = _joined(self.persona, item)
            elif isinstance(item, FoundMemory):
                self.memories[item.kind] += 1
                self.lost += item.text.count(_LOST)
                self._database.execute("INSERT INTO memories (line) VALUES (?)", (LINES.dump_json(item),))
            else:
                self.leave_out(item)

    def leave_out(self, item: NotTaken) -> None:
        """Count something that is not taken."""
        place = item.place if len(self._left_out) < _MOST_PLACES else ""
        key = f"{item.code} {sorted(item.facts.items())}" if place else item.code, place
        there = self._left_out.get(key)
        self._left_out[key] = replace(item, place=place, count=item.count + (there.count if there else 0))

    def finish(self, fallback: datetime) -> None:
        """Put all that was added in order; messages of a source without any time get `fallback`.

        Raises:
            DiskFullError, UnwritableError
        """
        with _told():
            self._date_waiting(self._last or fallback)
            if self._backward > self._forward:  # newest first: nothing overlaps, all of it runs backwards
                self._database.execute("UPDATE said SET placed = instant, seq = -seq")
            self._database.execute("COMMIT")

    def __len__(self) -> int:
        """Return how many messages there are, each counted once."""
        return int(self._database.execute("SELECT COUNT(*) FROM said").fetchone()[0])

    @property
    def span(self) -> tuple[datetime, datetime] | None:
        """The times of the first and the last message."""
        first, last = self._database.execute("SELECT MIN(time), MAX(time) FROM said").fetchone()
        return (datetime.fromisoformat(first), datetime.fromisoformat(last)) if first else None

    def batches(self, size: int) -> Iterator[list[Waiting]]:
        """Yield the messages in the order of time, so many at once; fewer where they are long."""
        batch: list[Waiting] = []
        weight = 0
        for time, fold, one, line in self._database.execute(
            "SELECT time, fold, id, line FROM said ORDER BY placed, seq"
        ):
            batch.append(Waiting(datetime.fromisoformat(time).replace(fold=fold), one, _message(line)))
            weight += len(line)
            if len(batch) == size or weight > _BATCH_BYTES:
                yield batch
                batch, weight = [], 0
        if batch:
            yield batch

    def found_memories(self) -> Iterator[FoundMemory]:
        """Yield the memories in the order of the source."""
        for (line,) in self._database.execute("SELECT line FROM memories ORDER BY seq"):
            item = LINES.validate_json(line)
            assert isinstance(item, FoundMemory)
            yield item

    def _add_message(self, found: FoundMessage) -> None:
        time = _local(found.time)
        if time is None or not found.is_time_certain:
            self.undated += 1
        first = clean_text(first_text(found))
        words = hashlib.sha256(first.encode()).digest()[:16]
        message_id = self._id(found, time, words)
        there = self._database.execute("SELECT words FROM ids WHERE id = ?", (message_id,)).fetchone()
        if there is not None:
            if there[0] == words:
                self.repeated += 1
            else:
                self.leave_out(NotTaken("engine.id-taken", found.place, facts={"id": message_id[:40]}))
            return
        self._database.execute("INSERT INTO ids VALUES (?, ?)", (message_id, words))
        self._count(found)
        stands = self._place(found, time)
        line = LINES.dump_json(found)
        self._database.execute(
            "INSERT INTO said (placed, instant, time, fold, id, line) VALUES (?, ?, ?, ?, ?, ?)",
            (*_columns(self._placed if stands else None, stands), message_id, line),
        )

    def _count(self, found: FoundMessage) -> None:
        key = found.role, tidy_name(found.speaker)
        if key in self.speakers or len(self.speakers) < _MOST_PLACES:
            self.speakers[key] += 1
        else:
            self.speakers[found.role, "…"] += 1
        self.files += len(found.files)
        self.lost += sum(text.count(_LOST) for text in (found.text, *(one.text for one in found.answers)))
        if found.thread != self._thread:
            self.threads += 1

    def _place(self, found: FoundMessage, time: datetime | None) -> datetime | None:
        """Note where in time a message stands (`_placed`, in UTC: so an hour that the clock shows twice is two hours).

        Returns:
            the message's time; None if it waits for the time of the next one in its conversation.
        """
        if found.thread != self._thread:
            self._thread, self._placed, self._last_of_thread = found.thread, None, None
            self._before = None  # conversations may stand newest first, and each of them begin with its beginning
        if time is None:
            if self._last_of_thread is None:
                self._waits = True
                return None
            time = self._last_of_thread
            at = instant(time)
        else:
            time = self._which_time(time) if found.time and found.time.tzinfo is None else time
            at = instant(time)
            if self._before is not None:
                self._forward += at > self._before
                self._backward += at < self._before
            self._before, self._last, self._last_of_thread = at, time, time
            self._date_waiting(time)
        if self._placed is None or not at < self._placed <= at + OVERLAP:
            self._placed = at
        return time

    def _which_time(self, time: datetime) -> datetime:
        """Return a time with its `fold`: where the clock shows it twice, what follows a later one is the second."""
        at, again = instant(time), instant(time.replace(fold=1))
        is_second = self._placed is not None and at + OVERLAP < self._placed <= again + OVERLAP
        return time.replace(fold=1) if at < again and is_second else time

    def _date_waiting(self, time: datetime) -> None:
        if self._waits:
            columns = "placed = ?, instant = ?, time = ?, fold = ?"
            self._database.execute(f"UPDATE said SET {columns} WHERE placed = ''", _columns(instant(time), time))  # noqa: S608  # ours
            self._waits = False

    def _id(self, found: FoundMessage, time: datetime | None, words: bytes) -> str:
        """Return a message's id; one made of the content has a time with an offset in UTC: the same in every time zone."""
        given = found.id
        if given and len(given) <= MAX_ID and clean_text(given) == given and given.strip():
            return given
        when = time.isoformat() if time else found.thread
        if time is not None and found.time is not None and found.time.tzinfo is not None:
            when = found.time.astimezone(UTC).replace(microsecond=0).isoformat()
        content = hashlib.sha256(f"{found.role}\x1f{clean_text(when)}\x1f".encode() + words).digest()
        (number,) = self._database.execute(
            "INSERT INTO seen VALUES (?, 1) ON CONFLICT (content) DO UPDATE SET n = n + 1 RETURNING n",
            (int.from_bytes(content[:8], signed=True),),
        ).fetchone()
        return f"im-{hashlib.sha256(content + str(number).encode()).hexdigest()[:20]}"


def _columns(placed: datetime | None, time: datetime | None) -> tuple[str, str, str, int]:
    """Return what says where a message stands, when that was and which time was shown; nothing of one that waits."""
    if placed is None or time is None:
        return "", "", "", 0
    return placed.isoformat(), instant(time).isoformat(), time.replace(fold=0).isoformat(), time.fold


def first_text(found: FoundMessage) -> str:
    """Return the first answer that was given in a message's place: what it is told by, whichever is shown."""
    return found.answers[0].text if found.answers and found.at > 0 else found.text


@contextmanager
def open_spool(home: Home) -> Iterator[Spool]:
    """Make a spool in the home folder, and remove it in the end.

    Raises:
        DiskFullError, UnwritableError
    """
    sweep_spools(home)
    folder = home.importing / f"{os.getpid()}-{next(_numbers)}"
    try:
        make_folder(folder)
        remove_tree(folder)
        make_folder(folder)
        with _told():
            spool = Spool(folder / "found.sqlite")
    except OSError as error:
        raise UnwritableError(path=folder, cause=error.strerror or error) from error
    try:
        yield spool
    finally:
        spool.close()
        with suppress(OSError):
            remove_tree(folder)


def sweep_spools(home: Home) -> None:
    """Remove what killed imports left."""
    for entry in entries(home.importing):
        import psutil  # noqa: PLC0415  # only for those who import

        owner = entry.name.partition("-")[0]
        if not owner.isdigit() or (int(owner) != os.getpid() and not psutil.pid_exists(int(owner))):
            with suppress(OSError):
                remove_tree(Path(entry.path))


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except sqlite3.OperationalError as error:
        if "full" in str(error):
            raise DiskFullError(path="found.sqlite") from error
        raise UnwritableError(path="found.sqlite", cause=error) from error


def _joined(there: FoundPersona, more: FoundPersona) -> FoundPersona:
    names = [one.name for one in fields(FoundPersona) if one.name != "item"]
    return replace(there, **{name: getattr(there, name) or getattr(more, name) for name in names})


def _message(line: bytes) -> FoundMessage:
    item = LINES.validate_json(line)
    assert isinstance(item, FoundMessage)
    return item


def _local(time: datetime | None) -> datetime | None:
    """Return a time on this computer's clock, as the log shows it; None where it is none that could be."""
    if time is None:
        return None
    try:
        return local(time).replace(microsecond=0)
    except ValueError:
        return None
