"""A local model of 4,096 tokens would cut a longer prompt silently: what it is sent must fit."""

import pytest

from agent.events import Recalled, Replied
from agent.minds.tokens import count_tokens, fit
from agent.minds.tool_schemas import affordable, tools_tokens
from managers.mind import ToolCall
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


@pytest.mark.parametrize("rounds", [1, 3])
def test_what_tools_find_fits_beside_the_prompt_and_says_where_it_was_cut(scene: Scene, rounds: int) -> None:
    small = ScriptedMind(context_tokens=4096)
    small.count_tokens = count_tokens  # type: ignore[method-assign]  # as language models count
    scene.minds.mind = small
    scene.memories.notes.append("core_memory", "覚えておくこと。" * 200, author="user", reason="-")
    scene.memories.notes.append("main_memory", "きょうは雨で、窓辺で本を読んだ。\n" * 900, author="user", reason="-")
    small.enqueue("うん。")
    scene.live(scene.companion.say("長い話をするね。" * 20))
    for number in range(rounds):
        calls = [
            ToolCall(f"d{number}", "read_main_memory", {}),
            ToolCall(f"n{number}", "edit_notepad", {"text": "牛乳を買う" * (number + 1)}),
        ]
        small.enqueue(calls)
    small.enqueue("雨だったね。")
    events = scene.live(scene.companion.say("日記を読んで、牛乳のことをメモして"))
    assert isinstance(events[-1], Replied)
    for request in small.requests:
        tools = tools_tokens(affordable(request.tools, 4096, count_tokens), count_tokens)
        assert fit(request.system, request.turns, tools, 4096, count_tokens) is not None
    read, written = small.requests[-1].turns[-2:]
    assert read.text.startswith("> きょうは雨で")
    assert read.text.endswith("(It is longer; there is room for no more of it here.)")
    assert "牛乳を買う" in written.text


def test_of_much_that_is_known_of_the_user_the_newest_is_told(scene: Scene) -> None:
    small = ScriptedMind("I see.", context_tokens=4096)
    small.count_tokens = count_tokens  # type: ignore[method-assign]  # as language models count
    scene.minds.mind = small
    for number in range(40):
        scene.clock.move(days=1)
        fact = f"Aoi has sorted the spare parts of box {number} by size, by colour and by maker."
        scene.memories.entities.note("Aoi", fact, author="dream", mind="model", evidence=[f"b{number}"])
    scene.live(scene.companion.say("Good evening"))
    assert "box 39 " in small.requests[-1].system
    assert "box 1 " not in small.requests[-1].system


class Reader(ScriptedMind):
    """A scripted mind that is taken for a language model."""

    def ask(self, *_: object, **__: object) -> object:
        raise AssertionError("nothing is asked")


def test_what_is_known_of_the_user_is_told_once(scene: Scene) -> None:
    model = Reader("Accordions.")
    scene.minds.mind = model
    scene.memories.entities.note("Aoi", "Aoi repairs accordions.", author="dream", mind="model", evidence=["m1"])
    [recalled] = [
        event for event in scene.live(scene.companion.say("What do I repair?")) if isinstance(event, Recalled)
    ]
    assert "Aoi repairs accordions." in recalled.hits[0].text
    request = model.requests[-1]
    assert "Aoi repairs accordions." in request.system
    assert "Aoi repairs accordions." not in request.turns[-1].quoted
    found = scene.memories.recall_log.find(scene.memories.log.tail(1)[0].id)
    assert found is not None
    assert [one.path for one in found[1]] == ["entity_memory/Aoi.md"]
