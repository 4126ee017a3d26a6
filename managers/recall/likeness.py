"""How alike one text is to others in meaning, on the scale on which all embedders are equally strict."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from managers.recall.embedders import Embedder, Vectors
from managers.recall.embedders.embedder_choice import EmbedderChoice
from managers.recall.embedders.ngrams import NgramEmbedder

_SPELLING = NgramEmbedder()

Row = npt.NDArray[np.float32]


class Likeness:
    """Compares texts by the persona's embedder; the vectors of what was compared last are kept."""

    def __init__(self, choice: EmbedderChoice) -> None:
        self._choice = choice
        self._name = ""
        self._rows: dict[str, Row] = {}
        self._all: tuple[tuple[str, ...], Vectors] = ((), np.zeros((0, 1), np.float32))

    def of(self, text: str, others: Sequence[str]) -> Row:
        """Return how alike each of some texts is to one: 1 is the same, 0 has nothing to do with it.

        With squared distances d = 2 - 2 cos and the embedder's measured factor f it is 1 - f d / 2. Where vectors take
        long, or are made elsewhere, spelling alone tells: this is asked in every turn.
        """
        embedder = self._embedder()
        cosines: Row = self._vectors(embedder, tuple(others)) @ embedder.query(text)[0]
        return 1 - np.float32(embedder.factor) * (1 - cosines)

    def vector(self, text: str) -> tuple[str, Row]:
        """Return what embeds a text here, and its vector."""
        embedder = self._embedder()
        return embedder.name, embedder.passages([text])[0]

    def _vectors(self, embedder: Embedder, texts: tuple[str, ...]) -> Vectors:
        if embedder.name != self._name:
            self._name, self._rows, self._all = embedder.name, {}, ((), self._all[1])
        if texts != self._all[0]:
            fresh = [text for text in dict.fromkeys(texts) if text not in self._rows]
            made = {**self._rows, **dict(zip(fresh, embedder.passages(fresh), strict=True))}
            self._rows = {text: made[text] for text in texts}
            self._all = (texts, np.stack(list(map(made.__getitem__, texts))))
        return self._all[1]

    def _embedder(self) -> Embedder:
        found = self._choice.embedder
        return _SPELLING if found is None or found.is_slow or found.is_remote or not found.is_ready else found
