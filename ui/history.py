"""The history of a memory as it is shown: who changed what, when, why, and the way back."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from html import escape
from urllib.parse import urlencode

from managers.storage.history.diff import FileDiff, unified
from managers.storage.history.entries import Entry
from managers.storage.history.parts import record_of
from ui.locales import Texts
from ui.presenters import persona_address
from ui.readable import readable_fields, record_in
from ui.times import when

SHOWN_ENTRIES = 30
_SHOWN_LINES = 400
_REASONS = frozenset(
    [
        "edited",
        "kept_mine",
        "created",
        "sample",
        "imported",
        "user",
        "greeting",
        "language",
        "colours",
        "settings",
        "system_prompt",
        "avatar",
        "question_resolved",
        "question_deleted",
        "goal_completed",
        "goal_abandoned",
        "pinned",
        "unpinned",
        "forgotten",
        "restored",
        "asked",
        "resolved",
        "completed",
        "abandoned",
        "thought",
        "mended",
    ]
)
_AUTHORS = frozenset({"user", "dream", "outside", "utatane"})
"""Reasons that the program itself gives; others are sentences already."""


def entry_list(entries: Sequence[Entry], persona: str, now: datetime, t: Texts, part: str = "") -> str:
    """Return the entries, newest first, each with its diff folded and a way to take it back.

    With a part (see `managers.storage.history.parts`) the diffs show that part, and that part is taken back.
    """
    if not entries:
        return f'<p class="quiet">{escape(t("history.empty"))}</p>'
    return f'<ol class="history">{"".join(_entry(entry, persona, now, t, part) for entry in entries)}</ol>'


def changed_files(diffs: Sequence[FileDiff], t: Texts, part: str = "") -> str:
    """Return what an entry changed, file by file; of one record what people read."""
    if not diffs:
        return f"<p>{escape(t('history.nothing'))}</p>"
    if record_of(part):
        return "".join(_changed_record(diff, t) for diff in diffs)
    return "".join(f'<p class="path">{escape(diff.path)}</p>{diff_lines(diff.unified)}' for diff in diffs)


def _changed_record(diff: FileDiff, t: Texts) -> str:
    before, after = record_in(diff.before), record_in(diff.after)
    return diff_lines(unified(readable_fields(before, after, t), readable_fields(after, before, t), diff.path))


def diff_lines(unified: str) -> str:
    """Return a unified diff as coloured lines, marked with signs for whoever sees no colours."""
    lines = [line for line in unified.splitlines() if not line.startswith(("---", "+++", "@@", "\\"))]
    rows = "".join(f'<div class="{_kind(line)}">{escape(line) or "&nbsp;"}</div>' for line in lines[:_SHOWN_LINES])
    return f'<div class="diff">{rows}{"<div>…</div>" if len(lines) > _SHOWN_LINES else ""}</div>'


def _kind(line: str) -> str:
    return {"+": "added", "-": "removed"}.get(line[:1], "same")


def _entry(entry: Entry, persona: str, now: datetime, t: Texts, part: str) -> str:
    address = f"{persona_address(persona)}/history/{entry.id}?{urlencode({'lang': t.lang, 'part': part})}"
    state = f'<span class="undone">{escape(t("history.undone"))}</span>' if entry.undone_by else ""
    return (
        f"<li{' class=undone' if entry.undone_by else ''}>"
        f'<details data-fetch="{escape(address)}"><summary><time>{escape(when(entry.time, now, t))}</time>'
        f"<b>{escape(author_name(entry.author, t))}</b><span>{escape(reason_of(entry, t))}</span>{state}</summary>"
        f'<div class="fetched" aria-live="polite"></div></details>{_way_back(entry, t, part)}</li>'
    )


def _way_back(entry: Entry, t: Texts, part: str) -> str:
    if entry.kind in {"beginning", "checkpoint"}:
        return ""
    action = "redo" if entry.undone_by else "undo"
    of_part = f' data-part="{escape(part)}"' if part else ""
    return (
        f'<button type="button" class="small" data-action="{action}" data-entry="{escape(entry.id)}"{of_part}>'
        f"{escape(t(f'history.{action}'))}</button>"
    )


def author_name(author: str, t: Texts) -> str:
    """Return who made a change, in words."""
    return t(f"history.by_{author}") if author in _AUTHORS else author


def reason_of(entry: Entry, t: Texts) -> str:
    """Return why something was changed, in words."""
    if entry.kind != "change":
        return t(f"history.kind_{entry.kind}")
    key = entry.reason.replace(" ", "_")
    return t(f"history.reason_{key}") if key in _REASONS else entry.reason
