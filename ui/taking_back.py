"""Undo and redo as every room offers them: done at once, or shown small where something later stands in the way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, cast

from agent.memories import Memories
from managers.storage.errors import UndoConflictError, UtataneError
from managers.storage.history.diff import UndoConflict, unified
from ui.edge import say_error
from ui.heart_view import change_name
from ui.history import diff_lines
from ui.locales import Texts
from ui.readable import name_of, readable_fields, readable_lines, record_in

STEPS = {"undo": ("undo", False), "redo": ("redo", False), "undo_rest": ("undo", True), "redo_rest": ("redo", True)}
"""What a button asks for: what is done, and whether what has changed since is left as it is."""
_KINDS = (
    ("goals", "goal"),
    ("memory/insights", "insight"),
    ("memory/open_questions", "question"),
    ("entity_memory/", "entity"),
    ("episodic_memory/", "episode"),
)


def take_back(memories: Memories, told: Mapping[str, Any], t: Texts) -> str:
    """Do what a button asks for, and let follow what follows from the memories.

    Args:
        memories: the persona's.
        told: the button's `action` (see `STEPS`), `entry` and, for a part of it, `part`.
        t: the page's texts.

    Returns:
        Why it was not done, with what can be done instead; empty where it was done.
    """
    step, leave_changed = STEPS[str(told["action"])]
    entry, part = str(told["entry"]), str(told.get("part") or "")
    act = memories.history.undo if step == "undo" else memories.history.redo
    try:
        act(entry, author="user", leave_changed=leave_changed, part=part)
    except UndoConflictError as error:
        return conflict_html(error, step, entry, part, t)
    try:
        memories.inner_state.refresh(lang=memories.sheet().language)
        memories.recall.catch_up()
    except UtataneError as error:  # the change itself is made, and the room must show it
        say_error(error, t)
    return ""


def done_key(action: str) -> str:
    """Return the last part of the text's key that says that it was done."""
    return "undone" if STEPS[action][0] == "undo" else "redone"


def conflict_html(error: UndoConflictError, step: str, entry: str, part: str, t: Texts) -> str:
    """Return why a change cannot be taken back or done again whole, and what can be done instead."""
    conflicts = cast("Sequence[UndoConflict]", error.facts["conflicts"])
    rows = "".join(_conflicting(one, t) for one in conflicts)
    rest = ""
    if not error.facts.get("is_all"):
        of_part = f' data-part="{escape(part)}"' if part else ""
        rest = (
            f'<button type="button" class="small" data-action="{step}_rest" data-entry="{escape(entry)}"{of_part}>'
            f"{escape(t(f'taking_back.{step}_rest'))}</button>"
        )
    return (
        f'<div class="conflict in-the-way" role="alert"><h4>{escape(t(f"taking_back.{step}_title"))}</h4>'
        f"<p>{escape(t('taking_back.nothing_changed'))}</p>"
        f'<p>{escape(t("taking_back.changed_since"))}</p><ul>{rows}</ul><div class="doing">{rest}'
        f'<button type="button" class="small" data-action="leave">{escape(t("taking_back.leave"))}</button></div></div>'
    )


def _conflicting(one: UndoConflict, t: Texts) -> str:
    """Return what has changed since: what it is to people, and both versions of it against each other."""
    what = next((what for beginning, what in _KINDS if one.path.startswith(beginning)), "other")
    current, restored = record_in(one.current), record_in(one.restored)
    if current is None and restored is None:
        name = one.path.rpartition("/")[2].removesuffix(".md")
        now, then = readable_lines(one.current), readable_lines(one.restored)
    else:
        name = name_of(current or restored or {}) or one.part
        now, then = readable_fields(current, restored, t), readable_fields(restored, current, t)
    gone = f"<p>{escape(t('taking_back.would_go'))}</p>" if one.restored is None else ""
    return (
        f"<li><b>{escape(change_name(what, t))}</b> {escape(name)}"
        f'<details class="fold" open><summary>{escape(t("taking_back.compare"))}</summary>'
        f"{diff_lines(unified(now, then, one.path))}</details>{gone}</li>"
    )
