"""A companion with real files, a real graph, a real index, and a mind that says what it is told to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

import pytest

from agent.companion import Companion
from agent.events import TurnEvent
from agent.memories import Memories, open_memories
from agent.minds.choose import Choice
from agent.minds.status import MindStatus
from agent.turn import Turn
from managers.mind import Mind
from managers.personas import PersonaStore
from managers.storage.errors import Lang
from managers.storage.paths import Home
from managers.storage.settings import MindSettings, Settings
from tests.fakes import HandClock, ScriptedMind


class Always:
    """Chooses the same mind always."""

    def __init__(self, mind: Mind) -> None:
        self.mind = mind

    def choose(self, settings: MindSettings, language: Lang, **counted: str) -> Choice:
        del settings, language, counted
        status = MindStatus(self.mind.name, "台本", "a script", is_language_model=True, leaves_machine=False)
        return Choice(self.mind, status)

    def stand_in(self, settings: Settings) -> None:
        del settings


@dataclass
class Scene:
    """A persona called Nemu, who reads from a script."""

    companion: Companion
    memories: Memories
    mind: ScriptedMind
    settings: Settings
    clock: HandClock

    def live(self, turn: Turn) -> list[TurnEvent]:
        """Live a turn through, and what is done after it."""
        events = list(turn.events())
        self.companion.settle()
        return events


@pytest.fixture
def scene(own_home: Home, clock: HandClock, rng: Random) -> Iterator[Scene]:
    personas = PersonaStore(own_home, clock, rng)
    personas.create("Nemu", language="en", system_prompt="You are Nemu. You nap on windowsills.")
    settings = Settings()
    settings.user.name = "Aoi"
    memories = open_memories(personas, "Nemu", lambda: settings, clock, rng)
    mind = ScriptedMind()
    companion = Companion(memories, Always(mind), clock, rng)  # type: ignore[arg-type]  # a chooser of one
    yield Scene(companion, memories, mind, settings, clock)
    companion.close()
