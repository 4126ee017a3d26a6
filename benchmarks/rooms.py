"""The rooms over a long life: what each handler takes at 3,650 nights, 100,000 readings and 5,000 entities."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

import gradio as gr

from agent.services import Services, open_services
from managers.memory.drives import DRIVES
from managers.memory.emotions import VALUES, EmotionEntry
from managers.memory.entities import Entity, Fact, format_entity
from managers.memory.episodes import Episode
from managers.memory.insights import Insight, Insights
from managers.storage.clock import SystemClock
from managers.storage.history.entries import Draft
from managers.storage.paths import Home, PersonaPaths
from ui.csv_files import as_csv
from ui.dreams import DreamHandlers
from ui.heart import HeartHandlers
from ui.knowledge import KnowledgeHandlers
from ui.locales import texts
from ui.memories import SHELVES, MemoryHandlers
from ui.memory_tables import ROWS, Table
from ui.notes import NoteHandlers
from ui.options import OptionHandlers, Scope
from ui.personas import PersonaHandlers
from ui.shelves import Place, View

Row = tuple[str, str, str]

NAME = "ねむ"
NIGHTS = 3_650
READINGS = 100_000
ENTITIES = 5_000
RECORDED = 400
"""Nights with an entry of their own in the history; it takes long to write them, not to read."""
BUDGET = "1 s"


def measure(nights: int = NIGHTS, readings: int = READINGS, entities: int = ENTITIES) -> Iterator[Row]:
    """Yield what each handler takes, the first time (files are read, the history is walked) and again."""
    with tempfile.TemporaryDirectory() as folder:
        services = open_services(Home(Path(folder)), SystemClock(), Random(1))
        services.settings_file.change("mind", provider="builtin")
        memories = services.companion(NAME).memories
        yield "the past", f"{nights:,} nights, {readings:,} readings, {entities:,} entities", ""
        write_past(services, memories.paths, nights, readings, entities)
        yield from _rooms(services)
        yield from _shelves(services)
        services.close()


def _rooms(services: Services) -> Iterator[Row]:
    t = texts("ja")
    heart, dreams = HeartHandlers(services, t), DreamHandlers(services, t)
    today = services.clock.now().date().isoformat()
    month = f"{services.clock.now() - timedelta(days=28):%Y-%m-%dT%H:%M:%S}/{services.clock.now():%Y-%m-%dT%H:%M:%S}"
    steps: list[tuple[str, Callable[[], object]]] = [
        ("Heart, opening it", lambda: heart.open(NAME, 7)),
        ("Heart, drives over 90 days", lambda: heart.show_drives(NAME, 90)),
        ("Heart, a month of feelings", lambda: heart.show_curve(NAME, "month", today)),
        ("Heart, a year of feelings", lambda: heart.show_curve(NAME, "year", today)),
        ("Heart, all feelings", lambda: heart.show_curve(NAME, "all", today)),
        (
            "Heart, behind a point of a month",
            lambda: heart.look(NAME, "all", today, gr.EventData(None, {"action": "point", "key": month})),
        ),
        ("Dreams, opening it", lambda: dreams.open(NAME)),
        (
            "Dreams, the oldest page",
            lambda: dreams.follow(NAME, 0, gr.EventData(None, {"action": "turn", "page": "364"})),
        ),
    ]
    for name, step in steps:
        first, again = _timed(step), min(_timed(step) for _ in range(3))
        yield name, f"{first:.2f} s, again {again:.2f} s", BUDGET


def _shelves(services: Services) -> Iterator[Row]:
    """Yield what each shelf of the memories takes, opened and as a table; and the rooms beside them."""
    t = texts("ja")
    memories, now = services.companion(NAME).memories, services.clock.now()
    room, options = MemoryHandlers(services, t), OptionHandlers(services, t)
    steps: list[tuple[str, Callable[[], object]]] = [
        (f"Memories, {shelf}", lambda shelf=shelf: room.do(NAME, Place(), {"action": "go", "shelf": shelf}))  # type: ignore[misc]  # mypy takes the default for an argument
        for shelf in SHELVES
    ]
    last = Place(shelf="entities", page=ENTITIES // 24)
    steps += [
        ("Memories, the last page of entities", lambda: room.enter(NAME, last)),
        ("Memories, entities as a table", lambda: _as_table(View(memories, Place("entities"), now, t), "entities")),
        ("Memories, days as a table", lambda: _as_table(View(memories, Place("episodes"), now, t), "episodes")),
        ("Knowledge", lambda: KnowledgeHandlers(services, t).open(NAME)),
        ("Notes", lambda: NoteHandlers(services, t).open(NAME, "core_memory")),
        ("Persona", lambda: PersonaHandlers(services, t).open(NAME)),
        ("Settings", lambda: options.open(NAME, Scope())),
    ]
    for name, step in steps:
        first, again = _timed(step), min(_timed(step) for _ in range(3))
        yield name, f"{first:.2f} s, again {again:.2f} s", BUDGET


def _as_table(view: View, table: Table) -> bytes:
    return as_csv(ROWS[table](view))


def _timed(step: Callable[[], object]) -> float:
    started = time.perf_counter()
    step()
    return time.perf_counter() - started


def write_past(services: Services, paths: PersonaPaths, nights: int, readings: int, entities: int) -> None:
    now, rng = services.clock.now().replace(microsecond=0), Random(2)
    for folder in (paths.memory, paths.episodic_memory, paths.entity_memory):
        folder.mkdir(parents=True, exist_ok=True)
    _write_readings(paths, now, nights, readings, rng)
    for number in range(entities):
        name = f"知り合い{number}"
        fact = Fact(f"{name}は川の近くにいる", (f"m{number}",), "built-in", since="2018-01-01")
        entity = Entity(name, "person", "2018-01-01 03:00:00", mind="built-in", lines=(fact,))
        (paths.entity_memory / f"{name}.md").write_text(format_entity(entity), "utf-8")
    for hour in range(24 * 120):
        moment = now - timedelta(hours=hour)
        line = json.dumps({"time": moment.isoformat(), **{str(drive): rng.random() for drive in DRIVES}})
        with (paths.memory / f"drive_course_{moment:%Y-%m}.jsonl").open("a", encoding="utf-8") as file:
            file.write(line + "\n")
    _write_nights(services, paths, now, nights, entities)


def _write_readings(paths: PersonaPaths, now: datetime, days: int, readings: int, rng: Random) -> None:
    months: dict[str, list[object]] = {}
    emotions = list(VALUES)
    for number in range(readings):
        moment = now - timedelta(seconds=number * days * 86_400 / readings)
        text = f"今日は{number}回目の散歩をした。川のそばでカワセミを見た。"
        entry = EmotionEntry(
            timestamp=moment, user_text_snippet=text, emotion=rng.choice(emotions), message_id=f"m{number}"
        )
        is_recent = moment > now - timedelta(days=90)
        months.setdefault("" if is_recent else f"{moment:%Y-%m}", []).append(entry.model_dump(mode="json"))
    for month, entries in months.items():
        path = paths.memory / f"emotion_log_{month}.json" if month else paths.emotion_log
        path.write_text(json.dumps(entries, ensure_ascii=False, indent=2), "utf-8")


def _write_nights(services: Services, paths: PersonaPaths, now: datetime, nights: int, known: int) -> None:
    """Write the nights as dreams do; the older ones share one entry of the history."""
    rng = Random(3)
    history = services.companion(NAME).memories.history
    insights = []
    older: dict[Path, bytes | None] = {}
    for number in range(nights, 0, -1):
        moment = now - timedelta(days=number)
        day = (moment - timedelta(days=1)).date()
        insight = Insight(
            created_at=f"{moment:%Y-%m-%d %H:%M:%S}",
            trigger_topic="散歩",
            insight=f"「散歩」の話が{number}回出た。",
            strategy="次は川の話を聞く。",
            log_entry="夢の中で川を歩いていた。",
        )
        insights.append(insight)
        change = {"what": "insight", "target": "散歩", "text": insight.insight, "evidence": ["m1"], "mind": "built-in"}
        record = {
            "started_at": insight.created_at,
            "level": 1,
            "days": [f"{day}"],
            "messages_read": 27,
            "changes": [change],
        }
        company = "、".join(f"知り合い{int(known * rng.random() ** 2)}" for _ in range(4))
        episode = Episode(date=day, summary=f"{company}と散歩の話をした。", key_events=["カワセミを見た"]).sealed()
        files: dict[Path, bytes | None] = {
            paths.memory / f"dream_{moment:%Y%m%d-%H%M%S}-{day}.json": json.dumps(record, ensure_ascii=False).encode(),
            paths.episodic_memory / f"{day}.json": episode.dump(),
        }
        if number > RECORDED:
            older |= files
        else:
            history.apply(older | files, Draft("dream", f"夢: {day} 2件の記憶"))
            older = {}
    for path, data in Insights(insights).changes(paths.insights).items():
        path.write_bytes(data or b"")
