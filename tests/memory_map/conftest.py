"""A life on real files, with a real index."""

from collections.abc import Iterator

import pytest

from managers.storage.paths import PersonaPaths
from tests.fakes import HandClock
from tests.memory_map.living import Life


@pytest.fixture
def life(paths: PersonaPaths, clock: HandClock) -> Iterator[Life]:
    life = Life(paths, clock)
    yield life
    life.close()
