"""Looking into a persona's history: what was changed, and how a file was at any time; the base of what writes it."""

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dulwich.objects import Commit, ObjectID

from managers.storage.clock import Clock
from managers.storage.errors import EntryNotFoundError, HistoryDamagedError, Notice, as_notice
from managers.storage.history.diff import FileDiff
from managers.storage.history.disk import KeptFiles
from managers.storage.history.entries import Entry
from managers.storage.history.objects import BROKEN, ObjectDatabase
from managers.storage.history.parts import part_of
from managers.storage.history.repository import Repository
from managers.storage.history.walk import Walk
from managers.storage.idle import watch
from managers.storage.journal import put_aside
from managers.storage.paths import PersonaPaths
from managers.storage.texts import Texts
from managers.storage.tracking import tracked_name

_say = Texts("notices/storage")

_HEX = re.compile("[0-9a-f]{4,40}")


class HistoryReader:
    """One persona's history, to be looked into. Safe to use from several threads and processes."""

    def __init__(self, paths: PersonaPaths, clock: Clock) -> None:
        self.paths = paths
        self._files = KeptFiles(paths.folder, paths.history / "seen_files.json")
        self._clock = clock
        self._repository = Repository(paths, self._files, clock)
        self._lock = threading.RLock()
        self._walk: Walk | None = None
        watch(self)

    @property
    def notices(self) -> list[Notice]:
        """What a person should know about this history: it was broken and begins anew, or ends too early."""
        notices = [
            *self._repository.notices,
            *(_say.notice("journal-put-aside", name=one) for one in put_aside(self.paths)),
        ]
        if self._walk is not None and self._walk.damaged:
            notices.append(as_notice("history-damaged", HistoryDamagedError(entry=self._walk.damaged[:8])))
        return notices

    def entries(
        self, limit: int = 50, path: Path | None = None, before: str | None = None, part: str = ""
    ) -> list[Entry]:
        """Return entries, newest first.

        Args:
            limit: at most so many.
            path: only those that changed this file (absolute, or relative to the persona's folder).
            before: only those older than this entry.
            part: only those that changed this part (see `parts`), with `undone_by` meant of the part.
        """
        with self._lock:
            database = self._repository.open()
            if database is None:
                return []
            older_than = None if before is None else self._resolve(before).decode()
            return self._walk_of(database).entries(limit, None if path is None else self._name(path), older_than, part)

    def diff(self, entry_id: str, part: str = "") -> list[FileDiff]:
        """Return what an entry changed, file by file, or what of it a part shows.

        Raises:
            EntryNotFoundError: no such entry.
            HistoryDamagedError: it cannot be read.
        """
        with self._lock, self._reading(entry_id) as database:
            found = (part_of(diff, part) for diff in self._diffs(database, self._entry(entry_id)))
            return [diff for diff in found if diff is not None]

    def at(self, entry_id: str, path: Path) -> bytes | None:
        """Return a file as it was right after an entry; None if there was no such file."""
        name = self._name(path)
        with self._lock, self._reading(entry_id) as database:
            tree = database.commit(self._resolve(entry_id)).tree
            return database.content(database.lookup(tree, [name])[name])

    def close_idle(self, before: float) -> None:
        """Let go of open files that were used last before a moment of `time.monotonic`."""
        with self._lock:
            self._repository.close_idle(before)

    def close(self) -> None:
        """Let go of open files (before the persona's folder is renamed or moved)."""
        with self._lock:
            self._repository.close()
            self._walk = None

    def _name(self, path: Path) -> str:
        return tracked_name(self.paths.folder, self.paths.folder / path) or ""

    @contextmanager
    def _reading(self, entry_id: str) -> Iterator[ObjectDatabase]:
        """Name a damage that is met while reading an entry."""
        try:
            database = self._repository.open()
            if database is None:
                raise EntryNotFoundError(entry=entry_id)
            yield database
        except BROKEN as error:
            raise HistoryDamagedError(entry=entry_id[:8]) from error

    def _diffs(self, database: ObjectDatabase, entry: Entry) -> list[FileDiff]:
        before, after = self._sides(database, entry)
        return [FileDiff(name, database.content(before[name]), database.content(after[name])) for name in entry.files]

    def _sides(
        self, database: ObjectDatabase, entry: Entry
    ) -> tuple[dict[str, ObjectID | None], dict[str, ObjectID | None]]:
        """Return the blobs of an entry's files before and after it."""
        if any(self._name(Path(name)) != name for name in entry.files):
            raise HistoryDamagedError(entry=entry.id[:8])  # a name that leads elsewhere: not made by us
        commit = database.commit(ObjectID(entry.id.encode()))
        before = database.commit(commit.parents[0]).tree if commit.parents else None
        return database.lookup(before, entry.files), database.lookup(commit.tree, entry.files)

    def _walk_of(self, database: ObjectDatabase) -> Walk:
        if self._walk is None or self._walk.database is not database:
            self._walk = Walk(database)
        return self._walk

    def _entry(self, entry_id: str, part: str = "") -> Entry:
        database = self._repository.open()
        entry = None if database is None else self._walk_of(database).find(self._resolve(entry_id).decode(), part)
        if entry is None:
            raise EntryNotFoundError(entry=entry_id)
        return entry

    def _resolve(self, entry_id: str) -> ObjectID:
        """Return the one commit whose id begins with what was given."""
        if not _HEX.fullmatch(entry_id):
            raise EntryNotFoundError(entry=entry_id)
        with self._reading(entry_id) as database:
            found = [item for item in database.matching(entry_id) if isinstance(database.store[item], Commit)]
        if len(found) != 1:
            raise EntryNotFoundError(entry=entry_id)
        return found[0]
