"""What a search finds."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

MemoryType = Literal[
    "log_archive",
    "current_log",
    "episodic_memory",
    "dream_insight",
    "diary",
    "entity_memory",
    "knowledge",
    "note",
]
"""The specification's metadata table, `entity_memory`, and `note` for core memory and notepad."""

Layer = Literal["recent", "semantic", "summary"]


@dataclass(frozen=True, slots=True)
class Hit:
    """One memory that a search found.

    Attributes:
        text: the passage, as it stands in its file.
        type: which kind of memory.
        source: the layer it came from (`_source` in JSON and prompts).
        path: the file, relative to the persona's folder, with `/`.
        message_ids: the messages that the passage holds or rests on.
        score: squared L2 distance on unit vectors, calibrated: 0 the same, 2 unrelated.
        time: when it was said or made; None for undated documents.
        speaker: who said it, for log passages of one speaker.
        heading: heading or page of a document.
        why: what each part gave to its place in the ranking (`lexical`, `semantic`, `neighbour`,
            `time`), in shares that add up to one.
    """

    text: str
    type: MemoryType
    source: Layer
    path: str
    message_ids: tuple[str, ...]
    score: float
    time: datetime | None = None
    speaker: str = ""
    heading: str = ""
    why: tuple[tuple[str, float], ...] = ()
