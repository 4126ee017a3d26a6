"""What was forgotten: out of search and prompts, kept by the history, to be brought back."""

from __future__ import annotations

from pathlib import Path

from managers.storage.files import read_bytes
from managers.storage.history import History
from managers.storage.history.diff import FileDiff
from managers.storage.history.entries import Entry
from managers.storage.json_text import load_json

FORGOTTEN = "forgotten"
"""The reason, in the history, of a change that takes a memory out of search and prompts."""


def forgotten(history: History, folder: Path, look_at: int) -> list[Entry]:
    """Return the changes that forgot something which has not come back since, newest first.

    Args:
        history: of the persona.
        folder: the persona's.
        look_at: how many changes back are looked at.
    """
    entries = [entry for entry in history.entries(look_at) if entry.reason == FORGOTTEN and entry.kind == "change"]
    return [entry for entry in entries if not entry.undone_by and not _is_back(history, folder, entry.id)]


def _is_back(history: History, folder: Path, entry_id: str) -> bool:
    """Tell whether what an entry forgot stands there again, put back beside later changes."""
    return all(_stands(diff, read_bytes(folder / diff.path)) for diff in history.diff(entry_id))


def _stands(diff: FileDiff, current: bytes | None) -> bool:
    if diff.after is None:
        return current is not None
    return _ids(diff.before) - _ids(diff.after) <= _ids(current)


def _ids(data: bytes | None) -> set[str]:
    """Return the ids of the records in a file's lists."""
    try:
        value = load_json(data or b"null")
    except (ValueError, RecursionError):
        return set()
    held = value.values() if isinstance(value, dict) else [value]
    records = [one for entries in held if isinstance(entries, list) for one in entries if isinstance(one, dict)]
    return {str(one["id"]) for one in records if one.get("id")}
