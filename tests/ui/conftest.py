"""What the tests of the rooms share."""

from collections.abc import Iterator
from random import Random

import pytest

from agent.memories import Memories
from agent.services import Services, open_services
from managers.storage.paths import Home
from tests.fakes import HandClock
from tests.ui.rooms import NAME, House


@pytest.fixture
def services(own_home: Home, clock: HandClock) -> Iterator[Services]:
    """A home with the samples in it; the built-in mind speaks."""
    services = open_services(own_home, clock, Random(3))
    services.settings_file.change("mind", provider="builtin")
    yield services
    services.close()


@pytest.fixture
def memories(services: Services) -> Memories:
    """What one of the samples remembers: nothing yet."""
    companion = services.companion(NAME)
    companion.settle()
    return companion.memories


@pytest.fixture
def house(services: Services, clock: HandClock) -> House:
    """One persona at home, and somebody who talks to it."""
    services.settings_file.change("user", name="花")
    return House(services, clock)
