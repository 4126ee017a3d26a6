"""What a mind is asked in a night, task by task, and what becomes of its answers and failures.

A failed task leaves the others standing. Nothing here writes: what came of it is gathered on the
night's desk and in its list of changes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import TypeVar

from managers.memory.entities import Entity, name_key
from managers.memory.questions import Question
from managers.mind import Cancel, Sheet
from managers.sleep.changes import (
    Change,
    entity_changes,
    episode_changes,
    question_changes,
    reflection_changes,
    resolution_changes,
)
from managers.sleep.checks import check_day, check_entities, check_questions, check_reflection, check_resolutions
from managers.sleep.desk import Desk, Stores
from managers.sleep.levels import span_days
from managers.sleep.tasks import (
    AnswerMaterial,
    DayMaterial,
    DreamMind,
    EntityMaterial,
    Level,
    QuestionMaterial,
    ReflectionMaterial,
    ResolutionsDraft,
    Task,
)
from managers.sleep.withdrawal import withdrawals, without_episode
from managers.storage.errors import UtataneError
from managers.storage.settings import SleepSettings

_READING_TASKS: frozenset[Task] = frozenset({"answers", "entities", "questions"})
"""What looks at the words that no dream has read; who did less has not read them."""
_REMEMBERED_INSIGHTS = 5

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Failure:
    """A task that failed; what became of it instead."""

    task: str
    day: str
    error: UtataneError


@dataclass
class Night:
    """What one transaction has gathered so far."""

    desk: Desk
    now: datetime
    changes: list[Change] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    waiting: dict[str, list[str]] = field(default_factory=dict)
    settled: list[date] = field(default_factory=list)
    materials: list[DayMaterial] = field(default_factory=list)
    read: list[DayMaterial] = field(default_factory=list)
    """The days of which nothing is left unread."""
    calls: int = 0

    def take(self, changes: Sequence[Change]) -> None:
        for change in changes:
            change.make(self.desk)
        self.changes += changes


class Thinker:
    """Asks the mind, one task after the other."""

    def __init__(
        self,
        stores: Stores,
        *,
        sheet: Sheet,
        mind: DreamMind,
        fallback: DreamMind,
        settings: SleepSettings,
        is_gone: Callable[[str], bool],
        when: Callable[[Collection[str]], Sequence[datetime]],
    ) -> None:
        """Hold what is needed; `is_gone` tells whether a message was taken back, `when` when messages were said."""
        self._stores = stores
        self._sheet = sheet
        self._mind = mind
        self._fallback = fallback
        self._settings = settings
        self._is_gone = is_gone
        self._when = when
        self._outage: UtataneError | None = None
        self._last_failure: UtataneError | None = None

    def begin(self) -> None:
        """Begin a run: a mind that was away may be back."""
        self._outage = self._last_failure = None

    def think_of_day(self, night: Night, material: DayMaterial, tasks: Sequence[Task], cancel: Cancel) -> None:
        if not tasks or set(tasks) >= _READING_TASKS:
            night.read.append(material)
        episode = night.desk.episode(material.date)
        is_less = episode is not None and len(material.messages) < episode.covered_messages
        if material.changed or is_less or not material.messages:
            night.take(
                withdrawals(night.desk, material.date, lambda one: one in material.changed or self._is_gone(one))
            )
        if not material.messages:
            night.settled.append(material.date)
            night.take(without_episode(night.desk, material.date))
            return
        night.materials.append(material)
        steps: Mapping[Task, Callable[[Night, DayMaterial, Cancel], None]] = {
            "episode": self._episode,
            "answers": self.answers,
            "entities": self._entities,
            "questions": self._questions,
        }
        for task in tasks:
            if cancel.is_set():
                return
            if task == "episode" or material.new_messages:
                steps[task](night, material, cancel)

    def _episode(self, night: Night, material: DayMaterial, cancel: Cancel) -> None:
        there = night.desk.episode(material.date)
        if there is not None and there.is_users:
            return
        draft = self._ask(
            night,
            "episode",
            material,
            lambda mind: check_day(mind.summarise_day(material, cancel), material, quotes=mind is self._fallback),
        )
        if draft is not None:
            night.take(episode_changes(draft, material, self._mind.name, redo=False))
        elif self._fallback is not self._mind and not cancel.is_set():
            # The day must not be lost: the built-in mind writes it, and the model tries again next night.
            made = self._fallback.summarise_day(material, cancel)
            night.take(episode_changes(made, material, self._fallback.name, redo=True))

    def _entities(self, night: Night, material: DayMaterial, cancel: Cancel) -> None:
        request = EntityMaterial(material, tuple(self._mentioned(night.desk, material)))
        draft = self._ask(
            night,
            "entities",
            material,
            lambda mind: check_entities(
                mind.describe_entities(request, cancel), request, quotes=mind is self._fallback
            ),
        )
        if draft is not None:
            night.take(entity_changes(draft, request, self._mind.name, night.now))

    def _questions(self, night: Night, material: DayMaterial, cancel: Cancel) -> None:
        request = QuestionMaterial(material, tuple(night.desk.questions.open))
        draft = self._ask(
            night,
            "questions",
            material,
            lambda mind: check_questions(mind.find_questions(request, cancel), request, quotes=mind is self._fallback),
        )
        if draft is not None:
            night.take(question_changes(draft, request, self._mind.name, night.now))

    def answers(self, night: Night, material: DayMaterial, cancel: Cancel) -> None:
        since = {q.id: self._asked_since(q) for q in night.desk.questions.open if _is_older(q, material)}
        latest = max((message.time for message in material.new_messages), default=None)
        questions = tuple(
            question
            for question in night.desk.questions.open
            if question.id in since and latest is not None and latest >= since[question.id]
        )
        if not questions:
            return
        request = AnswerMaterial(material, questions)
        draft = self._ask(
            night, "answers", material, lambda mind: check_resolutions(mind.resolve_questions(request, cancel), request)
        )
        if draft is not None:
            draft = _in_time(draft, since, material)
            night.take(resolution_changes(draft, questions, material.messages, self._mind.name, night.now))

    def _asked_since(self, question: Question) -> datetime:
        """Return since when a question has been open: what was said before cannot answer it."""
        moments = self._when(question.evidence)
        if moments:
            return max(moments)
        try:
            return datetime.fromisoformat(question.created_at)
        except ValueError:  # nobody knows since when
            return datetime(1, 1, 1)  # local wall-clock time, as everywhere

    def reflect(self, night: Night, level: Level, cancel: Cancel) -> None:
        span = span_days(level, self._settings)
        days = tuple(night.materials)[-span:]
        newest = days[-1].date if days else night.now.date()  # an import may lie years back
        stored = self._stores.episodes.between(newest - timedelta(days=span), newest)
        episodes = {e.date: e for e in stored} | {
            m.date: episode for m in days if (episode := night.desk.episode(m.date)) is not None
        }
        material = ReflectionMaterial(
            sheet=self._sheet,
            level=level,
            today=night.now.date(),
            days=days,
            episodes=tuple(episodes[day] for day in sorted(episodes)),
            insights=tuple(night.desk.insights.entries[:_REMEMBERED_INSIGHTS]),
            goals=night.desk.goals,
            questions=tuple(night.desk.questions.open),
        )
        if not days and not episodes:
            return

        def think(mind: DreamMind) -> list[Change]:
            draft = mind.reflect(material, cancel)
            checked = check_reflection(draft, material, quotes=mind is self._fallback) if draft is not None else None
            return reflection_changes(checked, material, mind.name, night.now)

        changes = self._ask(night, "reflection", None, think)
        if changes is not None:
            night.take(changes)

    def _ask(
        self, night: Night, task: str, material: DayMaterial | None, ask: Callable[[DreamMind], Answer]
    ) -> Answer | None:
        """Ask the mind; a failure is noted and leaves the other tasks standing."""
        day = material.date.isoformat() if material else f"{night.now:%Y-%m-%d}"
        try:
            if self._outage is not None:
                raise self._outage
            night.calls += 1
            return ask(self._mind)
        except UtataneError as error:
            before = self._last_failure
            if before is not None and before.sentence("en") == error.sentence("en"):
                self._outage = error  # the same words for two tasks: the mind itself is away
            self._last_failure = error
            night.failures.append(Failure(task, day, error))
            if material is not None and self._mind is not self._fallback:
                night.waiting.setdefault(day, []).append(task)
            return None

    def _mentioned(self, desk: Desk, material: DayMaterial) -> list[Entity]:
        """Return what is known about whom and what the day mentions, and about those who spoke."""
        text = "\n".join(message.text for message in material.new_messages)
        keys = {name_key(message.speaker) for message in material.messages}
        folded = name_key(text)
        keys |= {key for key in desk.known_keys() if len(key) > 1 and key in folded}
        return desk.entities_named_in(sorted(keys))


def _is_older(question: Question, material: DayMaterial) -> bool:
    """Whether a question was open before this day's new messages (a day does not answer what it just asked)."""
    new = {message.id for message in material.new_messages}
    return not set(question.evidence) & new


def _in_time(draft: ResolutionsDraft, since: Mapping[str, datetime], material: DayMaterial) -> ResolutionsDraft:
    """Return the answers that were given after what they answer had come up."""
    said = {message.id: message.time for message in material.messages}
    kept = [
        one
        for one in draft.resolutions
        if max(said[message_id] for message_id in one.evidence) >= since[one.question_id]
    ]
    return draft.model_copy(update={"resolutions": kept})
