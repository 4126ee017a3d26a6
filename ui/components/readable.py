"""Records and lines of memory files as people read them: what differs, without what is for programs."""

from collections.abc import Mapping
from typing import Any

from managers.storage.comments import commented
from managers.storage.history.merge_json import records_of
from managers.storage.json_text import load_json
from ui.locales import Texts

_NAMES = ("goal", "topic", "trigger_topic", "query_pattern", "mitigation", "date")
"""The fields by which people know a record, the first that it has."""
_SHOWN = frozenset(
    [
        "goal",
        "status",
        "reason",
        "progress_notes",
        "priority",
        "related_values",
        "topic",
        "context",
        "answer",
        "summary",
        "key_events",
        "emotional_tone",
        "trigger_topic",
        "insight",
        "strategy",
        "log_entry",
        "query_pattern",
        "subtasks",
        "pattern",
        "indicators",
        "mitigation",
        "severity",
        "success_rate",
        "usage_count",
        "pinned",
    ]
)


def record_in(side: bytes | None) -> dict[str, Any] | None:
    """Return the record that a piece of a file is, None if it is none."""
    try:
        value = load_json(side or b"null")
    except ValueError:
        return None
    return value if isinstance(value, dict) and "id" in value else None


def records_in(side: bytes | None) -> dict[str, dict[str, Any]]:
    """Return the records of a file by their ids; none where it holds none."""
    try:
        return records_of(load_json(side or b"null"))
    except ValueError:
        return {}


def name_of(record: Mapping[str, Any]) -> str:
    """Return what people know a record by, empty if nothing in it says so."""
    return next((str(record[key]) for key in _NAMES if record.get(key)), "")


def readable_fields(record: Mapping[str, Any] | None, other: Mapping[str, Any] | None, t: Texts) -> str:
    """Return the fields in which a record differs from the other version, as people read them."""
    lines: list[str] = []
    for key, value in (record or {}).items():
        if key in _SHOWN and value not in ("", [], None) and (other is None or other.get(key) != value):
            told = value if isinstance(value, list) else [value]
            lines += [f"{t(f'taking_back.field_{key}')}: {_told(line, t)}" for line in told]
    count = len((record or {}).get("evidence", []))
    if record and not lines:
        lines.append(t("taking_back.evidence", count=count))
    return "".join(f"{line}\n" for line in lines)


def _told(value: object, t: Texts) -> str:
    known = f"taking_back.value_{value}"
    return t(known) if known in t.keys else str(value)


def readable_lines(side: bytes | None) -> str:
    """Return lines of a text as people read them: of what the comment says only how many messages speak for it."""
    lines = (side or b"").decode("utf-8", "replace").split("\n")
    return "".join(f"{noted.words if (noted := commented(line)) else line}\n" for line in lines if line)
