"""The records of past dreams: what each read, what it changed, on which evidence, and what failed.

Each dream leaves one `memory/dream_<when>-<day>.json`, as part of its transaction: a dream that is
undone takes its record with it, and `History.entries(path=record.path)` finds the entry to undo.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from managers.storage.files import read_bytes
from managers.storage.paths import PersonaPaths


class RecordedChange(BaseModel):
    """One change, as `Change.plain` wrote it."""

    model_config = ConfigDict(extra="allow")

    what: str
    target: str
    text: str = ""
    evidence: list[str] = Field(default_factory=list)
    mind: str = ""


class RecordedFailure(BaseModel):
    """A task that failed."""

    model_config = ConfigDict(extra="allow")

    task: str
    day: str = ""
    error: str = ""


class DreamRecord(BaseModel):
    """One dream."""

    model_config = ConfigDict(extra="allow")

    path: Path = Path()
    started_at: datetime
    level: int | None = None
    days: list[str] = Field(default_factory=list)
    messages_read: int = 0
    mind: str = ""
    changes: list[RecordedChange] = Field(default_factory=list)
    failures: list[RecordedFailure] = Field(default_factory=list)


def dream_records(paths: PersonaPaths, limit: int = 30, *, before: DreamRecord | None = None) -> list[DreamRecord]:
    """Return the newest dreams, newest first; only as many files are read as are asked for.

    Args:
        paths: the persona's files.
        limit: at most so many.
        before: only those older than this one (for paging).
    """
    names = sorted((path.name for path in paths.memory.glob("dream_2*.json")), reverse=True)
    if before is not None:
        names = [name for name in names if name < before.path.name]
    return list(_take(_read(paths.memory / name for name in names), limit))


def _read(files: Iterator[Path]) -> Iterator[DreamRecord]:
    for path in files:
        try:
            record = DreamRecord.model_validate_json(read_bytes(path) or b"")
        except ValidationError:  # somebody else's file, or one that a person changed beyond recognition
            continue
        yield record.model_copy(update={"path": path})


def _take(records: Iterator[DreamRecord], limit: int) -> Iterator[DreamRecord]:
    for _, record in zip(range(limit), records, strict=False):
        yield record
