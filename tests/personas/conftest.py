"""What the tests of personas may ask for."""

from random import Random

import pytest

from managers.personas import PersonaStore
from managers.storage.paths import Home
from tests.fakes import HandClock


@pytest.fixture
def store(own_home: Home, clock: HandClock, rng: Random) -> PersonaStore:
    return PersonaStore(own_home, clock, rng)
