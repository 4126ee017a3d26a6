"""A persona that has talked."""

from collections.abc import Iterator
from random import Random

import pytest

from agent.memories import Memories, open_memories
from managers.personas import PersonaStore
from managers.storage.paths import Home
from managers.storage.settings import Settings
from tests.fakes import HandClock


@pytest.fixture
def settings() -> Settings:
    return Settings()


@pytest.fixture
def memories(own_home: Home, clock: HandClock, rng: Random, settings: Settings) -> Iterator[Memories]:
    personas = PersonaStore(own_home, clock, rng)
    personas.create("Nemu", language="en")
    opened = open_memories(personas, "Nemu", lambda: settings, clock, rng)
    yield opened
    opened.close()
