"""Ids that sort by time and never meet."""

from datetime import datetime
from random import Random

from managers.storage.clock import SystemClock, new_id
from tests.fakes import HandClock


def test_ids_sort_by_time_and_show_it() -> None:
    clock, rng = HandClock(datetime(2026, 1, 2, 22, 0, 0)), Random(1)
    first = new_id(clock, rng)
    clock.move(seconds=1)
    assert first.startswith("20260102T220000-")
    assert first < new_id(clock, rng)


def test_ids_of_one_second_differ() -> None:
    clock, rng = HandClock(), Random(1)
    assert len({new_id(clock, rng) for _ in range(5_000)}) == 5_000


def test_the_system_clock_tells_one_moment_in_both_ways() -> None:
    clock = SystemClock()
    assert clock.utc().tzinfo is not None
    assert clock.now().tzinfo is None
    assert abs(clock.utc().timestamp() - clock.now().timestamp()) < 5
    assert clock.monotonic() <= clock.monotonic()
