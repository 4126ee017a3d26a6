"""The history of a memory as it is shown: who changed what, when, why; and what stands in the way of taking it back."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, cast

from managers.storage.errors import UndoConflictError
from managers.storage.history.diff import FileDiff, UndoConflict, unified
from managers.storage.history.entries import Entry
from managers.storage.history.parts import record_of
from ui.components.diffs import Line, diff_lines
from ui.components.readable import name_of, readable_fields, readable_lines, record_in
from ui.locales import Texts

SHOWN_ENTRIES: Final = 30
_AUTHORS: Final = frozenset({"user", "dream", "outside", "program", "utatane"})
_KINDS: Final = (
    ("goals", "goal"),
    ("memory/insights", "insight"),
    ("memory/open_questions", "question"),
    ("memory/strategies", "strategy"),
    ("entity_memory/", "entity"),
    ("episodic_memory/", "episode"),
)
_KNOWN: Final = frozenset({"episode", "entity", "question", "resolution", "goal", "insight", "period", "strategy"})


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """What an entry changed in one file; of a single memory in it, what people read."""

    path: str
    lines: Sequence[Line]


@dataclass(frozen=True, slots=True)
class InTheWay:
    """A place that was changed again since: what it is, and both versions of it against each other."""

    kind: str
    name: str
    lines: Sequence[Line]
    would_go: bool


def changed_files(diffs: Sequence[FileDiff], t: Texts, part: str = "") -> list[ChangedFile]:
    """Return what an entry changed, file by file; with a part (`managers.storage.history.parts`) that part alone."""
    if not record_of(part):
        return [ChangedFile(diff.path, diff_lines(diff.unified)) for diff in diffs]
    return [ChangedFile("", _of_record(diff, t)) for diff in diffs]


def in_the_way(error: UndoConflictError, t: Texts) -> list[InTheWay]:
    """Return what has changed since an entry was made, and so cannot be taken back with it."""
    return [_conflicting(one, t) for one in cast("Sequence[UndoConflict]", error.facts["conflicts"])]


def step_of(entry: Entry) -> str:
    """Return what can be done with an entry of the history, `undo` or `redo`; empty where nothing can."""
    return "" if entry.kind in {"beginning", "checkpoint"} else "redo" if entry.undone_by else "undo"


def author_name(author: str, t: Texts) -> str:
    """Return who made a change, in words."""
    return t(f"history.by_{author}") if author in _AUTHORS else author


def reason_of(entry: Entry, t: Texts) -> str:
    """Return why something was changed, in words; what the program does not know the reason of is a sentence already."""
    if entry.kind != "change":
        return t(f"history.kind_{entry.kind}")
    key = f"history.reason_{entry.reason.replace(' ', '_')}"
    return t(key) if key in t.keys else entry.reason


def change_name(what: str, t: Texts) -> str:
    """Return what kind of memory was changed."""
    return t(f"dreams.what_{what if what in _KNOWN else 'other'}")


def _of_record(diff: FileDiff, t: Texts) -> list[Line]:
    before, after = record_in(diff.before), record_in(diff.after)
    return diff_lines(unified(readable_fields(before, after, t), readable_fields(after, before, t), diff.path))


def _conflicting(one: UndoConflict, t: Texts) -> InTheWay:
    what = next((what for beginning, what in _KINDS if one.path.startswith(beginning)), "other")
    current, restored = record_in(one.current), record_in(one.restored)
    if current is None and restored is None:
        name = one.path.rpartition("/")[2].removesuffix(".md")
        now, then = readable_lines(one.current), readable_lines(one.restored)
    else:
        name = name_of(current or restored or {}) or one.part
        now, then = readable_fields(current, restored, t), readable_fields(restored, current, t)
    return InTheWay(change_name(what, t), name, diff_lines(unified(now, then, one.path)), one.restored is None)
