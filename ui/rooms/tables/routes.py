"""What the rooms Heart and Dreams show as tables and curves, handed out as CSV."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from typing import Final, Literal

from fastapi import APIRouter
from fastapi.responses import Response

from managers.memory.drives import DRIVES
from managers.memory.emotion_curve import EmotionCurve
from managers.memory.emotion_names import feeling_name
from managers.sleep.diary import DreamDiary
from ui.components.csv_files import Rows, csv_answer
from ui.rooms.history.view import change_name
from ui.server.visit import PersonaVisit, With

Table = Literal["drives", "questions", "feelings", "goals", "dreams"]
_MOST_DAYS: Final = 400
_LONG_AGO, _FAR_AHEAD = date(1970, 1, 1), date(9998, 12, 31)

router = APIRouter(prefix="/p/{persona}/tables")


@router.get("/{table}.csv")
def table_of(visit: With, table: Table, days: int = 7, since: date = _LONG_AGO, until: date = _FAR_AHEAD) -> Response:
    """Answer with a table; its heads are in the visitor's language."""
    make: dict[Table, Callable[[], Rows]] = {
        "drives": lambda: _drives(visit, min(max(days, 0), _MOST_DAYS)),
        "questions": lambda: _questions(visit),
        "feelings": lambda: _feelings(visit, since, until),
        "goals": lambda: _goals(visit),
        "dreams": lambda: _dreams(visit),
    }
    return csv_answer(make[table](), f"{visit.name}-{table}.csv")


def _drives(visit: PersonaVisit, days: int) -> Rows:
    inner, now, t = visit.memories.inner_state, visit.now, visit.t
    yield [t("heart.when"), *(t(f"heart.{drive}") for drive in DRIVES)]
    for point in inner.course.points(now - timedelta(days=days), now):
        yield [point.time.isoformat(sep=" "), *(point.levels[drive] for drive in DRIVES)]
    levels = inner.levels(now)
    yield [now.isoformat(sep=" ", timespec="seconds"), *(round(levels.of(drive), 4) for drive in DRIVES)]


def _questions(visit: PersonaVisit) -> Rows:
    store, t = visit.memories.questions, visit.t
    yield [t(f"heart.{key}") for key in ("topic", "context", "priority", "since", "status", "answer")]
    for one in [*store.load().entries, *store.archived()]:
        status = t("heart.questions") if one.status == "open" else t(f"heart.closed_{one.status}")
        yield [one.topic, one.context, one.priority, one.created_at, status, one.answer]


def _feelings(visit: PersonaVisit, since: date, until: date) -> Rows:
    yield [visit.t(f"heart.{key}") for key in ("when", "emotion", "value", "message", "message_id")]
    curve = EmotionCurve(visit.memories.paths, visit.services.clock)
    for one in curve.readings(datetime.combine(since, time(0)), datetime.combine(until, time(0))):
        yield [one.time.isoformat(sep=" "), feeling_name(one.emotion, visit.lang), one.value, one.text, one.message_id]


def _goals(visit: PersonaVisit) -> Rows:
    store, t = visit.memories.goals, visit.t
    yield [t(f"heart.{key}") for key in ("goal", "priority_rank", "status", "since", "progress", "values")]
    found = store.load()
    for goal in [*found.short_term, *found.long_term, *store.archived()]:
        notes, values = "\n".join(goal.progress_notes), ", ".join(goal.related_values)
        yield [goal.goal, goal.priority, t(f"heart.status_{goal.status}"), goal.created_at, notes, values]


def _dreams(visit: PersonaVisit) -> Rows:
    memories, t = visit.memories, visit.t
    heads = ("night", "level", "messages", "concluded", "strategy", "what_changed")
    yield [t(f"dreams.{key}") for key in heads]
    for night in DreamDiary(memories.paths, memories.history, memories.insights, memories.log).all():
        changed = "\n".join(
            f"{change_name(change.what, t)}: {change.text or t('dreams.taken_away')}"
            for change in (*night.told.stories, *night.told.changed)
        )
        told = [night.insight.insight, night.insight.strategy] if night.insight else ["", ""]
        yield [night.time.isoformat(sep=" "), night.level or "", night.messages, *told, changed]
