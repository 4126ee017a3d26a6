"""The vectors of an index: what FAISS says is what the numbers say, however many there are."""

import itertools
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import faiss
import numpy as np
import numpy.typing as npt
import pytest

from managers.recall.index import coarse_quantization, vectors
from managers.recall.index.coarse_quantization import Refined
from managers.recall.index.scalar_quantization import encode
from managers.recall.index.sparse_rows import SparseRows, kept_alone
from managers.recall.index.store import Store
from managers.recall.index.vectors import VectorIndex, vectors_together
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


@pytest.mark.parametrize("many", one_quick([True, False]))
def test_what_a_dream_writes_anew_leaves_the_snapshot_as_it_is(
    index: VectorIndex, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, many: bool
) -> None:
    if many:
        monkeypatch.setattr(vectors, "COARSE_FROM", 1000)
    held = dense(1600)
    connection = store.connection()
    connection.execute("INSERT INTO files VALUES (1, 'entity_memory/Momo.md', 'entity_memory', '', 0, '', '')")

    def write_anew(first: int, codes: Floats) -> None:
        connection.execute("DELETE FROM vectors WHERE chunk IN (SELECT id FROM chunks)")
        connection.execute("DELETE FROM chunks")
        numbers = range(first, first + len(codes))
        connection.executemany(
            "INSERT INTO chunks (id, file, unit, digest, type, speaker, heading, text) "
            "VALUES (?, 1, '', '', 'entity_memory', '', '', '')",
            [(number,) for number in numbers],
        )
        rows = list(zip(numbers, kept_alone(encode(codes)), strict=True))
        connection.executemany("INSERT INTO vectors (chunk, code) VALUES (?, ?)", rows)
        index.follow(store, "0")

    put(store, held[:1500])
    write_anew(1500, held[1500:])
    index.save(store, "0")
    assert isinstance(index._codes, Refined) == many
    before = (tmp_path / "vectors.faiss").read_bytes()
    write_anew(1600, held[1400:1500])
    assert not index.compact(store, "0", alive(store))
    again = VectorIndex(tmp_path / "vectors.faiss")
    again.follow(store, "0")
    assert len(again) == 1600
    for one in (index, again):
        assert set(one.search(held[1450][None], 2)[0].tolist()) == {1450, 1650}
    write_anew(1700, held[1400:1500])
    assert index.compact(store, "0", alive(store))  # what is dead in memory is much by now
    assert len(index) == 1600
    assert (tmp_path / "vectors.faiss").read_bytes() == before


def test_of_vectors_that_are_all_written_anew_no_snapshot_is_kept(
    index: VectorIndex, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = dense(50)
    write(index, store, held)
    monkeypatch.setattr(Store, "written_anew", lambda _: np.arange(50))
    index.save(store, "0")
    assert not (tmp_path / "vectors.faiss").exists()
    assert not index.compact(store, "0", alive(store)), "there is nothing to do"
    assert index.search(held[7][None], 1)[0].tolist() == [7]


NO_NOTES = (b"[]", b"{", b"null", b'{"epoch": "0", "holds": "lasting"}', "without its width, as before", None)


def test_a_snapshot_without_a_note_that_says_what_it_is_is_not_used_and_does_not_outlast_a_tidying(
    index: VectorIndex, store: Store, tmp_path: Path
) -> None:
    held, path = dense(50), tmp_path / "vectors.json"
    put(store, held)
    for note in NO_NOTES:
        index.clear()
        index.follow(store, "0")
        index.save(store, "0")
        if isinstance(note, str):
            written = json.loads(path.read_bytes())
            del written["width"]
            path.write_text(json.dumps(written), "utf-8")
        elif note is None:  # killed between the two
            path.unlink()
        else:
            path.write_bytes(note)
        again = VectorIndex(tmp_path / "vectors.faiss")
        again.follow(store, "0")
        assert (len(again), again.search(held[7][None], 1)[0].tolist()) == (50, [7]), note
    store.connection().execute("DELETE FROM vectors WHERE chunk = 7")
    assert encode(held)[7].tobytes() in (tmp_path / "vectors.faiss").read_bytes()
    assert again.compact(store, "0", alive(store))
    assert encode(held)[7].tobytes() not in (tmp_path / "vectors.faiss").read_bytes()


def test_what_was_begun_anew_meanwhile_is_not_saved_by_the_old_places(
    index: VectorIndex, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(store, dense(50))
    index.follow(store, "0")
    really = vectors._lasting

    def and_meanwhile(*given: object) -> npt.NDArray[np.int64]:
        found = really(*given)  # type: ignore[arg-type]
        index.clear()
        index.follow(store, "1")
        return found

    monkeypatch.setattr(vectors, "_lasting", and_meanwhile)
    index.save(store, "0")
    assert not (tmp_path / "vectors.faiss").exists()


@pytest.mark.usefixtures("few_are_many")
def test_coarse_codes_that_find_too_little_are_not_used(
    index: VectorIndex, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(coarse_quantization, "COMPARED", 3)
    held = dense(2000)
    write(index, store, held)
    assert not isinstance(index._codes, Refined)
    assert found_share(index, held, dense(20, seed=3)) == 1


@pytest.mark.usefixtures("few_are_many")
def test_a_damaged_snapshot_is_not_read(index: VectorIndex, store: Store, tmp_path: Path) -> None:
    held = dense(1500)
    write(index, store, held)
    path = tmp_path / "vectors.faiss"
    data = bytearray(path.read_bytes())
    data[-5] ^= 1
    path.unlink()
    path.write_bytes(bytes(data))
    again = VectorIndex(path)
    again.follow(store, "0")
    assert not isinstance(again._codes, Refined)
    assert np.array_equal(again.vectors_of(np.arange(1500)), index.vectors_of(np.arange(1500)))


@pytest.mark.usefixtures("few_are_many")
def test_very_many_new_ones_are_written_without_being_held(store: Store, tmp_path: Path) -> None:
    put(store, dense(1500))
    at_once, began = VectorIndex(tmp_path / "at_once.faiss"), VectorIndex(tmp_path / "began.faiss")
    epoch = store.marks()[0]
    at_once.follow(store, epoch)
    at_once.save(store, epoch)
    assert began.begin(store, epoch)
    assert len(began) == 0
    assert (tmp_path / "began.faiss").read_bytes() == (tmp_path / "at_once.faiss").read_bytes()
    assert not VectorIndex(tmp_path / "began.faiss").begin(store, epoch)  # nothing is new
    put(store, dense(900, seed=2))
    assert not began.begin(store, epoch)  # they are few
    put(store, dense(200, seed=3))
    assert began.begin(store, epoch)
    began.follow(store, epoch)
    assert len(began) == 2600


@pytest.mark.parametrize("count", [100, 1500])
@pytest.mark.usefixtures("few_are_many")
def test_a_search_keeps_to_the_thread_that_asks(store: Store, index: VectorIndex, count: int) -> None:
    held = dense(count)
    put(store, held)
    index.follow(store, "e")
    index.save(store, "e")

    def search_and_count() -> int:
        faiss.omp_set_num_threads(2)  # what another library, or a machine of two processors, leaves to a new thread
        index.search(held[:1], 10)
        return int(faiss.omp_get_max_threads())

    with ThreadPoolExecutor(1) as another:
        assert another.submit(search_and_count).result() == 1


def test_vectors_that_are_made_anew_meanwhile_leave_a_search_whole(
    index: VectorIndex, store: Store, tmp_path: Path
) -> None:
    held, other = dense(20), VectorIndex(tmp_path / "other.faiss")
    put(store, held)
    numbers = np.arange(20)
    wide = np.ones((1, 2 * WIDTH), np.float32)

    def parts() -> Iterator[tuple[npt.NDArray[np.int64], VectorIndex, npt.NDArray[np.int64]]]:
        yield numbers, other, numbers  # it has none yet
        index.follow(store, "0")
        yield numbers + 20, index, numbers

    assert vectors_together(40, iter(())).shape == (40, 1)
    together = vectors_together(40, parts())
    assert together.shape == (40, WIDTH)
    assert not together[:20].any()
    assert np.array_equal(together[20:], index.vectors_of(numbers))
    assert (together[20:] * held).sum(axis=1).min() > 0.95
    assert index.search(wide, 5)[0].tolist() == []
    assert not index.products(numbers, wide).any()
