"""What a turn recalls: what the indexes find for a plan, and the fact that a question asks for. No model, no graph."""

from __future__ import annotations

from collections.abc import Sequence

from agent.memories import Memories
from agent.standing import standing_hits
from managers.language.standing import asks_all
from managers.language.words import detect_language
from managers.memory.messages import Message
from managers.mind import Sheet
from managers.recall.hits import Hit
from managers.recall.planner import RecallPlan


def retrieve(memories: Memories, sheet: Sheet, text: str, plan: RecallPlan, window: Sequence[Message]) -> list[Hit]:
    """Return the memories that a plan brings into the prompt.

    Args:
        memories: the persona's.
        sheet: who it is, and whom it talks to.
        text: what the user says.
        plan: whether to recall, and what.
        window: the messages that are in the prompt already, this one among them.
    """
    hits = memories.recall.for_turn(plan.query, window=window, unasked=not plan.wanted) if plan.query else []
    if not plan.wanted and not asks_all(text, detect_language(text)):
        return hits
    standing = standing_hits(memories.entities, speaker_of(sheet), text)
    return [*standing, *(hit for hit in hits if all(hit.text != fact.text for fact in standing))]


def retrieve_as_turn(memories: Memories, text: str) -> list[Hit]:
    """Return what a turn would hand to its prompt if the user said this now; often nothing at all."""
    if not memories.settings().recall.enable_auto_retrieval:
        return []
    window = memories.window()
    return retrieve(memories, memories.sheet(), text, memories.recall.plan(text, window), window)


def speaker_of(sheet: Sheet) -> str:
    """Return the name that a user's messages stand under; somebody who gave none is "you"."""
    return sheet.user_name or {"ja": "あなた", "en": "You"}[sheet.language]
