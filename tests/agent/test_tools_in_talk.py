"""What tools do in a turn: facts that end, deletions that are announced, searches that do not repeat the prompt."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import pytest

from agent.answer_sources import why
from agent.events import Replied, ToolUsed
from agent.minds.tokens import count_tokens
from agent.prompts.system_prompt import hit as told
from managers.mind import ReplyPiece, TextPiece, ToolCall
from managers.recall.hits import Hit
from tests.agent.choosing import ScriptedMind
from tests.agent.conftest import Scene


def call(tool: str, /, **arguments: object) -> list[ReplyPiece]:
    return [ToolCall("c1", tool, arguments)]


def say(scene: Scene, text: str, *pieces: list[ReplyPiece]) -> tuple[list[str], str]:
    """Say something to a mind that uses tools and then answers; return what was announced, and the answer's id."""
    scene.mind.enqueue(*pieces, [TextPiece("Done.")])
    events = scene.live(scene.companion.say(text))
    announced = [event.announcement.text for event in events if isinstance(event, ToolUsed)]
    return announced, next(event.message.id for event in events if isinstance(event, Replied))


def answers(scene: Scene) -> str:
    return "\n".join(turn.text for turn in scene.mind.requests[-1].turns if turn.role == "tool")


def test_a_fact_is_replaced_or_ended(scene: Scene) -> None:
    say(scene, "Nora works at the zoo.", call("write_entity_memory", name="Nora", content="Works at the zoo."))
    say(
        scene,
        "Nora works at the harbour now.",
        call("write_entity_memory", name="Nora", content="Works at the harbour.", old_fact="Works at the zoo."),
    )
    entity = scene.memories.entities.find("Nora")
    assert entity is not None
    assert [fact.text for fact in entity.current_facts] == ["Works at the harbour."]
    assert any("zoo" in fact.text and fact.until for fact in entity.facts)
    announced, _ = say(
        scene, "Nora has quit.", call("write_entity_memory", name="Nora", old_fact="Works at the harbour.")
    )
    assert "no longer holds" in announced[0]
    entity = scene.memories.entities.find("Nora")
    assert entity is not None
    assert entity.current_facts == []
    announced, _ = say(scene, "Nora?", call("write_entity_memory", name="Nora", old_fact="Is a dancer."))
    assert announced == []
    assert "Is a dancer." in answers(scene)


def test_a_fact_that_is_noted_again_in_almost_the_same_words_is_found_again(scene: Scene) -> None:
    first, again = (f"Feeds the sea lions at {which} zoo of Yokohama on Sundays." for which in ("the", "a"))
    for content in (first, again):
        say(scene, "Nora feeds the sea lions.", call("write_entity_memory", name="Nora", content=content))
    entity = scene.memories.entities.find("Nora")
    assert entity is not None
    [fact] = entity.current_facts
    assert (fact.text, len(fact.evidence)) == (first, 2)


def test_what_the_persona_notes_against_a_fact_is_a_contradiction_of_it(scene: Scene) -> None:
    for content in ("Nora likes strong coffee.", "Nora hates strong coffee."):
        say(scene, content, call("write_entity_memory", name="Nora", content=content))
    entity = scene.memories.entities.find("Nora")
    assert entity is not None
    liked, hated = entity.current_facts
    assert [(move.why, move.severity) for move in liked.standing.moves] == [("contradicted", 0.9)]
    assert hated.standing.moves == []


def test_a_deletion_is_announced_as_one(scene: Scene) -> None:
    say(scene, "Note milk.", call("edit_notepad", text="Buy milk."))
    say(scene, "Note the rest.", call("edit_notepad", text="Call Nora about the harbour. Water the plants on Sunday."))
    announced, _ = say(scene, "I have milk.", call("edit_notepad", operation="delete", old_text="Buy milk."))
    assert announced == ["🛠️ Crossed something out in the notepad"]


class Diarist(ScriptedMind):
    """A mind that carries out an instruction by one edit; what it was shown stands in `shown`."""

    edit: Mapping[str, str] = {}
    shown = ""

    def ask(self, _: str, material: str, answer: type[Any], **__: object) -> Any:
        self.shown = material
        return answer.model_validate({"edits": [self.edit]})


def test_the_first_entry_of_a_diary_is_no_instruction_either(scene: Scene) -> None:
    scene.minds.mind = scene.mind = mind = Diarist()
    mind.edit = {"new": "2026-11-21 We saw the sea."}
    say(scene, "Write it down.", call("plan_main_memory_edit", instruction="Add an entry that we saw the sea."))
    assert scene.memories.notes.read("main_memory").text.strip() == "2026-11-21 We saw the sea."


def test_of_a_diary_that_is_longer_than_a_mind_reads_the_end_is_shown_and_can_be_changed(scene: Scene) -> None:
    scene.minds.mind = scene.mind = mind = Diarist(context_tokens=4096)
    mind.count_tokens = count_tokens  # type: ignore[method-assign]  # as language models count
    days = "".join(f"Day {number}: we sat on the windowsill and it rained.\n" for number in range(900))
    scene.memories.notes.append("main_memory", days, author="user", reason="-")
    mind.edit = {"old": "Day 899: we sat", "new": "Day 899: we stood"}
    say(scene, "Put it right.", call("plan_main_memory_edit", instruction="Write that we stood on day 899."))
    assert "Day 899: we stood" in scene.memories.notes.read("main_memory").text
    assert "Day 3:" in scene.memories.notes.read("main_memory").text
    assert "\nDay 899: we sat" in mind.shown
    assert "only its end" in mind.shown
    assert count_tokens(mind.shown) < 4096 // 2


def test_a_search_tool_leaves_out_the_question_and_what_stands_above_and_why_knows_what_it_found(scene: Scene) -> None:
    say(scene, "My tortoise is called Ferdinand.")
    scene.clock.move(days=40)
    for number in range(45):
        say(scene, f"The weather is dull, day {number}.")
    asked = "Hm, the tortoise Ferdinand."
    _, answer = say(scene, asked, call("recall_memories", query="tortoise Ferdinand"))
    assert f"> {asked}" not in answers(scene)
    stands = answers(scene) + "".join(turn.quoted for turn in scene.mind.requests[-1].turns)
    assert "My tortoise is called Ferdinand." in stands
    found = why(scene.memories, answer)
    assert found is not None
    assert "My tortoise is called Ferdinand." in [hit.text for hit in found.hits]


@pytest.mark.parametrize("tool", ["search_entity_memory", "read_entity_memory"])
def test_why_knows_the_cards_that_were_read(scene: Scene, tool: str) -> None:
    entities = scene.memories.entities
    entities.note("Ferdinand", "a tortoise of forty", author="user", mind="user")
    wanted = {"query": "Ferdinand"} if tool.startswith("search") else {"name": "Ferdinand"}
    _, answer = say(scene, "And him?", call(tool, **wanted))
    assert "> - a tortoise of forty" in answers(scene)
    found = why(scene.memories, answer)
    assert found is not None
    assert [(hit.heading, hit.text) for hit in found.hits] == [("Ferdinand", entities.find("Ferdinand").text())]  # type: ignore[union-attr]


def test_a_hit_is_told_in_plain_words() -> None:
    def one(kind: str, hour: int, path: str) -> Hit:
        return Hit("It rained.", kind, "semantic", path, (), 0.1, datetime(2026, 11, 20, hour))  # type: ignore[arg-type]

    assert told("en", one("log_archive", 9, "log_archives/2026-11.txt")).startswith("[Friday, 20 November 2026, 09:00")
    assert "00:00" not in told("ja", one("episodic_memory", 0, "memory/episodic/2026-11-20.json"))
    assert "about Friday, 20 November 2026" in told("en", one("dream_insight", 0, "memory/insights.json"))
    assert "written on" in told("en", one("dream_insight", 3, "memory/insights.json"))
    assert ".txt" not in told("en", one("knowledge", 0, "knowledge/travel plan.txt"))
