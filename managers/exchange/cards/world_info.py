"""Lorebooks on their own, as other programs write them: as the `character_book` of a card, which is what is kept here.

Known forms: `lorebook_v3`, and the world info of SillyTavern, whose entries are kept by number under names of their own.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

_SPEC: Final = "lorebook_v3"
_READ: Final = {
    "key": "keys", "keysecondary": "secondary_keys", "comment": "comment", "content": "content", "constant": "constant",
    "selective": "selective", "order": "insertion_order", "caseSensitive": "case_sensitive", "uid": "id",
}  # fmt: skip
"""What SillyTavern calls the fields of an entry, and what cards call them."""
_IN_EXTENSIONS: Final = {
    "scanDepth": "scan_depth", "selectiveLogic": "selectiveLogic", "sticky": "sticky", "cooldown": "cooldown",
    "probability": "probability", "useProbability": "useProbability", "excludeRecursion": "exclude_recursion",
    "preventRecursion": "prevent_recursion", "matchWholeWords": "match_whole_words", "depth": "depth", "group": "group", "groupWeight": "group_weight", "groupOverride": "group_override",
    "delay": "delay", "position": "position", "role": "role", "vectorized": "vectorized",
}  # fmt: skip
"""The same for fields that cards have no name for: SillyTavern puts them into `extensions` under these names."""


def book_of(value: object) -> dict[str, Any] | None:
    """Return a JSON value as a `character_book`; None if it is no lorebook."""
    if not isinstance(value, dict):
        return None
    if value.get("spec") == _SPEC:
        data = value.get("data")
        return data if isinstance(data, dict) and isinstance(data.get("entries"), list) else None
    entries = value.get("entries")
    if isinstance(entries, dict) and all(isinstance(one, dict) for one in entries.values()):
        rest = {key: one for key, one in value.items() if key not in {"entries", "originalData"}}
        return {"extensions": {}, **rest, "entries": [_entry(one) for one in entries.values()]}
    if isinstance(entries, list) and entries:
        is_book = all(isinstance(one, dict) and "keys" in one and "content" in one for one in entries)
        return value if is_book else None
    return None


def _entry(told: Mapping[str, Any]) -> dict[str, Any]:
    entry = dict(_renamed(told, _READ))
    own = told.get("extensions")
    return {
        "keys": [],
        "content": "",
        "insertion_order": 100,
        **entry,
        "enabled": not told.get("disable", False),
        "position": "before_char" if told.get("position") == 0 else "after_char",
        "use_regex": False,  # a key between slashes is a pattern in any case
        "extensions": {**dict(_renamed(told, _IN_EXTENSIONS)), **(own if isinstance(own, dict) else {})},
    }


def _renamed(told: Mapping[str, Any], names: Mapping[str, str]) -> Iterator[tuple[str, Any]]:
    for theirs, ours in names.items():
        if told.get(theirs) is not None:
            yield ours, told[theirs]
