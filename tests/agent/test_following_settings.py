"""A changed setting holds without a restart, whoever holds it."""

from random import Random

from agent.services import open_services
from managers.storage.paths import Home
from tests.fakes import HandClock


def test_memories_follow_the_files(own_home: Home, clock: HandClock) -> None:
    services = open_services(own_home, clock, Random(3))
    try:
        memories = services.companion("ねむ").memories
        assert memories.log.log_days == 7
        services.settings_file.change("conversation", log_days=3)
        services.personas.set_settings("ねむ", "recall", neighbour_share=0.25)
        memories.settings()
        assert memories.log.log_days == 3
        assert memories.recall._ranker.ways.neighbour_share == 0.25
    finally:
        services.close()
