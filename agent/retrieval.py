"""What a turn recalls: what the indexes find for a plan, and the fact that a question asks for. No model, no graph."""

from collections.abc import Sequence
from datetime import datetime

from agent.addressing import card_of, names_of_user
from agent.audience import asking_of
from agent.errors import UnknownTypeError
from agent.memories import Memories
from managers.language.reading.slots import asked_slot, asks_all, searches_of_all
from managers.language.words import detect_language
from managers.memory.entities import Entity, Fact
from managers.memory.entity_store import EntityStore
from managers.memory.messages import UNKNOWN, Message
from managers.mind import Sheet
from managers.recall.hits import ALL_TYPES, LOG_TYPES, Hit, MemoryType
from managers.recall.question.planner import RecallPlan
from managers.storage.errors import Lang

_OF_EACH = 2
_LOOSE = 0.95
"""A handful of words is no sentence: what holds one of them is farther from it than from a question."""
_MOST_OWN, _MOST_OTHERS = 6, 4


def retrieve(
    memories: Memories, sheet: Sheet, text: str, plan: RecallPlan, window: Sequence[Message], most: int
) -> list[Hit]:
    """Return the memories that a plan brings into the prompt, about as many as `most`."""
    hits = memories.recall.for_turn(plan.query, window=window, unasked=not plan.wanted) if plan.query else []
    greetings = {text.strip() for text in memories.openings()}
    hits = [
        hit for hit in hits if hit.type not in LOG_TYPES or hit.text.strip() not in greetings
    ]  # they tell of nothing
    lang = detect_language(text)
    is_all = asks_all(text, lang)
    if not plan.wanted and not is_all:
        return hits
    standing = current_fact_hits(memories.entities, names_of_user(sheet), text)
    own = _told_of_oneself(memories, sheet, lang, window) if is_all else []
    found: dict[str, Hit] = {}
    for hit in (*standing, *own, *hits):
        found.setdefault(hit.text, hit)
    return list(found.values())[: max(most, len(hits))]


def with_shared(memories: Memories, own: Sequence[Hit], plan: RecallPlan, *, leaves: bool) -> list[Hit]:
    """Return what was recalled, and behind it what fits of what personas share of the user."""
    shared = memories.shared.hits(plan.query, leaves=leaves, shown={hit.text for hit in own})
    nearest = memories.shared.nearest
    return [*own, *(hit for hit in shared if plan.wanted or hit.score < nearest)]


def _told_of_oneself(memories: Memories, sheet: Sheet, lang: Lang, window: Sequence[Message]) -> list[Hit]:
    """Return what somebody told of their people, their work and their home: the question itself names none of it."""
    found: list[Hit] = []
    for query in [query for one in dict.fromkeys((lang, sheet.language)) for query in searches_of_all(one)]:
        hits = memories.recall.for_turn(query, window=window, threshold=_LOOSE)
        found += [hit for hit in hits if hit.speaker and hit.speaker != sheet.persona and not hit.is_others][:_OF_EACH]
    return found


def in_sight(window: Sequence[Message], count: int | None) -> list[Message]:
    """Return the messages of a talk that a prompt holds, where it holds so many; all of them where nobody knows."""
    spoken = [message for message in window if message.role != "system"]
    return spoken if count is None else spoken[max(0, len(spoken) - count) :]


def not_in_sight(hits: Sequence[Hit], shown: Sequence[Message]) -> list[Hit]:
    """Return the memories without the messages that a prompt holds word for word."""
    ids = {message.id for message in shown}
    return [hit for hit in hits if hit.type not in LOG_TYPES or not ids.issuperset(hit.message_ids)]


def is_said_since(hit: Hit, message: Message) -> bool:
    """Tell whether a memory is what was said after a message: its own answers, say."""
    return hit.type in LOG_TYPES and hit.time is not None and hit.time >= message.time


def retrieve_as_turn(memories: Memories, text: str, *, leaves: bool = False) -> list[Hit]:
    """Return what a turn would hand to its prompt if the user said this now; often nothing at all.

    Of what others share, `leaves` tells whether it leaves this computer; what is found of one's own is not looked through.
    """
    settings = memories.settings()
    if not settings.recall.enable_auto_retrieval:
        return []
    window = memories.window()
    plan = memories.recall.plan(text, window)
    with asking_of(memories, [message.id for message in window]):
        own = retrieve(memories, memories.sheet(settings), text, plan, window, settings.recall.max_hits)
    return with_shared(memories, own, plan, leaves=leaves)


def as_types(name: str | None) -> tuple[MemoryType, ...] | None:
    """Return the type of memory that was named, None for all.

    Raises:
        UnknownTypeError
    """
    if name is None:
        return None
    found = tuple(kind for kind in ALL_TYPES if kind == name)
    if not found:
        raise UnknownTypeError(name=name, known=", ".join(ALL_TYPES))
    return found


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
    places = sorted(range(len(facts)), key=lambda place: facts[place][1].since)
    newest = {facts[place][1].slot: place for place in places}
    return [one for place, one in enumerate(facts) if not one[1].slot or newest[one[1].slot] == place]


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
        message_ids=(*fact.evidence, *((UNKNOWN,) if fact.origins else ())),
        score=0.0,
        time=datetime.fromisoformat(fact.since) if fact.since else None,
        heading=entity.name,
        why=(("lexical", 1.0),),
    )
