"""A local model of 4,096 tokens would cut a longer prompt silently: what it is sent must fit."""

from agent.minds.tokens import count_tokens
from agent.minds.tool_schemas import affordable, tools_tokens
from tests.agent.choosing import ScriptedMind
from tests.agent.conftest import Scene


def test_the_whole_prompt_fits_a_small_model_however_long_the_history(scene: Scene) -> None:
    small = ScriptedMind(context_tokens=4096)
    small.count_tokens = count_tokens  # type: ignore[method-assign]  # as language models count
    scene.minds.mind = small
    for kind in ("core_memory", "notepad"):
        scene.memories.notes.append(kind, "覚えておくこと。" * 2000, author="user", reason="-")
    for turn in range(12):
        small.enqueue(f"うん、{turn}回目だね。" * 10)
        scene.live(scene.companion.say("長い話をするね。" * 20))
    request = small.requests[-1]
    used = (
        small.count_tokens(request.system)
        + sum(small.count_tokens(turn.quoted + turn.text) for turn in request.turns)
        + tools_tokens(affordable(request.tools, 4096, count_tokens), count_tokens)
    )
    assert used <= 4096 - 512
    assert request.turns[-1].text.startswith("長い話をするね。")
    assert len(request.turns) >= 3
    assert "windowsills" in request.system
    assert "recall_memories" in {tool.name for tool in request.tools}


def test_what_a_small_prompt_has_no_room_for_is_recalled_though_it_was_said_in_this_talk(scene: Scene) -> None:
    small = ScriptedMind(context_tokens=4096)
    small.count_tokens = count_tokens  # type: ignore[method-assign]  # as language models count
    scene.minds.mind = small
    code = "The code of the garden shed is 4711."
    weather = [f"The weather was dull on day {day}, and then it rained a little more than before." for day in range(14)]
    for text in (code, *weather):
        small.enqueue("I see. " * 90)
        scene.live(scene.companion.say(text))
    small.enqueue("4711.")
    scene.live(scene.companion.say("Do you remember the code of the garden shed?"))
    turns = small.requests[-1].turns
    assert code not in [turn.text for turn in turns]  # it is too long ago for so small a prompt
    assert code in turns[-1].quoted
    once = [text for text in weather if sum(text in turn.text + turn.quoted for turn in turns) > 1]
    assert once == []
