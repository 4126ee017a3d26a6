"""A persona's repository: begun when first needed, kept aside and begun anew when it is broken."""

import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from dulwich.objects import Blob, Commit, ObjectID

from managers.storage.clock import Clock
from managers.storage.errors import DiskFullError, Notice
from managers.storage.files import explained, fsync_folder, make_folder, remove_tree
from managers.storage.history.diff import FileDiff
from managers.storage.history.disk import KeptFiles
from managers.storage.history.entries import Draft, compose, moment, signature
from managers.storage.history.objects import BROKEN, ObjectDatabase, is_plain, new_commit
from managers.storage.history.parts import changed_records, may_hold_records
from managers.storage.locks import writing
from managers.storage.opening import free, kind, move
from managers.storage.paths import PersonaPaths
from managers.storage.texts import Texts

_say = Texts("notices/storage")


class Repository:
    """Opens, begins and extends the repository. Not thread-safe: its owner holds a lock."""

    def __init__(self, paths: PersonaPaths, files: KeptFiles, clock: Clock) -> None:
        self.paths = paths
        self.notices: list[Notice] = []
        self._files = files
        self._clock = clock
        self._database: ObjectDatabase | None = None
        self._used = 0.0

    def open(self) -> ObjectDatabase | None:
        """Return the repository; None if there is none (a broken one is kept aside first)."""
        self._used = time.monotonic()
        if self._database is None and kind(self.paths.history) is not None and not is_plain(self.paths.history):
            self._set_aside()
            return None
        if not (self.paths.history / "HEAD").exists():
            self.close()
            if (self.paths.history / "objects").exists():
                self._set_aside()
            return None
        if self._database is None:
            database = ObjectDatabase(self.paths.history)
            if not _is_sound(database):
                database.close()
                self._set_aside()
                return None
            self._database = database
        return self._database

    def close_idle(self, before: float) -> None:
        """Let go of packs that were used last before a moment of `time.monotonic`: they are opened again when needed."""
        if self._database is not None and self._used < before:
            self._database.close()

    def close(self) -> None:
        if self._database is not None:
            self._database.close()
        self._database = None

    def begin(self, draft: Draft) -> ObjectID:
        """Begin with all files that are there: built beside, then moved into place."""
        beside = self.paths.folder / f".history.new-{os.getpid()}"
        remove_tree(beside)
        make_folder(beside)
        database = ObjectDatabase.begin(beside)
        blobs = {name: Blob.from_string(content) for name, content in self._files.everything().items()}
        tree, trees = database.changed_tree(None, {name: blob.id for name, blob in blobs.items()})
        commit = self._commit_object(tree, None, draft, sorted(blobs))
        database.add_as_pack([*blobs.values(), *trees, commit])
        database.set_head(commit.id)
        database.close()
        self.close()
        remove_tree(self.paths.history)  # at most an empty shell: `open` has looked
        move(beside, self.paths.history)
        fsync_folder(self.paths.folder)
        return commit.id

    def prepare(
        self, database: ObjectDatabase, draft: Draft, contents: Mapping[str, bytes | None], *, always: bool = False
    ) -> ObjectID | None:
        """Write the objects of a new entry; the branch does not point to it yet.

        Returns:
            The commit's id, None if there is nothing to commit.
        """
        head = database.head()
        tree = None if head is None else database.commit(head).tree
        before = database.lookup(tree, contents)
        blobs = {name: None if content is None else Blob.from_string(content) for name, content in contents.items()}
        changed = {name: blob for name, blob in blobs.items() if before[name] != (blob.id if blob else None)}
        if not changed and not always:
            return None
        new_tree, trees = database.changed_tree(
            tree, {name: blob.id if blob else None for name, blob in changed.items()}
        )
        records = changed_records(
            FileDiff(name, _readable(database, before[name]), contents[name])
            for name in changed
            if may_hold_records(name)
        )
        commit = self._commit_object(new_tree, head, draft, sorted(changed), records)
        try:
            database.add([*(blob for blob in changed.values() if blob is not None), *trees, commit])
        except DiskFullError as error:
            raise DiskFullError(path=", ".join(Path(name).name for name in list(changed)[:3])) from error
        return commit.id

    def commit(self, database: ObjectDatabase, draft: Draft, contents: Mapping[str, bytes | None]) -> ObjectID | None:
        commit = self.prepare(database, draft, contents)
        if commit is not None:
            database.set_head(commit)
        return commit

    def _commit_object(
        self, tree: ObjectID, parent: ObjectID | None, draft: Draft, files: Sequence[str], records: Sequence[str] = ()
    ) -> Commit:
        seconds, offset = moment(self._clock)
        return new_commit(
            tree=tree,
            parents=[] if parent is None else [parent],
            who=signature(draft.author),
            message=compose(draft, files, records),
            seconds=seconds,
            offset=offset,
        )

    def _set_aside(self) -> None:
        with writing(self.paths):
            kept = free(self.paths.folder / f".history.broken-{self._clock.now():%Y%m%d-%H%M%S}")
            try:
                move(self.paths.history, kept)
                fsync_folder(self.paths.folder)
            except OSError as error:
                raise explained(error, self.paths.history) from error
        self.notices.append(_say.notice("history-broken", kept=kept.name))


def _readable(database: ObjectDatabase, blob: ObjectID | None) -> bytes | None:
    """Return what a file was, None where it was not there or is damaged: that must not stand in the way of today."""
    try:
        return database.content(blob)
    except BROKEN:
        return None


def _is_sound(database: ObjectDatabase) -> bool:
    try:
        head = database.head()
        if head is None:
            return False
        database.files(database.commit(head).tree)
    except BROKEN:
        return False
    return True
