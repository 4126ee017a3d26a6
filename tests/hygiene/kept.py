"""A persona's memories as the tests of housekeeping write and read them."""

from collections.abc import Callable
from datetime import timedelta

from managers.hygiene.archive import PutAway
from managers.hygiene.housekeeping import Housekeeping
from managers.hygiene.inventory import Memory, memories
from managers.memory.confidence import Standing
from managers.memory.entities import Entity, Fact
from managers.memory.entity_store import EntityStore
from managers.memory.episodes import Episode, KeyEvent
from managers.memory.insights import Insight, Insights
from managers.memory.json_documents import write_plainly
from managers.memory.working_copy import Stores, WorkingCopy
from managers.storage.paths import PersonaPaths
from managers.storage.settings import MemorySettings
from tests.fakes import HandClock


class Kept:
    """Memories that are written without a history, and looked at from the files each time."""

    def __init__(self, paths: PersonaPaths, clock: HandClock) -> None:
        self.paths = paths
        self.clock = clock
        self.today = clock.now().date()

    def copy(self, limits: MemorySettings | None = None) -> WorkingCopy:
        return WorkingCopy(Stores.open(self.paths, self.clock, limits))

    def save(self, copy: WorkingCopy) -> None:
        write_plainly(self.paths)(copy.files(), author="test", reason="test")

    def write(self, fill: Callable[[WorkingCopy], object]) -> None:
        copy = self.copy()
        fill(copy)
        self.save(copy)

    def put(self, *cards: Entity) -> None:
        for card in cards:
            self.write(lambda copy, card=card: copy.put_entity(card))  # type: ignore[misc]  # bound now

    def all(self, *kinds: str) -> list[Memory]:
        return [one for one in memories(self.copy()) if not kinds or one.kind in kinds]

    def texts(self) -> set[str]:
        return {memory.text for memory in self.all()}

    def cards(self) -> list[Entity]:
        return EntityStore(self.paths, self.clock).all()

    def keeping(self, limits: MemorySettings) -> Housekeeping:
        return Housekeeping(self.paths, self.clock, write_plainly(self.paths), limits)

    def archived(self, keeping: Housekeeping) -> list[PutAway]:
        return list(keeping.archive.entries(self.copy()))

    def live(self, *, days: int = 12, years: int = 4) -> set[str]:
        """Write days of years ago with two events each, of which the second day's was used lately, facts and an insight."""
        today, old = self.today, f"{self.today.year - years}-01-01"
        lately = Standing(confidence=0.6, last_accessed=today.isoformat())

        def fill(copy: WorkingCopy) -> None:
            for number in range(days):
                standing = lately if number == 1 else Standing()
                events = [KeyEvent(f"event {number}"), KeyEvent(f"other {number}", standing=standing)]
                day = today - timedelta(days=365 * years + number)
                episode = Episode(date=day, summary=f"day {number}", mind="built-in")
                copy.put_episode(episode.with_events(events).sealed())
            copy.put_episode(Episode(date=today, summary="today", mind="built-in").sealed())
            pinned = Episode(date=today - timedelta(days=3000), summary="pinned", mind="built-in", pinned=True)
            copy.put_episode(pinned.sealed())
            copy.put_episode(Episode(date=today - timedelta(days=3001), summary="mine", mind="user").sealed())
            facts = (Fact("faded", ("m",), "built-in", "f_1", since=old), Fact("my own", (), since=old))
            copy.put_entity(Entity("Tom", "person", lines=(*facts, "A line of mine.")))
            about = {"trigger_topic": "x", "strategy": "", "log_entry": ""}
            copy.insights = Insights([]).with_one(Insight(created_at=f"{old} 00:00:00", insight="thought", **about))

        self.write(fill)
        return self.texts()
