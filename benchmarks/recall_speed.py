"""Time and memory of recall at one size; `benchmarks.recall` runs this in processes of its own."""

import json
import sys
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from random import Random

import numpy as np
import psutil

from benchmarks._recall_data import open_persona
from benchmarks.recall_corpus import Speech, write_archives
from managers.memory.log import ConversationLog
from managers.recall.embedders import Vectors
from managers.recall.engine import Recall
from managers.recall.index import coarse_quantization
from managers.recall.index.index_terms import vector_text
from managers.recall.index.sparse_rows import taken_together
from managers.recall.index.store import Store
from managers.recall.question.cues import read_cues
from managers.recall.ranking.fusion import POOL
from managers.storage.clock import SystemClock
from managers.storage.paths import PersonaPaths

START = datetime(2016, 1, 1, 8, 0)
QUESTIONS = 200
EXACT_QUESTIONS = 50


def build(size: int, folder: Path) -> dict[str, float]:
    """Write the conversation, index it, and add two hundred messages."""
    paths = PersonaPaths(folder)
    speech = Speech()
    write_archives(paths, speech.messages(size, START))
    recall = open_persona(folder)
    began = time.perf_counter()
    recall.rebuild()
    built, used = time.perf_counter() - began, time.process_time()
    if worker := recall._upkeep.vectors.worker:  # noqa: SLF001  # nobody else waits for it
        worker.join()
    meant, used = time.perf_counter() - began - built, time.process_time() - used
    log = ConversationLog(paths, SystemClock(), Random(1))
    log.append_many(speech.messages(200, datetime.now().replace(microsecond=0), first=size))
    began = time.perf_counter()
    recall.catch_up()
    added = time.perf_counter() - began
    recall.close()
    return {"build": built, "sentences": meant, "sentences_cpu": used, "add": added}


def search(folder: Path) -> dict[str, float]:
    """Ask questions of an index that is there, in a fresh process."""
    recall = open_persona(folder)
    questions = Speech(seed=1).questions(QUESTIONS)
    for question in questions[:10]:
        recall.search(question)
    times = np.array([timed(partial(recall.search, question, 10)) for question in questions]) * 1000
    turns = np.array([timed(partial(recall.for_turn, question, window=[])) for question in questions]) * 1000
    busiest = psutil.Process().memory_info().rss / 1e6
    coarse_quantization.let_rest()  # as the app does every minute
    (median, cpu_median), (p95, cpu_p95) = np.percentile(times, [50, 95], axis=0)
    turn_p95, turn_cpu_p95 = np.percentile(turns, 95, axis=0)
    return {
        "median": float(median),
        "p95": float(p95),
        "cpu_median": float(cpu_median),
        "cpu_p95": float(cpu_p95),
        "turn_p95": float(turn_p95),
        "turn_cpu_p95": float(turn_cpu_p95),
        "memory": psutil.Process().memory_info().rss / 1e6,
        "busiest": busiest,
        "exact": _exactness(recall, questions[:EXACT_QUESTIONS]),
    }


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Return how long something takes, and how much of a processor: that is the same on a busy machine."""
    began, used = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - began, time.process_time() - used


def _exactness(recall: Recall, questions: Sequence[str]) -> float:
    """Return which share of the ten nearest of all passages the index's own first ten are.

    Nearest by unrounded vectors: the best hundred by the stored bytes of all passages, one by one as SQLite
    has them (rounding moves none from beyond them into the ten), are embedded again. What is as near as
    the tenth counts.
    """
    index = recall.indexes["static"]
    embedder = recall._choice.embedder  # noqa: SLF001  # what made the index
    assert embedder is not None
    queries = [embedder.query(read_cues(question, [], datetime.now()).text) for question in questions]
    shares = []
    for query, nearest in zip(queries, _nearest(index.store, np.concatenate(queries)), strict=True):
        found = index.vectors.search(query, POOL)[0][:10].tolist()
        numbers = list(dict.fromkeys([*nearest, *found]))
        passages = index.passages(numbers)
        texts = [vector_text(passages[number].text, passages[number].heading) for number in numbers]
        exact = dict(zip(numbers, embedder.passages(texts) @ query[0], strict=True))
        least = sorted(exact.values())[-10] - 1e-6
        shares.append(sum(exact[number] >= least for number in found) / 10)
    return float(np.mean(shares))


def _nearest(store: Store, queries: Vectors) -> list[list[int]]:
    """Return for each query the hundred nearest passages, by looking at every one."""
    numbers = np.zeros((len(queries), 0), np.int64)
    products = np.zeros((len(queries), 0), np.float32)
    rows = store.connection().execute("SELECT chunk, code FROM vectors")
    while batch := rows.fetchmany(8192):
        codes = taken_together([code for _, code in batch])
        these = np.broadcast_to(np.array([number for number, _ in batch]), (len(queries), len(batch)))
        products = np.concatenate([products, queries @ codes.astype(np.float32).T], axis=1)
        numbers = np.concatenate([numbers, these], axis=1)
        best = np.argsort(-products, axis=1)[:, :100]
        products, numbers = np.take_along_axis(products, best, 1), np.take_along_axis(numbers, best, 1)
    return [[int(number) for number in row] for row in numbers]


if __name__ == "__main__":
    part, size, folder = sys.argv[1:4]
    found = build(int(size), Path(folder)) if part == "build" else search(Path(folder))
    print(json.dumps(found))
