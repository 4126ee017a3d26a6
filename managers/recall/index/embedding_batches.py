"""Making vectors batch by batch: a text that cannot be embedded holds up no other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from uuid import uuid4

import numpy as np

from managers.recall.embedders import Embedder, Vectors
from managers.recall.errors import EmbeddingError

TRY_AGAIN_SECONDS = 24 * 3600.0
"""So long a text that failed by itself is left alone, unless it changes: another version or a server's whim may help."""

Batch = Sequence[tuple[int, str]]
"""Passages by number, with what is embedded of each."""


def embedded(embedder: Embedder, batch: Batch) -> Iterator[tuple[Batch, Vectors | None]]:
    """Yield a batch with its vectors; one that fails in parts, down to the texts that fail by themselves (None).

    Raises:
        EmbeddingError: nothing can be embedded at the moment; what was not yielded stays as it is.
    """
    try:
        vectors = _made(embedder, batch)
    except EmbeddingError as error:
        if error.facts.get("stops"):
            raise
    else:
        yield batch, vectors
        return
    # Is it a text's fault? Something harmless that no cache knows is embedded: as a question, so that no file keeps it.
    embedder.query(uuid4().hex)
    if len(batch) == 1:
        yield batch, None
        return
    half = len(batch) // 2
    for part in (batch[:half], batch[half:]):
        yield from embedded(embedder, part)


def _made(embedder: Embedder, batch: Batch) -> Vectors:
    vectors = embedder.passages([text for _, text in batch])
    if len(vectors) != len(batch):
        raise EmbeddingError(cause=f"{len(vectors)} vectors for {len(batch)} texts")
    if not np.isfinite(vectors).all():
        raise EmbeddingError(cause="a vector that is no number")
    return vectors
