"""An index that is being made says so, and how far it is, while the one that is there is searched."""

from managers.recall.engine import Recall
from managers.storage.paths import PersonaPaths


def test_a_rebuild_says_how_far_it_is_and_ends_saying_so(recall: Recall, paths: PersonaPaths) -> None:
    paths.memory.mkdir(parents=True, exist_ok=True)
    line = "A heron stood by the weir this morning and did not mind the rain. "
    for year in (2024, 2025, 2026):
        entries = (f"## {year}-01-{day:02} \n\n{line * 140}{year} {day}\n" for day in range(1, 25))
        (paths.memory / f"memory_archived_{year}.txt").write_text("\n".join(entries), "utf-8")
    recall.catch_up()
    assert (recall.making, recall.status().notices) == ("", ())
    told: list[tuple[str, str]] = []

    def look(done: int, total: int) -> None:
        (notice,) = recall.status().notices
        told.append((notice.en, recall.making))
        assert recall.search("the heron by the weir", 1)
        assert f"({100 * done // total}%)" in notice.ja

    recall.rebuild(look)
    assert [how_far for _, how_far in told] == ["3", "6", "10"]
    assert all("is being made" in sentence for sentence, _ in told)
    assert (recall.making, recall.status().notices) == ("", ())


def test_what_a_killed_rebuild_left_is_said_and_cleared_away(recall: Recall, paths: PersonaPaths) -> None:
    recall.catch_up()
    left = paths.rag_index / ".faiss_index_static"
    left.mkdir()
    assert [notice.code for notice in recall.status().notices] == ["index-under-way"]
    recall.catch_up()
    assert not left.exists()
    assert recall.status().notices == ()
