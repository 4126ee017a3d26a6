"""Packing the history's loose objects, so that years of it stay small.

Every night writes the long list of a folder's files (a git tree) anew though one line changed, and
diaries likewise. dulwich packs without deltas; here each older version is kept as the difference to
the newer one, which makes them tiny.
"""

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dulwich import pack as dulwich_pack
from dulwich.objects import ObjectID, hex_to_filename, hex_to_sha
from dulwich.pack import UnpackedObject, full_unpacked_object

from managers.storage.errors import BusyError
from managers.storage.files import entries, fsync_folder
from managers.storage.history.entries import parse
from managers.storage.history.objects import ObjectDatabase
from managers.storage.locks import holding
from managers.storage.opening import unlink

LOOSE_OBJECTS = 1000
LOOSE_BYTES = 8_000_000
"""Packing begins when one of these is passed."""
MANY_PACKS = 16
"""So many small packs become one: else each look for an object goes through more of them with every year."""
_SMALL = MANY_PACKS * LOOSE_OBJECTS
"""A pack of fewer objects is a small one."""
_CHAIN = 20
"""A version is at most so many differences away from one that is whole."""
# Without its compiled part dulwich takes seconds for what takes it milliseconds with it.
_HAS_FAST_DELTAS = dulwich_pack.create_delta is not dulwich_pack._create_delta_py  # noqa: SLF001  # no public way to ask


@dataclass(frozen=True, slots=True)
class _Planned:
    """An object to pack, and the one that it is kept as the difference to."""

    item: ObjectID
    base: ObjectID | None


def pack_loose(folder: Path, *, force: bool = False) -> int:
    """Pack the loose objects of a repository, if there are many; return how many were packed.

    Safe beside readers and writers, also of other processes: what is packed is durable before its
    loose form is removed.
    """
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(holding(folder / "maintain.lock", folder.parent.name, wait=0, is_reentrant=False))
        except BusyError:  # another process is at it
            return 0
        return _pack(ObjectDatabase(folder), force=force)


def _pack(database: ObjectDatabase, *, force: bool) -> int:
    try:
        _remove_left_over(database.folder)
        loose = list(database.store._iter_loose_objects())  # noqa: SLF001  # what dulwich's own packing uses
        if not loose or not (force or _is_much(database.folder, loose)):
            return 0
        planned = _plan(database, set(loose))
        database.store.add_pack_data(len(planned), _unpacked(database, planned))
        database.settle_packs()
        for item in loose:
            with contextlib.suppress(FileNotFoundError):
                database.store.delete_loose_object(item)
        _join(database)
        return len(planned)
    finally:
        database.close()


def keep_only(database: ObjectDatabase, kept: set[ObjectID]) -> int:
    """Destroy all objects but some, which are then one pack; whoever calls it is alone at the repository.

    Returns:
        how many objects went.
    """
    _remove_left_over(database.folder)
    gone = len(set(database.store) - kept)
    if not gone:
        return 0
    planned = _plan(database, kept)
    pack = database.store.add_pack_data(len(planned), _unpacked(database, planned))
    assert pack is not None  # there is at least the newest commit
    stem = f"pack-{pack.name().decode()}"
    database.settle_packs()
    loose = list(database.store._iter_loose_objects())  # noqa: SLF001  # what dulwich's own packing uses
    packs = database.folder / "objects" / "pack"
    others = {entry.name.rpartition(".")[0] for entry in entries(packs, {"file"})} - {stem}
    _remove_packs(database, others)
    for item in loose:
        unlink(Path(hex_to_filename(os.fspath(database.folder / "objects"), item)))
    return gone


def _join(database: ObjectDatabase) -> None:
    """Make one pack of the small ones once there are many; what they hold as differences stays differences."""
    small = [pack for pack in database.store.packs if len(pack) < _SMALL]
    if len(small) < MANY_PACKS:
        return
    count = len({item for pack in small for item in pack})
    joined = database.store.add_pack_data(count, _held(small))
    assert joined is not None  # a pack holds at least one object
    stems = {f"pack-{pack.name().decode()}" for pack in small} - {f"pack-{joined.name().decode()}"}
    database.settle_packs()
    with contextlib.suppress(PermissionError):  # Windows: another process reads one, so they go the next time
        _remove_packs(database, stems)


def _held(packs: list[dulwich_pack.Pack]) -> Iterator[UnpackedObject]:
    """Yield what packs hold, what several of them hold once."""
    taken: set[ObjectID] = set()
    for pack in packs:
        fresh = set(pack) - taken
        yield from pack.iter_unpacked_subset(fresh)
        taken |= fresh


def _remove_packs(database: ObjectDatabase, stems: set[str]) -> None:
    """Remove packs of which everything is held by another one; a reader that has one open looks anew (dulwich does)."""
    database.close()
    packs = database.folder / "objects" / "pack"
    for suffix in (".idx", ".pack"):  # one without its index is nobody's, and goes the next time
        for stem in stems:
            unlink(packs / f"{stem}{suffix}")
    fsync_folder(packs)


def _is_much(folder: Path, loose: list[ObjectID]) -> bool:
    if len(loose) >= LOOSE_OBJECTS:
        return True
    objects = os.fspath(folder / "objects")
    return sum(Path(hex_to_filename(objects, item)).stat().st_size for item in loose) >= LOOSE_BYTES


def _remove_left_over(folder: Path) -> None:
    """Remove what a killed packing left: packs without an index, and dulwich's lock on an index."""
    packs = folder / "objects" / "pack"
    names = {entry.name for entry in entries(packs)}
    for name in names:
        if name.endswith(".lock") or (name.endswith(".pack") and f"{name.removesuffix('.pack')}.idx" not in names):
            unlink(packs / name)


def _plan(database: ObjectDatabase, loose: set[ObjectID]) -> list[_Planned]:
    """Order the objects so that each difference follows what it is a difference to."""
    planned: dict[ObjectID, _Planned] = {}
    for versions in _versions(database, loose) if _HAS_FAST_DELTAS else ():
        base: ObjectID | None = None
        depth = 0
        for item in versions:
            if item in planned:
                base, depth = None, 0
                continue
            depth = depth + 1 if base is not None and depth < _CHAIN else 0
            planned[item] = _Planned(item, base if depth else None)
            base = item
    for item in loose - planned.keys():
        planned[item] = _Planned(item, None)
    return list(planned.values())


def _versions(database: ObjectDatabase, loose: set[ObjectID]) -> list[list[ObjectID]]:
    """Return the loose versions of each file and each folder's list, newest first."""
    found: dict[str, dict[ObjectID, None]] = {}
    current = database.head()
    while current is not None and current in loose:
        commit = database.commit(current)
        files = parse(commit).files
        found.setdefault("/", {})[commit.tree] = None
        for folder, folder_tree in database.trees(commit.tree, files).items():
            found.setdefault(folder, {})[folder_tree] = None
        for name, blob in database.lookup(commit.tree, files).items():
            if blob is not None:
                found.setdefault(name, {})[blob] = None
        current = commit.parents[0] if commit.parents else None
    return [[item for item in versions if item in loose] for versions in found.values()]


def _unpacked(database: ObjectDatabase, planned: list[_Planned]) -> Iterator[UnpackedObject]:
    for step in planned:
        item = database.store[step.item]
        if step.base is None:
            yield full_unpacked_object(item)
            continue
        base, target = database.store[step.base].as_raw_string(), item.as_raw_string()
        delta = list(dulwich_pack.create_delta(base, target))
        if sum(map(len, delta)) * 2 > len(target):
            yield full_unpacked_object(item)
            continue
        yield UnpackedObject(
            item.type_num,
            sha=hex_to_sha(step.item),
            delta_base=hex_to_sha(step.base),
            decomp_len=sum(map(len, delta)),
            decomp_chunks=delta,
        )
