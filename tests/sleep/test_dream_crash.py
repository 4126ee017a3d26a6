"""A dream that dies anywhere is as if it had never begun, and the next one makes up for it."""

import shutil
from datetime import datetime
from pathlib import Path

import pytest

from managers.storage.journal import settle
from managers.storage.paths import PersonaPaths
from tests.crash import kill_everywhere, needs_signals
from tests.fakes import HandClock
from tests.ready import load_what_is_needed
from tests.sleep.dreamers import make_dreamer, memory_files, two_days

NIGHT = datetime(2026, 11, 21, 3, 0)


def dream_once(folder: Path) -> None:
    make_dreamer(PersonaPaths(folder), HandClock(NIGHT)).dream()


@needs_signals
@pytest.mark.slow
def test_killed_at_any_step_it_is_as_if_not_begun(tmp_path: Path) -> None:
    origin = tmp_path / "origin" / "ねむ"
    origin.mkdir(parents=True)
    two_days(PersonaPaths(origin), HandClock(NIGHT))
    before = memory_files(PersonaPaths(origin))
    undisturbed = tmp_path / "undisturbed" / "ねむ"
    shutil.copytree(origin, undisturbed)
    dream_once(undisturbed)
    after = memory_files(PersonaPaths(undisturbed))
    runs = iter(range(10_000))

    def prepare() -> tuple[Path]:
        folder = tmp_path / f"run{next(runs)}" / "ねむ"
        shutil.copytree(origin, folder)
        return (folder,)

    deaths = 0
    for death in kill_everywhere(dream_once, prepare, whens=("before", "half"), stride=13, ready=load_what_is_needed):
        paths = PersonaPaths(death.given[0])
        settle(paths)
        assert memory_files(paths) in (before, after), death
        dream_once(death.given[0])
        assert memory_files(paths) == after, death
        deaths += 1
    assert deaths > 10
