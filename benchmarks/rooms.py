"""The rooms over a long life: what each page takes at 3,650 nights, 100,000 readings and 5,000 entities."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Final

from starlette.testclient import TestClient

from agent.memories import Memories
from agent.services import Services, open_services
from managers.memory.drives import DRIVES
from managers.memory.emotions import VALUES, EmotionEntry
from managers.memory.entities import Entity, Fact, format_entity
from managers.memory.episodes import Episode
from managers.memory.insights import Insight, Insights
from managers.storage.clock import SystemClock
from managers.storage.history.entries import Draft
from managers.storage.paths import Home, PersonaPaths
from tests.ui.visitors import visitor_of
from ui.server.addresses import address_of, with_query

Row = tuple[str, str, str]

NAME = "ねむ"
NIGHTS = 3_650
READINGS = 100_000
ENTITIES = 5_000
RECORDED = 400
"""Nights with an entry of their own in the history; it takes long to write them, not to read."""
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
        write_past(services, nights, readings, entities)
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


def write_past(services: Services, nights: int, readings: int, entities: int) -> None:
    """Write what a persona has lived through, and index it, as it was day by day, long before; nobody is woken for that."""
    now, rng, memories = services.clock.now().replace(microsecond=0), Random(2), services.memories(NAME)
    paths = memories.paths
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
    _write_nights(memories, now, nights, entities)
    memories.recall.catch_up()
    memories.history.notice_outside()


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


def _write_nights(memories: Memories, now: datetime, nights: int, known: int) -> None:
    """Write the nights as dreams do; the older ones share one entry of the history."""
    rng, history, paths = Random(3), memories.history, memories.paths
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
