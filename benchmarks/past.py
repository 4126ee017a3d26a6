"""The past of a persona of years: messages, days, people and nights, written as they would lie there, quickly."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

from agent.memories import Memories
from benchmarks.words import sentence
from managers.memory.drives import DRIVES
from managers.memory.emotions import VALUES, EmotionEntry
from managers.memory.entities import Entity, Fact, format_entity
from managers.memory.episodes import Episode
from managers.memory.insights import Insight, Insights
from managers.memory.messages import Message, Role
from managers.storage.history.entries import Draft
from managers.storage.paths import PersonaPaths

NIGHTS = 3_650
READINGS = 100_000
ENTITIES = 900
RECORDED = 400
"""Nights with an entry of their own in the history; it takes long to write them, not to read."""


def write_past(
    memories: Memories,
    messages: int = 0,
    nights: int = NIGHTS,
    readings: int = READINGS,
    entities: int = ENTITIES,
    recorded: int = RECORDED,
) -> None:
    """Write what a persona has lived through, and index it, as it was day by day, long before.

    Args:
        memories: of a persona that has no past yet.
        messages: how many were said, 200 a day, up to yesterday.
        nights: how many were dreamt in, each with its episode, insight and record.
        readings: how many feelings were read.
        entities: whom and what it knows.
        recorded: how many of the nights have an entry of their own in the history.
    """
    now, rng, paths = memories.clock.now().replace(microsecond=0), Random(2), memories.paths
    if messages:
        memories.log.append_many(history(messages, rng))
        memories.log.roll()
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
    _write_nights(memories, now, nights, entities, recorded)
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


def _write_nights(memories: Memories, now: datetime, nights: int, known: int, recorded: int) -> None:
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
        if number > recorded:
            older |= files
        else:
            history.apply(older | files, Draft("dream", f"夢: {day} 2件の記憶"))
            older = {}
    if older:
        history.apply(older, Draft("dream", "夢"))
    for path, data in Insights(insights).changes(paths.insights).items():
        path.write_bytes(data or b"")


def history(size: int, rng: Random) -> Iterator[Message]:
    """Yield messages of many days, 200 a day, up to yesterday."""
    days = (size + 199) // 200
    first = datetime.now() - timedelta(days=days)
    for number in range(size):
        day, nth = divmod(number, 200)
        time_ = (first + timedelta(days=day)).replace(hour=8, minute=0, second=0, microsecond=0) + timedelta(
            minutes=4 * nth
        )
        role: Role = "user" if number % 2 == 0 else "persona"
        yield Message(f"b{number}", time_, role, "You" if role == "user" else "Bench", sentence(rng))
