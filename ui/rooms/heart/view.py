"""The motive, the questions, the goals and the last dream, as the room shows them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from managers.memory.goals import HORIZONS, Goals
from managers.memory.questions import Question, Questions
from managers.sleep.diary import DreamNight
from ui.rooms.heart.drives import strength, why
from ui.rooms.heart.look import Look
from ui.rooms.history.view import change_name
from ui.server.visit import Visit

_PRESSING: Final = (0.4, 0.7)
"""From where on a question presses somewhat, and much."""


@dataclass(frozen=True, slots=True)
class Motive:
    """What moves the persona now, in its own words, and what lies behind it; no words: nothing does."""

    words: str
    drive: str = ""
    strength: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class Ended:
    """A question or a goal that has ended: how and when, and the answer."""

    words: str
    how: str
    answer: str = ""


@dataclass(frozen=True, slots=True)
class LastDream:
    """The newest night: when, what it tells first, and how many memories of which kind it changed."""

    when: str
    words: str
    counts: Sequence[tuple[str, int]]


def motive(look: Look) -> Motive:
    """Return what moves the persona most."""
    inner, t, now = look.visit.memories.inner_state, look.visit.t, look.visit.now
    found, levels = inner.motivation(t.lang, now), inner.levels(now)
    drive = levels.dominant
    if not found.narrative:
        return Motive("")
    strong = strength(levels.of(drive), levels.thresholds[drive], look)
    return Motive(found.narrative, t(f"heart.{drive}"), strong, why(drive, look))


def pressing(one: Question, look: Look) -> str:
    """Return how much a question presses, in words or as a number."""
    step = sum(one.priority >= edge for edge in _PRESSING)
    return f"{one.priority:.2f}" if look.figures else look.visit.t(f"heart.pressing_{step}")


def share(one: Question) -> int:
    """Return a question's priority in percent."""
    return round(100 * min(max(one.priority, 0), 1))


def closed(found: Questions, visit: Visit) -> list[Ended]:
    """Return the questions that have ended, newest first."""
    ended = sorted((one for one in found.entries if one.status != "open"), key=lambda one: one.closed_at, reverse=True)
    return [
        Ended(one.topic, f"{visit.t(f'heart.closed_{one.status}')} {moment(one.closed_at, visit)}".strip(), one.answer)
        for one in ended
    ]


def ended(found: Goals, visit: Visit) -> list[Ended]:
    """Return the goals that have ended, newest first."""
    goals = [goal for horizon in HORIZONS for goal in found.lists[horizon] if goal.status != "active"]
    return [
        Ended(one.goal, f"{visit.t(f'heart.status_{one.status}')} {moment(one.updated_at, visit)}")
        for one in sorted(goals, key=lambda goal: goal.updated_at, reverse=True)
    ]


def last_dream(night: DreamNight | None, visit: Visit) -> LastDream | None:
    """Return the newest night: the story of its day, or what it concluded where it has none."""
    if night is None:
        return None
    told = night.told
    story = told.stories[-1].text if told.stories else night.insight.insight if night.insight else ""
    counts = Counter(change_name(one.what, visit.t) for one in (*told.stories, *told.changed))
    return LastDream(visit.when(night.time), story, list(counts.items()))


def moment(stamp: str, visit: Visit) -> str:
    """Return a moment as it stands in a memory; one that nobody can read as it is."""
    try:
        return visit.when(datetime.fromisoformat(stamp))
    except ValueError:
        return stamp
