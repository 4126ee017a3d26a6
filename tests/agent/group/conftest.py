"""Three personas, each with a mind that reads from a script or with the built-in one."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

import pytest

from agent.events import Begins, Replied, TurnEvent
from agent.group.conversation import GroupConversation
from agent.group.turn import GroupTurn
from agent.memories import Memories
from agent.minds.choose import CAREFUL, Choice
from agent.minds.masking import Masking
from agent.minds.mind_status import MindStatus
from agent.minds.protocol import Mind
from agent.services import Services, open_services
from managers.memory.messages import Message
from managers.mind import ReplyRequest
from managers.storage.paths import Home
from managers.storage.settings import MindSettings
from managers.usage.ledger import Purpose
from tests.agent.choosing import ScriptedMind
from tests.agent.conftest import whole
from tests.fakes import HandClock

NAMES = ("Lumi", "Clari", "Noxx")
KEYWORDS = {"Lumi": ["film", "cinema", "映画"], "Clari": ["history", "war", "歴史"], "Noxx": ["gossip", "rumour", "噂"]}
DOMAINS = {"Lumi": "movie", "Clari": "history", "Noxx": "gossip"}


class Reading(ScriptedMind):
    """A scripted mind that is asked as a language model is: it reads the turns."""

    def ask(self, *_: object, **__: object) -> object:
        raise AssertionError("no model is asked who speaks")


@dataclass
class Table:
    """A home in which three personas sit at a table."""

    services: Services
    clock: HandClock
    minds: dict[str, ScriptedMind] = field(default_factory=dict)

    def talk(self, *names: str) -> GroupConversation:
        return self.services.groups.of(names or NAMES)

    def memories(self, name: str) -> Memories:
        return self.services.memories(name)

    def round(self, talk: GroupConversation, text: str) -> list[tuple[str, str]]:
        """Say something; return who answered what, once all is remembered."""
        self.clock.move(seconds=20)
        return self.answers(talk.say(text))

    def tell(self, talk: GroupConversation, *texts: str) -> None:
        for text in texts:
            self.round(talk, text)

    def answers(self, turn: GroupTurn) -> list[tuple[str, str]]:
        return [(who, reply.text) for who, reply in replies(list(turn.events()))]

    def settle(self) -> None:
        for name in self.services.personas.list_names():
            self.services.companion(name).settle()

    def log(self, name: str) -> list[Message]:
        return [one for one in self.memories(name).log.tail(1000) if one.role != "system"]

    def scripted(self, name: str, *answers: str) -> ScriptedMind:
        """Let a persona speak from a script."""
        if name not in self.minds:
            self.minds[name] = Reading()
        self.minds[name].enqueue(*answers)
        return self.minds[name]

    def choose(
        self, settings: MindSettings, *, persona: str = "", purpose: Purpose = "other", masking: Masking = CAREFUL
    ) -> Choice:
        mind: Mind | None = self.minds.get(persona)
        if mind is None:
            return self._choose(settings, persona=persona, purpose=purpose, masking=masking)
        return Choice(mind, MindStatus(mind.name, "台本", "a script", is_language_model=True, leaves_machine=False))

    def __post_init__(self) -> None:
        self._choose = self.services.minds.choose
        self.services.minds.choose = self.choose  # type: ignore[method-assign]  # the one seam at which minds are chosen


def replies(events: list[TurnEvent]) -> list[tuple[str, Message]]:
    speaker, found = "", list[tuple[str, Message]]()
    for event in events:
        if isinstance(event, Begins):
            speaker = event.speaker
        elif isinstance(event, Replied):
            found.append((speaker, event.message))
    return found


def everything(request: ReplyRequest) -> str:
    """Return all that a mind was given, and what was found for it."""
    return "\n".join([whole(request), *(hit.text for hit in request.hits)])


def known_by(table: Table, name: str) -> str:
    """Return all that lies in a persona's folder, its history and indexes aside."""
    table.services.companion(name).settle()
    files = (path for path in table.memories(name).paths.folder.rglob("*") if ".history" not in path.parts)
    return "\n".join(path.read_bytes().decode("utf-8", "replace") for path in files if path.is_file())


@pytest.fixture
def table(own_home: Home, clock: HandClock) -> Iterator[Table]:
    services = open_services(own_home, clock, Random(11))
    services.settings_file.change("mind", provider="builtin")
    for name in NAMES:
        services.personas.create(name, language="en", system_prompt=f"You are {name}.")
        services.personas.set_settings(name, "group", domain=DOMAINS[name], domain_keywords=KEYWORDS[name])
    yield Table(services, clock)
    services.close()
