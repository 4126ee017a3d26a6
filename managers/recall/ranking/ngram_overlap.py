"""Which documents say it in the question's own wording, among those that hold its words.

Japanese only: 「1989年の革命」 and 「革命、1989年から」 hold the same words, and a passage that shares runs of
characters with the question, endings and particles included, is the one it was asked about more often. Messages are
left alone: people ask in other words than they once said it in.
"""

import unicodedata
from collections.abc import Sequence

import numpy as np

from managers.recall.hits import ALL_TYPES
from managers.recall.index.memory_index import MemoryIndex
from managers.recall.index.terms import is_japanese
from managers.recall.ranking.candidates import Candidates, best_first, passages_of, scaled

RUN = 3
"""Characters in a run."""
WORTH = 0.25
"""What a passage loses that shares no run with the question, of its score."""
LOOKED_AT = 60
"""How many documents' passages are read for it; the others are taken to share none."""


def weigh_overlap(text: str, candidates: Candidates, indexes: Sequence[MemoryIndex]) -> Candidates:
    """Return the candidates with those of documents weighed by the runs that they share with a question, best first."""
    documents = np.flatnonzero(candidates["kind"] == ALL_TYPES.index("knowledge"))
    if not len(documents) or not is_japanese(text):
        return candidates
    plain = _plain(text)
    runs = {plain[at : at + RUN] for at in range(len(plain) - RUN + 1)}
    read = passages_of(candidates[documents[:LOOKED_AT]], indexes)
    shared = np.zeros(len(documents))
    shared[: len(read)] = [_count(runs, passage.text) if passage else 0 for passage in read]
    factors = np.ones(len(candidates))
    factors[documents] = 1 - WORTH + WORTH * shared / max(shared.max(), 1)
    return best_first(scaled(candidates, factors))


def _count(runs: set[str], text: str) -> int:
    plain = _plain(text)
    return sum(run in plain for run in runs)


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).lower()
