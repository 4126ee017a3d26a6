"""Ids that sort by time and never meet."""

from datetime import datetime
from random import Random

from managers.storage.clock import SystemClock, new_id
from tests.fakes import HandClock


def test_ids_sort_by_time_and_never_meet() -> None:
    clock, rng = HandClock(datetime(2026, 1, 2, 22, 0, 0)), Random(1)
    first = {new_id(clock, rng) for _ in range(5_000)}
    clock.move(seconds=1)
    assert len(first) == 5_000
    assert all(one.startswith("20260102T220000-") for one in first)
    assert max(first) < new_id(clock, rng)


def test_the_system_clock_tells_local_and_universal_time() -> None:
    clock = SystemClock()
    assert (clock.now().tzinfo, clock.utc().utcoffset()) == (None, datetime.resolution * 0)
    assert clock.monotonic() <= clock.monotonic()
