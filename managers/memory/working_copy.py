"""The working copy: the memories that a dream works on, read when needed, changed in memory, written at the end.

A dream thinks on one copy and applies its changes on a fresh one, under the persona's lock: so what a
person edited meanwhile is there, and stays.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

from managers.memory.dream_state import DreamState, DreamStateFile
from managers.memory.entities import Entity, bounded, name_key
from managers.memory.entity_cards import format_entity, format_fact
from managers.memory.entity_store import EntityStore
from managers.memory.entry_files import next_shelf
from managers.memory.episodes import Episode, EpisodeStore
from managers.memory.goals import Goals, GoalStore
from managers.memory.insights import Insight, Insights, InsightStore
from managers.memory.json_documents import USER, encode
from managers.memory.periods import Period
from managers.memory.questions import Questions, QuestionStore
from managers.memory.strategies import Strategies, StrategyStore
from managers.storage.clock import Clock
from managers.storage.errors import Notice
from managers.storage.opening import look
from managers.storage.paths import PersonaPaths
from managers.storage.settings import MemorySettings
from managers.storage.unchanged import Unchanged
from managers.storage.watching import Identity

Value = TypeVar("Value")
FACTS_SHELF = "entity_facts.json"
"""The shelves of facts are named by it: `entity_facts_archived_001.json`."""


@dataclass(frozen=True)
class Stores:
    """The stores of one persona's memories.

    Attributes:
        limits: from when on memories count as the same, and how many there may be.
        is_crowded: whether more than 80 % of what may be in use is.
    """

    paths: PersonaPaths
    episodes: EpisodeStore
    entities: EntityStore
    questions: QuestionStore
    goals: GoalStore
    insights: InsightStore
    strategies: StrategyStore
    state: DreamStateFile
    limits: MemorySettings = field(default_factory=MemorySettings)
    is_crowded: bool = False

    @classmethod
    def open(
        cls, paths: PersonaPaths, clock: Clock, limits: MemorySettings | None = None, *, is_crowded: bool = False
    ) -> Stores:
        return cls(
            paths,
            EpisodeStore(paths, clock),
            EntityStore(paths, clock),
            QuestionStore(paths, clock),
            GoalStore(paths, clock),
            InsightStore(paths, clock),
            StrategyStore(paths, clock),
            DreamStateFile(paths, clock),
            limits or MemorySettings(),
            is_crowded,
        )

    def stamp(self, files: Iterable[Path] | None = None) -> tuple[Identity | None, ...]:
        """Return what is another one when one of some files has changed; nothing is read.

        Args:
            files: None: the documents, and the folders of days and entities, which move when something in them comes,
                goes or is replaced.
        """
        stores = (self.questions, self.goals, self.insights, self.strategies, self.state)
        folders = (self.paths.episodic_memory, self.paths.entity_memory)
        found = map(look, [*folders, *(store.path for store in stores)] if files is None else files)
        return tuple(None if status is None else Identity.of(status) for status in found)

    def take_notices(self) -> list[Notice]:
        found = [*self.episodes.notices, *self.entities.notices]
        self.episodes.notices, self.entities.notices = [], []
        for store in (self.questions, self.goals, self.insights, self.strategies, self.state):
            found += store.take_notices()
        return found


class _Held(Generic[Value]):
    """What one store holds: read when it is first asked for, and written where it was set."""

    def __set_name__(self, owner: type[WorkingCopy], name: str) -> None:
        self._name = name

    def __get__(self, copy: WorkingCopy, owner: type[WorkingCopy]) -> Value:
        if self._name not in copy.loaded:
            copy.loaded[self._name] = getattr(copy.stores, self._name).load()
        value: Value = copy.loaded[self._name]
        return value

    def __set__(self, copy: WorkingCopy, value: Value) -> None:
        copy.changed.add(self._name)
        copy.loaded[self._name] = value


class WorkingCopy:
    """Memories as they will be."""

    questions = _Held[Questions]()
    goals = _Held[Goals]()
    insights = _Held[Insights]()
    strategies = _Held[Strategies]()
    state = _Held[DreamState]()

    def __init__(self, stores: Stores) -> None:
        self.stores = stores
        self._episodes: dict[date, Episode] = {}
        self._read_episodes = Unchanged[Episode | None]()
        self._entities: dict[str, Entity] = {}
        self._names: dict[str, str] | None = None
        self.loaded: dict[str, Any] = {}
        self.changed: set[str] = set()
        self._files: dict[Path, bytes | None] = {}
        self._beyond: list[Insight] = []
        self._began = stores.stamp()
        self._seen: dict[Path, tuple[Identity | None, ...]] = {}

    def is_current(self) -> bool:
        """Whether nobody has written since what was worked on: made anew, this copy would be the same."""
        stamp = self.stores.stamp
        return stamp() == self._began and all(stamp([path]) == seen for path, seen in self._seen.items())

    def _see(self, path: Path) -> Path:
        """Note how a file stands that will be written, as it is first worked on."""
        if path not in self._seen:
            self._seen[path] = self.stores.stamp([path])
        return path

    def leave_beyond(self, insight: Insight) -> None:
        """Note an insight that is not kept, for the night has made as many as it may."""
        self._beyond.append(insight)

    def take_beyond(self) -> list[Insight]:
        """Return the insights that were not kept since this was asked last."""
        found, self._beyond = self._beyond, []
        return found

    def episode(self, day: date) -> Episode | None:
        """Return a day's episode; None if there is none, or it was taken away here."""
        if self._is_dropped(day):
            return None
        episodes = self.stores.episodes
        return self._episodes.get(day) or self._read_episodes.get(partial(episodes.get, day), episodes.path(day))

    def episode_days(self) -> set[date]:
        """Return the days that have an episode, as they stand here; no file is read."""
        days = {*self.stores.episodes.days(), *self._episodes}
        return {day for day in days if not self._is_dropped(day)} if None in self._files.values() else days

    def put_episode(self, episode: Episode) -> None:
        """Place an episode, unless a person has made the day's theirs."""
        there = self.episode(episode.date)
        is_broken = there is None and not self._is_dropped(episode.date) and self.stores.episodes.occupied(episode.date)
        if (there is not None and there.is_users) or is_broken:
            return
        self.put_standing(episode)

    def put_standing(self, episode: Episode) -> None:
        """Place an episode whose words are what they were, or fewer: a person's own too."""
        self._files.pop(self._see(self.stores.episodes.path(episode.date)), None)
        self._episodes[episode.date] = episode

    def _is_dropped(self, day: date) -> bool:
        return self._files.get(self.stores.episodes.path(day), b"") is None

    def drop_episode(self, day: date) -> None:
        """Take away the episode of a day of which nothing is left, unless a person has made it theirs."""
        there = self.episode(day)
        if there is not None and not there.is_users:
            self.remove_episode(day)

    def remove_episode(self, day: date) -> None:
        """Take away a day's episode, whoever wrote it."""
        self._episodes.pop(day, None)
        self._files |= {
            **self.stores.episodes.periods.outdated_by(day),
            self._see(self.stores.episodes.path(day)): None,
        }

    def put_period(self, period: Period) -> None:
        """Place what a week or a month was, unless a person has made it theirs."""
        there = self.stores.episodes.periods.get(period.span)
        if there is None or not there.stays:
            self._files[self._see(self.stores.episodes.periods.path(period.span))] = period.dump()

    def entity(self, names: Iterable[str]) -> Entity | None:
        """Return the entity that any of the names means."""
        index = self._name_index()
        for name in names:
            found = index.get(name_key(name))
            if found is not None:
                return self._entities.get(found) or self.stores.entities.get(found)
        return None

    def entity_of(self, name: str, aliases: Sequence[str]) -> Entity | None:
        """Return whom a name means, or else whoever bears one of the aliases as a name.

        An alias that two have in common (a friend, she) does not make one of them.
        """
        known = self.entity([name])
        if known is not None:
            return known
        found = (self.entity([alias]) for alias in aliases)
        keys = {name_key(alias) for alias in aliases}
        return next((entity for entity in found if entity is not None and name_key(entity.name) in keys), None)

    def put_entity(self, entity: Entity) -> None:
        index = self._name_index()
        self._see(self.stores.entities.path(entity.name))
        self._entities[entity.name] = entity
        key = name_key(entity.name)
        if key in index and name_key(index[key]) != key:  # until now it was but an alias of somebody
            del index[key]
        for name in entity.names:
            index.setdefault(name_key(name), entity.name)

    def all_entities(self) -> list[Entity]:
        """Return all entities, as they stand here."""
        stored = [self._entities.get(entity.name, entity) for entity in self.stores.entities.all()]
        names = {entity.name for entity in stored}
        return [*stored, *(entity for name, entity in self._entities.items() if name not in names)]

    def entities_named_in(self, keys: Iterable[str]) -> list[Entity]:
        """Return the entities whose name or alias is among the keys."""
        index = self._name_index()
        names = dict.fromkeys(index[key] for key in keys if key in index)
        found = (self._entities.get(name) or self.stores.entities.get(name) for name in names)
        return [entity for entity in found if entity is not None]

    def known_keys(self) -> list[str]:
        return list(self._name_index())

    def files(self) -> dict[Path, bytes | None]:
        """Return the files to write, and nothing that did not change."""
        files: dict[Path, bytes | None] = {}
        for day, episode in sorted(self._episodes.items()):
            files[self.stores.episodes.path(day)] = episode.dump()
        put_away: dict[str, list[str]] = {}
        for name, entity in sorted(self._entities.items()):
            if entity != self.stores.entities.get(name):
                if not entity.lines and entity.mind != USER:
                    files[self.stores.entities.path(name)] = None  # everything known of it was withdrawn
                    continue
                kept, older = bounded(entity)
                files[self.stores.entities.path(name)] = format_entity(kept).encode()
                if older:
                    put_away[name] = [format_fact(fact) for fact in older]
        if put_away:
            files[next_shelf(self.stores.paths.memory / FACTS_SHELF)] = encode(put_away)
        for name in ("questions", "goals", "insights", "strategies"):
            if name in self.changed:
                files |= getattr(self, name).changes(getattr(self.stores, name).path)
        if "state" in self.changed:
            files[self.stores.state.path] = self.state.dump()
        return files | self._files

    def _name_index(self) -> dict[str, str]:
        if self._names is None:
            own = [(unicodedata.normalize("NFC", one.name), one) for one in self.stores.entities.all()]
            self._names = {name_key(name): name for name, _ in reversed(own)}
            for name, entity in own:  # after the names: they count before what another one is called, too
                for alias in entity.aliases:
                    self._names.setdefault(name_key(alias), name)
        return self._names
