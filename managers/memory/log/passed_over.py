"""Which records of a log readers pass over: what stands there twice, and what is in another encoding than UTF-8.

A message may be there twice when an older `log.txt` or archive was put back, or two files were joined. The
last place of a message counts, for the newest is read first; of a change to a message the first one does,
for only there is it in the order of what was changed since. What another program wrote in Shift_JIS, say, is
read when somebody has had it converted: until then nobody dreams of garbled words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from managers.memory.log.contents import Change, FileIndex

PassedOver = Mapping[Path, frozenset[int]]
"""By file, where records begin that do not count there."""


def find_passed_over(files: Sequence[tuple[Path, FileIndex]]) -> PassedOver:
    """Return which records of a log's files, given oldest first, do not count.

    A message has the same day wherever it stands: files that share none need not be compared.
    """
    found = {path: {*index.repeated, *index.foreign} for path, index in files}
    days: set[int] = set()
    later: list[FileIndex] = []
    for path, index in reversed(files):
        own = index.day_set()
        if shared := own & days:
            held = {one for other in later if other.day_set() & shared for one in other.ids_of_days(shared)}
            found[path] |= {offset for one, offset in index.ids_of_days(shared).items() if one in held}
        days |= own
        later.append(index)
    told: set[str] = set()
    for path, index in files:
        for change in index.changes:
            if change.id in told:
                found[path].add(change.offset)
            told.add(change.id)
    return {path: frozenset(offsets) for path, offsets in found.items() if offsets}


def told_changes(files: Sequence[FileIndex]) -> list[Change]:
    """Return the changes of a log's files, oldest first, each once."""
    found: dict[str, Change] = {}
    for index in files:
        for change in index.changes:
            found.setdefault(change.id, change)
    return list(found.values())
