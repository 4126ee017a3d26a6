"""A dream that dies anywhere is as if it had never begun, and the next one makes up for it."""

from datetime import datetime
from pathlib import Path

from managers.storage.journal import settle
from managers.storage.paths import PersonaPaths
from tests.crash import Kill, copies, needs_signals
from tests.fakes import HandClock
from tests.ready import load_what_is_needed
from tests.sleep.dreamers import make_dreamer, memory_files, two_days

NIGHT = datetime(2026, 11, 21, 3, 0)


def dream_once(folder: Path) -> None:
    make_dreamer(PersonaPaths(folder), HandClock(NIGHT)).dream()


@needs_signals
def test_killed_at_any_step_it_is_as_if_not_begun(tmp_path: Path, kill: Kill) -> None:
    origin = tmp_path / "ねむ"
    origin.mkdir()
    two_days(PersonaPaths(origin), HandClock(NIGHT))
    prepare = copies(origin, tmp_path)
    before = memory_files(PersonaPaths(origin))
    (undisturbed,) = prepare()
    dream_once(undisturbed)
    after = memory_files(PersonaPaths(undisturbed))
    for death in kill(dream_once, prepare, whens=("before", "half"), stride=5, ready=load_what_is_needed):
        paths = PersonaPaths(death.given[0])
        settle(paths)
        assert memory_files(paths) in (before, after), death
        dream_once(death.given[0])
        assert memory_files(paths) == after, death
