"""Search among ten thousand Japanese messages, with the word vectors where they are installed and without."""

import tempfile
import time
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import psutil

from benchmarks._recall_data import DOCUMENTS, JAPANESE, is_there, lines, messages, open_persona, rebuilt
from benchmarks.recall_corpus import write_archives
from benchmarks.recall_speed import timed
from managers.memory.messages import Message
from managers.recall.index.word_vectors import find_table
from managers.storage.paths import PersonaPaths
from managers.storage.settings import RecallSettings

Row = tuple[str, str, str]

SIZE = 10_000
BUDGET = "95th percentile ≤ 25 ms"


def measure() -> Iterator[Row]:
    """Yield how long a search takes, asked for the first time and again."""
    if not is_there():
        yield "search in Japanese", "skipped: no data beside the checkout", ""
        return
    ways = ("builtin", "auto") if find_table() else ("builtin",)
    with tempfile.TemporaryDirectory() as folder:
        for way in ways:
            yield from _measured(way, Path(folder) / way)


def spoken() -> Iterator[Message]:
    """Yield a talk made of a chat's messages and of sentences from an encyclopaedia, no two alike."""
    chat = messages(JAPANESE)
    pages = (f"{part}。" for one in lines(f"{DOCUMENTS}.documents.jsonl") for part in one["text"].split("。") if part)
    texts = list(dict.fromkeys([*(message.text for message in chat), *pages]))
    halves = [first[:40] + second[-40:] for first, second in pairwise(texts)]
    mixed = [first[-30:] + second[:30] for first, second in zip(texts, texts[2:], strict=False)]
    now = chat[0].time - timedelta(days=400)
    for number, text in enumerate([*texts, *halves, *mixed][:SIZE]):
        now += timedelta(minutes=3 if number % 20 else 600)
        who = chat[number % 2]
        yield Message(f"m{number}", now, who.role, who.speaker, text)


def _measured(way: str, folder: Path) -> Iterator[Row]:
    write_archives(PersonaPaths(folder), spoken())
    recall = open_persona(folder, RecallSettings.model_validate({"embedder": way}))
    began = time.perf_counter()
    rebuilt(recall)
    yield f"building, {way}", f"{time.perf_counter() - began:.1f} s", ""
    recall.close()
    recall = open_persona(folder, RecallSettings.model_validate({"embedder": way}))
    questions = [one["query"] for one in lines(f"{JAPANESE}.queries.jsonl")]
    began = time.perf_counter()
    recall.get_ready()
    recall.search(questions[0])
    yield f"getting ready and the first search, {way}", f"{time.perf_counter() - began:.2f} s", ""
    for label in ("asked first", "asked again"):
        times = np.array([timed(partial(recall.search, question, 10)) for question in questions]) * 1000
        (median, cpu_median), (late, cpu_late) = np.percentile(times, [50, 95], axis=0)
        yield f"search, median / p95, {way}, {label}", f"{median:.1f} / {late:.1f} ms", BUDGET
        yield f"the same, processor time, {way}, {label}", f"{cpu_median:.1f} / {cpu_late:.1f} ms", ""
    yield f"resident memory, {way}", f"{psutil.Process().memory_info().rss / 1e6:.0f} MB", ""
    recall.close()
