"""What turns a text into a vector, and the seam by which one way is exchanged for another."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]
"""Unit vectors, one a row."""

VECTOR_SHARE = 0.25
"""What a passage's vector is worth beside its words, if it tells spelling more than meaning."""


class Embedder(Protocol):
    """Turns texts into unit vectors whose inner product says how close they are in meaning."""

    @property
    def name(self) -> str:
        """Identifies vectors that fit together: model, dimensions and all that changes them."""

    @property
    def factor(self) -> float:
        """By what a distance is multiplied so that one threshold is equally strict for all embedders."""

    @property
    def is_remote(self) -> bool:
        """Texts leave the machine, in batches at the provider's pace."""

    @property
    def is_slow(self) -> bool:
        """Vectors are made in the background, after words can be found already."""

    @property
    def is_ready(self) -> bool:
        """Whether a question can be embedded at once."""

    def load(self) -> None:
        """Get ready: takes seconds where it is slow, so it is done off the user's path.

        Raises:
            EmbeddingError: it cannot be loaded.
        """

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Embed what is to be found.

        Raises:
            EmbeddingError: it could not; nothing is to be taken for done.
        """

    def query(self, text: str) -> Vectors:
        """Embed a question: one row.

        Raises:
            EmbeddingError: it could not.
        """
