"""The app's own time per turn, with 100, 10,000 and 100,000 messages of history."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from statistics import quantiles

from agent.companion import Companion
from agent.events import Failed
from agent.memories import open_memories
from agent.minds.builtin import BuiltInMind
from benchmarks.words import sentence
from commands.shared import look_for_garbage_seldom
from managers.memory.messages import Message, Role
from managers.mind import Cancel, ReplyPiece, ReplyRequest, TextPiece
from managers.personas import PersonaStore
from managers.storage.clock import SystemClock
from managers.storage.paths import Home
from managers.storage.settings import Settings
from tests.agent.choosing import Always

SIZES = (100, 10_000, 100_000)
TURNS = 60


class Stopwatch(BuiltInMind):
    """A mind that says one word and notes when it was called."""

    name = "stopwatch"
    context_tokens = 32_000

    def __init__(self) -> None:
        super().__init__()
        self.called = 0.0

    def reply(self, request: ReplyRequest, cancel: Cancel) -> Iterator[ReplyPiece]:
        del request, cancel
        self.called = time.perf_counter()
        yield TextPiece("うん。")


def measure() -> Iterator[tuple[str, str, str]]:
    """Yield the time from a message to the mind's first call, and of the whole turn."""
    look_for_garbage_seldom()  # as the app does
    medians = {}
    for size in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            before, whole = _turns(Home(Path(folder)), size)
        medians[size] = quantiles(before, n=20)[9]
        p95 = quantiles(before, n=20)[18]
        yield (
            f"{size:,} messages: to the mind's call, median / 95th percentile",
            f"{medians[size]:.1f} / {p95:.1f} ms",
            "50 ms",
        )
        yield f"{size:,} messages: whole turn, median", f"{quantiles(whole, n=20)[9]:.1f} ms", ""
    yield "100,000 beside 100 messages", f"{medians[SIZES[-1]] / medians[SIZES[0]]:.2f}", "1.5"


def _turns(home: Home, size: int) -> tuple[list[float], list[float]]:
    clock, rng = SystemClock(), Random(size)
    personas = PersonaStore(home, clock, rng)
    personas.create("Bench", language="ja")
    memories = open_memories(personas, "Bench", Settings, clock, rng)
    memories.log.append_many(history(size, rng))
    memories.recall.catch_up()
    mind = Stopwatch()
    companion = Companion(memories, Always(mind), clock, rng)
    before, whole = [], []
    for _ in range(TURNS + 5):
        started = time.perf_counter()
        turn = companion.say(sentence(rng, question=True))
        failures = [event for event in turn.events() if isinstance(event, Failed)]
        ended = time.perf_counter()
        assert not failures, failures
        before.append(1000 * (mind.called - started))
        whole.append(1000 * (ended - started))
        companion.settle()  # the index catches up while a person reads; the next message comes after that
    companion.close()
    return before[5:], whole[5:]


def history(size: int, rng: Random) -> Iterator[Message]:
    """Yield messages of many days, 200 a day, up to yesterday."""
    days = (size + 199) // 200
    first = datetime.now() - timedelta(days=days)
    for number in range(size):
        day, nth = divmod(number, 200)
        time_ = (first + timedelta(days=day)).replace(hour=8, minute=0, second=0, microsecond=0) + timedelta(
            minutes=4 * nth
        )
        role: Role = "user" if number % 2 == 0 else "persona"
        yield Message(f"b{number}", time_, role, "You" if role == "user" else "Bench", sentence(rng))
