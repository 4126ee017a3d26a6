"""What the tests of the memories may ask for."""

from random import Random

import pytest

from managers.memory.log import ConversationLog
from managers.storage.paths import PersonaPaths
from tests.fakes import HandClock


@pytest.fixture
def log(paths: PersonaPaths, clock: HandClock, rng: Random) -> ConversationLog:
    return ConversationLog(paths, clock, rng)
