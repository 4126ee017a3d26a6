"""What is true of the user now, for a message that asks for it: a question shares no word with "I moved to Leeds"."""

from __future__ import annotations

from datetime import datetime

from managers.language.standing import asked_slot
from managers.language.words import detect_language
from managers.memory.entities import EntityStore, is_safe
from managers.recall.hits import Hit


def standing_hits(entities: EntityStore, speaker: str, text: str) -> list[Hit]:
    """Return the fact that a question of the user about themselves asks for, as dreams keep it; mostly nothing."""
    slot = asked_slot(text, detect_language(text))
    if slot is None:
        return []
    entity = (entities.get(speaker) if is_safe(speaker) else None) or entities.find(speaker)
    if entity is None:
        return []
    return [
        Hit(
            text=fact.text,
            type="entity_memory",
            source="summary",
            path=f"entity_memory/{entities.path(entity.name).name}",
            message_ids=fact.evidence,
            score=0.0,
            time=datetime.fromisoformat(fact.since) if fact.since else None,
            heading=entity.name,
            why=(("lexical", 1.0),),
        )
        for fact in entity.current_facts
        if fact.slot == slot
    ]
