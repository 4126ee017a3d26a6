"""A question as it is compared with passages: by spelling and words, and by what its sentences mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from managers.recall.embedders import Vectors
from managers.recall.index.memory_index import MemoryIndex
from managers.recall.index.scalar_quantization import Ids, Scores

SENTENCE_SHARE: Final = 0.7
"""How much of a cosine the sentences' is."""
_STRICTNESS: Final = 1.07
"""By so much farther are passages with it, for thresholds to be as strict as without: as measured (see `benchmarks.factor`)."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question's vectors, a row each.

    Attributes:
        vector: as the embedder made it.
        sentence: so long that its products are cosines once `common` is taken away; None: sentences are not compared.
        common: what products have in common.
    """

    vector: Vectors
    sentence: Vectors | None = None
    common: float = 0.0

    def meaning(self, sentence: Vectors, indexes: Sequence[MemoryIndex]) -> Asked:
        """Return the question with its sentence's vector, beside what all that is remembered has in common.

        That is taken from the question alone: what is stored stays as it is when more comes.
        """
        counts = [len(index.sentences) for index in indexes]
        means = [count * index.sentences.mean() for count, index in zip(counts, indexes, strict=True) if count]
        if not means:
            return self
        mean = sum(means) / sum(counts)
        asked = sentence - mean
        asked /= np.linalg.norm(asked) * np.sqrt(1 - np.vecdot(mean, mean))
        return replace(self, sentence=asked, common=float(np.vecdot(mean, asked)[0]))

    def nearest(self, index: MemoryIndex, count: int) -> tuple[Ids, Scores]:
        """Return the nearest passages of an index and their cosines, nearest first."""
        found, cosines = index.vectors.search(self.vector, count)
        if self.sentence is None:
            return found, cosines
        found = np.union1d(found, index.sentences.search(self.sentence, count)[0])
        cosines = self.cosines(index, found)
        best = np.argsort(-cosines, kind="stable")[:count]
        return found[best], cosines[best]

    @property
    def strictness(self) -> float:
        """By what distances are multiplied beside the embedder's factor."""
        return 1.0 if self.sentence is None else _STRICTNESS

    def cosines(self, index: MemoryIndex, passages: Ids) -> Scores:
        """Return how near some passages are; one whose sentence's vector is not made yet is so by its spelling alone."""
        own = index.vectors.products(passages, self.vector)
        if self.sentence is None:
            return own
        meant = index.sentences.products(passages, self.sentence)
        meant -= np.float32(self.common) * (meant != 0)
        cosines: Scores = (1 - np.float32(SENTENCE_SHARE)) * own + np.float32(SENTENCE_SHARE) * meant
        return cosines
