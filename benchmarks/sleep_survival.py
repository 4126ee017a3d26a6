"""Kill a dream at many random steps, and look whether anything was lost or doubled."""

import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

from managers.storage.journal import settle
from managers.storage.paths import PersonaPaths
from tests.crash import Breeder, When
from tests.fakes import HandClock
from tests.sleep.dreamers import memory_files, two_days
from tests.sleep.test_dream_trouble import NIGHT, dream_once

Row = tuple[str, str, str]

POINTS = 200
_WHENS: tuple[When, ...] = ("before", "half", "after")


def measure(points: int = POINTS) -> Iterator[Row]:
    """Yield how many deaths there were, and how many left what they should not."""
    rng = Random(5)
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder, Breeder(dream_once) as breeder:
        top = Path(folder)
        origin = top / "origin" / "ねむ"
        origin.mkdir(parents=True)
        two_days(PersonaPaths(origin), HandClock(NIGHT))
        before = memory_files(PersonaPaths(origin))
        undisturbed = _copy(origin, top / "undisturbed")
        dream_once(undisturbed)
        after = memory_files(PersonaPaths(undisturbed))
        steps = _steps(breeder, origin, top)
        half_done = unequal = deaths = number = 0
        while deaths < points:
            number += 1
            copy = _copy(origin, top / f"run{number}")
            death = breeder.run_and_kill((copy,), rng.randint(1, steps), rng.choice(_WHENS))
            deaths += death.when is not None
            paths = PersonaPaths(copy)
            settle(paths)
            half_done += memory_files(paths) not in (before, after)
            dream_once(copy)
            unequal += memory_files(paths) != after
            shutil.rmtree(copy.parent)
    yield f"dreams killed at random steps (of {steps})", f"{deaths}", ""
    yield "left half done", str(half_done), "0"
    yield "memories unlike an undisturbed dream's after the next one", str(unequal), "0"
    yield "time", f"{time.perf_counter() - started:.0f} s", ""


def _copy(origin: Path, to: Path) -> Path:
    shutil.copytree(origin, to / origin.name)
    return to / origin.name


def _steps(breeder: Breeder, origin: Path, top: Path) -> int:
    """Return how many durable steps a dream has: the number at which nothing is killed any more."""
    low, high = 1, 2
    while breeder.run_and_kill((_copy(origin, top / f"count{high}"),), high, "before").when is not None:
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        copy = _copy(origin, top / f"count{low}-{middle}-{high}")
        if breeder.run_and_kill((copy,), middle, "before").when is None:
            high = middle
        else:
            low = middle
    return low
