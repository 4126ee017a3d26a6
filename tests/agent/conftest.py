"""A companion with real files, a real graph, a real index, and a mind that says what it is told to."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TypeVar

import pytest

from agent.companion import Companion
from agent.events import Received, Replied, TurnEvent
from agent.exchange import last_exchange
from agent.memories import Memories, open_memories
from agent.services import Services, open_services
from agent.turn import Turn
from managers.mind import ReplyRequest, TextPiece
from managers.personas import PersonaStore
from managers.storage.paths import Home
from managers.storage.settings import Settings
from tests.agent.choosing import Always, ScriptedMind
from tests.fakes import HandClock
from tests.model_server import ModelServer
from tests.small_life import make_life

NEMU = "ねむ"
CLOUD, HERE = "test-model:cloud", "test-model"
"""Ollama passes models with this ending on to their makers' computers."""
T = TypeVar("T")


def sure(one: T | None) -> T:
    """Return what must be there."""
    assert one is not None
    return one


@dataclass
class Scene:
    """A persona called Nemu, who reads from a script."""

    companion: Companion
    memories: Memories
    minds: Always
    mind: ScriptedMind
    settings: Settings
    clock: HandClock

    def live(self, turn: Turn | None) -> list[TurnEvent]:
        """Live a turn through, and what is done after it."""
        events = list(sure(turn).events())
        self.companion.settle()
        return events

    def talk(self, *words: str) -> list[str]:
        """Say every other word, and let the mind answer with the ones between; return the ids of all of them."""
        for said, answered in zip(words[::2], words[1::2], strict=True):
            self.mind.enqueue(answered)
            self.live(self.companion.say(said))
            self.clock.move(minutes=1)
        return [message.id for message in self.memories.log.tail(len(words))]

    @property
    def last(self) -> str:
        """The id of the user's last message."""
        return last_exchange(self.memories.log).message.id

    @property
    def said(self) -> list[str]:
        """What the conversation says."""
        return [message.text for message in self.memories.log.tail(100)]

    @property
    def asked(self) -> ReplyRequest:
        """What the mind was asked last."""
        return self.mind.requests[-1]


NewScene = Callable[..., Scene]


@pytest.fixture
def new_scene(own_home: Home, clock: HandClock, rng: Random) -> Iterator[NewScene]:
    """Make a scene with another persona."""
    with ExitStack() as opened:

        def make(name: str = "Nemu", lang: str = "en", prompt: str = "", *, user: str = "", **persona: str) -> Scene:
            personas, settings, mind = PersonaStore(own_home, clock, rng), Settings(), ScriptedMind()
            personas.create(name, language=lang, system_prompt=prompt, **persona)  # type: ignore[arg-type]
            settings.user.name = user
            memories, minds = open_memories(personas, name, lambda: settings, clock, rng), Always(mind)
            companion = Companion(memories, minds, clock, rng)
            opened.callback(companion.close)
            return Scene(companion, memories, minds, mind, settings, clock)

        yield make


@pytest.fixture
def scene(new_scene: NewScene) -> Scene:
    return new_scene(prompt="You are Nemu. You nap on windowsills.", user="Aoi")


class Waits:
    """A piece of an answer that does not come before the test lets it."""

    def __init__(self, text: str) -> None:
        self.text, self.reached, self.go_on = text, threading.Event(), threading.Event()

    def __call__(self, _: ReplyRequest | None) -> TextPiece:
        self.reached.set()
        self.go_on.wait()
        return TextPiece(self.text)


def whole(request: ReplyRequest) -> str:
    """Return all that a mind was given."""
    return "\n".join([request.system, *(f"{turn.quoted}\n{turn.text}" for turn in request.turns)])


def speak_through(services: Services, server: ModelServer, model: str) -> None:
    services.settings_file.change(
        "mind", provider="openai", base_url=server.base_url, model=model, context_tokens=16_000
    )


@pytest.fixture
def services(own_home: Home, clock: HandClock, server: ModelServer) -> Iterator[Services]:
    """The samples, whose model runs elsewhere."""
    services = open_services(own_home, clock, Random(3))
    speak_through(services, server, CLOUD)
    yield services
    services.close()


def say(
    services: Services, text: str, persona: str = NEMU, *, files: Sequence[Path] = (), off_record: bool = False,
    for_program: bool = False
) -> list[TurnEvent]:  # fmt: skip
    companion = services.companion(persona)
    events = list(companion.say(text, attachments=files, off_record=off_record, for_program=for_program).events())
    companion.settle()
    return events


def heard(events: Sequence[TurnEvent]) -> str:
    """Return the id of what the user said."""
    return next(event.message.id for event in events if isinstance(event, Received))


def answer(events: Sequence[TurnEvent]) -> str:
    return next(event.message.text for event in reversed(events) if isinstance(event, Replied))


@pytest.fixture(scope="session")
def life(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a small life, which no test changes."""
    home = tmp_path_factory.mktemp("life") / "home"
    make_life(home)
    return home
