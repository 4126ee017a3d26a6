"""Indexing is killed, at every step and at any moment: what was committed is whole, the rest is made up for."""

import signal
import time
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random

import pytest

from managers.memory.log import ConversationLog
from managers.memory.messages import Message
from managers.recall.engine import Recall
from managers.storage.paths import PersonaPaths
from managers.storage.settings import RecallSettings
from tests.crash import Breeder, kill_everywhere, needs_signals
from tests.fakes import HandClock
from tests.ready import load_what_is_needed
from tests.recall.looking import assert_sound, contents

MANY = 1500
START = datetime(2026, 11, 20, 9, 0)


def open_persona(folder: Path) -> Recall:
    paths = PersonaPaths(folder)
    clock = HandClock()
    return Recall(paths, ConversationLog(paths, clock, Random(1)), RecallSettings(), clock)


def fill(folder: Path, count: int) -> None:
    paths = PersonaPaths(folder)
    folder.mkdir(parents=True)
    messages = [
        Message(
            f"m{n}",
            START - timedelta(days=n % 300, seconds=n),
            "user",
            "Emma",
            f"Walk number {n} to the 川 and {n * n}.",
        )
        for n in range(count)
    ]
    ConversationLog(paths, HandClock(), Random(1)).append_many(messages)
    paths.knowledge.mkdir()
    for number in range(8):
        (paths.knowledge / f"d{number}.txt").write_text(f"Document {number} about bridges.", "utf-8")
    paths.core_memory.write_text("Likes walks.", "utf-8")


def index(folder: Path) -> None:
    recall = open_persona(folder)
    recall.catch_up()
    for one in recall.indexes.values():
        one.vectors.save(one.store, one._epoch)
    recall.close()


def check(folder: Path, expected: set[tuple[str, str, str, str]]) -> None:
    recall = open_persona(folder)
    assert_sound(recall)
    assert contents(recall) <= expected
    recall.catch_up()
    assert_sound(recall)
    assert contents(recall) == expected
    recall.close()


@needs_signals
@pytest.mark.slow
def test_killed_at_every_durable_step(tmp_path: Path) -> None:
    runs = iter(range(10_000))

    def prepare() -> Sequence[Path]:
        folder = tmp_path / f"run{next(runs)}"
        fill(folder, 12)
        return (folder,)

    reference = prepare()[0]
    index(reference)
    whole = open_persona(reference)
    expected = contents(whole)
    whole.close()
    for death in kill_everywhere(index, prepare, stride=5, ready=load_what_is_needed):
        check(death.given[0], expected)


def live_so_long(work: Callable[[Path], None], given: tuple[Path], seconds: float, _: Connection) -> int:
    """Work until so much time of the processor is used up, at which the system ends the process as SIGKILL would."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    work(*given)
    return 0


@needs_signals
@pytest.mark.slow
def test_killed_at_any_moment(tmp_path: Path) -> None:
    """SQLite writes beneath Python, so this kills by the clock; each round goes on where the last one died."""
    reference, warm = tmp_path / "reference", tmp_path / "warm"
    fill(reference, MANY)
    fill(warm, 12)
    began = time.process_time()
    index(reference)
    whole = time.process_time() - began
    recall = open_persona(reference)
    expected = contents(recall)
    recall.close()
    folder = tmp_path / "killed"
    fill(folder, MANY)
    rng = Random(5)
    ended = []
    with Breeder(index, live_so_long, (warm,)) as breeder:
        for _ in range(8):
            ended.append(breeder.run((folder,), 0.02 + rng.random() * whole / 2)[0])
            recall = open_persona(folder)
            assert_sound(recall)
            assert contents(recall) <= expected
            recall.close()
    assert ended[0] == -signal.SIGPROF
    check(folder, expected)
