"""Some call of the operating system fails, during whatever is done: a sample of what `make bench ARGS=faults` does."""

import sys
from pathlib import Path
from random import Random

import pytest

from tests.faults import NAMES, Fault, can_reach_sqlite
from tests.operations import OPERATIONS, Trial

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="forked children are POSIX")
SHARE = 5
"""Into so many stretches the calls of an operation are parted; the first of each is let fail: all of them take hours."""


@pytest.mark.parametrize("is_whole", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", OPERATIONS)
def test_a_call_that_fails_costs_nothing_that_was_acknowledged(
    life: Path, tmp_path: Path, request: pytest.FixtureRequest, name: str, is_whole: bool
) -> None:
    rng = Random(f"{request.config.getoption('--seed')} {name}")
    with Trial(OPERATIONS[name], life, tmp_path) as trial:
        for way in NAMES if is_whole else rng.sample(NAMES, 1):
            calls = trial.calls(way)
            stretch = max(calls // SHARE, 1)
            some = range(rng.randint(1, stretch), calls + 1, stretch) if is_whole else [rng.randint(1, calls)]
            for number in some:
                fault = Fault(number, way)
                try:
                    lived = trial.survive(fault)
                    if number > lived.calls:  # how many there are differs a little from run to run
                        lived = trial.survive(Fault(lived.calls // 2, way))
                except AssertionError as error:
                    error.add_note(str(fault))
                    raise
                assert lived.at


@pytest.mark.skipif(not can_reach_sqlite(), reason="SQLite is a part of Python here")
def test_calls_of_sqlite_itself_are_among_them(life: Path, tmp_path: Path) -> None:
    with Trial(OPERATIONS["index"], life, tmp_path) as trial:
        calls = trial.calls("EIO")
        assert any("by SQLite" in trial.survive(Fault(number, "EIO")).at for number in range(9, calls, calls // 9))
