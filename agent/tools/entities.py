"""Tools that read and write what is known about people and things."""

from __future__ import annotations

from pydantic import Field

from agent.tools.catalogue import Arguments, Tool
from agent.tools.context import ToolContext
from managers.storage.errors import Lang

MAX_NAME = 100
MAX_FACT = 1000
MAX_LISTED = 200
_UNKNOWN: dict[Lang, str] = {
    "ja": "「{name}」についての記憶はまだありません。list_entity_memories で一覧を見られます。",
    "en": 'There is no memory of "{name}" yet. list_entity_memories shows what there is.',
}
_NONE: dict[Lang, str] = {"ja": "まだ何もありません。", "en": "There is none yet."}
_NOTED: dict[Lang, str] = {"ja": "「{name}」の記憶に書きました。", "en": 'Written into the memory of "{name}".'}


class EntityName(Arguments):
    """Whom or what to read about."""

    name: str = Field(min_length=1, max_length=MAX_NAME, description="Name of the person or thing")


class EntityFact(EntityName):
    """What to write down."""

    content: str = Field(min_length=1, max_length=MAX_FACT, description="One fact, as it was said")


class Nothing(Arguments):
    """No arguments."""


def read_entity_memory(context: ToolContext, wanted: EntityName) -> str:
    """Return all that is known about a person or thing."""
    entity = context.memories.entities.find(wanted.name)
    return entity.text() if entity else _UNKNOWN[context.sheet.language].format(name=wanted.name)


def write_entity_memory(context: ToolContext, wanted: EntityFact) -> str:
    """Add a fact about a person or thing."""
    entity = context.memories.entities.note(
        wanted.name, wanted.content, author=context.sheet.persona, mind=context.mind.name, evidence=context.evidence
    )
    return _NOTED[context.sheet.language].format(name=entity.name)


def list_entity_memories(context: ToolContext, _: Nothing) -> str:
    """List the names of all entities."""
    return (
        "\n".join(f"- {name}" for name in context.memories.entities.names()[:MAX_LISTED])
        or _NONE[context.sheet.language]
    )


TOOLS: list[Tool[ToolContext]] = [
    Tool(
        "read_entity_memory",
        {
            "ja": "ある人物や物事について覚えていることを全部読む。",
            "en": "Read all that you know about one person or thing.",
        },
        {"ja": "🛠️ 人や物事の記憶を読みました", "en": "🛠️ Read what I know of someone"},
        EntityName,
        read_entity_memory,
    ),
    Tool(
        "write_entity_memory",
        {
            "ja": "人物や物事について、会話で聞いた事実をひとつ書き足す。言われていないことは書かない。",
            "en": "Add one fact that was said about a person or thing. Never write what nobody said.",
        },
        {"ja": "🛠️ 人や物事の記憶に書きました", "en": "🛠️ Wrote down something about someone"},
        EntityFact,
        write_entity_memory,
        writes=True,
    ),
    Tool(
        "list_entity_memories",
        {"ja": "覚えている人物や物事の一覧を見る。", "en": "List the people and things that you remember."},
        {"ja": "🛠️ 人や物事の一覧を見ました", "en": "🛠️ Looked through the people and things I know"},
        Nothing,
        list_entity_memories,
    ),
]
