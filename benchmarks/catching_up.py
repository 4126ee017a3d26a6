"""Ten years that came in at once, dreamt over by the built-in mind, while somebody talks: how long, and who waits.

make bench ARGS=catching_up                            all of it
python -m benchmarks.catching_up --days 400            fewer days
"""

import argparse
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from threading import Event, Thread

import psutil

from agent.memories import Memories, open_memories
from agent.minds.builtin import BuiltInMind
from agent.sleeper import CompanionSleeper
from benchmarks.__main__ import Row, show
from benchmarks.sleep import START, day_of_talk
from managers.mind import Cancel
from managers.personas import PersonaStore
from managers.storage.errors import BusyError
from managers.storage.locks import WAIT_SECONDS
from managers.storage.paths import Home
from managers.storage.settings import Settings
from tests.agent.choosing import Always
from tests.fakes import HandClock

DAYS = 3650
MESSAGES_A_DAY = 55
MINUTES = 10
_SHOWN = 10
_PAUSE = 1.0


def measure(days: int = DAYS, messages: int = MESSAGES_A_DAY) -> Iterator[Row]:
    """Yield what the days cost as they go, all of it, and what somebody waited who talked meanwhile."""
    with tempfile.TemporaryDirectory() as folder:
        clock, rng = HandClock(datetime.combine(START + timedelta(days=days + 1), datetime.min.time())), Random(days)
        personas = PersonaStore(Home(Path(folder)), clock, rng)
        personas.create("ねむ", language="ja")
        memories = open_memories(personas, "ねむ", Settings, clock, rng)
        said = [one for day in range(days) for one in day_of_talk(START + timedelta(days=day), messages, rng)]
        memories.log.append_many(said)
        memories.recall.catch_up()
        yield from _dreamt(CompanionSleeper(memories, Always(BuiltInMind()), clock), memories, days)
        memories.close()


def _dreamt(sleeper: CompanionSleeper, memories: Memories, days: int) -> Iterator[Row]:
    marks, waits, ended = list[tuple[int, float]](), list[float](), Event()
    talking = Thread(target=_talk, args=(memories, waits, ended))
    started, begun = time.perf_counter(), time.process_time()
    talking.start()
    report = sleeper.dream(
        Cancel(), catch_up=True, today=False, progress=lambda done, _: marks.append((done, time.process_time()))
    )
    took, spent = time.perf_counter() - started, time.process_time() - begun
    ended.set()
    talking.join()
    step = max(1, days // _SHOWN)
    for (first, before), (last, after) in zip(marks[::step], marks[step::step], strict=False):
        yield f"days {first:,} to {last:,}: a day", f"{1000 * (after - before) / (last - first):.0f} ms", ""
    yield (
        f"{report.messages:,} messages of {len(report.days):,} days",
        f"{took:.0f} s ({spent:.0f} s)",
        f"{MINUTES} min",
    )
    yield "of the processor for 1,000 messages", f"{1000 * spent / max(report.messages, 1):.2f} s", ""
    yield "tasks that failed", str(len(report.failures)), "0"
    yield "entries in the history", f"{len(report.entries):,}", ""
    yield "a message to be written meanwhile, at worst", f"{max(waits, default=0):.2f} s", f"{WAIT_SECONDS:.0f} s"
    yield "messages that were refused as busy", f"{sum(wait >= WAIT_SECONDS for wait in waits)} of {len(waits):,}", "0"
    yield "memory of the program", f"{psutil.Process().memory_info().rss / 1e6:.0f} MB", ""


def _talk(memories: Memories, waits: list[float], ended: Event) -> None:
    """Say something every second."""
    while not ended.wait(_PAUSE):
        started = time.perf_counter()
        with suppress(BusyError):  # counted by how long it took
            memories.log.append("user", "花", "聞こえる?")
        waits.append(time.perf_counter() - started)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--days", type=int, default=DAYS)
    show(measure(parser.parse_args().days))
