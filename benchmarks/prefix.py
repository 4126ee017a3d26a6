"""What a local model reads anew for each message: the tokens of a prompt after what it has in common with the last one.

Servers on a person's own computer (llama.cpp, Ollama, LM Studio) keep what they have read, as long as the next prompt
begins with it. Reading is what makes them slow: a few hundred tokens a second without a graphics card.
"""

import json
import tempfile
from collections.abc import Iterator
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from random import Random
from statistics import mean

from agent.companion import Companion
from agent.events import Failed
from agent.memories import open_memories
from agent.minds.builtin import BuiltInMind
from agent.minds.language_model.chat_messages import to_messages
from agent.minds.tokens import count_tokens
from agent.minds.tool_schemas import affordable, as_function
from benchmarks.words import sentence
from managers.memory.notes import NoteKind
from managers.mind import Cancel, ReplyPiece, ReplyRequest, TextPiece
from managers.personas import PersonaStore
from managers.storage.paths import CHECKOUT, Home
from managers.storage.settings import Settings
from tests.agent.choosing import Always
from tests.fakes import HandClock

CONTEXTS = (4096, 8192, 32_768)
TURNS = 90
"""Thirty a day, three minutes apart: the window of 20 turns slides most of the time."""
_A_DAY = 30


class Reader(BuiltInMind):
    """A mind that notes what it was given, as a chat template writes it out: system, tools, talk."""

    name = "reader"
    can_see = False

    def __init__(self, context_tokens: int, rng: Random) -> None:
        super().__init__()
        self.context_tokens = context_tokens
        self.prompts: list[str] = []
        self._rng = rng

    def count_tokens(self, text: str) -> int:
        return count_tokens(text)

    def reply(self, request: ReplyRequest, cancel: Cancel) -> Iterator[ReplyPiece]:
        del cancel
        tools = affordable(request.tools, self.context_tokens, count_tokens)
        described = json.dumps([as_function(tool) for tool in tools], ensure_ascii=False)
        talk = to_messages("", request.turns, request.sheet.language)
        said = [f"<{message.type}>\n{message.content}" for message in talk]
        self.prompts.append("\n".join([f"<system>\n{request.system}", described, *said]))
        yield TextPiece(" ".join(sentence(self._rng) for _ in range(3)))


def measure() -> Iterator[tuple[str, str, str]]:
    """Yield how much is read anew for a message, by how much the model reads at once."""
    for context in CONTEXTS:
        with tempfile.TemporaryDirectory() as folder:
            prompts = _talk(Home(Path(folder)), context)
        anew = [_anew(before, after) for before, after in pairwise(prompts)]
        whole = [count_tokens(prompt) for prompt in prompts[1:]]
        yield (
            f"{context:,} tokens of context: read anew for a message, of a prompt of",
            f"{mean(anew):,.0f} of {mean(whole):,.0f}",
            f"{min(context // 5, 1500):,}",
        )


def _anew(before: str, after: str) -> int:
    shorter = min(len(before), len(after))
    same = next((at for at in range(shorter) if before[at] != after[at]), shorter)
    return count_tokens(after[same:])


def _talk(home: Home, context: int) -> list[str]:
    clock, rng = HandClock(datetime(2026, 11, 18, 18, 0)), Random(7)
    personas = PersonaStore(home, clock, rng)
    sample = CHECKOUT / "characters" / "ねむ"
    prompt = (sample / "SystemPrompt.txt").read_text("utf-8")
    personas.create("ねむ", language="ja", system_prompt=prompt, user_name="葵")
    memories = open_memories(personas, "ねむ", Settings, clock, rng)
    kinds: tuple[NoteKind, ...] = ("core_memory", "notepad")
    for kind in kinds:
        memories.notes.append(kind, (sample / f"{kind}.txt").read_text("utf-8"), author="user", reason="-")
    mind = Reader(context, rng)
    companion = Companion(memories, Always(mind), clock, rng)
    for turn in range(TURNS):
        clock.move(days=1 if turn and turn % _A_DAY == 0 else 0, minutes=3)
        failures = [event for event in companion.say(_said(rng, turn)).events() if isinstance(event, Failed)]
        assert not failures, failures
        companion.settle()
    companion.close()
    return mind.prompts


def _said(rng: Random, turn: int) -> str:
    return " ".join([sentence(rng), sentence(rng, question=turn % 3 == 0)])
