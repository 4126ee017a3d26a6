"""Indexing is killed, at every step and at any moment: what was committed is whole, the rest is made up for."""

import itertools
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
from tests.crash import Breeder, Kill, needs_signals
from tests.fakes import HandClock
from tests.ready import load_what_is_needed
from tests.recall.looking import assert_sound, contents, save_vectors

MANY = 1500
START = datetime(2026, 11, 20, 9, 0)


def open_persona(folder: Path) -> Recall:
    paths, clock = PersonaPaths(folder), HandClock()
    return Recall(paths, ConversationLog(paths, clock, Random(1)), RecallSettings(), clock)


def fill(folder: Path, count: int) -> None:
    paths = PersonaPaths(folder)
    folder.mkdir(parents=True)
    said = (
        (f"m{n}", START - timedelta(days=n % 300, seconds=n), f"Walk number {n} to the 川 and {n * n}.")
        for n in range(count)
    )
    messages = [Message(name, time, "user", "Emma", text) for name, time, text in said]
    ConversationLog(paths, HandClock(), Random(1)).append_many(messages)
    paths.knowledge.mkdir()
    for number in range(8):
        (paths.knowledge / f"d{number}.txt").write_text(f"Document {number} about bridges.", "utf-8")
    paths.core_memory.write_text("Likes walks.", "utf-8")


def index(folder: Path) -> None:
    recall = open_persona(folder)
    recall.catch_up()
    save_vectors(recall)
    recall.close()


def whole(folder: Path, count: int) -> set[tuple[str, str, str, str]]:
    """Fill a folder and index it undisturbed; return what its index holds."""
    fill(folder, count)
    index(folder)
    recall = open_persona(folder)
    found = contents(recall)
    recall.close()
    return found


def check(folder: Path, expected: set[tuple[str, str, str, str]], *, is_last: bool = True) -> None:
    recall = open_persona(folder)
    assert_sound(recall)
    assert contents(recall) <= expected
    if is_last:
        recall.catch_up()
        assert_sound(recall)
        assert contents(recall) == expected
    recall.close()


@needs_signals
def test_killed_at_a_durable_step(tmp_path: Path, kill: Kill) -> None:
    numbers = itertools.count()

    def prepare() -> Sequence[Path]:
        folder = tmp_path / f"run{next(numbers)}"
        fill(folder, 12)
        return (folder,)

    expected = whole(tmp_path / "reference", 12)
    for death in kill(index, prepare, stride=5, ready=load_what_is_needed):
        check(death.given[0], expected)


def live_so_long(work: Callable[[Path], None], given: tuple[Path], seconds: float, _: Connection) -> int:
    """Work until so much time of the processor is used up, at which the system ends the process as SIGKILL would."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    work(*given)
    return 0


@needs_signals
@pytest.mark.slow
def test_killed_at_any_moment(tmp_path: Path) -> None:
    """SQLite writes beneath Python, so this kills by the clock; each round goes on where the last one died."""
    warm, folder = tmp_path / "warm", tmp_path / "killed"
    fill(warm, 12)
    began = time.process_time()
    expected = whole(tmp_path / "reference", MANY)
    took = time.process_time() - began
    fill(folder, MANY)
    rng = Random(5)
    ended = []
    with Breeder(index, live_so_long, (warm,)) as breeder:
        for _ in range(8):
            ended.append(breeder.run((folder,), 0.02 + rng.random() * took / 2)[0])
            check(folder, expected, is_last=False)
    assert -signal.SIGPROF in ended
    check(folder, expected)
