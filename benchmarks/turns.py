"""The app's own time per turn, with 100 to 200,000 messages of history, the last with ten years of memories, and its index."""

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from statistics import quantiles

from agent.companion import Companion
from agent.events import Failed
from agent.memories import open_memories
from agent.minds.builtin import BuiltInMind
from benchmarks.past import ENTITIES, NIGHTS, READINGS, write_past
from benchmarks.words import sentence
from commands.shared import look_for_garbage_seldom
from managers.hygiene.limits import Weight, weigh
from managers.mind import Cancel, ReplyPiece, ReplyRequest, TextPiece
from managers.personas import PersonaStore
from managers.storage.clock import SystemClock
from managers.storage.paths import Home
from managers.storage.settings import Settings
from tests.agent.choosing import Always

SIZES = (100, 10_000, 100_000, 200_000)
TURNS = 60


class Stopwatch(BuiltInMind):
    """A mind that says one word and notes when it was called."""

    name = "stopwatch"
    context_tokens = 32_000

    def __init__(self) -> None:
        super().__init__()
        self.called = self.called_after = 0.0

    def reply(self, request: ReplyRequest, cancel: Cancel) -> Iterator[ReplyPiece]:
        del request, cancel
        self.called, self.called_after = time.perf_counter(), time.process_time()
        yield TextPiece("うん。")


def measure() -> Iterator[tuple[str, str, str]]:
    """Yield the time from a message to the mind's first call (the clock's, and the processor's), and of the whole turn."""
    look_for_garbage_seldom()  # as the app does
    medians = {}
    for size in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            before, worked, whole, weight = _turns(Home(Path(folder)), size)
        medians[size] = quantiles(worked, n=20)[9]
        for what, taken, budget in (("", before, "40 ms"), (" (processor time)", worked, "")):
            found = quantiles(taken, n=20)
            yield (
                f"{size:,} messages: to the mind's call, median / 95th percentile{what}",
                f"{found[9]:.1f} / {found[18]:.1f} ms",
                budget,
            )
        yield f"{size:,} messages: whole turn, median", f"{quantiles(whole, n=20)[9]:.1f} ms", ""
        is_largest = size == SIZES[-1]
        figures = f"{weight.index / 1e6:.1f} / {weight.files / 1e6:.1f} MB"
        yield f"{size:,} messages: search index / files of memories", figures, "250 MB / –" if is_largest else ""
    for size in SIZES[2:]:
        ratio = medians[size] / medians[SIZES[0]]
        yield f"{size:,} beside {SIZES[0]} messages, processor time", f"{ratio:.2f}", "1.5"


def _turns(home: Home, size: int) -> tuple[list[float], list[float], list[float], Weight]:
    clock, rng = SystemClock(), Random(size)
    personas = PersonaStore(home, clock, rng)
    personas.create("Bench", language="ja")
    memories = open_memories(personas, "Bench", Settings, clock, rng)
    share = size / SIZES[-1]
    write_past(memories, size, int(NIGHTS * share), int(READINGS * share), int(ENTITIES * share), recorded=0)
    weight, mind = weigh(memories.paths), Stopwatch()
    companion = Companion(memories, Always(mind), clock, rng)
    before, worked, whole = [], [], []
    for _ in range(TURNS + 5):
        started, worked_before = time.perf_counter(), time.process_time()
        turn = companion.say(sentence(rng, question=True))
        failures = [event for event in turn.events() if isinstance(event, Failed)]
        ended = time.perf_counter()
        assert not failures, failures
        before.append(1000 * (mind.called - started))
        worked.append(1000 * (mind.called_after - worked_before))
        whole.append(1000 * (ended - started))
        companion.settle()  # the index catches up while a person reads; the next message comes after that
    companion.close()
    return before[5:], worked[5:], whole[5:], weight
