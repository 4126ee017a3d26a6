"""The past of a persona of years: messages, days, people, nights and what stands beside them, written quickly."""

import gzip
import json
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from pathlib import Path
from random import Random

from agent.memories import Memories
from benchmarks.words import sentence
from managers.hygiene.archive import PutAway
from managers.memory.confidence import Move, Standing
from managers.memory.drives import DRIVES
from managers.memory.emotions import VALUES, EmotionEntry
from managers.memory.entities import Entity, Fact
from managers.memory.entity_cards import format_entity
from managers.memory.episodes import Episode
from managers.memory.insights import Insight, Insights
from managers.memory.json_documents import encode
from managers.memory.messages import Message, Role
from managers.memory.strategies import DecompositionPattern, Strategies
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
        facts = [
            Fact(f"{name}は{sentence(rng)}", (f"b{rng.randrange(max(messages, 1))}",), "built-in", since="2018-01-01")
            for _ in range(1 + number % 6)
        ]
        entity = Entity(name, "person", "2018-01-01 03:00:00", mind="built-in", lines=tuple(facts))
        (paths.entity_memory / f"{name}.md").write_text(format_entity(entity), "utf-8")
    for hour in range(24 * 120):
        moment = now - timedelta(hours=hour)
        line = json.dumps({"time": moment.isoformat(), **{str(drive): rng.random() for drive in DRIVES}})
        with (paths.memory / f"drive_course_{moment:%Y-%m}.jsonl").open("a", encoding="utf-8") as file:
            file.write(line + "\n")
    _write_nights(memories, now, nights, entities, recorded, messages)
    _write_beside(memories, now, nights, messages)
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


def _write_nights(memories: Memories, now: datetime, nights: int, known: int, recorded: int, messages: int) -> None:
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
        told = [sentence(rng) for _ in range(4)]
        at = 200 * (messages // 200 - number - 1)  # of days before the log begins some other messages will do
        at = at if at >= 0 else rng.randrange(max(messages - 200, 1))
        said = [[f"b{at + 50 * place}"] for place in range(len(told))]
        episode = Episode(
            date=day,
            summary=f"{company}と散歩の話をした。{sentence(rng)}{sentence(rng)}",
            key_events=told,
            key_event_evidence=said,
            key_event_standings=[_used(rng, day, now.date()) for _ in told],
            evidence=[one for some in said for one in some],
            covered_messages=200,
            mind="built-in",
        ).sealed()
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


def _used(rng: Random, made: date, today: date) -> Standing:
    """Return how a memory stands: every other one was needed a few times since it was made."""
    days = sorted(
        made + timedelta(days=rng.randrange((today - made).days + 1)) for _ in range(rng.choice((0, 0, 1, 4)))
    )
    moves = [Move(day=f"{day}", by=0.1, why="used") for day in days]
    return Standing(confidence=0.5 + 0.1 * len(moves), last_accessed=f"{days[-1]}" if days else "", moves=moves)


def _write_beside(memories: Memories, now: datetime, nights: int, messages: int) -> None:
    """Write what stands beside the memories of years: what was put away, marks, what answers used, what helps."""
    rng, paths = Random(4), memories.paths
    for run in range(nights // 90):
        when = now - timedelta(days=90 * (run + 1))
        gone = [
            PutAway(
                id=f"ev_{run}_{one}", kind="event", place=f"{when:%Y-%m-%d}", text=sentence(rng), why="pruned",
                when=f"{when:%Y-%m-%d %H:%M:%S}", confidence=0.1, value={"text": "", "evidence": []},
            ).model_dump(mode="json")
            for one in range(200)
        ]  # fmt: skip
        (paths.memory / f"archive_{when:%Y%m%d-%H%M%S}-00.json.gz").write_bytes(gzip.compress(encode(gone), mtime=0))
    marked = {
        f"b{rng.randrange(messages)}": {"messages": [f"b{rng.randrange(messages)}"]} for _ in range(messages // 500)
    }
    if marked:
        (paths.memory / "audience.json").write_bytes(encode({"this-computer": marked}))
    used = (
        {
            "time": f"{now - timedelta(hours=one):%Y-%m-%dT%H:%M:%S}",
            "message_id": f"b{one}",
            "query": sentence(rng),
            "recalled": [
                {"type": "log_archive", "_source": "semantic", "path": "", "message_ids": [f"b{one}"], "score": 0.5}
            ],
        }
        for one in range(5 * nights, 0, -1)
    )
    lines = (json.dumps(one, ensure_ascii=False) + "\n" for one in used)
    memories.recall_log.path.write_text("".join(lines), "utf-8")
    ways = [
        DecompositionPattern(
            kind="decomposition", id=f"st_{one}", query_pattern=sentence(rng, question=True), success_rate=0.95,
            usage_count=3, created_at=f"{now:%Y-%m-%d %H:%M:%S}", updated_at=f"{now:%Y-%m-%d %H:%M:%S}",
        )
        for one in range(min(nights // 20, 150))
    ]  # fmt: skip
    for path, data in Strategies(list(ways)).changes(memories.strategies.path).items():
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
