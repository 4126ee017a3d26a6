"""The map of memory and the network of entities over ten years: what opening them takes beside an empty one."""

import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

import psutil
from httpx2 import Response

from agent.services import Services, open_services
from benchmarks.recall_corpus import Speech, write_archives
from managers.language.words import entities
from managers.memory.entities import Entity, Fact
from managers.memory.entity_cards import format_entity
from managers.memory.episodes import Episode
from managers.storage.clock import SystemClock
from managers.storage.paths import Home, PersonaPaths, safe_name
from tests.ui.visitors import visitor_of
from ui.server.addresses import address_of

Row = tuple[str, str, str]

NAME, EMPTY = "ねむ", "Hazel"
MESSAGES, DAYS, ENTITIES = 100_000, 3_650, 5_000
BUDGET = "0.3 s beyond an empty one"


def measure(messages: int = MESSAGES, days: int = DAYS, known: int = ENTITIES) -> Iterator[Row]:
    """Yield what drawing takes off the user's path, and what each view takes."""
    with tempfile.TemporaryDirectory() as folder:
        services = open_services(Home(Path(folder)), SystemClock(), Random(1))
        services.settings_file.change("mind", provider="builtin")
        memories = services.companion(NAME).memories
        services.companion(NAME).settle()
        yield "the past", f"{messages:,} messages, {days:,} days, {known:,} entities", ""
        _write_past(memories.paths, messages, days, known)
        yield "indexing it", f"{_timed(memories.recall.catch_up):.0f} s", ""
        yield from _views(services)
        services.close()


def _views(services: Services) -> Iterator[Row]:
    memories = services.companion(NAME).memories
    yield "drawing the map for the first time, in the background", f"{_timed(memories.map.redraw):.1f} s", ""
    yield "looking for all names, in the background", f"{_timed(memories.network.around):.1f} s", ""
    visitor = visitor_of(services)

    def opened(name: str, place: str, **query: object) -> Callable[[], Response]:
        return lambda: visitor.get(address_of(name, f"memories/{place}", **query))

    steps = {
        "an empty map": opened(EMPTY, "map"),
        "the map": opened(NAME, "map"),
        "the map along time": opened(NAME, "map", by="time"),
        "a region of it": opened(NAME, "map/0"),
        "the network": opened(NAME, "network"),
    }
    for name, step in steps.items():
        first, again = _timed(step), min(_timed(step) for _ in range(3))
        yield name, f"{first:.2f} s, again {again:.2f} s", BUDGET
    memories.log.append("user", "花", "川のそばでカワセミを見たよ。")
    memories.recall.catch_up()
    yield "the map after one more message", f"{_timed(steps['the map']):.2f} s", BUDGET
    yield "the network after one more message", f"{_timed(steps['the network']):.2f} s", BUDGET
    yield "what is sent for the map", f"{len(steps['the map']().content) / 1000:.0f} kB", ""
    yield "resident memory", f"{psutil.Process().memory_info().rss / 1e6:.0f} MB", ""


def _timed(step: Callable[[], object]) -> float:
    started = time.perf_counter()
    step()
    return time.perf_counter() - started


def _write_past(paths: PersonaPaths, messages: int, days: int, known: int) -> None:
    start, rng = datetime.now().replace(microsecond=0) - timedelta(days=days), Random(2)
    said = list(Speech().messages(messages, start))
    write_archives(paths, iter(said))
    for folder in (paths.episodic_memory, paths.entity_memory):
        folder.mkdir(parents=True, exist_ok=True)
    for number in range(days):
        day = (start + timedelta(days=number)).date()
        text = " ".join(rng.choice(said).text for _ in range(3))
        (paths.episodic_memory / f"{day}.json").write_bytes(Episode(date=day, summary=text).sealed().dump())
    found = {safe_name(one.text) for message in said[:4000] for one in entities(message.text) if "/" not in one.text}
    names = [*sorted(found), *(f"知り合い{number}" for number in range(known))][:known]
    for name in names:
        evidence = tuple(message.id for message in rng.sample(said, 3))
        fact = Fact(f"{name}の話をした", evidence, "built-in", since=f"{start:%Y-%m-%d}")
        entity = Entity(name, "person", f"{start:%Y-%m-%d %H:%M:%S}", mind="built-in", lines=(fact,))
        (paths.entity_memory / f"{name}.md").write_text(format_entity(entity), "utf-8")
