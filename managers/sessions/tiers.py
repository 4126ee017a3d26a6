"""The middle-term memory of conversations of several: read at whichever tier a session is, and moved from one to the next.

A session is hot for a day, then warm: its threads are rows of a database, with their full logs for a week. After that the
summaries are left, and the full logs go, or go into an archive. Every move writes where it goes to before it lets go of
where it was, and to write the same twice leaves it there once: a process may be killed at any point.

What was said stands in the personas' logs; nothing here is the only copy of a word.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property, partial
from typing import Final

from managers.sessions.cold import ColdArchive, FolderArchive
from managers.sessions.database import Database
from managers.sessions.hot import HOT, FileHot, HotStore
from managers.sessions.long_term import LongTerm
from managers.sessions.records import Gone, SessionRecord, ThreadRecord, thread_of
from managers.sessions.redis_address import parted, with_password
from managers.sessions.redis_hot import RedisHot
from managers.sessions.warm import TABLES, WarmStore
from managers.storage.clock import Clock
from managers.storage.errors import Notice
from managers.storage.files import entries, files, remove, remove_tree
from managers.storage.locks import holding
from managers.storage.opening import is_folder, walk
from managers.storage.paths import Home, safe_name
from managers.storage.settings import REDIS, Secrets, SessionSettings, SettingsFile
from managers.storage.texts import Texts

_say = Texts("notices/sessions")

WARM: Final = timedelta(days=7)
"""So long after its last message a thread has its full log in the database."""
_BATCH: Final = 500
"""So many sessions are moved in one transaction, while whoever talks waits for the lock."""


@dataclass(frozen=True, slots=True)
class Moved:
    """What a worker's round moved: sessions out of the hot tier, full logs out of the warm one."""

    sessions: int = 0
    logs: int = 0


@dataclass
class Sessions:
    """The sessions of a home folder, at all tiers. Safe to use from several threads and processes.

    Attributes:
        settings: returns the settings as they are now.
        redis_url: returns where Redis is, with its password; empty: there is none.
        tell: is handed what a person should know.
        finish: makes summary, keywords and embedding of a thread that has none, before its words go.
        archive: where full logs go; a folder unless another one is handed in.
    """

    home: Home
    clock: Clock
    settings: Callable[[], SessionSettings] = SessionSettings
    redis_url: Callable[[], str] = lambda: ""
    tell: Callable[[Notice], None] = lambda _: None
    finish: Callable[[ThreadRecord], ThreadRecord] = lambda thread: thread
    archive: ColdArchive = field(init=False)
    _redis: RedisHot | None = field(default=None, init=False, repr=False)
    _seen: tuple[object, datetime | None] = field(default=((), None), init=False, repr=False)
    """How the database was when its logs were looked through last, and when the thread ended that has the oldest."""

    def __post_init__(self) -> None:
        self.archive = FolderArchive(self.home.sessions / "archive", self.clock, self._told)

    @cached_property
    def warm(self) -> WarmStore:
        """The database."""
        return WarmStore(Database(self.home.sessions / "warm.duckdb", TABLES, self.clock, self._told))

    @property
    def hot(self) -> HotStore:
        """The hot sessions, in Redis too where one is set."""
        own, url = FileHot(self.home.sessions / "hot", self.clock, self._told), self.redis_url()
        if not url:
            return own
        if self._redis is None or self._redis.url != url:
            self.close()
            waiting = self.home.sessions / "redis_waiting.json"
            self._redis = RedisHot(url, own, waiting, self.clock, self._held, self._told)
        return self._redis

    def close(self) -> None:
        """Let go of Redis."""
        if self._redis is not None:
            self._redis.close()

    # Reading

    def get(self, session_id: str) -> SessionRecord | None:
        """Return a session, at whichever tier it is, with the turns of its last thread; None if there is none.

        Raises:
            UnreadableError, DatabaseHeldError, BusyError: it cannot be read now.
        """
        return self.hot.get(session_id) or self._resumed(session_id)

    def has(self, session_id: str) -> bool:
        """Tell whether there is anything of a session, at any tier.

        Raises:
            UnreadableError, DatabaseHeldError, BusyError: nobody can say now.
        """
        if self.hot.get(session_id) is not None or any(self.archive.threads(session_id)):
            return True
        return self.warm.session(session_id) is not None or bool(self.warm.threads([session_id]))

    def threads(self, session_id: str) -> list[ThreadRecord]:
        """Return the threads of a session that ended, at all tiers and in order; each with its full log, if there is one.

        Whoever hands anything of them to a persona asks first whether its own log has all of it.
        """
        record = self.hot.get(session_id)
        found = {thread.thread_id: self._with_log(thread) for thread in self.warm.threads([session_id])}
        for thread in record.threads if record else ():
            earlier = found.get(thread.thread_id)
            found[thread.thread_id] = thread.joined_with(earlier) if earlier else thread
        running = record.last_thread_id if record and record.thread(record.last_thread_id) else None
        return [found[number] for number in sorted(found) if number != running]

    def ended(self) -> Collection[tuple[datetime, Sequence[str]]]:
        """Return when each thread that ended was spoken of last, and the messages that it rests on, of all sessions.

        Raises:
            UnreadableError, DatabaseHeldError, BusyError: it cannot be read now.
        """
        found: dict[tuple[str, int], tuple[datetime, Sequence[str]]] = {**self.warm.ended()}
        for record in filter(None, map(self.hot.get, self.hot.ids())):
            for thread in record.threads:
                _, earlier = found.get((record.session_id, thread.thread_id), (None, ()))
                found[record.session_id, thread.thread_id] = thread.ts_end, [*earlier, *thread.message_ids]
            if record.thread(record.last_thread_id):
                found.pop((record.session_id, record.last_thread_id), None)
        return found.values()

    def _resumed(self, session_id: str) -> SessionRecord | None:
        """Return a session from the database, its last turns from there or from the archive."""
        found = self.warm.session(session_id)
        if found is None:
            return None
        record, last = found
        is_current = last is not None and last.thread_id == record.last_thread_id
        turns = self._as_read(self._with_log(last)).turns if last and is_current else []
        return record.model_copy(update={"history": turns})

    def _with_log(self, thread: ThreadRecord) -> ThreadRecord:
        kept = None if thread.full_log else self.archive.get(thread.session_id, thread.thread_id)
        return thread.model_copy(update={"full_log": kept.full_log}) if kept else thread

    def _as_read(self, thread: ThreadRecord) -> ThreadRecord:
        """Return a thread of which turns are to be read; say so where some cannot be."""
        if count := thread.unread:
            self._told(_say.notice("sessions-turns-unread", count=count, day=f"{thread.ts_start:%Y-%m-%d}"))
        return thread

    # Changing

    def change(self, session_id: str, change: Callable[[SessionRecord], None]) -> SessionRecord:
        """Change a session, or begin it; it is hot and on the disk when this returns.

        Raises:
            DiskFullError, UnwritableError, BusyError, DatabaseHeldError: it is as it was.
        """
        with self._held():
            now = self.clock.now()
            record = self.get(session_id) or SessionRecord(session_id=session_id, updated=now)
            change(record)
            record.updated, record.revision = now, record.revision + 1
            self.hot.put(record)
            return record

    def rename(self, session_id: str, names: Mapping[str, str]) -> None:
        """Let personas of a session stand under the names that they have now.

        Raises:
            DiskFullError, UnwritableError, BusyError, DatabaseHeldError
        """
        self._go_through(lambda one: one.renamed(names), lambda one: one.renamed(names), session_id)

    def let_go(self, gone: Gone, session_id: str = "") -> None:
        """Let messages go from every tier of one session or of all, with what was drawn from them; done twice, it is done once.

        Raises:
            DiskFullError, UnwritableError, BusyError, DatabaseHeldError
        """
        if is_folder(self.home.sessions):
            self._go_through(lambda one: one.without(gone), lambda one: one.without(gone), session_id)

    def erase(self, gone: Gone) -> None:
        """Do the same so that no byte is left of it: what is damaged and set aside goes too.

        Raises:
            DiskFullError, UnwritableError, BusyError, DatabaseHeldError
        """
        if not is_folder(self.home.sessions):
            return
        self.let_go(gone)
        self.warm.database.rewrite()
        for path, kind in walk(self.home.sessions):
            if kind == "file" and ".broken-" in path.name:
                remove(path)

    def drop(self, session_id: str) -> None:
        """Destroy a session at every tier; done twice, it is done once.

        Raises:
            DiskFullError, UnwritableError, BusyError, DatabaseHeldError: it may be there in part, and can be tried again.
        """
        if not is_folder(self.home.sessions):
            return
        self._go_through(lambda _: None, lambda _: None, session_id)
        self.warm.database.rewrite()
        remove_tree(self.home.sessions / "archive" / safe_name(session_id))
        for name in files(self.home.sessions / "hot", f"{safe_name(session_id)}.json.broken-*"):
            remove(name)
        for user in entries(self.home.sessions / "users", {"folder"}):
            if any(one.origin == session_id for one in LongTerm(self.home, user.name, self.clock).load().chunks):
                remove_tree(self.home.sessions / "users" / user.name)  # made anew from what is left

    def _go_through(
        self,
        session: Callable[[SessionRecord], SessionRecord | None],
        thread: Callable[[ThreadRecord], ThreadRecord | None],
        session_id: str = "",
    ) -> None:
        """Let sessions and threads be what a function makes of them, at every tier; None: it goes."""
        with self._held():
            hot = self.hot
            for one in [session_id] if session_id else list(hot.ids()):
                if (record := hot.get(one)) is None:
                    continue
                if (rest := session(record)) is None:
                    hot.drop(one)
                elif rest != record:
                    rest.revision += 1
                    hot.put(rest)
            changed = dict[tuple[str, int], ThreadRecord | None]()
            rows = {
                (one.session_id, one.thread_id): one for one in self.warm.threads([session_id] if session_id else ())
            }
            for key in {*rows, *self.archive.threads(session_id)}:
                row, kept = rows.get(key), self.archive.get(*key)
                whole = kept if row is None else self._with_log(row)
                if whole is None or (left := thread(whole)) == whole:
                    continue
                changed |= {key: _as(row, left)} if row else {}
                if kept is not None and left is not None:
                    self.archive.put(left)
                elif kept is not None:
                    self.archive.remove(*key)
            self.warm.rewrite(session, changed, session_id)

    # Moving

    def move(self) -> Moved:
        """Move what is due: hot sessions after a day, full logs after a week.

        Raises:
            DiskFullError, UnwritableError, BusyError, DatabaseHeldError: the rest is moved another time.
        """
        self.hot.flush()
        moved = Moved(self._cool(), self._let_logs_go())
        if moved.logs:
            self.warm.database.rewrite()
        return moved

    def _cool(self) -> int:
        """Move hot sessions that nobody spoke in for a day, whichever way the clock jumped, into the database."""
        count, due = 0, list(self._cold_ones())
        for start in range(0, len(due), _BATCH):
            with self._held():
                hot = self.hot
                found = (hot.get(name) for name in due[start : start + _BATCH])
                records = [one for one in found if one is not None and self._is_due(one)]
                threads = [thread for record in records for thread in self._threads_in(record)]
                self.warm.take(records, threads)
                for record in records:
                    hot.drop(record.session_id)
                count += len(records)
        return count

    def _cold_ones(self) -> Iterator[str]:
        hot = self.hot
        return (name for name in hot.ids() if (record := hot.get(name)) is not None and self._is_due(record))

    def _is_due(self, record: SessionRecord) -> bool:
        return abs(self.clock.now() - record.updated) >= HOT

    def _threads_in(self, record: SessionRecord) -> Iterator[ThreadRecord]:
        """Yield the threads of a session, the running one too."""
        yield from map(self._finished, record.threads)
        running = thread_of(record.session_id, record.thread(record.last_thread_id), record.domain)
        if running is not None:
            yield self._finished(running)

    def _finished(self, thread: ThreadRecord) -> ThreadRecord:
        return thread if thread.summary else self.finish(self._as_read(thread))

    def _let_logs_go(self) -> int:
        """Take the full logs of threads that ended a week ago out of the database, into the archive if one is wanted.

        The worker asks every minute: the database is opened only when it changed, or a log it was seen to have is due.
        """
        count, is_kept = 0, self.settings().after_week == "archive"
        state, oldest = self._seen
        if state == self.warm.database.state and (oldest is None or self.clock.now() - oldest < WARM):
            return count
        while True:
            with self._held():
                old = self.warm.older_than(self.clock.now() - WARM, _BATCH)
                for thread in old if is_kept else ():
                    earlier = self.archive.get(thread.session_id, thread.thread_id)
                    self.archive.put(thread.joined_with(earlier) if earlier else thread)
                if not old:
                    self._seen = self.warm.database.state, self.warm.oldest_log()
                    return count
                self.warm.let_logs_go(old)
                count += len(old)

    def _held(self) -> AbstractContextManager[None]:
        return holding(self.home.sessions / ".lock", self.home.sessions.name)

    def _told(self, notice: Notice) -> None:
        self.tell(notice)


def sessions_of(home: Home, clock: Clock) -> Sessions:
    """Return the sessions of a home for whoever has no services at hand: a forgetting, an erasure."""
    file, secrets = SettingsFile(home.settings), Secrets(home.secrets)
    return Sessions(home, clock, lambda: file.load()[0].sessions, partial(address_of, file, secrets))


def address_of(file: SettingsFile, secrets: Secrets) -> str:
    """Return where Redis is, with its password; empty: there is none."""
    url = file.load()[0].sessions.redis_url
    if not url:
        return ""
    plain, password = parted(url)
    return with_password(plain, password or secrets.get(REDIS))


def _as(row: ThreadRecord, left: ThreadRecord | None) -> ThreadRecord | None:
    """Return what is left of a thread as the database keeps it: without a full log, where it had none."""
    return left if left is None or row.full_log else left.model_copy(update={"full_log": ""})
