"""The four drives as numbers: pure functions, each with its formula."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

from managers.memory.emotions import NEGATIVE, POSITIVE
from managers.memory.goals import Goal
from managers.memory.questions import Question
from managers.storage.settings import SleepSettings

Drive = Literal["boredom", "curiosity", "goal_achievement", "devotion"]
DRIVES: tuple[Drive, ...] = get_args(Drive)
LABELS: dict[Drive, tuple[str, str]] = {
    "boredom": ("退屈（Boredom）", "Boredom"),
    "curiosity": ("好奇心（Curiosity）", "Curiosity"),
    "goal_achievement": ("目標達成欲（Goal Achievement Drive）", "Goal achievement"),
    "devotion": ("奉仕欲（Devotion Drive）", "Devotion"),
}
_GOAL_PATIENCE_DAYS = 14.0


@dataclass(frozen=True, slots=True)
class Levels:
    """The four drives from 0 to 1, and the thresholds beyond which they move the persona."""

    boredom: float
    curiosity: float
    goal_achievement: float
    devotion: float
    thresholds: dict[Drive, float]

    def of(self, drive: Drive) -> float:
        return float(getattr(self, drive))

    @property
    def dominant(self) -> Drive:
        """The strongest drive; of equals the first in the specification's order."""
        return max(DRIVES, key=self.of)

    @property
    def beyond_threshold(self) -> list[Drive]:
        return sorted((d for d in DRIVES if self.of(d) >= self.thresholds[d]), key=self.of, reverse=True)


def boredom(idle_hours: float, full_hours: float) -> float:
    """Return boredom: ln(1 + h) / ln(1 + H), h idle hours, H the hours at which it is full; at most 1.

    It rises fast in the first hours and ever slower then: with H = 72, 0.16 after one hour, 0.45 after
    six, 0.6 after twelve, 0.75 after a day. A clock set back counts as no idle time.
    """
    return min(1.0, math.log1p(max(0.0, idle_hours)) / math.log1p(full_hours))


def curiosity(questions: Sequence[Question]) -> float:
    """Return curiosity: 1 - (1 - p) · 0.9^(n - 1), p the highest priority of n open questions; 0 without any.

    One question weighs its priority (the specification's example: 0.8), each further one closes a
    tenth of what is missing to 1.
    """
    if not questions:
        return 0.0
    highest = max(question.priority for question in questions)
    return 1.0 - (1.0 - highest) * float(0.9 ** (len(questions) - 1))


def goal_achievement(goals: Sequence[Goal], now: datetime) -> float:
    """Return the drive towards the most important active goal: b + (1 - b) · (1 - 2^(-d / 14)) / 2.

    b is 0.6 for priority 1 (the specification's example) and 0.1 less for each step below, at least
    0.1; d are the days since the goal last moved, so that a neglected goal calls louder.
    """
    if not goals:
        return 0.0
    top = min(goals, key=lambda goal: goal.priority)
    base = max(0.1, 0.7 - 0.1 * top.priority)
    waited = _days_since(max(top.updated_at or top.created_at, top.thought_of), now)
    return base + (1.0 - base) * (1.0 - float(2 ** (-waited / _GOAL_PATIENCE_DAYS))) / 2


def decayed(level: float, hours: float, half_life_hours: float) -> float:
    """Return a level after some hours: l · 2^(-h / T)."""
    return level * float(2 ** (-max(0.0, hours) / half_life_hours))


def devotion_after(level: float, emotion: str) -> float:
    """Return devotion after the user felt something: +0.3 for negative, +0.1 for positive, at most 1."""
    step = 0.3 if emotion in NEGATIVE else 0.1 if emotion in POSITIVE else 0.0
    return min(1.0, level + step)


def thresholds(settings: SleepSettings) -> dict[Drive, float]:
    """Return the thresholds that the person set."""
    return {drive: getattr(settings, f"{drive}_threshold") for drive in DRIVES}


def _days_since(when: str, now: datetime) -> float:
    try:
        return max(0.0, (now - datetime.fromisoformat(when)).total_seconds() / 86_400)
    except ValueError:
        return 0.0
