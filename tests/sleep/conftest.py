"""What the tests of sleep may ask for."""

from datetime import datetime

import pytest

from managers.memory.log import ConversationLog
from managers.storage.paths import PersonaPaths
from tests.fakes import HandClock
from tests.sleep.dreamers import (
    two_days,
)


@pytest.fixture
def night(clock: HandClock) -> HandClock:
    clock.set(datetime(2026, 11, 21, 3, 0))
    return clock


@pytest.fixture
def log(paths: PersonaPaths, night: HandClock) -> ConversationLog:
    return two_days(paths, night)
