"""Which documents say it in the question's own wording, among those that hold its words.

Japanese only: 「1989年の革命」 and 「革命、1989年から」 hold the same words, and a passage that shares runs of
characters with the question, endings and particles included, is the one it was asked about more often. Messages are
left alone: people ask in other words than they once said it in.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from managers.recall.fusion import Candidate
from managers.recall.index import MemoryIndex
from managers.recall.terms import is_japanese

RUN = 3
"""Characters in a run."""
WORTH = 0.25
"""What a passage loses that shares no run with the question, of its score."""
LOOKED_AT = 60
"""How many documents' passages are read for it; the others are taken to share none."""


def weigh_wording(text: str, candidates: Sequence[Candidate], indexes: Sequence[MemoryIndex]) -> list[Candidate]:
    """Return the candidates with those of documents weighed by the runs that they share with a question, best first.

    Args:
        text: the question.
        candidates: of all kinds, best first.
        indexes: where they are.
    """
    ranked = list(candidates)
    documents = [at for at, one in enumerate(ranked) if one.kind == "knowledge"]
    if not documents or not is_japanese(text):
        return ranked
    plain = _plain(text)
    runs = {plain[at : at + RUN] for at in range(len(plain) - RUN + 1)}
    shared = [_count(runs, passage) for passage in _texts([ranked[at] for at in documents[:LOOKED_AT]], indexes)]
    most = max(*shared, 1)
    for place, at in enumerate(documents):
        share = shared[place] / most if place < len(shared) else 0.0
        ranked[at] = ranked[at].scaled(1 - WORTH + WORTH * share)
    return sorted(ranked, key=lambda one: (-one.score, one.index, one.number))


def _texts(candidates: Sequence[Candidate], indexes: Sequence[MemoryIndex]) -> list[str]:
    """Return the passages' texts; one that is gone by now is empty."""
    held = {
        place: index.passages([one.number for one in candidates if one.index == place])
        for place, index in enumerate(indexes)
    }
    found = (held[one.index].get(one.number) for one in candidates)
    return [passage.text if passage else "" for passage in found]


def _count(runs: set[str], text: str) -> int:
    plain = _plain(text)
    return sum(run in plain for run in runs)


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).lower()
