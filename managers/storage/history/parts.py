"""A part of an entry: one file of it (named as the history keeps it), or one record (`#` and its id).

A dream changes many memories in one entry; whoever looks at one memory sees, and takes back, what the
entry did to that one.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from managers.storage.files import dump_json
from managers.storage.history.diff import FileDiff
from managers.storage.history.merge import only_record
from managers.storage.history.merge_json import MISSING, parse, records_of
from managers.storage.tracking import is_on_the_move, tracked_name

_MARK = "#"


def file_part(folder: Path, path: Path) -> str:
    """Return the part that one file of a persona's folder is."""
    return tracked_name(folder, path) or ""


def record_part(record_id: str) -> str:
    """Return the part that one record is."""
    return f"{_MARK}{record_id}"


def record_of(part: str) -> str:
    """Return the id of the record that a part is, empty if it is a file or the whole."""
    return part.removeprefix(_MARK) if part.startswith(_MARK) else ""


def may_hold_records(name: str) -> bool:
    """Tell whether a file may hold records whose changes are noted one by one."""
    return name.endswith(".json") and not is_on_the_move(name)


def changed_records(diffs: Iterable[FileDiff]) -> list[str]:
    """Return the ids of the records that differ before and after; one that only moved to another file does not."""
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}
    for diff in diffs:
        before |= _records(diff.before)
        after |= _records(diff.after)
    keys = [*after, *(key for key in before if key not in after)]
    return [key for key in keys if before.get(key, MISSING) != after.get(key, MISSING)]


def part_of(diff: FileDiff, part: str) -> FileDiff | None:
    """Return what a part shows of a change to a file; None if it shows nothing of it."""
    record = record_of(part)
    if not record:
        return diff if part in {"", diff.path} else None
    before, after = (_records(side).get(record) for side in (diff.before, diff.after))
    if before == after:
        return None
    return FileDiff(diff.path, *(None if side is None else dump_json(side).encode() for side in (before, after)))


def restricted(diff: FileDiff, part: str) -> FileDiff:
    """Return a change to a file as if nothing but a part had been changed."""
    record = record_of(part)
    if not record:
        return diff
    return FileDiff(diff.path, only_record(diff.after, diff.before, record), diff.after)


def _records(data: bytes | None) -> dict[str, Any]:
    try:
        return records_of(parse(data))
    except ValueError:  # written by hand, and no JSON
        return {}
