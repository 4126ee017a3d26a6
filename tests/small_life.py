"""A persona with a little of everything: two months of talk, an entity, an episode, a document, a map, all indexed."""

from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

from agent.memories import Memories, open_memories
from managers.memory.episodes import Episode
from managers.memory.messages import Message
from managers.personas import PersonaStore
from managers.storage.paths import Home
from managers.storage.settings import Settings
from tests.fakes import HandClock

NOW = datetime(2026, 11, 21, 21)
NAME = "Nemu"
_TOPICS = ("tomatoes seedlings compost", "harbour mast anchor", "sourdough oven yeast", "bishop knight checkmate")
_MESSAGES = 120


def open_life(home: Path, now: datetime = NOW) -> Memories:
    """Open the persona's memories as the program does."""
    clock, rng = HandClock(now), Random(1)
    return open_memories(PersonaStore(Home(home), clock, rng), NAME, Settings, clock, rng)


def make_life(home: Path) -> None:
    """Make the persona, with everything derived on the disk."""
    PersonaStore(Home(home), HandClock(NOW), Random(1)).create(NAME, language="en", system_prompt="You are Nemu.")
    with closing(open_life(home)) as memories:
        rng = Random(3)
        memories.log.append_many([_message(number, rng) for number in range(_MESSAGES)])
        memories.entities.note("Zebulon", "sails", author="dream", mind="m", evidence=["m1"])
        day = (NOW - timedelta(days=20)).date()
        memories.episodes.save(Episode(date=day, summary="A day at the harbour."), author="dream", reason="night")
        memories.emotions.append("Hello.", "joy", message_id="m1")
        memories.emotions.roll()
        memories.knowledge.add(_document(home))
        memories.history.notice_outside()
        memories.recall.catch_up()
        for index in memories.recall.indexes.values():
            index.vectors.save(index.store, index.refresh())
        memories.map.redraw()
        memories.map.look()
        memories.network.look()
        memories.network.wait()
        memories.log.count()


def _message(number: int, rng: Random) -> Message:
    words = _TOPICS[number % len(_TOPICS)].split()
    time = NOW - timedelta(days=(_MESSAGES - number) // 2, minutes=60 - number % 40)
    text = f"The {rng.choice(words)} and the {rng.choice(words)} of Zebulon, number {number}."
    return Message(f"m{number}", time, "user", "Emma", text)


def _document(home: Path) -> Path:
    path = home / "bridges.txt"
    path.write_text("A document about bridges and harbours.", "utf-8")
    return path
