"""Whether every part of a history can be read: looked through object by object, and changed by nothing."""

import hashlib
import os
import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from dulwich.errors import ChecksumMismatch
from dulwich.objects import Blob, ObjectID, hex_to_filename

from managers.storage.files import dump_json, read_bytes, remove, write_atomic
from managers.storage.history.entries import parse
from managers.storage.history.objects import BROKEN, ObjectDatabase, is_plain
from managers.storage.json_text import load_json
from managers.storage.opening import kind
from managers.storage.unchanged import Unchanged

_NOTE = "damaged.json"
_read = Unchanged[None]()
"""Which loose objects could be read, for as long as their files are the same."""
_LOOKED_INTO = 500
"""So many of the newest entries are asked for every file that they changed; of older ones the folders must be there."""


@dataclass
class Check:
    """What came of it.

    Attributes:
        there: ids of all parts that are there.
        damaged: ids of parts that are there and cannot be read.
        entries: ids of entries of which a part is damaged or missing, newest first.
        is_whole: whether the way back leads to the beginning, and all that was kept last can be read.
    """

    there: set[bytes] = field(default_factory=set)
    damaged: set[bytes] = field(default_factory=set)
    entries: list[str] = field(default_factory=list)
    is_whole: bool = True

    @property
    def is_sound(self) -> bool:
        return self.is_whole and not self.damaged and not self.entries


def check_at_night(folder: Path) -> None:
    """Note in `.history/damaged.json` if a part of a history is damaged; take the note away where none is.

    What is packed is told by its checksum, so that a night costs what is new; only where something is amiss is all read.

    Raises:
        DiskFullError, UnwritableError
    """
    note = folder / _NOTE
    if _seems_sound(folder) or (check := check_history(folder)).is_sound:
        remove(note)
        return
    found = {"parts": len(check.damaged), "entries": len(check.entries), "is_whole": check.is_whole}
    write_atomic(note, dump_json(found))


def noted_damage(folder: Path) -> tuple[int, int, bool] | None:
    """Return what the last night found: damaged parts, entries that lack some, and whether the beginning is reached."""
    try:
        found = load_json(read_bytes(folder / _NOTE) or b"null")
        return None if found is None else (int(found["parts"]), int(found["entries"]), bool(found["is_whole"]))
    except (ValueError, KeyError, TypeError):
        return None


def _seems_sound(folder: Path) -> bool:
    database = ObjectDatabase(folder)
    try:
        for pack in database.store.packs:
            pack.index.check()
            pack.data.check()
        loose = database.store._iter_loose_objects()  # noqa: SLF001  # as packing does
        for item in loose:
            _read.get(partial(_try_to_read, database, item), _path_of(folder, item))
    except (*BROKEN, OSError):
        return False
    else:
        return True
    finally:
        database.close()


def check_history(folder: Path) -> Check:
    """Read every object of a history (`.history/`), and follow the entries from the newest to the beginning."""
    check = Check()
    if kind(folder / "objects") is None:
        return check
    if not is_plain(folder):
        check.is_whole = False
        return check
    database = ObjectDatabase(folder)
    try:
        if _read_all(database, check):
            _walk(database, check)
    finally:
        database.close()
    return check


def heal_history(folder: Path, contents: Mapping[str, bytes]) -> int:
    """Write anew what is damaged or missing in a history and can be made from the kept files as they are now.

    Returns:
        how many parts were written.
    """
    check = check_history(folder)
    database = ObjectDatabase(folder)
    try:
        blobs = {name: Blob.from_string(content) for name, content in contents.items()}
        ids = {name: blob.id for name, blob in blobs.items()}
        _, trees = database.changed_tree(None, ids)
        _, whole = database.changed_tree(None, ids, divide_from=sys.maxsize)  # as an older history has them
        made = [one for one in (*blobs.values(), *trees) if one.id not in check.there]
        damaged = [one for one in (*blobs.values(), *trees, *whole) if one.id in check.damaged]
        healing = list({one.id: one for one in (*made, *damaged)}.values())
        if check.is_sound:
            return 0
        for one in healing:
            remove(_path_of(folder, one.id))
        database.add(healing)
        return len(healing)
    finally:
        database.close()
        check_at_night(folder)


def _read_all(database: ObjectDatabase, check: Check) -> bool:
    try:
        ids = list(database.store)
    except (*BROKEN, OSError):  # a pack whose index cannot be read hides what is in it
        check.is_whole = False
        return False
    check.there.update(ids)
    check.damaged.update(item for item in ids if not is_readable(database, item))
    return True


def _path_of(folder: Path, item: ObjectID) -> Path:
    return Path(hex_to_filename(os.fspath(folder / "objects"), item))


def is_readable(database: ObjectDatabase, item: ObjectID) -> bool:
    """Tell whether an object can be read, and is what it is called."""
    try:
        _try_to_read(database, item)
    except (*BROKEN, OSError):
        return False
    return True


def _try_to_read(database: ObjectDatabase, item: ObjectID) -> None:
    """Read an object; one of `BROKEN`, or OSError, is raised where it is not what it is called."""
    found = database.store[item]
    content = found.as_raw_string()
    head = b"%s %d\0" % (found.type_name, len(content))
    if hashlib.sha1(head + content, usedforsecurity=False).hexdigest().encode() != item:
        raise ChecksumMismatch(item, "another")


def _walk(database: ObjectDatabase, check: Check) -> None:
    try:
        current = database.head()
        if current is not None:
            newest = database.files(database.commit(current).tree)
            check.is_whole = check.there.issuperset(newest.values())
        else:  # a first change that was killed leaves one commit that nothing leads to
            readable = check.there - check.damaged
            check.is_whole = sum(database.store[ObjectID(one)].type_name == b"commit" for one in readable) < 2  # noqa: PLR2004
    except (*BROKEN, OSError):
        check.is_whole = False
        return
    number = 0
    while current is not None:
        number += 1
        try:
            commit = database.commit(current)
            names = parse(commit).files if number <= _LOOKED_INTO else ()
            parts = _parts(database, commit.tree, names)
        except (*BROKEN, OSError):
            parts = {b""}
        if parts & check.damaged or not parts <= check.there:
            check.entries.append(current.decode())
        try:
            current = commit.parents[0] if commit.parents else None
        except BROKEN:
            current = None
        if current is not None and (current in check.damaged or current not in check.there):
            check.is_whole = False
            return


def _parts(database: ObjectDatabase, tree: ObjectID, names: Collection[str]) -> set[bytes]:
    blobs = {blob for blob in database.lookup(tree, names).values() if blob is not None}
    return {tree, *database.trees(tree, names).values(), *blobs}
