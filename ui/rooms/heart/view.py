"""The motive, the questions, the goals and the last dream, as the room shows them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from managers.memory.goals import HORIZONS, Goal, Goals, Horizon
from managers.memory.questions import Question, Questions
from managers.sleep.diary import DreamNight
from ui.components.times import when
from ui.locales import Texts
from ui.rooms.heart.drives import strength, why
from ui.rooms.heart.look import Look
from ui.rooms.history.view import change_name

SHOWN_CLOSED: Final = 30
SHOWN_WORDS: Final = 60
"""Of a question or a goal where a sentence names it."""
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
class OpenQuestion:
    """A question without an answer; `share` is its priority in percent, `pressing` the same in words or numbers."""

    id: str
    topic: str
    short: str
    context: str
    share: int
    pressing: str
    since: str


@dataclass(frozen=True, slots=True)
class Ended:
    """A question or a goal that has ended: how and when, and the answer."""

    words: str
    how: str
    answer: str = ""


@dataclass(frozen=True, slots=True)
class ShownQuestions:
    """The questions; of the closed ones the newest, and how many there are."""

    open: Sequence[OpenQuestion]
    closed: Sequence[Ended]
    closed_count: int


@dataclass(frozen=True, slots=True)
class ShownGoal:
    """A goal that is pursued; its progress newest first."""

    id: str
    words: str
    short: str
    values: Sequence[str]
    progress: Sequence[str]
    moved: str


@dataclass(frozen=True, slots=True)
class ShownGoals:
    """The goals that are pursued, by horizon; of those that have ended the newest, and how many there are."""

    active: Sequence[tuple[Horizon, Sequence[ShownGoal]]]
    ended: Sequence[Ended]
    ended_count: int


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


def questions(found: Questions, look: Look) -> ShownQuestions:
    """Return the questions: what it wonders about, and what it has wondered about."""
    t, now = look.visit.t, look.visit.now
    closed = sorted((one for one in found.entries if one.status != "open"), key=lambda one: one.closed_at, reverse=True)
    ended = [
        Ended(one.topic, f"{t(f'heart.closed_{one.status}')} {moment(one.closed_at, now, t)}".strip(), one.answer)
        for one in closed[:SHOWN_CLOSED]
    ]
    return ShownQuestions([_question(one, look) for one in found.open], ended, len(closed))


def goals(found: Goals, look: Look) -> ShownGoals:
    """Return the goals: what it pursues, and what it has pursued."""
    t, now = look.visit.t, look.visit.now
    active = [(horizon, [_goal(one, now, t) for one in found.active(horizon)]) for horizon in HORIZONS]
    ended = [goal for horizon in HORIZONS for goal in found.lists[horizon] if goal.status != "active"]
    newest = sorted(ended, key=lambda goal: goal.updated_at, reverse=True)[:SHOWN_CLOSED]
    told = [Ended(one.goal, f"{t(f'heart.status_{one.status}')} {moment(one.updated_at, now, t)}") for one in newest]
    return ShownGoals([(horizon, some) for horizon, some in active if some], told, len(ended))


def last_dream(night: DreamNight | None, now: datetime, t: Texts) -> LastDream | None:
    """Return the newest night: the story of its day, or what it concluded where it has none."""
    if night is None:
        return None
    told = night.told
    story = told.stories[-1].text if told.stories else night.insight.insight if night.insight else ""
    counts = Counter(change_name(one.what, t) for one in (*told.stories, *told.changed))
    return LastDream(when(night.time, now, t), story, list(counts.items()))


def moment(stamp: str, now: datetime, t: Texts) -> str:
    """Return a moment as it stands in a memory; one that nobody can read as it is."""
    try:
        return when(datetime.fromisoformat(stamp), now, t)
    except ValueError:
        return stamp


def _question(one: Question, look: Look) -> OpenQuestion:
    t, now = look.visit.t, look.visit.now
    step = sum(one.priority >= edge for edge in _PRESSING)
    pressing = f"{one.priority:.2f}" if look.figures else t(f"heart.pressing_{step}")
    share = round(100 * min(max(one.priority, 0), 1))
    short = one.topic[:SHOWN_WORDS]
    return OpenQuestion(one.id, one.topic, short, one.context, share, pressing, moment(one.created_at, now, t))


def _goal(goal: Goal, now: datetime, t: Texts) -> ShownGoal:
    moved = moment(goal.updated_at or goal.created_at, now, t)
    progress = list(reversed(goal.progress_notes))
    return ShownGoal(goal.id, goal.goal, goal.goal[:SHOWN_WORDS], goal.related_values, progress, moved)
