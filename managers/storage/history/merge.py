"""What a file is after one entry is taken back, or done again: that entry's work undone, all later work kept.

JSON is merged record by record (`merge_json`), text line by line. Only where the same
record or the same lines were changed later is there a conflict, and it is as small as that.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from managers.storage.comments import Commented, comment, commented
from managers.storage.history.diff import UndoConflict
from managers.storage.history.merge_json import dumped, merge_values, parse, with_record
from managers.storage.history.merge_sequences import Region, merge_sequences
from managers.storage.json_text import NotJsonError, load_json
from managers.storage.tracking import is_on_the_move

Flaws = Callable[[str, bytes], int]
"""Counts what in a file (its name in the persona's folder, its content) its readers would not understand."""
_HEADING = re.compile(r"# |Created: |<!-- entity ")


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


@dataclass(frozen=True, slots=True)
class LineClash:
    """Lines that both sides changed; `at` counts from 1."""

    at: int
    ours: str
    theirs: str


def merge_lines(base: str, ours: str, theirs: str) -> tuple[str, list[LineClash]]:
    """Return the merged text (ours where both sides changed the same lines), and those lines."""
    texts = (base.split("\n"), ours.split("\n"), theirs.split("\n"))
    merged, regions = merge_sequences(*texts, key=_key, settle=_settled)
    clashes = [LineClash(region.at + 1, "\n".join(region.ours), "\n".join(region.theirs)) for region in regions]
    return "\n".join(merged), clashes


def heading_of(text: str) -> str:
    """Return the lines with which an entity's file begins: what a file that keeps anything needs."""
    lines = text.split("\n")
    count = next((n for n, line in enumerate(lines) if not _HEADING.match(line)), len(lines))
    return "\n".join([*lines[:count], "", ""]) if count else ""


def _key(line: str) -> object:
    noted = commented(line)
    about = _about(noted) if noted else None
    name = (about or {}).get("id", "")
    is_known = isinstance(name, str) and bool(name or (noted and noted.kind == "entity"))
    return (noted.kind, name) if noted and about is not None and is_known else line


def _settled(region: Region[str]) -> Sequence[str] | None:
    """Make one line of what two sides did to the words and to the comment of the same line."""
    versions = (region.base, region.ours, region.theirs)
    lines = [items[0] for items in versions if len(items) == 1]
    noted = [found for line in lines if (found := commented(line)) is not None]
    abouts = [_about(one) for one in noted]
    if len(noted) != len(versions) or len({_key(line) for line in lines}) > 1 or None in abouts:
        return None
    (words, worn), (about, torn) = merge_values(*(one.words for one in noted)), merge_values(*abouts)
    if worn or torn:
        return None
    mine = noted[1]
    return [f"{words}{mine.space}<!-- {mine.kind} {comment(about)} -->{mine.end}"]


def _about(noted: Commented) -> dict[str, object] | None:
    try:
        value = load_json(noted.about)
    except NotJsonError:
        return None
    return value if isinstance(value, dict) else None
