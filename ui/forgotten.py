"""The shelf of what was forgotten: out of search and prompts, kept by the history, to be brought back."""

from __future__ import annotations

import json
from html import escape
from typing import Any

from agent.memories import Memories
from managers.storage.files import read_bytes
from managers.storage.history.diff import FileDiff
from ui.presenters import persona_address
from ui.shelves import View, button, empty, saving
from ui.times import when

LOOKED_AT = 1000
"""How many changes back forgotten memories are looked for; older ones are still in the history."""
REASON = "forgotten"


def show(view: View) -> str:
    """Return what was forgotten, newest first."""
    history, t = view.memories.history, view.t
    entries = [entry for entry in history.entries(LOOKED_AT) if entry.reason == REASON and entry.kind == "change"]
    left = [entry for entry in entries if not entry.undone_by and not _is_back(view.memories, entry.id)]
    if not left:
        return empty(t("memories.forgotten_empty"))
    rows = "".join(
        f'<li><details data-fetch="{escape(f"{persona_address(view.persona)}/history/{entry.id}?lang={t.lang}")}">'
        f"<summary><time>{escape(when(entry.time, view.now, t))}</time>"
        f"<b>{escape(', '.join(name.rpartition('/')[2] for name in entry.files))}</b></summary>"
        f'<div class="fetched"></div></details>{button(t("memories.bring_back"), "restore", entry=entry.id)}</li>'
        for entry in left
    )
    return f'<ol class="history">{rows}</ol>{saving(view, "forgotten")}'


def _is_back(memories: Memories, entry_id: str) -> bool:
    """Tell whether what an entry forgot stands there again, put back beside later changes."""
    return all(_stands(diff, read_bytes(memories.paths.folder / diff.path)) for diff in memories.history.diff(entry_id))


def _stands(diff: FileDiff, current: bytes | None) -> bool:
    if diff.after is None:
        return current is not None
    there = {_id(entry) for entries in _lists(_value(current)).values() for entry in entries}
    lost = [_id(entry) for entries in _lost(diff).values() for entry in entries]
    return all(one in there for one in lost)


def _lost(diff: FileDiff) -> dict[str, list[Any]]:
    """Return the entries that were in a file's lists before and were not after."""
    before, after = _lists(_value(diff.before)), _lists(_value(diff.after))
    left = {_id(entry) for entries in after.values() for entry in entries}
    gone = {key: [entry for entry in entries if _id(entry) not in left] for key, entries in before.items()}
    return {key: entries for key, entries in gone.items() if entries}


def _lists(value: object) -> dict[str, list[Any]]:
    """Return the lists of a file, by key (the outermost one's is empty), with those entries that have an id."""
    held = value if isinstance(value, dict) else {"": value}
    return {key: [one for one in entries if _id(one)] for key, entries in held.items() if isinstance(entries, list)}


def _id(entry: object) -> str:
    return str(entry.get("id", "")) if isinstance(entry, dict) else ""


def _value(data: bytes | None) -> Any:  # noqa: ANN401  # JSON is whatever is in the file
    try:
        return json.loads(data or b"null")
    except ValueError:
        return None
