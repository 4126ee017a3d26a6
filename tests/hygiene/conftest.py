"""What the tests of housekeeping may ask for."""

import pytest

from managers.storage.paths import PersonaPaths
from tests.fakes import HandClock
from tests.hygiene.erased_life import lived, services
from tests.hygiene.kept import Kept

__all__ = ["lived", "services"]  # fixtures


@pytest.fixture
def kept(paths: PersonaPaths, clock: HandClock) -> Kept:
    return Kept(paths, clock)
