"""Indexing is killed at a durable step: what was committed is whole, the rest is made up for."""

import itertools
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

from managers.memory.log import ConversationLog
from managers.memory.messages import Message
from managers.recall.engine import Recall
from managers.storage.paths import PersonaPaths
from managers.storage.settings import RecallSettings
from tests.crash import Kill, needs_signals
from tests.fakes import HandClock
from tests.ready import load_what_is_needed
from tests.recall.looking import assert_sound, contents, save_vectors

START = datetime(2026, 11, 20, 9, 0)


def open_persona(folder: Path) -> Recall:
    paths, clock = PersonaPaths(folder), HandClock()
    return Recall(paths, ConversationLog(paths, clock, Random(1)), RecallSettings(), clock)


def fill(folder: Path) -> None:
    paths = PersonaPaths(folder)
    folder.mkdir(parents=True)
    said = ((f"m{n}", START - timedelta(days=n % 300, seconds=n), f"Walk {n}: the 川 and {n * n}.") for n in range(12))
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


@needs_signals
def test_killed_at_a_durable_step(tmp_path: Path, kill: Kill) -> None:
    numbers = itertools.count()

    def prepare() -> Sequence[Path]:
        folder = tmp_path / f"run{next(numbers)}"
        fill(folder)
        return (folder,)

    (reference,) = prepare()
    index(reference)
    recall = open_persona(reference)
    expected = contents(recall)
    recall.close()
    for death in kill(index, prepare, stride=5, ready=load_what_is_needed):
        recall = open_persona(death.given[0])
        assert_sound(recall)
        assert contents(recall) <= expected
        recall.catch_up()
        assert_sound(recall)
        assert contents(recall) == expected
        recall.close()
