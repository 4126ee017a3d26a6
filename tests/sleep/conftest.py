"""What the tests of sleep may ask for."""

from datetime import datetime

import pytest

from managers.storage.paths import PersonaPaths
from tests.fakes import HandClock
from tests.sleep.dreamers import Life, two_days


@pytest.fixture
def night(clock: HandClock) -> HandClock:
    clock.set(datetime(2026, 11, 21, 3, 0))
    return clock


@pytest.fixture
def bare(paths: PersonaPaths, night: HandClock) -> Life:
    """A persona to whom nothing was said yet."""
    return Life(paths, night)


@pytest.fixture
def life(paths: PersonaPaths, night: HandClock) -> Life:
    """A persona with whom somebody talked on two evenings."""
    return Life(paths, night, two_days(paths, night))
