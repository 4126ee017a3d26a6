"""Time and memory of recall at one size; `benchmarks.recall` runs this in processes of its own."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path

import numpy as np
import psutil

from benchmarks._recall_data import open_persona
from benchmarks.recall_corpus import Speech, write_archives
from managers.recall.cues import read_cues
from managers.recall.engine import Recall
from managers.storage.paths import PersonaPaths

START = datetime(2016, 1, 1, 8, 0)
QUESTIONS = 200


def build(size: int, folder: Path) -> dict[str, float]:
    """Write the conversation, index it, and add two hundred messages."""
    paths = PersonaPaths(folder)
    speech = Speech()
    write_archives(paths, speech.messages(size, START))
    recall = open_persona(folder)
    began = time.perf_counter()
    recall.rebuild()
    built = time.perf_counter() - began
    log = recall._log  # noqa: SLF001  # the same log, to append to
    log.append_many(speech.messages(200, datetime.now().replace(microsecond=0), first=size))
    began = time.perf_counter()
    recall.catch_up()
    added = time.perf_counter() - began
    recall.close()
    return {"build": built, "add": added}


def search(folder: Path) -> dict[str, float]:
    """Ask questions of an index that is there, in a fresh process."""
    recall = open_persona(folder)
    questions = Speech(seed=1).questions(QUESTIONS)
    for question in questions[:10]:
        recall.search(question)
    times = [_timed(partial(recall.search, question, 10)) for question in questions]
    turns = [_timed(partial(recall.for_turn, question, window=[])) for question in questions]
    memory = psutil.Process().memory_info().rss / 1e6
    median, p95 = np.percentile(times, [50, 95]) * 1000
    exact = float(np.mean([_exactness(recall, question) for question in questions[:20]]))
    return {
        "median": float(median),
        "p95": float(p95),
        "turn_p95": float(np.percentile(turns, 95)) * 1000,
        "memory": memory,
        "exact": exact,
    }


def _timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _exactness(recall: Recall, question: str) -> float:
    """Return how much of the exact ten nearest, from unrounded vectors, the index finds."""
    index = recall._indexes["static"]  # noqa: SLF001  # compares with what the index holds
    embedder = recall._kit.embedder  # noqa: SLF001  # the same
    assert embedder is not None
    query = embedder.query(read_cues(question, [], datetime.now()).text)
    near, _ = index.vectors.search(query, 50)
    texts = index.passages(near.tolist())
    numbers = [number for number in near.tolist() if number in texts]
    exact = embedder.passages([texts[number].text for number in numbers]) @ query[0]
    best = {numbers[place] for place in np.argsort(-exact)[:10]}
    return len(best & set(numbers[:10])) / max(len(best), 1)


if __name__ == "__main__":
    part, size, folder = sys.argv[1:4]
    found = build(int(size), Path(folder)) if part == "build" else search(Path(folder))
    print(json.dumps(found))
