"""The history rewritten as if some words had never been in it: for an erasure, and for nothing else.

Every version of every file goes through the eraser, and so does the message of every commit; a commit that has nothing
left to tell goes. The branch moves once all that is new is durable, and only then goes what it leads to no longer: killed
in between, the next one to come begins anew and ends at the same history.
"""

import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, NamedTuple

from dulwich.objects import Blob, Commit, ObjectID, ShaFile, Tree

from managers.storage.files import remove
from managers.storage.history.diff import FileDiff
from managers.storage.history.entries import Draft, Entry, compose, is_entry, parse
from managers.storage.history.objects import BROKEN, ObjectDatabase, decoded, new_commit
from managers.storage.history.pack import keep_only
from managers.storage.history.parts import changed_records, may_hold_records
from managers.storage.locks import holding

Scrub = Callable[[str, bytes], bytes | None]
"""What is left of a file of some name and content; None: nothing."""
Reword = Callable[[Entry], Entry]
"""What is left of what an entry says of itself."""

Blobs = Mapping[str, ObjectID | None]

_FLUSHED_BYTES: Final = 16_000_000
"""New objects wait in memory up to this size."""
_PATIENCE: Final = 60.0
"""Seconds to wait for somebody who is packing."""


def rewrite(folder: Path, scrub: Scrub, reword: Reword) -> int:
    """Rewrite a repository (`.history/`) and destroy what it led to before; its owner holds the persona's lock.

    Returns:
        how many entries read otherwise now, or are gone.

    Raises:
        BusyError: somebody has been packing it for long.
        DiskFullError, UnwritableError: the history is as it was, or as it is to be, with or without what is to go.
    """
    with holding(folder / "maintain.lock", folder.parent.name, _PATIENCE, is_reentrant=False):
        remove(folder / "seen_files.json")  # it names files
        database = _Drafting(folder)
        try:
            work = _Rewriting(database, scrub, reword)
            head = work.run()
            database.flush()
            if head is not None and head != database.head():
                database.set_head(head)
            keep_only(database, _reachable(database, head))
            return work.count
        finally:
            database.close()


class _Drafting(ObjectDatabase):
    """A repository with new objects that are not on the disk yet."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._fresh: dict[ObjectID, ShaFile] = {}
        self._size = 0

    def draft(self, item: ShaFile) -> ObjectID:
        """Take a new object in."""
        if item.id not in self._fresh and item.id not in self.store:
            self._fresh[item.id] = item
            self._size += len(item.as_raw_string())
            if self._size > _FLUSHED_BYTES:
                self.flush()
        return item.id

    def flush(self) -> None:
        """Write what is new."""
        if self._fresh:
            self.add_as_pack(self._fresh.values())
        self._fresh, self._size = {}, 0

    def tree(self, tree_id: ObjectID | None) -> Tree:
        fresh = None if tree_id is None else self._fresh.get(tree_id)
        return Tree.from_string(fresh.as_raw_string()) if isinstance(fresh, Tree) else super().tree(tree_id)

    def blob(self, blob_id: ObjectID) -> bytes:
        fresh = self._fresh.get(blob_id)
        return fresh.as_raw_string() if isinstance(fresh, Blob) else super().blob(blob_id)


class _Side(NamedTuple):
    """A commit before it was rewritten and after: its id and its tree (None: there is none)."""

    old: ObjectID | None = None
    old_tree: ObjectID | None = None
    new: ObjectID | None = None
    new_tree: ObjectID | None = None


@dataclass(frozen=True, slots=True)
class _Change:
    """What a commit changed: the blobs before and after, as they were and as they are to be."""

    old: Blobs
    before: Blobs
    after: Blobs
    is_touched: bool

    @property
    def files(self) -> list[str]:
        return sorted(name for name in self.after if self.after[name] != self.before[name])


class _Rewriting:
    """The way from the beginning of a history to its newest entry."""

    def __init__(self, database: _Drafting, scrub: Scrub, reword: Reword) -> None:
        self._database = database
        self._scrub = scrub
        self._reword = reword
        self._clean: dict[tuple[str, ObjectID], ObjectID | None] = {}
        self._ids: dict[str, str] = {}
        self.count = 0

    def run(self) -> ObjectID | None:
        """Return the newest commit as it is to be."""
        side = _Side()
        for commit_id in reversed(list(_chain(self._database))):
            commit = self._database.commit(commit_id)
            try:
                differences = dict(_differences(self._database, side.old_tree, commit.tree))
            except BROKEN:  # nobody can say what it changed: it goes, and the next one tells of both
                self._let_go(commit)
                continue
            side = self._step(commit, side, differences)
        return side.new

    def _let_go(self, commit: Commit) -> None:
        self.count += 1
        self._ids[commit.id.decode()] = ""

    def _step(self, commit: Commit, parent: _Side, differences: Blobs) -> _Side:
        change = self._change(differences, parent)
        message, is_left = self._message(commit, change)
        is_same_so_far = parent.old == parent.new and parent.old_tree == parent.new_tree
        if not is_left:
            self._let_go(commit)
            return parent._replace(old=commit.id, old_tree=commit.tree)
        if is_same_so_far and not change.is_touched and message == commit.message and _has_parent(commit, parent):
            return _Side(commit.id, commit.tree, commit.id, commit.tree)
        self.count += change.is_touched or message != commit.message
        tree, trees = self._database.changed_tree(
            parent.new_tree, {name: blob for name, blob in change.after.items() if blob != change.before[name]}
        )
        for one in trees:
            self._database.draft(one)
        made = new_commit(
            tree=tree,
            parents=[] if parent.new is None else [parent.new],
            who=commit.author,
            message=message,
            seconds=commit.commit_time,
            offset=commit.commit_timezone,
        )
        self._ids[commit.id.decode()] = self._database.draft(made).decode()
        return _Side(commit.id, commit.tree, made.id, tree)

    def _change(self, old: Blobs, parent: _Side) -> _Change:
        before_old = self._database.lookup(parent.old_tree, old)
        before = self._database.lookup(parent.new_tree, old)
        after = {name: None if blob is None else self._cleaned(name, blob) for name, blob in old.items()}
        return _Change(old, before, after, after != old or before != before_old)

    def _cleaned(self, name: str, blob: ObjectID) -> ObjectID | None:
        """Return what is left of a version of a file; of one that cannot be read nobody knows what it says."""
        if (name, blob) not in self._clean:
            try:
                content = self._database.blob(blob)
            except BROKEN:
                self._clean[name, blob] = None
                return None
            left = self._scrub(name, content)
            is_same = left is not None and left == content
            made = None if left is None or is_same else self._database.draft(Blob.from_string(left))
            self._clean[name, blob] = blob if is_same else made
        return self._clean[name, blob]

    def _message(self, commit: Commit, change: _Change) -> tuple[bytes, bool]:
        """Return what a commit says of itself from now on, and whether it is to stay."""
        said = parse(commit)
        entry = self._reword(said)
        if not is_entry(commit):
            return (commit.message if entry == said else entry.reason.encode()), True
        target = self._ids.get(entry.target, entry.target)
        if not change.is_touched and entry == said and target == entry.target:
            return commit.message, True
        if change.old and not change.files and entry.kind != "beginning":
            return b"", False
        if entry.target and not target:  # it took back what is gone now: what is left of it stands by itself
            entry = replace(entry, kind="change", part="")
        draft = Draft(entry.author, entry.reason, entry.evidence, entry.mind, entry.kind, target, entry.part)
        files = [name for name in entry.files if name in change.files] if change.is_touched else entry.files
        return compose(draft, files, self._records(entry, change)), True

    def _records(self, entry: Entry, change: _Change) -> list[str]:
        if not change.is_touched or not entry.records:
            return list(entry.records)
        left = changed_records(
            FileDiff(name, self._content(change.before[name]), self._content(change.after[name]))
            for name in change.files
            if may_hold_records(name)
        )
        return [record for record in entry.records if record in left]

    def _content(self, blob: ObjectID | None) -> bytes | None:
        return None if blob is None else self._database.blob(blob)


def _has_parent(commit: Commit, parent: _Side) -> bool:
    return list(commit.parents[:1]) == ([] if parent.new is None else [parent.new])


def _chain(database: ObjectDatabase) -> Iterator[ObjectID]:
    """Yield the commits, newest first, as far as they can be read."""
    with suppress(*BROKEN):
        for commit in database.commits():
            parse(commit)
            yield commit.id


def _differences(
    database: ObjectDatabase, before: ObjectID | None, after: ObjectID, within: str = ""
) -> Iterator[tuple[str, ObjectID | None]]:
    """Yield the files in which a tree differs from another, each with its blob in the newer one."""
    if before == after:
        return
    old, new = _entries(database, before), _entries(database, after)
    for name in old.keys() | new.keys():
        (was_folder, was), (is_folder, now) = old.get(name, (False, None)), new.get(name, (False, None))
        if was == now:
            continue
        if is_folder or was_folder:
            empty = Tree().id
            yield from _differences(
                database, was if was_folder else None, now if is_folder and now else empty, f"{within}{name}/"
            )
        if (not is_folder and now) or (not was_folder and was):
            yield f"{within}{name}", None if is_folder else now


def _entries(database: ObjectDatabase, tree: ObjectID | None) -> dict[str, tuple[bool, ObjectID | None]]:
    if tree is None or tree == Tree().id:
        return {}
    return {decoded(name): (stat.S_ISDIR(mode), item) for name, mode, item in database.tree(tree).items()}


def _reachable(database: ObjectDatabase, head: ObjectID | None) -> set[ObjectID]:
    """Return all that a commit leads to."""
    found: set[ObjectID] = set()
    trees: list[ObjectID] = []
    while head is not None:
        commit = database.commit(head)
        found.add(head)
        trees.append(commit.tree)
        head = commit.parents[0] if commit.parents else None
    while trees:
        tree = trees.pop()
        if tree not in found:
            found.add(tree)
            for is_folder, item in _entries(database, tree).values():
                if item is not None:
                    trees.append(item) if is_folder else found.add(item)
    return found
