"""Records that an entry made and that were put on a shelf since: they are taken back there.

A list that has grown long puts its older part into `<name>_archived_NNN.json` (see `managers.memory.entry_files`).
"""

import re
from collections.abc import Iterator
from pathlib import Path

from managers.storage.files import files, read_bytes
from managers.storage.history.diff import FileDiff
from managers.storage.history.merge_json import dumped, parse, records_of, with_record


def on_shelves(folder: Path, diff: FileDiff, current: bytes | None) -> Iterator[FileDiff]:
    """Yield, shelf by shelf, what an entry did to records that stood in a file then and stand on a shelf now."""
    if not diff.path.endswith(".json"):
        return
    try:
        before, after, now = (parse(side) for side in (diff.before, diff.after, current))
    except ValueError:  # no records in it
        return
    was, left, held = records_of(before), records_of(after), records_of(now)
    gone = [key for key, record in left.items() if was.get(key) != record and key not in held]
    path = folder / diff.path
    form = re.compile(rf"{re.escape(path.stem)}_archived_\d{{3,}}{re.escape(path.suffix)}")
    for shelf in files(path.parent, f"*{path.suffix}") if gone else ():
        if not form.fullmatch(shelf.name):
            continue
        try:
            value = parse(read_bytes(shelf))
        except ValueError:  # broken by hand: left alone
            continue
        found = [key for key in gone if key in records_of(value)]
        if found:
            as_left, as_was = value, value
            for key in found:
                as_left, as_was = with_record(as_left, key, after), with_record(as_was, key, before)
            yield FileDiff(shelf.relative_to(folder).as_posix(), dumped(as_was), dumped(as_left))
