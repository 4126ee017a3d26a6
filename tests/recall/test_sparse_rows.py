"""Vectors of which most numbers are nought come back as they were, and give the same products, in less room."""

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.words import sentence
from managers.recall.embedders.ngrams import NgramEmbedder
from managers.recall.index.scalar_quantization import encode
from managers.recall.index.sparse_rows import SparseRows, grouped, is_worth, kept_alone, taken_together


@given(
    width=st.integers(1, 1100),
    share=st.sampled_from((0, 0.001, 0.06, 0.5, 1)),
    chosen=st.lists(st.integers(0, 8), max_size=20),
    seed=st.integers(0, 9),
)
def test_rows_come_back_and_give_the_same_products(width: int, share: float, chosen: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    codes = (rng.integers(-127, 128, (9, width)) * (rng.random((9, width)) < share)).astype(np.int8)
    query = rng.integers(-127, 128, (1, width)).astype(np.float32)
    rows, places = SparseRows(width, *grouped(codes)), np.array(chosen, np.int64)
    assert np.array_equal(rows.rows(places), codes[places])
    assert np.allclose(rows.products(places, query), codes[places].astype(np.float64) @ query[0], atol=0.5)
    assert np.array_equal(taken_together(kept_alone(codes)), codes)


def test_what_the_built_in_embedder_makes_takes_a_fifth_of_the_room_and_dense_rows_stay_as_they_are() -> None:
    rng = Random(1)
    codes = encode(NgramEmbedder().passages([sentence(rng) for _ in range(500)]))
    assert is_worth(codes)
    assert grouped(codes)[0].nbytes < codes.nbytes / 4
    assert sum(map(len, kept_alone(codes))) < codes.nbytes / 4
    dense = np.full((3, 100), 7, np.int8)
    assert not is_worth(dense)
    assert {len(row) for row in kept_alone(dense)} == {102}


def test_a_damaged_row_is_an_error_and_no_wrong_number() -> None:
    row = kept_alone(np.eye(1, 1024, dtype=np.int8))[0]
    with pytest.raises((IndexError, ValueError)):
        taken_together([row[:2] + b"\xff\xff\x01"])
