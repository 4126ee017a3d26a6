"""With a model that reads 4,096 tokens no turn dies of its tools, and nearly all of them are used, however it counts."""

import json
import re
from itertools import product

import pytest

from agent.events import Replied
from agent.minds.tokens import answer_room
from managers.storage.errors import Lang
from tests.agent.conftest import NewScene, Scene
from tests.agent.test_prompts import SAMPLES, note, sample
from tests.minds.talking import behind_openai
from tests.model_server import Answer, ModelServer, Recorded, Refuse, Say, Tool
from tests.speeds import one_quick

CONTEXT = 4096
LINES: dict[Lang, str] = {
    "ja": "きょうは雨で、窓辺で本を読んだ。お茶がおいしかった。",
    "en": "It rained today, and I read by the window with a cup of tea. ",
}
COUNTS = {
    "most": (0.7, 0.24, 0),
    "cutting Japanese into bytes": (2.9, 0.24, 0),
    "cutting all into bytes": (2.3, 0.5, 900),
    "wordy about tools": (0.7, 0.24, 1800),
}
"""Of models: the tokens of a Japanese character, of any other one, and what their template adds where tools are offered."""


class Counting:
    """A server that counts what it is sent, and refuses what is too long as llama.cpp does."""

    def __init__(self, server: ModelServer, counts: tuple[float, float, int]) -> None:
        self.counts = counts
        self.calls: list[list[Tool]] = []
        self.read: list[int] = []
        server.otherwise = self.answer

    def answer(self, asked: Recorded) -> Answer:
        tools = asked.body.get("tools", [])
        called = [message["tool_calls"] for message in asked.messages if "tool_calls" in message]
        texts = [str(message.get("content") or "") for message in asked.messages]
        whole = "".join([*texts, json.dumps([called, tools], ensure_ascii=False)])
        wide = len(re.findall(r"[^\x00-\x7f]", whole))
        each, other, added = self.counts
        tokens = int(wide * each + (len(whole) - wide) * other) + 5 * len(texts) + (added if tools else 0)
        if tokens > CONTEXT:
            said = f"request ({tokens} tokens) exceeds the available context size ({CONTEXT} tokens), try increasing it"
            return Refuse(400, said, "exceed_context_size_error")
        self.read.append(tokens)
        wanted = self.calls.pop(0) if self.calls and tools else []
        return Say("" if wanted else "Hm. " * 20, tools=wanted, usage=(tokens, 20))


def talker(server: ModelServer, new_scene: NewScene, lang: Lang) -> Scene:
    scene = new_scene(SAMPLES[lang], lang, sample(lang), user_name="Aoi")
    scene.minds.mind = behind_openai(server, context_tokens=CONTEXT)
    return scene


@pytest.mark.parametrize(("tried", "counts", "lang"), one_quick(product(range(8, -1, -1), COUNTS, LINES), quick=6))
def test_no_turn_dies_of_its_tools(
    server: ModelServer, new_scene: NewScene, tried: int, counts: str, lang: Lang
) -> None:
    scene, played = talker(server, new_scene, lang), Counting(server, COUNTS[counts])
    note(scene, "core_memory", LINES[lang] * ((2, 8)[tried % 2] * tried))
    diary = LINES["en" if lang == "ja" else "ja"]
    note(scene, "main_memory", f"{diary}\n" * (100 * tried + 40))
    for said in range((8 - tried) // 2):
        scene.live(scene.companion.say(f"{said}: {LINES[lang] * 6}"))
    rounds, beside = range(1 + tried % 4), range(1 + tried % 2)
    played.calls = [[Tool("read_main_memory", {}, f"{one}-{other}") for other in beside] for one in rounds]
    events = scene.live(scene.companion.say(LINES[lang] * (1 + tried)))
    assert isinstance(events[-1], Replied), events[-1]


@pytest.mark.parametrize(("counts", "lang"), one_quick(product(COUNTS, LINES)))
def test_nearly_all_that_a_model_reads_is_used(
    server: ModelServer, new_scene: NewScene, counts: str, lang: Lang
) -> None:
    scene, played = talker(server, new_scene, lang), Counting(server, COUNTS[counts])
    for said in range(24):
        scene.live(scene.companion.say(f"{said}: {LINES[lang] * 5}"))
    used = [(read + answer_room(CONTEXT)) / CONTEXT for read in played.read[8:]]
    assert 0.85 <= max(used) <= 1
