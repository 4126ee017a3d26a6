"""A short form of `make bench ARGS=ten_years`: three years with limits so low that all of housekeeping happens."""

from pathlib import Path

import pytest

from benchmarks.ten_years import LOW, Life
from managers.storage.paths import Home


@pytest.mark.slow
def test_what_was_pinned_repeated_or_asked_for_outlives_years_of_housekeeping(tmp_path: Path) -> None:
    days = 1100
    life = Life(Home(tmp_path), LOW, messages=8, planted=12, days=days)
    life.live(range(days), every=44)
    done = life.moves()
    assert done["pruned"]
    assert done["merged"]
    assert done["split"]
    assert done["generations"] > LOW.max_generations
    assert all(fact.said for fact in life.planted)
    assert life.kept() == {"active": len(life.planted)}
    stand = life.stand(days)
    assert sum(stand.active.values()) <= LOW.max_episodes
    assert stand.prompt
    life.close()
