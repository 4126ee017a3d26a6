"""Walking the history from its newest commit, reading each commit once."""

from collections.abc import Iterator
from dataclasses import replace

from dulwich.objects import ObjectID

from managers.storage.history.entries import Entry, parse
from managers.storage.history.objects import BROKEN, ObjectDatabase
from managers.storage.history.parts import record_of


class Walk:
    """Reads entries from the newest on; commits never change, so each is read and parsed once."""

    def __init__(self, database: ObjectDatabase) -> None:
        self.database = database
        self._parsed: dict[ObjectID, tuple[Entry, ObjectID | None]] = {}
        self.damaged: str | None = None
        """The first commit that could not be read: the walk ends there."""

    def entries(self, limit: int, name: str | None, before: str | None, part: str = "") -> list[Entry]:
        """Return at most `limit` entries older than `before` that changed the file `name` and the `part`.

        With a part, `undone_by` says whether that part of an entry is taken back.
        """
        found: list[Entry] = []
        passed = before is None
        if limit <= 0:
            return found
        record = record_of(part)
        names = {one for one in (name, "" if record else part) if one}
        for entry in self._all(part):
            is_meant = entry.kind != "checkpoint" and (not record or record in entry.records)
            if passed and is_meant and (not names or names <= set(self.with_files(entry).files)):
                found.append(self.with_files(entry))
                if len(found) == limit:
                    break
            passed = passed or entry.id == before
        return found

    def find(self, entry_id: str, part: str = "") -> Entry | None:
        """Return one entry with its `undone_by`, or that of a part of it."""
        return next((self.with_files(entry) for entry in self._all(part) if entry.id == entry_id), None)

    def with_files(self, entry: Entry) -> Entry:
        """Return the entry with its files also where the commit's message does not name them."""
        if entry.files or entry.kind in {"undo", "redo", "beginning"}:
            return entry
        try:
            commit = self.database.commit(ObjectID(entry.id.encode()))
            before = self.database.commit(commit.parents[0]).tree if commit.parents else None
            return replace(entry, files=tuple(self.database.changed_files(commit.tree, before)))
        except BROKEN:  # the entry is there all the same; `diff` says that it is damaged
            return entry

    def _all(self, part: str = "") -> Iterator[Entry]:
        # Newest first, so whatever takes an entry back, or that back again, is met before it.
        verdicts: dict[str, str | None] = {}
        current = self.database.head()
        while current is not None:
            try:
                entry, parent = self._read(current)
            except BROKEN:
                self.damaged = current.decode()
                return
            undone_by = verdicts.get(entry.id)
            if undone_by is None and entry.kind in {"undo", "redo"} and entry.part in {"", part}:
                verdicts.setdefault(entry.target, entry.id if entry.kind == "undo" else None)
            yield replace(entry, undone_by=undone_by) if undone_by else entry
            current = parent

    def _read(self, commit_id: ObjectID) -> tuple[Entry, ObjectID | None]:
        known = self._parsed.get(commit_id)
        if known is None:
            commit = self.database.commit(commit_id)
            known = parse(commit), (commit.parents[0] if commit.parents else None)
            self._parsed[commit_id] = known
        return known
