"""Packing the history's loose objects, so that years of it stay small.

Every night writes the long list of a folder's files (a git tree) anew though one line changed, and
diaries likewise. dulwich packs without deltas; here each older version is kept as the difference to
the newer one, which makes them tiny.
"""

import contextlib
import logging
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dulwich import pack as dulwich_pack
from dulwich.objects import ObjectID, hex_to_filename, hex_to_sha
from dulwich.pack import UnpackedObject, full_unpacked_object

from managers.storage.errors import BusyError
from managers.storage.files import entries, fsync_folder
from managers.storage.history.checking import is_readable
from managers.storage.history.entries import parse
from managers.storage.history.objects import BROKEN, ObjectDatabase
from managers.storage.history.unpacking import MAX_MADE
from managers.storage.locks import holding
from managers.storage.opening import unlink

LOOSE_OBJECTS = 1000
LOOSE_BYTES = 8_000_000
"""Packing begins when one of these is passed."""
MANY_PACKS = 8
"""So many small packs become one: else each look for an object goes through more of them with every year."""
_SMALL = MANY_PACKS * LOOSE_OBJECTS
"""A pack of fewer objects is a small one."""
_CHAIN = 50
"""A version is at most so many differences away from one that is whole, as with git's own packing."""
_SHORT = 4000
"""Bytes; a difference between shorter texts is looked for in no time."""
_SHARE = 8
"""Of longer ones, this part must stand in both in whole lines."""
# Without its compiled part dulwich takes seconds for what takes it milliseconds with it.
_HAS_FAST_DELTAS = dulwich_pack.create_delta is not dulwich_pack._create_delta_py  # noqa: SLF001  # no public way to ask

_logger = logging.getLogger(__name__)


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
        loose = _loose(database)
        if not loose or not (force or _is_much(database.folder, loose)):
            return 0
        loose = [item for item in loose if is_readable(database, item)]  # a damaged one is told of, and stays
        planned = _plan(database, set(loose))
        database.store.add_pack_data(len(planned), _unpacked(database, planned))
        database.settle_packs()
        for item in loose:
            with contextlib.suppress(FileNotFoundError):
                database.store.delete_loose_object(item)
        try:
            _join(database)
        except BROKEN:
            _logger.warning("packs of %s are not joined: one is damaged", database.folder.parent.name, exc_info=True)
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
    database.settle_packs()
    loose = _loose(database)
    stems = {entry.name.rpartition(".")[0] for entry in entries(database.folder / "objects" / "pack", {"file"})}
    assert _stem(pack) in stems
    _remove_packs(database, stems - {_stem(pack)})
    for item in loose:
        unlink(Path(hex_to_filename(os.fspath(database.folder / "objects"), item)))
    return gone


def _join(database: ObjectDatabase) -> None:
    """Make one pack of the small ones once there are many: what is whole in each of them is a difference, too, then."""
    small = [pack for pack in database.store.packs if len(pack) < _SMALL]
    if len(small) < MANY_PACKS or not _HAS_FAST_DELTAS:  # without them all would be whole
        return
    planned = _plan(database, {item for pack in small for item in pack}, scattered=True)
    joined = database.store.add_pack_data(len(planned), _unpacked(database, planned))
    assert joined is not None  # a pack holds at least one object
    stems = set(map(_stem, small)) - {_stem(joined)}
    database.settle_packs()
    with contextlib.suppress(PermissionError):  # Windows: another process reads one, so they go the next time
        _remove_packs(database, stems)


def _stem(pack: dulwich_pack.Pack) -> str:
    """Return what a pack's files are called: git names them otherwise than dulwich, whose `name` is none of a file."""
    return Path(pack._data_path).stem  # noqa: SLF001  # no public way to ask


def _loose(database: ObjectDatabase) -> list[ObjectID]:
    return list(database.store._iter_loose_objects())  # noqa: SLF001  # what dulwich's own packing uses


def _remove_packs(database: ObjectDatabase, stems: set[str]) -> None:
    """Remove packs of which everything is held by another one; a reader that has one open looks anew (dulwich does)."""
    database.close()
    packs = database.folder / "objects" / "pack"
    found = [entry.name.rpartition(".") for entry in entries(packs, {"file"})]
    for _, stem, suffix in sorted((suffix, stem, suffix) for stem, _, suffix in found if stem in stems):
        unlink(packs / f"{stem}.{suffix}")  # its index first: one without is nobody's, and goes the next time
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


def _plan(database: ObjectDatabase, wanted: set[ObjectID], *, scattered: bool = False) -> list[_Planned]:
    """Order some objects so that each difference follows what it is a difference to; see `_versions`."""
    planned: dict[ObjectID, _Planned] = {}
    for versions in _versions(database, wanted, scattered=scattered) if _HAS_FAST_DELTAS else ():
        base: ObjectID | None = None
        depth = 0
        for item in versions:
            if item in planned:
                base, depth = None, 0
                continue
            depth = depth + 1 if base is not None and depth < _CHAIN else 0
            planned[item] = _Planned(item, base if depth else None)
            base = item
    for item in wanted - planned.keys():
        planned[item] = _Planned(item, None)
    return list(planned.values())


def _versions(database: ObjectDatabase, wanted: set[ObjectID], *, scattered: bool) -> list[list[ObjectID]]:
    """Return those versions of each file and each folder's list that are wanted, newest first.

    Commits that are newer are passed: somebody may write meanwhile. Unless those that are wanted lie scattered among
    others, the first older one ends it; and so does one that is damaged: what is older is kept whole.
    """
    found: dict[str, dict[ObjectID, None]] = {}
    is_begun = False
    for commit in database.commits():
        if commit.id not in wanted:
            if is_begun and not scattered:
                break
            continue
        is_begun = True
        with contextlib.suppress(*BROKEN):  # what cannot be looked up is kept whole
            files = parse(commit).files
            versions = {"/": commit.tree, **database.trees(commit.tree, files), **database.lookup(commit.tree, files)}
            for name, version in versions.items():
                if version is not None:
                    found.setdefault(name, {})[version] = None
    return [[item for item in versions if item in wanted] for versions in found.values()]


def _unpacked(database: ObjectDatabase, planned: list[_Planned]) -> Iterator[UnpackedObject]:
    made: dict[ObjectID, int] = {}  # bytes that are unpacked for each
    for step in planned:
        item = database.store[step.item]
        target = item.as_raw_string()
        made[step.item] = len(target) + (made[step.base] if step.base else 0)
        base = database.store[step.base].as_raw_string() if step.base and made[step.item] <= MAX_MADE // 2 else None
        delta = [] if base is None or not _is_like(target, base) else list(dulwich_pack.create_delta(base, target))
        if step.base is None or not delta or sum(map(len, delta)) * 2 > len(target):
            made[step.item] = len(target)
            yield full_unpacked_object(item)
            continue
        yield UnpackedObject(
            item.type_num,
            sha=hex_to_sha(step.item),
            delta_base=hex_to_sha(step.base),
            decomp_len=sum(map(len, delta)),
            decomp_chunks=delta,
        )


def _is_like(target: bytes, base: bytes) -> bool:
    """Tell whether a short difference may be found: it takes seconds to find none between long texts that share no line."""
    if len(target) < _SHORT:
        return True
    lines = set(_lines(base))
    return sum(len(line) for line in _lines(target) if line in lines) * _SHARE >= len(target)


def _lines(data: bytes) -> list[bytes]:
    """Split a text into lines and Japanese sentences, and a folder's list into its entries."""
    return data.replace(b"\0", b"\n").replace("。".encode(), b"\n").split(b"\n")
