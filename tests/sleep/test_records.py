"""What a dream leaves behind beside the memories: its record, which goes when the dream is undone."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

from managers.memory.insights import InsightStore
from managers.storage.history import History
from managers.storage.paths import PersonaPaths
from managers.storage.settings import MemorySettings
from tests.fakes import HandClock
from tests.sleep.dreamers import make_dreamer, two_days


def records(paths: PersonaPaths) -> list[Path]:
    return sorted(paths.memory.glob("dream_2*.json"))


def read(path: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return value


def test_each_dream_leaves_a_record_that_goes_with_it(paths: PersonaPaths, clock: HandClock) -> None:
    clock.set(datetime(2026, 11, 21, 3))
    report = make_dreamer(paths, clock, two_days(paths, clock)).dream(catch_up=True)
    oldest, newest = records(paths)
    assert (read(oldest)["days"], read(newest)["days"]) == (["2026-11-19"], ["2026-11-20"])
    recorded = [change["text"] for path in (oldest, newest) for change in read(path)["changes"]]
    assert recorded == [change.text for change in report.changes]
    assert read(newest)["messages_read"] == 4
    history = History(paths, clock)
    assert history.entries(1, path=newest)[0].id == report.entries[-1]
    history.undo(report.entries[-1], author="user")
    assert records(paths) == [oldest]


def test_an_insight_beyond_what_a_night_may_keep_is_told_and_recorded(paths: PersonaPaths, clock: HandClock) -> None:
    clock.set(datetime(2026, 11, 21, 3))
    log, limits = two_days(paths, clock), MemorySettings(max_insights_per_session=0)
    report = make_dreamer(paths, clock, log, limits=limits).dream(catch_up=True)
    thought = [change.text for change in report.changes if change.what == "insight"]
    assert thought
    assert not InsightStore(paths, clock).load().entries
    told = [failure.error.facts for failure in report.failures if failure.is_left_out]
    recorded = [one for path in records(paths) for one in read(path)["failures"]]
    for found in (told, recorded):
        assert [one["why"] for one in found] == ["too_many"] * len(thought)
        assert all(text.startswith(one["item"].rstrip("…")) for text, one in zip(thought, found, strict=True))
    assert all(one["evidence"] for one in recorded)
