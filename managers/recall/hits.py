"""What a search finds, and which kinds of memory each way of searching takes in."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

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

ALL_TYPES: tuple[MemoryType, ...] = get_args(MemoryType)
"""The order is part of the index's format: columns hold the place of a kind in it."""

NOTED_TYPES: tuple[MemoryType, ...] = ("note",)
"""What `recall_memories` searches besides: a note that is too long for a prompt is found there."""
PAST_TYPES: tuple[MemoryType, ...] = (
    "log_archive",
    "current_log",
    "episodic_memory",
    "dream_insight",
    "diary",
)
"""What `recall_memories` searches: diaries, conversations, episodes and dreams."""

LOG_TYPES: tuple[MemoryType, ...] = ("log_archive", "current_log")
KNOWLEDGE_TYPES: tuple[MemoryType, ...] = ("knowledge",)
SUMMARY_TYPES: tuple[MemoryType, ...] = ("episodic_memory", "dream_insight")
PROMPT_TYPES: tuple[MemoryType, ...] = (*PAST_TYPES, "entity_memory")
"""What a turn searches: notes are in the prompt anyway, documents have a rule of their own."""

RELATED_TYPES: tuple[MemoryType, ...] = tuple(kind for kind in PROMPT_TYPES if kind not in SUMMARY_TYPES)


@dataclass(frozen=True, slots=True)
class Piece:
    """Which piece of an answer a passage is: the answer's id, its place among the pieces from 0 on, and how many there are."""

    qa_id: str
    chunk_index: int
    chunk_count: int


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
        piece: of an answer, where that was asked for.
        is_others: another persona said it.
        shared_by: whose it is, where it is from what personas share of the user: another persona, or a talk of several.
        origin: of a document that a domain shares, where it is from: a host, or a file.
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
    piece: Piece | None = None
    is_others: bool = False
    shared_by: str = ""
    origin: str = ""
