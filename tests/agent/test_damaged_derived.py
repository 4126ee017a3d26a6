"""Derived files are damaged, everywhere and in every way: nothing stops, it is said, and they are made anew."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from random import Random

import numpy as np
import pytest

from agent.memories import Memories
from managers.recall.embedders import Vectors
from managers.recall.embedders.cached import CachedEmbedder
from managers.recall.hits import Hit
from managers.recall.index.view import View
from managers.storage.errors import DerivedDamagedError
from managers.storage.paths import PersonaPaths
from tests.damaging import Damage, damages
from tests.recall.looking import assert_sound, contents
from tests.small_life import NAME, make_life, open_life

INDEX = "rag_index/faiss_index_static/index.sqlite"


@pytest.fixture(scope="module")
def life(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("life") / "home"
    make_life(home)
    return home


@pytest.fixture
def copy(life: Path, tmp_path: Path) -> Iterator[Callable[[], Path]]:
    """Copies of the life, one after the other; the one before is gone."""
    place = tmp_path / "copy"

    def fresh() -> Path:
        shutil.rmtree(place, ignore_errors=True)
        return Path(shutil.copytree(life, place))

    yield fresh
    shutil.rmtree(place, ignore_errors=True)


def folder_of(home: Path) -> PersonaPaths:
    return PersonaPaths(home / "characters" / NAME)


def codes(memories: Memories) -> set[str]:
    return {notice.code for notice in memories.gather_notices()}


def found(memories: Memories) -> list[str]:
    return [hit.text for hit in memories.recall.search("tomatoes and Zebulon")]


def live_with(home: Path, expected: set[tuple[str, str, str, str]], answer: list[str]) -> None:
    """Do what a turn, a window and a night do with derived data, and see that all of it is whole afterwards."""
    with closing(open_life(home)) as memories:
        memories.recall.for_turn("What of the harbour?", window=[])
        memories.recall.search("the sourdough")
        memories.recall.recall_memories("the knight")
        memories.recall.search_knowledge_base("bridges")
        memories.gather_notices()
        for drawn in (memories.map.look, memories.network.look):
            with suppress(DerivedDamagedError):  # the index is what is damaged
                drawn()
        assert memories.log.count() == 120
        memories.log.days()
        memories.history.notice_outside()
        memories.recall.catch_up()
        assert_sound(memories.recall)
        assert contents(memories.recall) == expected
        assert found(memories) == answer
        memories.map.redraw()
        assert memories.map.look() is not None
        memories.network.look()
        memories.recall.tidy()
        assert "index-broken" not in codes(memories)


def whole(home: Path) -> tuple[set[tuple[str, str, str, str]], list[str]]:
    with closing(open_life(home)) as memories:
        return contents(memories.recall), found(memories)


@pytest.mark.slow
def test_wherever_a_derived_file_is_damaged_everything_goes_on(life: Path, copy: Callable[[], Path]) -> None:
    expected, answer = whole(copy())
    for damage in damages(folder_of(life), Random(17), each=2):
        home = copy()
        harm(home, damage)
        try:
            live_with(home, expected, answer)
        except Exception as error:
            error.add_note(str(damage))
            raise


def harm(home: Path, damage: Damage) -> None:
    path = folder_of(home).folder / damage.name
    path.write_bytes(damage.done_to(path.read_bytes()))


@pytest.mark.parametrize("distance", [3, -4])
def test_a_schema_in_no_utf_8_is_begun_anew(copy: Callable[[], Path], distance: int) -> None:
    home = copy()
    path = folder_of(home).folder / INDEX
    data = bytearray(path.read_bytes())
    data[data.find(b"CREATE TABLE") + distance] = 0xCB
    path.write_bytes(data)
    with closing(open_life(home)) as memories:
        assert memories.recall.for_turn("What of the harbour?", window=[]) == []
        assert "index-broken" in codes(memories)
        memories.recall.catch_up()
        assert found(memories)
        told = codes(memories)
        assert "index-mended" in told
        assert "index-broken" not in told


def test_what_one_process_stumbles_over_the_next_one_mends(copy: Callable[[], Path]) -> None:
    home = copy()
    with closing(open_life(home)) as memories:
        index = memories.recall.indexes["current"]
        with index.store.transaction() as connection:  # no database can tell that these are no facts of passages
            connection.execute("UPDATE columns SET data = X'010203'")
            index.store.raise_revision()
        memories.recall.search("tomatoes")
        assert "index-broken" in codes(memories)
    with closing(open_life(home)) as memories:
        memories.recall.catch_up()
        assert "index-mended" in codes(memories)
        assert_sound(memories.recall)
        assert found(memories)


def test_a_search_alone_has_damage_mended_by_itself(copy: Callable[[], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("managers.recall.index.upkeep.MEND_AFTER_SECONDS", 0)
    home = copy()
    (folder_of(home).folder / INDEX).write_bytes(b"no database" * 500)
    with closing(open_life(home)) as memories:
        assert found(memories) == []
        mending = memories.recall._upkeep._mending
        assert mending is not None
        mending.join(60)
        assert found(memories)
        assert "index-mended" in codes(memories)


def test_a_fault_of_the_program_does_not_make_the_index_anew_again_and_again(
    copy: Callable[[], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def faulty(*_: object) -> View:
        raise IndexError

    with closing(open_life(copy())) as memories:
        monkeypatch.setattr("managers.recall.ranking.ranker.rank", faulty)
        for _ in range(5):
            assert found(memories) == []
            memories.recall.catch_up()
        assert memories.recall._upkeep._mended == 2
        monkeypatch.undo()
        assert found(memories)


class Counting:
    """An embedder that counts what it is asked for."""

    name = "counting"
    factor = 1.0
    is_remote = False
    is_slow = True
    is_ready = True

    def load(self) -> None:
        """Nothing."""

    def __init__(self) -> None:
        self.asked = 0

    def passages(self, texts: Sequence[str]) -> Vectors:
        self.asked += len(texts)
        return np.ones((len(texts), 8), np.float32)

    def query(self, text: str) -> Vectors:
        return self.passages([text])


@pytest.mark.parametrize("way", ["other", "noughts", "cut", "noise", "empty"])
def test_a_damaged_cache_of_vectors_costs_only_their_making(tmp_path: Path, way: str) -> None:
    path = tmp_path / "embeddings.sqlite"
    texts = [f"text {number}" for number in range(200)]
    CachedEmbedder(Counting(), path).passages(texts)
    data = path.read_bytes()
    rng = Random(3)
    for offset in [5, 18, 100, *(rng.randrange(len(data)) for _ in range(20))]:
        path.write_bytes(Damage(path.name, way, offset, 0xCB).done_to(data))
        cached = CachedEmbedder(Counting(), path)
        assert cached.passages(texts).shape == (200, 8)
        cached.keep_only(texts)


def test_hits_that_were_found_are_of_this_life(life: Path, copy: Callable[[], Path]) -> None:
    """The tests above would prove nothing if nothing were found in the first place."""
    with closing(open_life(copy())) as memories:
        hits: list[Hit] = memories.recall.search("tomatoes and Zebulon")
        assert any("tomatoes" in hit.text for hit in hits)
