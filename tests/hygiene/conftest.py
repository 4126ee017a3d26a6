"""What the tests of housekeeping may ask for."""

import pytest

from managers.storage.paths import PersonaPaths
from tests.fakes import HandClock
from tests.hygiene.kept import Kept


@pytest.fixture
def kept(paths: PersonaPaths, clock: HandClock) -> Kept:
    return Kept(paths, clock)
