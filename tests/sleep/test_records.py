"""What a dream leaves behind beside the memories: its record, which goes when the dream is undone."""

import json
from pathlib import Path
from typing import Any

from managers.storage.settings import MemorySettings
from tests.sleep.dreamers import Life


def records(life: Life) -> list[tuple[Path, dict[str, Any]]]:
    return [(path, json.loads(path.read_text("utf-8"))) for path in sorted(life.paths.memory.glob("dream_2*.json"))]


def test_each_dream_leaves_a_record_that_goes_with_it(life: Life) -> None:
    report = life.dreamer().dream(catch_up=True)
    (oldest, first), (newest, second) = records(life)
    assert (first["days"], second["days"]) == (["2026-11-19"], ["2026-11-20"])
    recorded = [change["text"] for record in (first, second) for change in record["changes"]]
    assert recorded == [change.text for change in report.changes]
    assert second["messages_read"] == 4
    assert life.history.entries(1, path=newest)[0].id == report.entries[-1]
    life.history.undo(report.entries[-1], author="user")
    assert [path for path, _ in records(life)] == [oldest]


def test_an_insight_beyond_what_a_night_may_keep_is_told_and_recorded(life: Life) -> None:
    report = life.dreamer(limits=MemorySettings(max_insights_per_session=0)).dream(catch_up=True)
    thought = [change.text for change in report.changes if change.what == "insight"]
    assert thought
    assert not life.insights.load().entries
    told = [failure.error.facts for failure in report.failures if failure.is_left_out]
    recorded = [one for _, record in records(life) for one in record["failures"]]
    for found in (told, recorded):
        assert [one["why"] for one in found] == ["too_many"] * len(thought)
        assert all(text.startswith(one["item"].rstrip("…")) for text, one in zip(thought, found, strict=True))
    assert all(one["evidence"] for one in recorded)
