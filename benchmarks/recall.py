"""How well and how fast memories are found: on real conversations, and on made-up ones of any length."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from langchain_text_splitters import RecursiveCharacterTextSplitter

from benchmarks._recall_data import (
    DOCUMENTS,
    JAPANESE,
    LOCOMO,
    Score,
    Search,
    fill,
    ids_of,
    is_there,
    lines,
    mean,
    messages,
    open_persona,
    rebuilt,
    score,
)
from managers.recall.embedders.ngrams import NgramEmbedder, count_frequencies
from managers.recall.index.word_vectors import find_table
from managers.recall.ranking.fusion import Ways
from managers.storage.settings import RecallSettings

Row = tuple[str, str, str]

SIZES = (1_000, 10_000, 100_000)
LARGEST = 1_000_000
LARGEST_VARIABLE = "UTATANE_BENCH_LARGE"
"""Set it to measure a million passages too: that takes ten minutes and six gigabytes of disk."""

FULL = Ways()
WITHOUT: dict[str, Ways] = {
    "without words": replace(FULL, lexical=False),
    "without vectors": replace(FULL, vector=False),
    "without neighbours": replace(FULL, neighbour_share=0),
    "without speakers": replace(FULL, speakers=False),
    "without times": replace(FULL, times=False),
    "without standing": replace(FULL, standing=False),
}


def measure() -> Iterator[Row]:
    """Yield what recall reaches, and what it costs."""
    if is_there():
        with tempfile.TemporaryDirectory() as folder:
            yield from _quality(Path(folder))
    else:
        yield "real conversations", "skipped: no data beside the checkout", ""
    sizes = (*SIZES, LARGEST) if os.environ.get(LARGEST_VARIABLE) else SIZES
    for size in sizes:
        yield from _speed(size)


# Quality


def _quality(folder: Path) -> Iterator[Row]:
    for name in (*LOCOMO, JAPANESE, DOCUMENTS):
        fill(folder / name, name)
        recall = open_persona(folder / name)
        rebuilt(recall)
        recall.close()
    yield from _table("default", folder, FULL, RecallSettings(), with_budget=True)
    for label, ways in WITHOUT.items():
        yield from _table(label, folder, ways, RecallSettings())
    yield from _baseline()
    if find_table() is None:
        yield "with the Japanese extra", "skipped: ja-ginza is not installed", ""
        return
    settings = RecallSettings(embedder="japanese-vectors")
    for name in (JAPANESE, DOCUMENTS):
        recall = open_persona(folder / name, settings)
        rebuilt(recall)
        recall.close()
    found = _scored(JAPANESE, folder, FULL, settings)
    yield "Japanese chat, R@10, with the Japanese extra", _figures(found), "≥ 0.60"
    found = _scored(DOCUMENTS, folder, FULL, settings)
    yield "JSQuAD, R@1 / R@10, with the Japanese extra", f"{found.at[1]:.3f} / {found.at[10]:.3f}", ""


def _table(
    label: str, folder: Path, ways: Ways, settings: RecallSettings, *, with_budget: bool = False
) -> Iterator[Row]:
    scores = [_scored(name, folder, ways, settings) for name in LOCOMO]
    value = " / ".join(f"{mean(scores, depth):.3f}" for depth in (5, 10, 20))
    yield f"LoCoMo 1-5, R@5 / R@10 / R@20, {label}", value, "R@10 ≥ 0.81" if with_budget else ""
    if with_budget:
        for name, one in zip(LOCOMO, scores, strict=True):
            yield f"{name}, R@10", _figures(one), ""
    chat = _scored(JAPANESE, folder, ways, settings)
    yield f"Japanese chat, R@10, {label}", _figures(chat), "≥ 0.60" if with_budget else ""
    found = _scored(DOCUMENTS, folder, ways, settings)
    value = f"{found.at[1]:.3f} / {found.at[10]:.3f}"
    yield f"JSQuAD, R@1 / R@10, {label}", value, "≥ 0.90 / ≥ 0.98" if with_budget else ""


def _figures(found: Score) -> str:
    parts = ", ".join(f"{category}: {value:.3f}" for category, value in found.by_category.items())
    return f"{found.at[10]:.3f} ({parts})"


def _scored(name: str, folder: Path, ways: Ways, settings: RecallSettings) -> Score:
    recall = open_persona(folder / name, settings, ways)
    try:
        return score(name, lambda query, k: [ids_of(hit) for hit in recall.search(query, k)])
    finally:
        recall.close()


def _baseline() -> Iterator[Row]:
    """Measure the specification's own design: 300/50 pieces of running text, one dense index, no words."""
    scores = [score(name, _dense(_running_text(name))) for name in LOCOMO]
    yield "LoCoMo 1-5, R@10, 300/50 pieces in one dense index", f"{mean(scores, 10):.3f}", ""
    found = score(JAPANESE, _dense(_running_text(JAPANESE)))
    yield "Japanese chat, R@10, 300/50 pieces in one dense index", _figures(found), ""
    documents = [
        (piece, (one["id"],))
        for one in lines(f"{DOCUMENTS}.documents.jsonl")
        for piece in _splitter().split_text(one["text"])
    ]
    found = score(DOCUMENTS, _dense(documents))
    yield "JSQuAD, R@1 / R@10, 300/50 pieces in one dense index", f"{found.at[1]:.3f} / {found.at[10]:.3f}", ""


def _splitter() -> RecursiveCharacterTextSplitter:
    return RecursiveCharacterTextSplitter(chunk_size=300, chunk_overlap=50, add_start_index=True)


def _running_text(name: str) -> list[tuple[str, tuple[str, ...]]]:
    """Return the pieces of a whole transcript, each with the ids of the messages that it holds part of."""
    text, spans = "", []
    for message in messages(name):
        start = len(text)
        text += f"{message.speaker}: {message.text}\n\n"
        spans.append((start, len(text), message.id))
    found = []
    for piece in _splitter().create_documents([text]):
        low = piece.metadata["start_index"]
        high = low + len(piece.page_content)
        found.append((piece.page_content, tuple(i for start, end, i in spans if start < high and end > low)))
    return found


def _dense(pieces: Sequence[tuple[str, tuple[str, ...]]]) -> Search:
    texts = [text for text, _ in pieces]
    embedder = NgramEmbedder(*count_frequencies(texts))
    vectors = embedder.passages(texts)

    def search(query: str, k: int) -> Sequence[Sequence[str]]:
        order = np.argsort(-(vectors @ embedder.query(query)[0]), kind="stable")[:k]
        return [pieces[place][1] for place in order]

    return search


# Speed


def _speed(size: int) -> Iterator[Row]:
    """Measure in a process of its own, so that its memory is its own."""
    with tempfile.TemporaryDirectory() as folder:
        facts: dict[str, float] = {}
        for part in ("build", "search"):
            command = [sys.executable, "-m", "benchmarks.recall_speed", part, str(size), folder]
            root = Path(__file__).resolve().parents[1]
            done = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True)
            facts |= json.loads(done.stdout.splitlines()[-1])
    budgets = {100_000: ("25 ms", "500 MB", "90 s", "1 s"), 1_000_000: ("100 ms", "", "", "")}
    times, memory, building, adding = (f"≤ {one}" if one else "" for one in budgets.get(size, ("", "", "", "")))
    label = f"{size:,} passages"
    yield f"search, median / p95, {label}", f"{facts['median']:.1f} / {facts['p95']:.1f} ms", times
    used = f"{facts['cpu_median']:.1f} / {facts['cpu_p95']:.1f} ms"
    yield f"search, processor time, median / p95, {label}", used, ""
    yield f"a turn's recall, p95, {label}", f"{facts['turn_p95']:.1f} ms", ""
    yield f"resident memory, {label}", f"{facts['memory']:.0f} MB", memory
    yield f"the same while it searches, {label}", f"{facts['busiest']:.0f} MB", memory
    yield f"building, {label}", f"{facts['build']:.1f} s", building
    made = f"{facts['sentences']:.0f} s, {facts['sentences_cpu']:.0f} s of processor time"
    yield f"sentences' vectors in the background, {label}", made, "≤ 360 s" if size == SIZES[-1] else ""
    yield f"adding 200 messages to {label}", f"{facts['add']:.2f} s", adding
    yield f"top 10 like an exact search's, {label}", f"{facts['exact']:.3f}", "≥ 0.95"
