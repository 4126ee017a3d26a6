"""What recall reaches on real conversations, with some room below the measured figures."""

from pathlib import Path

import pytest

from benchmarks._recall_data import DOCUMENTS, JAPANESE, Score, fill, ids_of, is_there, open_persona, score
from tests.speeds import one_quick

pytestmark = pytest.mark.skipif(not is_there(), reason="the conversations in ../shared/data are not there")


def reached(folder: Path, name: str, every: int = 1) -> Score:
    fill(folder / name, name)
    recall = open_persona(folder / name)
    recall.rebuild()
    try:
        return score(name, lambda query, k: [ids_of(hit) for hit in recall.search(query, k)], every)
    finally:
        recall.close()


@pytest.mark.parametrize(
    ("name", "least"), one_quick([("locomo-2", 0.80), (JAPANESE, 0.40), ("locomo-4", 0.70)], quick=2)
)
def test_conversations(tmp_path: Path, name: str, least: float) -> None:
    assert reached(tmp_path, name).at[10] >= least


@pytest.mark.slow
def test_documents(tmp_path: Path) -> None:
    found = reached(tmp_path, DOCUMENTS, every=4)  # all of them: `make bench ARGS=recall`
    assert found.at[1] >= 0.925
    assert found.at[10] >= 0.98  # 0.988; with the Japanese word vectors a little less
