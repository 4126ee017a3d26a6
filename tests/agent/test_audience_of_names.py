"""Whom only messages name that are for this computer only is not even named to a mind elsewhere."""

from collections.abc import Iterator
from random import Random

import pytest

from agent.services import Services, open_services
from agent.tools.catalogue import Found, Nothing
from agent.tools.context import ToolContext
from agent.tools.entity_tools import EntityName, list_entity_memories, read_entity_memory
from agent.tools.search_tools import Query, search_entity_memory
from managers.memory.audience import NOTHING_KEPT
from managers.memory.entities import Entity, Fact
from managers.memory.entity_cards import format_entity
from managers.storage.paths import Home
from tests.fakes import HandClock

NEMU = "ねむ"


@pytest.fixture
def services(own_home: Home, clock: HandClock) -> Iterator[Services]:
    services = open_services(own_home, clock, Random(3))
    services.settings_file.change("mind", provider="builtin")
    yield services
    services.close()


def context_of(services: Services, *, leaves: bool) -> ToolContext:
    """Return what a mind's tools work with; one of the messages that cards rest on is for this computer only."""
    memories, settings = services.memories(NEMU), services.settings()
    facts = {
        "千代": (Fact("千代は万引きで捕まった。", ("m1",)),),
        "桃": (Fact("桃は白い猫。", ("m2",)), Fact("桃は千代の猫。", ("m1",))),
    }
    memories.paths.entity_memory.mkdir(exist_ok=True)
    for name, lines in facts.items():
        card = Entity(name, lines=lines)
        (memories.paths.entity_memory / f"{name}.md").write_text(format_entity(card), "utf-8")
    memories.audiences.mark("m1", "this-computer", ["m1"])
    mind = services.minds.choose(settings.mind, persona=NEMU).mind
    kept = memories.audiences.kept() if leaves else NOTHING_KEPT
    return ToolContext(
        memories.sheet(), mind, settings, memories, services.clock, ("m9",), withheld=kept, leaves=leaves
    )


def text_of(answer: str | Found) -> str:
    return answer.text if isinstance(answer, Found) else answer


@pytest.mark.parametrize("leaves", [True, False])
def test_a_card_of_which_all_is_kept_is_not_named(services: Services, leaves: bool) -> None:
    context = context_of(services, leaves=leaves)
    assert ("千代" in list_entity_memories(context, Nothing())) != leaves
    assert ("捕まった" in text_of(read_entity_memory(context, EntityName(name="千代")))) != leaves
    assert ("千代" in text_of(search_entity_memory(context, Query(query="千代")))) != leaves
    assert "桃" in list_entity_memories(context, Nothing())
    assert "白い猫" in text_of(read_entity_memory(context, EntityName(name="桃")))


@pytest.mark.parametrize("leaves", [True, False])
def test_no_card_is_found_by_what_is_kept(services: Services, leaves: bool) -> None:
    context = context_of(services, leaves=leaves)
    assert ("[" in text_of(search_entity_memory(context, Query(query="千代の猫")))) != leaves
    assert "白い猫" in text_of(search_entity_memory(context, Query(query="白い猫")))
