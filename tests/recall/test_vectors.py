"""The vectors of an index: what FAISS says is what the numbers say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from managers.recall.codes import encode
from managers.recall.store import Store
from managers.recall.vectors import VectorIndex


@pytest.mark.parametrize("dimensions", [384, 768, 1024])
@pytest.mark.parametrize("filled", [1, 9, 300])
def test_products_are_exact_enough(tmp_path: Path, dimensions: int, filled: int) -> None:
    rng = np.random.default_rng(filled)
    held = rng.normal(size=(60, dimensions)).astype(np.float32)
    held /= np.linalg.norm(held, axis=1, keepdims=True)
    store = Store(tmp_path / "index.sqlite")
    rows = [(number, codes.tobytes()) for number, codes in enumerate(encode(held))]
    store.connection().executemany("INSERT INTO vectors (chunk, code) VALUES (?, ?)", rows)
    index = VectorIndex(tmp_path / "vectors.faiss")
    index.follow(store, "0")
    # A short question has few parts that are not zero, and large ones.
    query = np.zeros((1, dimensions), np.float32)
    query[0, rng.choice(dimensions, filled, replace=False)] = rng.normal(size=filled)
    query /= np.linalg.norm(query)
    numbers, products = index.search(query, 60)
    assert np.abs(products - held[numbers] @ query[0]).max() < 0.006
    assert np.abs(products - index.vectors_of(numbers) @ query[0]).max() < 0.006
    store.close()
