"""By what an embedder's distances are multiplied so that a threshold is as strict as for the others.

    make bench ARGS=factor                                          the built-in one, by itself and with sentences
    UTATANE_BENCH_MODEL=DIR make bench ARGS=factor                  and a sentence model in a folder

Three conversations are asked 360 questions about the other ones, to which they hold no answer. The factor is the one
at which the nearest passage of 97 in 100 lies no nearer than 0.75.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks._recall_data import LOCOMO, fill, is_there, lines, messages, open_persona, rebuilt
from managers.recall.embedders import Embedder
from managers.recall.embedders.folder_model import FolderEmbedder
from managers.recall.embedders.ngrams import NgramEmbedder, count_frequencies
from managers.recall.embedders.offered import Folder
from managers.recall.embedders.sentence_encoder import find_package
from managers.recall.ranking.asked import Asked
from managers.recall.ranking.fusion import POOL

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
    if find_package():
        with TemporaryDirectory() as home:
            yield from _with_sentences(Path(home))
    if folder := os.environ.get(VARIABLE):
        model = FolderEmbedder(Folder(Path(folder), Path(folder).name))
        model.load()
        yield from _measured(Path(folder).name, lambda _: model)


def _measured(label: str, made: Callable[[Sequence[str]], Embedder]) -> Iterator[Row]:
    def near(name: str, asked: Sequence[str]) -> list[float]:
        texts = [message.text for message in messages(name)]
        embedder = made(texts)
        vectors = embedder.passages(texts)
        return [float((vectors @ embedder.query(query)[0]).max()) for query in asked]

    yield from _of_foreign(label, near)


def _with_sentences(folder: Path) -> Iterator[Row]:
    """Measure the built-in one where whole sentences are compared, too: `Asked.strictness` is the two factors' ratio."""

    def near(name: str, asked: Sequence[str]) -> list[float]:
        fill(folder / name, name)
        with closing(rebuilt(open_persona(folder / name))) as recall:
            index, choice = recall.indexes["static"], recall._choice  # noqa: SLF001  # what a search goes by
            index.refresh()
            assert choice.embedder is not None
            assert choice.sentences is not None
            return [
                float(question.nearest(index, POOL)[1].max())
                for query in asked
                for question in [Asked(choice.embedder.query(query)).meaning(choice.sentences.query(query), [index])]
            ]

    yield from _of_foreign("built in, with sentences", near)


def _of_foreign(label: str, near: Callable[[str, Sequence[str]], list[float]]) -> Iterator[Row]:
    names, foreign = LOCOMO[:3], list[float]()
    for name in names:
        others = [[one["query"] for one in lines(f"{one}.queries.jsonl")] for one in names if one != name]
        foreign += near(name, [query for asked in others for query in asked[:QUESTIONS]])
    nearest = float(np.percentile(foreign, REFUSED))
    yield f"cosine that {REFUSED} in 100 foreign questions do not pass, {label}", f"{nearest:.3f}", ""
    yield f"factor, {label}", f"{THRESHOLD / max(2 - 2 * nearest, 1e-6):.3f}", ""
