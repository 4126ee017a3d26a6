"""A life to be drawn: on some days two people talk about one of a few things, each with its own words."""

from datetime import datetime, timedelta
from pathlib import Path
from random import Random

from managers.memory.entities import Entity, Kind
from managers.memory.entity_store import EntityStore
from managers.memory.episodes import Episode, EpisodeStore
from managers.memory.json_documents import write_plainly
from managers.memory.log import ConversationLog
from managers.memory.messages import Message
from managers.memory_map.atlas import Atlas, MemoryMap
from managers.memory_map.ties import EntityNetwork
from managers.recall.engine import Recall
from managers.storage.paths import PersonaPaths
from managers.storage.settings import RecallSettings
from tests.fakes import HandClock

TOPICS = {
    "garden": "tomatoes seedlings compost greenhouse pruning roses watering",
    "sailing": "harbour mast anchor rudder sailboat lighthouse tide",
    "baking": "sourdough oven yeast flour croissant dough pastry",
    "chess": "bishop knight checkmate opening tournament endgame rook",
}
FIRST_DAY = datetime(2026, 3, 1, 20, 0)


class Life:
    """One persona: its log, its files, and what is drawn of them."""

    def __init__(self, paths: PersonaPaths, clock: HandClock) -> None:
        self.paths = paths
        self.clock = clock
        self.rng = Random(11)
        self.log = ConversationLog(paths, clock, self.rng)
        self.recall = Recall(paths, self.log, RecallSettings(), clock)
        self.map = MemoryMap(paths, self.recall)
        self.network = EntityNetwork(paths, self.recall)
        apply = write_plainly(paths)
        self.episodes = EpisodeStore(paths, clock, apply)
        self.entities = EntityStore(paths, clock, apply)

    def talk(self, days: int, first: int = 0, topics: tuple[str, ...] = tuple(TOPICS)) -> list[Message]:
        """Talk for an evening on each of some days, every evening about one thing."""
        said = []
        for day in range(first, first + days):
            words = TOPICS[topics[day % len(topics)]].split()
            for number in range(6):
                text = f"The {self.rng.choice(words)} and the {self.rng.choice(words)} again, with {self.rng.choice(words)}."
                time = FIRST_DAY + timedelta(days=day, minutes=number)
                said.append(Message(f"d{day}n{number}", time, "user", "Emma", text))
        self.log.append_many(said)
        self.recall.catch_up()
        return said

    def say(self, text: str) -> Message:
        self.clock.move(seconds=30)
        said = self.log.append("user", "Emma", text)
        self.recall.catch_up()
        return said

    def episode(self, day: int, summary: str) -> Path:
        date = (FIRST_DAY + timedelta(days=day)).date()
        self.episodes.save(Episode(date=date, summary=summary), author="dream", reason="night")
        self.recall.catch_up()
        return self.episodes.path(date)

    def entity(self, name: str, kind: Kind = "person", evidence: tuple[str, ...] = ()) -> Entity:
        found = self.entities.note(name, f"{name} is", author="dream", mind="built-in", evidence=evidence, kind=kind)
        self.recall.catch_up()
        return found

    def atlas(self) -> Atlas:
        """Return the map as it is drawn when all has been done."""
        self.map.redraw()
        atlas = self.map.look()
        assert atlas is not None
        return atlas

    def dumped(self) -> str:
        """Return all that the map's file holds."""
        with self.map.file.opened() as sheet:
            return "\n".join(sheet.connection.iterdump())

    def close(self) -> None:
        self.map.close()
        self.network.close()
        self.recall.close()
