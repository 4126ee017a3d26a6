"""The git repository under a persona's `.history/`: objects, trees and the one branch.

Written with plain files through `managers.storage.files` (so that no lock file of a killed process
is ever in the way), read and packed through dulwich. Any git can read it; docs/files.md says how it does so safely.
"""

from __future__ import annotations

import binascii
import contextlib
import os
import stat
import struct
import weakref
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from dulwich.errors import ApplyDeltaError, ChecksumMismatch, FileFormatException, NotCommitError, NotTreeError
from dulwich.object_store import BaseObjectStore, DiskObjectStore
from dulwich.objects import Blob, Commit, ObjectID, RawObjectID, ShaFile, Tree, hex_to_filename, sha_to_hex
from dulwich.pack import Pack, PackFileDisappeared, UnresolvedDeltas

from managers.storage.files import entries, fsync_folder, make_folder, read_bytes, write_atomic, write_together
from managers.storage.history.unpacking import Allowance, check_size, limit_pack, unpacked_loose
from managers.storage.opening import PLAIN, NotPlainError, kind, kind_of_entry, make_private, open_plain
from managers.storage.tracking import BRANCH

FILE_MODE = 0o100644
_FOLDER_MODE = stat.S_IFDIR

DIVIDED_FROM = 200
"""From so many files on a folder's tree is divided: a night writes the parts that changed, and not thousands of lines."""
_PARTS = 64
"""About the root of the number of files after ten years: then the parts are as long as the list of them."""

_OPENED_BY_NAME = (".", "objects", "objects/info", "objects/pack", "refs", "refs/heads")
"""Folders whose entries dulwich opens by itself; what lies in the others is opened here."""

BROKEN = (
    LookupError,
    ValueError,
    AssertionError,  # dulwich asserts what a damaged file contradicts
    EOFError,
    zlib.error,
    struct.error,  # a list of packed objects that was cut short
    binascii.Error,
    ChecksumMismatch,
    FileFormatException,
    NotCommitError,
    NotTreeError,
    ApplyDeltaError,
    UnresolvedDeltas,
    PackFileDisappeared,
)
"""What dulwich raises when an object is missing or damaged."""


def encoded(name: str) -> bytes:
    """Return a file's name as git keeps it; names that are no valid Unicode come back as they were."""
    return name.encode("utf-8", "surrogateescape")


def decoded(name: bytes) -> str:
    """Return a file's name from git."""
    return name.decode("utf-8", "surrogateescape")


class _Store(DiskObjectStore):
    """Objects that lie in the repository itself, in real files: nothing is read that a file in it points to."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, fsync_object_files=True)
        self._use_commit_graph = self._use_midx = False  # made by nobody here
        self._allowance = Allowance()

    @property
    def alternates(self) -> list[BaseObjectStore]:
        return []

    def _get_loose_object(self, sha: ObjectID) -> ShaFile | None:
        hex_id = sha if len(sha) == self.object_format.hex_length else sha_to_hex(RawObjectID(sha))
        try:
            with open_plain(Path(self._get_shafile_path(hex_id))) as file:
                check_size(Blob.type_num, os.fstat(file.fileno()).st_size)
                return unpacked_loose(file.read(), hex_id)
        except FileNotFoundError:
            return None
        except NotPlainError as error:
            raise KeyError(sha) from error

    def get_raw(self, name: RawObjectID | ObjectID) -> tuple[int, bytes]:
        self._allowance.renew()
        try:
            return super().get_raw(name)
        except KeyError:  # between the look into the packs and the look beside them it may have been packed
            return super().get_raw(name)

    def _update_pack_cache(self) -> list[Pack]:
        new = super()._update_pack_cache()
        for pack in new:
            limit_pack(pack, self._allowance)
        return new


def is_plain(folder: Path) -> bool:
    """Tell whether a repository consists of real files and folders, as far as they are opened by their names.

    Raises:
        UnreadableError: it cannot be looked through.
    """
    return kind(folder) == "folder" and all(
        kind_of_entry(entry) in PLAIN for part in _OPENED_BY_NAME for entry in entries(folder / part, None)
    )


class ObjectDatabase:
    """Objects and branch of one repository. Not thread-safe: its owner holds a lock."""

    def __init__(self, folder: Path) -> None:
        """Open a repository that is there; nothing is read yet."""
        self.folder = folder
        self.store = _Store(folder / "objects")
        weakref.finalize(self, self.store.close)  # dulwich leaves open packs to whoever forgets them

    @classmethod
    def begin(cls, folder: Path) -> ObjectDatabase:
        """Make an empty repository; the folder must not exist."""
        for part in ("objects/info", "objects/pack", "refs/heads"):
            make_folder(folder / part)
        write_settings(folder)
        return cls(folder)

    def close(self) -> None:
        """Let go of open packs (Windows cannot move a folder with open files)."""
        self.store.close()

    def head(self) -> ObjectID | None:
        """Return the newest commit's id, None in an empty repository.

        Raises:
            ValueError: the branch file holds no id.
        """
        data = read_bytes(self.folder / BRANCH)
        if data is None:
            return None
        text = data.decode("ascii").strip()
        bytes.fromhex(text)
        if len(text) != 40:  # noqa: PLR2004  # hex digits of a SHA-1
            raise ValueError(text)
        return ObjectID(text.encode())

    def set_head(self, commit: ObjectID) -> None:
        write_atomic(self.folder / BRANCH, commit + b"\n")

    def add(self, objects: Iterable[ShaFile]) -> None:
        """Write new objects durably; those that are there already cost nothing."""
        new = {item.id: item for item in objects if item.id not in self.store}
        folder = os.fspath(self.folder / "objects")
        write_together({Path(hex_to_filename(folder, at)): item.as_legacy_object() for at, item in new.items()})

    def add_as_pack(self, objects: Iterable[ShaFile]) -> None:
        """Write many objects durably as one pack: only where nobody else writes."""
        new = {item.id: item for item in objects}
        self.store.add_objects([(item, None) for item in new.values()])
        self.settle_packs()

    def settle_packs(self) -> None:
        """Make new packs durable, and their owner's alone: dulwich lets everybody read them."""
        packs = self.folder / "objects" / "pack"
        for entry in entries(packs, {"file"}):
            make_private(packs / entry.name)
        fsync_folder(packs)

    def commits(self) -> Iterator[Commit]:
        """Yield the commits, newest first, as far as they can be read."""
        with contextlib.suppress(*BROKEN):
            current = self.head()
            while current is not None:
                commit = self.commit(current)
                yield commit
                current = commit.parents[0] if commit.parents else None

    def commit(self, commit_id: ObjectID) -> Commit:
        """Return a commit; one of `BROKEN` is raised when it is missing or damaged."""
        found = self.store[commit_id]
        if not isinstance(found, Commit):
            raise NotCommitError(commit_id)
        return found

    def tree(self, tree_id: ObjectID | None) -> Tree:
        """Return a tree that may be changed; an empty one for None."""
        if tree_id is None:
            return Tree()
        found = self.store[tree_id]
        if not isinstance(found, Tree):
            raise NotTreeError(tree_id)
        return found

    def blob(self, blob_id: ObjectID) -> bytes:
        found = self.store[blob_id]
        if not isinstance(found, Blob):
            raise KeyError(blob_id)
        return found.as_raw_string()

    def content(self, blob_id: ObjectID | None) -> bytes | None:
        """Return the content of a file, None where there is none."""
        return None if blob_id is None else self.blob(blob_id)

    def files(self, tree_id: ObjectID | None) -> dict[str, ObjectID]:
        """Return every file of a tree with its blob's id."""
        found: dict[str, ObjectID] = {}
        for name, mode, item in self.tree(tree_id).items():
            if stat.S_ISDIR(mode):
                found |= {f"{decoded(name)}/{decoded(rest)}": blob for rest, blob in self._inside(item)}
            else:
                found[decoded(name)] = item
        return found

    def _inside(self, tree_id: ObjectID, *, is_part: bool = False) -> Iterator[tuple[bytes, ObjectID]]:
        """Yield the files of a folder, whether they lie in its tree or in the parts that it was divided into."""
        for name, mode, item in self.tree(tree_id).items():
            if not stat.S_ISDIR(mode):
                yield name, item
            elif not is_part:
                yield from self._inside(item, is_part=True)

    def trees(self, tree_id: ObjectID, names: Iterable[str] = ()) -> dict[str, ObjectID]:
        """Return the trees of all folders, by path, and those parts of divided ones that hold some files."""
        root = self.tree(tree_id)
        found = {f"{decoded(name)}/": item for name, mode, item in root.items() if stat.S_ISDIR(mode)}
        folders = {path: self.tree(item) for path, item in found.items()}
        for name in names:
            folder, _, base = name.rpartition("/")
            part = _part(encoded(base))
            if (tree := folders.get(f"{folder}/")) is not None and _is_divided(tree) and part in tree:
                found[f"{folder}/{decoded(part)}/"] = tree[part][1]
        return found

    def lookup(self, tree_id: ObjectID | None, names: Iterable[str]) -> dict[str, ObjectID | None]:
        """Return the blob ids of some files, None for those not in the tree; each folder is read once."""
        trees: dict[bytes, Tree] = {b"": self.tree(tree_id)}

        def tree_at(path: bytes, above: Tree, name: bytes) -> Tree:
            if path not in trees:
                trees[path] = self.tree(_entry(above, name))
            return trees[path]

        found: dict[str, ObjectID | None] = {}
        for name in names:
            folder, _, base = encoded(name).rpartition(b"/")
            tree = tree_at(folder, trees[b""], folder)
            if folder and _is_divided(tree):
                tree = tree_at(folder + b"/" + _part(base), tree, _part(base))
            found[name] = _entry(tree, base)
        return found

    def changed_tree(
        self, tree_id: ObjectID | None, changes: Mapping[str, ObjectID | None], *, divide_from: int = DIVIDED_FROM
    ) -> tuple[ObjectID, list[ShaFile]]:
        """Return the id of the tree with some files changed (None: deleted), and the trees to add.

        Only the folders with changes are read and written, whatever else the tree holds, and of folders with many files
        only the parts with changes.
        """
        root = self.tree(tree_id)
        folders: dict[bytes, dict[bytes, ObjectID | None]] = {}
        for name, blob in changes.items():
            folder, _, base = encoded(name).rpartition(b"/")
            if folder:
                folders.setdefault(folder, {})[base] = blob
            else:
                _set(root, base, FILE_MODE, blob)
        added: list[ShaFile] = []
        for folder, inside in folders.items():
            tree, parts = self._changed_folder(_entry(root, folder), inside, divide_from)
            _set(root, folder, _FOLDER_MODE, tree.id if len(tree) else None)
            added += [one for one in (*parts, tree) if len(one)]
        return root.id, [*added, root]

    def _changed_folder(
        self, tree_id: ObjectID | None, changes: Mapping[bytes, ObjectID | None], divide_from: int
    ) -> tuple[Tree, list[Tree]]:
        """Return a folder's tree with some files changed, and the parts of it that are new."""
        tree = self.tree(tree_id)
        if not _is_divided(tree):
            for base, blob in changes.items():
                _set(tree, base, FILE_MODE, blob)
            if len(tree) < divide_from:
                return tree, []
            changes, tree = {name: item for name, _, item in tree.items()}, Tree()
        parts: dict[bytes, Tree] = {}
        for base, blob in changes.items():
            name = _part(base)
            if name not in parts:
                parts[name] = self.tree(_entry(tree, name))
            _set(parts[name], base, FILE_MODE, blob)
        for name, part in parts.items():
            _set(tree, name, _FOLDER_MODE, part.id if len(part) else None)
        return tree, list(parts.values())

    def changed_files(self, tree_id: ObjectID, parent_tree: ObjectID | None) -> list[str]:
        """Return the files in which two trees differ: for commits made by somebody's own git."""
        after, before = self.files(tree_id), self.files(parent_tree)
        return sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))

    def matching(self, prefix: str) -> list[ObjectID]:
        """Return the ids that begin with some hex digits."""
        return [ObjectID(bytes(found)) for found in self.store.iter_prefix(prefix.encode())]


def _is_divided(tree: Tree) -> bool:
    """Tell whether a folder's files lie in parts: there are no folders in a persona's own."""
    return any(stat.S_ISDIR(mode) for _, mode, _ in tree.items())


def _part(name: bytes) -> bytes:
    """Return in which part of a divided folder a file lies."""
    return b"%02d" % (zlib.crc32(name) % _PARTS)


def _entry(tree: Tree, name: bytes) -> ObjectID | None:
    return tree[name][1] if name in tree else None


def _set(tree: Tree, name: bytes, mode: int, item: ObjectID | None) -> None:
    if item is not None:
        tree[name] = (mode, item)
    elif name in tree:
        del tree[name]


def new_commit(
    *, tree: ObjectID, parents: Sequence[ObjectID], who: bytes, message: bytes, seconds: int, offset: int
) -> Commit:
    """Return a commit object; `seconds` since the epoch, `offset` of the local time in seconds."""
    commit = Commit()
    commit.tree = tree
    commit.parents = list(parents)
    commit.author = commit.committer = who
    commit.author_time = commit.commit_time = seconds
    commit.author_timezone = commit.commit_timezone = offset
    commit.encoding = b"UTF-8"
    commit.message = message
    return commit


def write_settings(folder: Path) -> None:
    """Write what makes a folder a repository for git, and nothing that git would run.

    Raises:
        DiskFullError, UnwritableError
    """
    write_atomic(folder / "HEAD", f"ref: {BRANCH}\n")
    write_atomic(folder / "config", "[core]\n\trepositoryformatversion = 0\n\tbare = true\n")
