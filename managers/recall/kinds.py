"""Which kinds of memory each way of searching takes in."""

from __future__ import annotations

from typing import get_args

from managers.recall.hits import MemoryType

ALL_TYPES: tuple[MemoryType, ...] = get_args(MemoryType)
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
