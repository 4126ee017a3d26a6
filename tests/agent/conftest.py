"""A companion with real files, a real graph, a real index, and a mind that says what it is told to."""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

import pytest

from agent.companion import Companion
from agent.events import TurnEvent
from agent.exchange import last_exchange
from agent.memories import Memories, open_memories
from agent.turn import Turn
from managers.personas import PersonaStore
from managers.storage.paths import Home
from managers.storage.settings import Settings
from tests.agent.choosing import Always, ScriptedMind
from tests.fakes import HandClock


@dataclass
class Scene:
    """A persona called Nemu, who reads from a script."""

    companion: Companion
    memories: Memories
    minds: Always
    mind: ScriptedMind
    settings: Settings
    clock: HandClock

    def live(self, turn: Turn) -> list[TurnEvent]:
        """Live a turn through, and what is done after it."""
        events = list(turn.events())
        self.companion.settle()
        return events

    @property
    def last(self) -> str:
        """The id of the user's last message."""
        return last_exchange(self.memories.log).message.id


@pytest.fixture
def scene(own_home: Home, clock: HandClock, rng: Random) -> Iterator[Scene]:
    personas = PersonaStore(own_home, clock, rng)
    personas.create("Nemu", language="en", system_prompt="You are Nemu. You nap on windowsills.")
    settings = Settings()
    settings.user.name = "Aoi"
    memories = open_memories(personas, "Nemu", lambda: settings, clock, rng)
    mind = ScriptedMind()
    minds = Always(mind)
    companion = Companion(memories, minds, clock, rng)
    yield Scene(companion, memories, minds, mind, settings, clock)
    companion.close()
