"""Search tools: the past, the documents, what was literally said, people and things."""

from collections.abc import Sequence
from dataclasses import replace

from pydantic import Field

from agent.audience import asking_of, other_hits
from agent.prompts.system_prompt import hit as told
from agent.tools.catalogue import Arguments, Found, Tool
from agent.tools.context import ToolContext, tool
from agent.tools.entity_tools import of_cards
from managers.recall.hits import Hit
from managers.recall.ranking.distances import excluded_by
from managers.storage.texts import Texts

MAX_QUERY = 500
_say = Texts("prompts/tools")


class Query(Arguments):
    """What to look for."""

    query: str = Field(min_length=1, max_length=MAX_QUERY, description="What to look for, in a few words")


def _answer(context: ToolContext, hits: Sequence[Hit]) -> str | Found:
    """Say what was found and does not stand in the prompt already."""
    lang = context.sheet.language
    hits = other_hits(context.withheld, hits)
    handed = {(hit.path, hit.text) for hit in context.handed}
    new = [hit for hit in hits if (hit.path, hit.text) not in handed and not excluded_by(hit, context.shown)]
    if not new:
        return _say("nothing_more" if hits else "nothing", lang)
    text = "\n".join([_say("records", lang), *(told(lang, h) for h in new)])
    return Found(text, context.origins_of(new), tuple(new))


def recall_memories(context: ToolContext, wanted: Query) -> str | Found:
    """Search diaries, archives, episodes and dreams by meaning: at most 7 within 0.80; then what personas share."""
    recall = context.memories.recall
    with asking_of(context.memories, context.shown, context.handed):
        own = recall.recall_memories(wanted.query, context.shown) or recall.recall_memories(wanted.query)
    return _answer(context, [*own, *context.memories.shared.hits(wanted.query, leaves=context.leaves)])


def search_knowledge_base(context: ToolContext, wanted: Query) -> str | Found:
    """Search the user's documents by meaning."""
    with asking_of(context.memories, context.shown, context.handed):
        found = context.memories.recall.search_knowledge_base(wanted.query)
    return _answer(context, found)


def search_past_conversations(context: ToolContext, wanted: Query) -> str | Found:
    """Find messages with exactly these words: the 2 newest and the 2 oldest."""
    recall = context.memories.recall
    found = recall.search_past_conversations(wanted.query, context.shown)
    return _answer(context, found or recall.search_past_conversations(wanted.query))


def search_entity_memory(context: ToolContext, wanted: Query) -> str | Found:
    """Find people and things by a keyword."""
    lang = context.sheet.language
    entities = context.memories.entities
    found = entities.search(wanted.query, among=context.withheld.cards(entities.all()) if context.withheld else None)
    if not found:
        return _say("nothing", lang)
    cards = of_cards(context, found)
    return replace(cards, text=f"{_say('records', lang)}\n{cards.text}")


TOOLS: list[Tool[ToolContext]] = [
    tool("recall_memories", Query, recall_memories),
    tool("search_knowledge_base", Query, search_knowledge_base),
    tool("search_past_conversations", Query, search_past_conversations),
    tool("search_entity_memory", Query, search_entity_memory),
]
