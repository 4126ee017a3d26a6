"""The four drives as a person reads them: how strong, why, and how they went; numbers where they are asked for."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Final

from managers.memory.drive_course import CoursePoint
from managers.memory.drives import DRIVES, Drive, Levels
from managers.memory.emotion_names import feeling_name
from managers.memory.emotions import concern_of
from ui.components.charts import Point, Tick, level_chart
from ui.components.times import when
from ui.rooms.heart.look import Look

_STRENGTHS: Final = (0.02, 0.5, 1.0)
"""Where the next word begins, as a share of the threshold: at rest, a little, growing, strong."""
_MOST_POINTS: Final = 180
"""More than a line has pixels tell nothing."""


def drive_cards(look: Look) -> list[dict[str, Any]]:
    """Return the four drives as they are now."""
    visit = look.visit
    inner, now = visit.memories.inner_state, visit.now
    levels = inner.levels(now)
    course = inner.course.points(now - timedelta(days=look.days), now)
    return [_card(drive, levels, course, look) for drive in DRIVES]


def strength(level: float, threshold: float, look: Look) -> str:
    """Return how strong a drive is, in words, or as a number where that is asked for."""
    if look.figures:
        return f"{level:.2f}"
    step = sum(level >= share * threshold and level > 0 for share in _STRENGTHS)
    return look.visit.t(f"heart.strength_{step}")


def why(drive: Drive, look: Look) -> str:
    """Return what lies behind a drive, said to the person."""
    memories, t, now = look.visit.memories, look.visit.t, look.visit.now
    state = memories.inner_state.load().drives
    if drive == "boredom":
        last = state.boredom.last_interaction
        return t("heart.why_boredom", time=when(last, now, t)) if last else t("heart.never_talked")
    if drive == "devotion":
        felt = memories.inner_state.felt()
        return t("heart.why_devotion", feeling=feeling_name(felt.name, t.lang)) if felt else t("heart.nothing_felt")
    if drive == "curiosity":
        first = next(iter(memories.questions.open()), None)
        topic = first.topic if first else ""
        if first and concern_of(f"{topic}\n{first.context}"):
            return t("heart.why_worried")
        return t("heart.why_curiosity", topic=topic) if topic else t("heart.no_questions")
    goals = memories.goals.load()
    goal = next((one.goal for one in (*goals.active("short_term"), *goals.active("long_term"))), "")
    return t("heart.why_goal", goal=goal) if goal else t("heart.no_goals")


def _card(drive: Drive, levels: Levels, course: Sequence[CoursePoint], look: Look) -> dict[str, Any]:
    """Return a drive: how strong it is and why, and its course, each also as screen readers say it."""
    t, level, threshold = look.visit.t, levels.of(drive), levels.thresholds[drive]
    name, strong = t(f"heart.{drive}"), strength(level, threshold, look)
    points = _points(drive, level, course, look)
    highest = strength(max((point.y for point in points), default=level), threshold, look)
    edge = t("heart.threshold", threshold=f"{threshold:.2f}") if look.figures else t("heart.edge")
    ends = (t("heart.ago", days=look.days), t("heart.now"))
    return {
        "drive": drive,
        "name": name,
        "level": round(level, 4),
        "threshold": threshold,
        "strength": strong,
        "said": t("heart.level_said", drive=name, level=strong),
        "why": why(drive, look),
        "is_over": level >= threshold,
        "is_strongest": level >= _STRENGTHS[0] * threshold and level > 0 and drive == levels.dominant,
        "pictures": level_chart(points, Tick(threshold, edge), ends) if points else (),
        "course": t("heart.course_said", drive=name, days=look.days, level=strong, highest=highest),
    }


def _points(drive: Drive, level: float, course: Sequence[CoursePoint], look: Look) -> list[Point]:
    """Return the course of a drive until now; empty where nothing was noted."""
    thinned = course[:: -(-len(course) // _MOST_POINTS) or 1]
    if not thinned:
        return []
    span = timedelta(days=look.days)
    since = look.visit.now - span
    return [*(Point((point.time - since) / span, point.levels[drive]) for point in thinned), Point(1, level)]
