"""What a dream leaves behind beside the memories: its record, which goes when the dream is undone."""

import json
from pathlib import Path
from typing import Any

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
