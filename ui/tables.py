"""What the rooms Heart and Dreams show as tables and curves, handed out as CSV."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from typing import Literal

from fastapi import APIRouter
from fastapi.responses import Response

from agent.memories import Memories
from agent.services import Services
from managers.memory.drives import DRIVES
from managers.memory.emotion_curve import EmotionCurve
from managers.memory.inner_state import feeling_name
from managers.sleep.diary import DreamDiary
from managers.storage.errors import Lang
from ui.csv_files import Rows, csv_answer
from ui.heart_view import change_name
from ui.locales import Texts, texts

Table = Literal["drives", "questions", "feelings", "goals", "dreams"]
_MOST_DAYS = 400
_LONG_AGO, _FAR_AHEAD = date(1970, 1, 1), date(9998, 12, 31)


def room_tables(services: Services) -> APIRouter:
    """Return the addresses of the tables."""
    router = APIRouter(prefix="/personas/{name}")

    @router.get("/tables/{table}.csv")
    def table_of(
        name: str,
        table: Table,
        lang: Lang = "en",
        days: int = 7,
        since: date = _LONG_AGO,
        until: date = _FAR_AHEAD,
    ) -> Response:
        memories, t, now = services.companion(name).memories, texts(lang), services.clock.now()
        make: dict[Table, Callable[[], Rows]] = {
            "drives": lambda: _drives(memories, now - timedelta(days=min(days, _MOST_DAYS)), now, t),
            "questions": lambda: _questions(memories, t),
            "feelings": lambda: _feelings(EmotionCurve(memories.paths, services.clock), since, until, t),
            "goals": lambda: _goals(memories, t),
            "dreams": lambda: _dreams(memories, t),
        }
        return csv_answer(make[table](), f"{name}-{table}.csv")

    return router


def _drives(memories: Memories, since: datetime, now: datetime, t: Texts) -> Rows:
    yield [t("heart.when"), *(t(f"heart.{drive}") for drive in DRIVES)]
    for point in memories.inner_state.course.points(since, now):
        yield [point.time.isoformat(sep=" "), *(point.levels[drive] for drive in DRIVES)]
    levels = memories.inner_state.levels(now)
    yield [now.isoformat(sep=" ", timespec="seconds"), *(round(levels.of(drive), 4) for drive in DRIVES)]


def _questions(memories: Memories, t: Texts) -> Rows:
    yield [t(f"heart.{key}") for key in ("topic", "context", "priority", "since", "status", "answer")]
    for one in [*memories.questions.load().entries, *memories.questions.archived()]:
        status = t("heart.questions") if one.status == "open" else t(f"heart.closed_{one.status}")
        yield [one.topic, one.context, one.priority, one.created_at, status, one.answer]


def _feelings(curve: EmotionCurve, since: date, until: date, t: Texts) -> Rows:
    yield [t(f"heart.{key}") for key in ("when", "emotion", "value", "message", "message_id")]
    for one in curve.readings(datetime.combine(since, time(0)), datetime.combine(until, time(0))):
        feeling = feeling_name(one.emotion, t.lang)
        yield [one.time.isoformat(sep=" "), feeling, one.value, one.text, one.message_id]


def _goals(memories: Memories, t: Texts) -> Rows:
    yield [t(f"heart.{key}") for key in ("goal", "priority_rank", "status", "since", "progress", "values")]
    found = memories.goals.load()
    for goal in [*found.short_term, *found.long_term, *memories.goals.archived()]:
        notes, values = "\n".join(goal.progress_notes), ", ".join(goal.related_values)
        yield [goal.goal, goal.priority, t(f"heart.status_{goal.status}"), goal.created_at, notes, values]


def _dreams(memories: Memories, t: Texts) -> Rows:
    yield [t(f"dreams.{key}") for key in ("night", "level", "messages", "concluded", "strategy", "what_changed")]
    for night in DreamDiary(memories.paths, memories.history, memories.insights, memories.log).all():
        insight = night.insight
        changed = "\n".join(f"{change_name(change.what, t)}: {change.text}" for change in night.changes)
        told = [insight.insight, insight.strategy] if insight else ["", ""]
        yield [night.time.isoformat(sep=" "), night.level or "", night.messages, *told, changed]
