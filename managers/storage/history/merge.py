"""What a file is after one entry is taken back, or done again: that entry's work undone, all later work kept.

JSON is merged record by record (`merge_json`), text line by line (`merge_lines`). Only where the same
record or the same lines were changed later is there a conflict, and it is as small as that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from managers.storage.history.diff import UndoConflict
from managers.storage.history.merge_json import dumped, merge_values, parse, with_record
from managers.storage.history.merge_lines import heading_of, merge_lines
from managers.storage.tracking import is_on_the_move

Flaws = Callable[[str, bytes], int]
"""Counts what in a file (its name in the persona's folder, its content) its readers would not understand."""


@dataclass(frozen=True, slots=True)
class Merged:
    """A file's new content (None: no file), with what is there now where there are conflicts."""

    content: bytes | None
    conflicts: tuple[UndoConflict, ...] = ()


def no_flaws(name: str, content: bytes) -> int:
    """Find nothing wrong: where nothing is known of the files' models."""
    del name, content
    return 0


def merge_file(
    name: str, base: bytes | None, ours: bytes | None, theirs: bytes | None, flaws: Flaws = no_flaws
) -> Merged:
    """Return a file in which what differs between `base` and `theirs` is as in `theirs`, and all else as in `ours`.

    Args:
        name: as the history keeps it.
        base: what the entry left.
        ours: what lies there now.
        theirs: what was there before the entry.
        flaws: checks what was merged; what has more of them than before is no merge but a conflict.
    """
    if ours == base:
        return Merged(theirs)
    if theirs in (base, ours) or ours is None or is_on_the_move(name):
        return Merged(ours)  # nothing to take back, gone since, or made from other files anyway
    whole = Merged(ours, (UndoConflict(name, ours, theirs),))
    try:
        merged = (
            _merge_json(name, base, ours, theirs) if name.endswith(".json") else _merge_text(name, base, ours, theirs)
        )
    except (ValueError, RecursionError):  # no JSON or no UTF-8 text: two wholes that nothing can be taken out of
        return whole
    if merged.content not in (None, ours) and flaws(name, merged.content or b"") > flaws(name, ours):
        return whole
    return merged


def only_record(base: bytes | None, theirs: bytes | None, record_id: str) -> bytes | None:
    """Return `base` with one record as it is in `theirs`: what an entry did to that record alone, taken back."""
    try:
        return dumped(with_record(parse(base), record_id, parse(theirs)))
    except (ValueError, RecursionError):
        return base


def _merge_json(name: str, base: bytes | None, ours: bytes, theirs: bytes | None) -> Merged:
    value, clashes = merge_values(parse(base), parse(ours), parse(theirs))
    if any(clash.name == "" for clash in clashes):
        return Merged(ours, (UndoConflict(name, ours, theirs),))
    conflicts = tuple(UndoConflict(name, dumped(clash.ours), dumped(clash.theirs), clash.name) for clash in clashes)
    if value == parse(ours):
        return Merged(ours, conflicts)  # to the letter, not only in what it says
    return Merged(dumped(value), conflicts)


def _merge_text(name: str, base: bytes | None, ours: bytes, theirs: bytes | None) -> Merged:
    if base is None:
        return Merged(ours, (UndoConflict(name, ours, theirs),))  # two texts that have nothing to do with each other
    before, now = base.decode(), ours.decode()
    heading = heading_of(before) if name.startswith("entity_memory/") else ""
    text, clashes = merge_lines(before, now, heading if theirs is None else theirs.decode())
    conflicts = tuple(UndoConflict(name, one.ours.encode(), one.theirs.encode(), str(one.at)) for one in clashes)
    is_left = text.strip() and text.strip() != heading.strip()
    return Merged(text.encode() if is_left or theirs is not None else None, conflicts)
