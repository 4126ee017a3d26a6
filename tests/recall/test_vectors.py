"""The vectors of an index: what FAISS says is what the numbers say, however many there are."""

import itertools
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import faiss
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from managers.recall.index import coarse_quantization, vectors
from managers.recall.index.coarse_quantization import Refined
from managers.recall.index.scalar_quantization import encode
from managers.recall.index.sparse_rows import SparseRows, grouped, is_worth, kept_alone, taken_together
from managers.recall.index.store import Store
from managers.recall.index.vectors import VectorIndex
from tests.speeds import one_quick

Floats = npt.NDArray[np.float32]

WIDTH = 64


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store(tmp_path / "index.sqlite")
    yield store
    store.close()


@pytest.fixture
def index(tmp_path: Path) -> VectorIndex:
    return VectorIndex(tmp_path / "vectors.faiss")


def put(store: Store, held: Floats) -> None:
    """Store vectors as passages 0, 1, 2 ..., or behind those that are there."""
    first = store.connection().execute("SELECT coalesce(max(chunk) + 1, 0) FROM vectors").fetchone()[0]
    rows = list(enumerate(kept_alone(encode(held)), first))
    store.connection().executemany("INSERT INTO vectors (chunk, code) VALUES (?, ?)", rows)


def write(index: VectorIndex, store: Store, held: Floats) -> None:
    """Store vectors, and write them to a snapshot."""
    put(store, held)
    index.follow(store, "0")
    index.save(store, "0")


@pytest.fixture
def few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let coarse codes begin at a thousand vectors, and little be compared exactly."""
    monkeypatch.setattr(vectors, "COARSE_FROM", 1000)
    monkeypatch.setattr(coarse_quantization, "COMPARED", 200)


def alive(store: Store) -> npt.NDArray[np.bool_]:
    """Return which passages there are: here, those that have vectors."""
    found = np.zeros(10_000, np.bool_)
    found[[number for (number,) in store.connection().execute("SELECT chunk FROM vectors")]] = True
    return found


def unit(numbers: npt.NDArray[np.float64]) -> Floats:
    found: Floats = (numbers / np.linalg.norm(numbers, axis=1, keepdims=True)).astype(np.float32)
    return found


def dense(count: int, seed: int = 1) -> Floats:
    """Return vectors that gather around forty topics, as those of texts do."""
    rng = np.random.default_rng(seed)
    topics = np.random.default_rng(0).normal(size=(40, WIDTH))
    return unit(topics[rng.integers(40, size=count)] + rng.normal(size=(count, WIDTH)))


def found_share(index: VectorIndex, held: Floats, queries: Floats) -> float:
    """Return which share of the ten nearest of all is found."""
    shares = []
    for query in queries:
        exact = held @ query
        least = np.sort(exact)[-10] - 0.01  # bytes are off by a little
        numbers, _ = index.search(query[None], 10)
        shares.append(float((exact[numbers] >= least).mean()))
    return float(np.mean(shares))


def test_products_are_exact_enough(tmp_path: Path) -> None:
    for dimensions, filled in itertools.product((384, 768, 1024), (1, 9, 300)):
        rng = np.random.default_rng(filled)
        store = Store(tmp_path / f"{dimensions}-{filled}.sqlite")
        index = VectorIndex(tmp_path / f"{dimensions}-{filled}.faiss")
        held = unit(rng.normal(size=(60, dimensions)))
        put(store, held)
        index.follow(store, "0")
        # A short question has few parts that are not zero, and large ones.
        query = np.zeros((1, dimensions), np.float32)
        query[0, rng.choice(dimensions, filled, replace=False)] = rng.normal(size=filled)
        query /= np.linalg.norm(query)
        numbers, products = index.search(query, 60)
        for exact in (held[numbers] @ query[0], index.vectors_of(numbers) @ query[0], index.products(numbers, query)):
            assert np.abs(products - exact).max() < 0.006, (dimensions, filled)
        store.close()


@pytest.mark.usefixtures("few_are_many")
@pytest.mark.parametrize("every", one_quick([8, 1]))
def test_of_very_many_the_nearest_are_found(index: VectorIndex, store: Store, tmp_path: Path, every: int) -> None:
    def topical(count: int, seed: int = 1) -> Floats:
        """Return vectors of which all numbers are nought but those at every so manieth place."""
        found = np.zeros((count, every * WIDTH), np.float32)
        found[:, ::every] = dense(count, seed)
        return found

    held, later = topical(3000), topical(500, seed=2)
    write(index, store, held)
    assert isinstance(index._codes, Refined)
    assert isinstance(index._codes._held, SparseRows) == (every > 1)
    assert found_share(index, held, topical(20, seed=3)) > 0.95
    put(store, later)
    index.follow(store, "0")
    everything = np.concatenate([held, later])
    assert found_share(index, everything, topical(20, seed=4)) > 0.95
    assert index.search(later[7][None], 1)[0].tolist() == [3007]
    again = VectorIndex(tmp_path / "vectors.faiss")
    again.follow(store, "0")
    assert isinstance(again._codes, Refined)
    assert np.array_equal(again.vectors_of(np.arange(3500)), index.vectors_of(np.arange(3500)))
    assert found_share(again, everything, topical(20, seed=4)) > 0.95


@pytest.mark.usefixtures("few_are_many")
def test_of_very_many_what_is_gone_leaves_the_snapshot(index: VectorIndex, store: Store, tmp_path: Path) -> None:
    held = dense(2500)
    write(index, store, held)
    gone = [3, 700, 701, 2498]
    secret = encode(held)[700].tobytes()
    assert secret in (tmp_path / "vectors.faiss").read_bytes()
    store.connection().executemany("DELETE FROM vectors WHERE chunk = ?", [(number,) for number in gone])
    put(store, dense(1, seed=9))
    assert index.compact(store, "0", alive(store))
    assert secret not in (tmp_path / "vectors.faiss").read_bytes()
    assert isinstance(index._codes, Refined)
    assert len(index) == 2500 - len(gone) + 1
    assert not set(index.search(held[700][None], 200)[0].tolist()) & set(gone)
    assert index.search(held[1500][None], 1)[0].tolist() == [1500]
    assert (index._places(np.array([3, 4, 2498, 2500])) < 0).tolist() == [True, False, True, False]
    assert not index.compact(store, "0", alive(store))


@pytest.mark.parametrize("count", [100, 1500])
@pytest.mark.usefixtures("few_are_many")
def test_a_search_keeps_to_the_thread_that_asks(store: Store, index: VectorIndex, count: int) -> None:
    held = dense(count)
    write(index, store, held)

    def search_and_count() -> int:
        faiss.omp_set_num_threads(2)  # what another library, or a machine of two processors, leaves to a new thread
        index.search(held[:1], 10)
        return int(faiss.omp_get_max_threads())

    with ThreadPoolExecutor(1) as another:
        assert another.submit(search_and_count).result() == 1


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
    assert is_worth(codes) or share > 0.05 or width < 200, "what is nearly empty takes less room so"
    row = kept_alone(np.eye(1, 1024, dtype=np.int8))[0]
    with pytest.raises((IndexError, ValueError)):
        taken_together([row[:2] + b"\xff\xff\x01"])
