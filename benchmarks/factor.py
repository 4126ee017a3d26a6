"""By what an embedder's distances are multiplied so that a threshold is as strict as for the others.

    make bench ARGS=factor                                          the built-in one
    UTATANE_BENCH_MODEL=DIR make bench ARGS=factor                  and a sentence model in a folder

Three conversations are asked 360 questions about the other ones, to which they hold no answer. The factor is the one
at which the nearest passage of 97 in 100 lies no nearer than 0.75.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from benchmarks._recall_data import LOCOMO, is_there, lines, messages
from managers.recall.embedders import Embedder
from managers.recall.embedders.folder_model import FolderEmbedder
from managers.recall.embedders.ngrams import NgramEmbedder, count_frequencies
from managers.recall.embedders.offered import Folder

Row = tuple[str, str, str]

VARIABLE = "UTATANE_BENCH_MODEL"
THRESHOLD = 0.75
REFUSED = 97
QUESTIONS = 60


def measure() -> Iterator[Row]:
    """Yield the factors."""
    if not is_there():
        yield "factor", "skipped: no data beside the checkout", ""
        return
    yield from _measured("built in", lambda texts: NgramEmbedder(*count_frequencies(texts)))
    if folder := os.environ.get(VARIABLE):
        model = FolderEmbedder(Folder(Path(folder), Path(folder).name))
        model.load()
        yield from _measured(Path(folder).name, lambda _: model)


def _measured(label: str, made: Callable[[Sequence[str]], Embedder]) -> Iterator[Row]:
    names = LOCOMO[:3]
    foreign: list[float] = []
    for name in names:
        texts = [message.text for message in messages(name)]
        embedder = made(texts)
        vectors = embedder.passages(texts)
        for other in (one for one in names if one != name):
            asked = [one["query"] for one in lines(f"{other}.queries.jsonl")][:QUESTIONS]
            foreign += [float((vectors @ embedder.query(query)[0]).max()) for query in asked]
    nearest = float(np.percentile(foreign, REFUSED))
    yield f"cosine that {REFUSED} in 100 foreign questions do not pass, {label}", f"{nearest:.3f}", ""
    yield f"factor, {label}", f"{THRESHOLD / max(2 - 2 * nearest, 1e-6):.2f}", ""
