"""Some call of the operating system fails, during whatever is done: a sample of what `make bench ARGS=faults` does."""

import sys
from pathlib import Path
from random import Random

import pytest

from tests.faults import NAMES, Fault, can_reach_sqlite
from tests.operations import OPERATIONS, Trial
from tests.small_life import make_life

EACH = 1
"""So many calls are let fail for each way and operation; all of them take hours."""


pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="forked children are POSIX")


@pytest.fixture(scope="module")
def life(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("life") / "home"
    make_life(home)
    return home


@pytest.mark.slow
@pytest.mark.parametrize("name", OPERATIONS)
def test_a_call_that_fails_costs_nothing_that_was_acknowledged(life: Path, tmp_path: Path, name: str) -> None:
    with Trial(OPERATIONS[name], life, tmp_path) as trial:
        for way in NAMES:
            rng, calls = Random(f"{name} {way}"), trial.calls(way)
            for number in sorted(rng.sample(range(1, calls + 1), EACH)):
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
