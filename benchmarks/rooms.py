"""The rooms over a long life: what each page takes at 3,650 nights, 100,000 readings and 5,000 entities."""

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Final

from starlette.testclient import TestClient

from agent.services import open_services
from benchmarks.past import NIGHTS, READINGS, write_past
from managers.storage.clock import SystemClock
from managers.storage.paths import Home
from tests.ui.visitors import visitor_of
from ui.server.addresses import address_of, with_query

Row = tuple[str, str, str]

NAME = "ねむ"
ENTITIES = 5_000
BUDGET = "0.3 s more than without a past"
EMPTY = "空っぽ"
SHELVES: Final = ("people", "days", "insights", "goals", "questions", "diary", "forgotten", "map", "network")
PLACES: Final[tuple[tuple[str, dict[str, object]], ...]] = (
    ("heart", {}),
    ("heart", {"days": 90, "span": "month"}),
    ("heart", {"span": "year"}),
    ("heart", {"span": "all"}),
    ("dreams", {}),
    ("dreams", {"page": NIGHTS // 10}),
    ("knowledge", {}),
    ("notes/core_memory", {}),
    ("persona", {}),
    ("memories", {}),
    *((f"memories/{shelf}", {}) for shelf in SHELVES),
    ("memories/people", {"page": ENTITIES // 24}),
    ("tables/feelings.csv", {}),
    ("tables/dreams.csv", {}),
    ("tables/entities.csv", {}),
    ("tables/episodes.csv", {}),
)
"""The pages that are measured, and what their addresses ask for."""


def measure(nights: int = NIGHTS, readings: int = READINGS, entities: int = ENTITIES) -> Iterator[Row]:
    """Yield what each page takes, the first time (files are read, the history is walked) and again, and without a past."""
    with tempfile.TemporaryDirectory() as folder:
        services = open_services(Home(Path(folder)), SystemClock(), Random(1))
        services.settings_file.change("mind", provider="builtin")
        services.personas.create(EMPTY, language="ja")
        yield "the past", f"{nights:,} nights, {readings:,} readings, {entities:,} entities", ""
        write_past(services.memories(NAME), nights=nights, readings=readings, entities=entities)
        visitor = visitor_of(services)
        for place, query in PLACES:
            empty = min(_timed(visitor, EMPTY, place, query) for _ in range(3))
            first = _timed(visitor, NAME, place, query)
            again = min(_timed(visitor, NAME, place, query) for _ in range(3))
            name = with_query(place, query)
            yield name, f"{first:.2f} s, again {again:.2f} s; without a past {empty:.2f} s", BUDGET
        services.close()


def _timed(visitor: TestClient, persona: str, place: str, query: dict[str, object]) -> float:
    started = time.perf_counter()
    answer = visitor.get(address_of(persona, place, **query), follow_redirects=True)
    taken = time.perf_counter() - started
    answer.raise_for_status()
    return taken
