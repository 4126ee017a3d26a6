"""What the tests of the rooms share."""

from collections.abc import Iterator
from random import Random

import pytest
from starlette.testclient import TestClient

from agent.memories import Memories
from agent.services import Services, open_services
from tests.fakes import HandClock
from tests.homes import LivedIn
from tests.ui.rooms import NAME, House
from tests.ui.visitors import visitor_of


@pytest.fixture
def services(lived_in: LivedIn, clock: HandClock) -> Iterator[Services]:
    """A home with the samples in it; the built-in mind speaks."""
    services = open_services(lived_in("empty"), clock, Random(3))
    yield services
    services.close()


@pytest.fixture
def visitor(services: Services, request: pytest.FixtureRequest) -> TestClient:
    """A browser that has come in, and that asks for the `LANGUAGE` of the file; for English where it names none."""
    visitor = visitor_of(services)
    visitor.headers["accept-language"] = getattr(request.module, "LANGUAGE", "en")
    return visitor


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
