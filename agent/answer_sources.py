"""What an answer rests on, for whoever asks why it was given: the memories as they are now."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from agent.memories import Memories
from agent.shared_memory import SHARED, whose
from managers.recall.hits import Hit
from managers.recall.recall_log import Recollection
from managers.sessions.long_term import Chunk


@dataclass(frozen=True, slots=True)
class Why:
    """What was looked for, and the memories that the answer rests on, as far as they still exist."""

    query: str
    hits: Sequence[Hit]


def why(memories: Memories, message_id: str) -> Why | None:
    """Return what the answer that stands in a place rests on, None if nothing was searched for it."""
    message = memories.log.get(message_id)
    found = memories.recall_log.find(message_id, message.variant if message else "")
    if found is None:
        return None
    query, recollections = found
    return Why(query, [hit for one in recollections if (hit := _again(memories, one)) is not None])


def _again(memories: Memories, recalled: Recollection) -> Hit | None:
    """Return a memory that was recalled as it is now; None if it is gone."""
    if recalled.path.startswith(SHARED):
        chunk = memories.shared.again(recalled.path)
        return _shared(chunk, recalled) if chunk else None
    if recalled.type == "entity_memory" and (card := _card(memories, recalled)):
        return card
    messages = [m for m in map(memories.log.get, recalled.message_ids) if m is not None]
    if recalled.message_ids and not messages:
        return None
    first = messages[0] if messages else None
    return Hit(
        text="\n".join(m.text for m in messages),
        type=recalled.type,
        source=recalled.source,
        path=recalled.path,
        message_ids=recalled.message_ids,
        score=recalled.score,
        time=first.time if first else None,
        speaker=first.speaker if first else "",
        why=recalled.why,
    )


def _shared(chunk: Chunk, recalled: Recollection) -> Hit:
    return Hit(
        text=chunk.text,
        type=recalled.type,
        source=recalled.source,
        path=recalled.path,
        message_ids=tuple(chunk.evidence),
        score=recalled.score,
        time=chunk.time,
        why=recalled.why,
        shared_by=whose(chunk),
    )


def _card(memories: Memories, recalled: Recollection) -> Hit | None:
    """Return what is known about somebody, if all of it was recalled and rests on the same messages still."""
    entity = memories.entities.get(PurePosixPath(recalled.path).stem)
    if entity is None or set(entity.evidence) != set(recalled.message_ids):
        return None
    return Hit(
        text=entity.text(),
        type=recalled.type,
        source=recalled.source,
        path=recalled.path,
        message_ids=entity.evidence,
        score=recalled.score,
        heading=entity.name,
        why=recalled.why,
    )
