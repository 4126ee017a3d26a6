"""What is true of the user now, for a message that asks for it: a question shares no word with "I moved to Leeds"."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from agent.addressing import card_of
from managers.language.reading.slots import asked_slot, asks_all
from managers.language.words import detect_language
from managers.memory.entities import Entity, Fact
from managers.memory.entity_store import EntityStore
from managers.recall.hits import Hit

_MOST_OWN, _MOST_OTHERS = 6, 4


def current_fact_hits(entities: EntityStore, names: Sequence[str], text: str) -> list[Hit]:
    """Return the facts that a question of the user about themselves asks for, as dreams keep them; mostly nothing.

    "Where do I live?" asks for one; "What do you know about me?" for all of them, and for whom the user has.

    Args:
        entities: the persona's.
        names: under which the user's own facts may be: their name, and what they were called while it was not known.
        text: the question.
    """
    lang = detect_language(text)
    slot = asked_slot(text, lang)
    is_all = asks_all(text, lang)
    if slot is None and not is_all:
        return []
    own = [entity for name in names if (entity := card_of(entities, name)) is not None]
    facts = _newest_of_each_slot([(entity, fact) for entity in own for fact in entity.current_facts])
    facts = [(entity, fact) for entity, fact in facts if is_all or fact.slot == slot]
    if is_all:
        facts = [*facts[-_MOST_OWN:], *_of_others(entities, own)]
    return [_as_hit(entities, entity, fact) for entity, fact in facts]


def _newest_of_each_slot(facts: Sequence[tuple[Entity, Fact]]) -> list[tuple[Entity, Fact]]:
    """Leave out where one lived before the name was known, if something newer is known under the name."""
    newest: dict[str, Fact] = {}
    for _, fact in sorted(facts, key=lambda one: one[1].since):
        if fact.slot:
            newest[fact.slot] = fact
    return [(entity, fact) for entity, fact in facts if not fact.slot or newest[fact.slot] is fact]


def _of_others(entities: EntityStore, own: Sequence[Entity]) -> list[tuple[Entity, Fact]]:
    """Return what was said first of those of whom most is known."""
    living = [e for e in entities.all() if e.kind in ("person", "pet") and e.current_facts]
    living = [e for e in living if all(e.name != one.name for one in own)]
    living.sort(key=lambda entity: -len(entity.current_facts))
    return [(entity, entity.current_facts[0]) for entity in living[:_MOST_OTHERS]]


def _as_hit(entities: EntityStore, entity: Entity, fact: Fact) -> Hit:
    return Hit(
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
