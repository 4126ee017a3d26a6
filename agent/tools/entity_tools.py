"""Tools that read and write what is known about people and things."""

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import Field

from agent.prompts.quoting import name_in_label, passage, quoted
from agent.tools.catalogue import Arguments, Found, Nothing, NothingDoneError, Tool
from agent.tools.context import ToolContext, tool
from agent.tools.writes import Look, Write, Writer
from managers.hygiene.contradictions import with_told
from managers.hygiene.housekeeping import is_crowded
from managers.memory.entities import Entity
from managers.recall.hits import Hit
from managers.storage.errors import Lang
from managers.storage.files import digest, read_bytes
from managers.storage.history.diff import unified
from managers.storage.texts import Texts

MAX_NAME = 100
MAX_FACT = 1000
MAX_LISTED = 200
_say = Texts("prompts/tools")


class EntityName(Arguments):
    """Whom or what to read about."""

    name: str = Field(min_length=1, max_length=MAX_NAME, description="Name of the person or thing")


class EntityFact(EntityName):
    """What to write down, and what it takes the place of."""

    content: str = Field("", max_length=MAX_FACT, description="One fact, as it was said; empty to end old_fact only")
    old_fact: str = Field(
        "", max_length=MAX_FACT, description="The fact that no longer holds, as read_entity_memory shows it; or empty"
    )


def read_entity_memory(context: ToolContext, wanted: EntityName) -> str | Found:
    """Return all that is known about a person or thing."""
    entity = context.memories.entities.find(wanted.name)
    cards = context.withheld.cards([entity] if entity else [])
    if not cards:
        return _say("unknown_entity", context.sheet.language, name=wanted.name)
    return of_cards(context, cards)


def of_cards(context: ToolContext, entities: Sequence[Entity]) -> Found:
    """Tell what stands on some cards, as the mind may read them, and on what that rests."""
    hits = [_as_hit(context, entity) for entity in entities]
    told = "\n".join(passage(name_in_label(one.name), one.text()) for one in entities)
    return Found(told, context.origins_of(hits), tuple(hits))


def _as_hit(context: ToolContext, entity: Entity) -> Hit:
    memories = context.memories
    path = memories.entities.path(entity.name).relative_to(memories.paths.folder).as_posix()
    return Hit(entity.text(), "entity_memory", "semantic", path, entity.evidence, 0.0)


class EntityWrite(Write):
    """One fact more about a person or thing, or in the place of another; or the end of one."""

    kind: Literal["entity"] = "entity"
    name: str
    content: str = ""
    old_fact: str = ""

    def announcement(self, lang: Lang) -> str:
        return "" if self.content else _say("fact_ended", lang)

    def is_users_own(self, writer: Writer) -> bool:
        return writer.is_said(f"{self.name} {self.content}".strip(), self.old_fact)

    def look(self, writer: Writer) -> Look:
        entities = writer.memories.entities
        known, entity = entities.noted(self.name, self.content, **self._how(writer))
        path = entities.path(entity.name)
        name = path.relative_to(writer.memories.paths.folder).as_posix()
        before = read_bytes(path)
        text = known.text() if known else ""
        return Look(name, "" if before is None else digest(before), unified(text, entity.text(), name))

    def carry_out(self, writer: Writer) -> str:
        entities, author = writer.memories.entities, writer.sheet.persona
        entity = entities.note(self.name, self.content, author=author, **self._how(writer))
        return _say("fact_noted", writer.sheet.language, name=entity.name)

    def _how(self, writer: Writer) -> dict[str, Any]:
        """Return by whom and of what it is noted: what the card says already is found again, what it denies trusted less."""
        memories = writer.memories
        limits, today = memories.settings().memory, memories.clock.now().date()
        is_crowded_now = is_crowded(memories.paths, memories.clock, limits)
        return {
            "mind": writer.mind,
            "evidence": writer.evidence,
            "instead_of": self.old_fact,
            "told": lambda entity, fact: with_told(entity, fact, today, limits, is_crowded=is_crowded_now),
        }


def write_entity_memory(context: ToolContext, wanted: EntityFact) -> EntityWrite:
    """Add a fact about a person or thing, put it in another's place, or end one."""
    if not wanted.content and not wanted.old_fact:
        raise NothingDoneError(_say("entity_needs", context.sheet.language))
    return EntityWrite(name=wanted.name, content=context.kept(wanted.content), old_fact=wanted.old_fact)


def list_entity_memories(context: ToolContext, _: Nothing) -> str | Found:
    """List the names of all entities."""
    cards = context.withheld.cards(context.memories.entities.all())[:MAX_LISTED]
    if not cards:
        return _say("no_entities", context.sheet.language)
    hits = [_as_hit(context, one) for one in cards]
    return Found(quoted("\n".join(f"- {name_in_label(one.name)}" for one in cards)), context.origins_of(hits))


TOOLS: list[Tool[ToolContext]] = [
    tool("read_entity_memory", EntityName, read_entity_memory),
    tool("write_entity_memory", EntityFact, write_entity_memory, writes=True),
    tool("list_entity_memories", Nothing, list_entity_memories),
]
