"""One night: read → think → a list of changes → apply all or none → one entry in the history.

Thinking holds no lock, so the chat goes on meanwhile; only the applying does, for milliseconds, and it
makes the changes on what the files hold then. A run that dies is as if it had never begun.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from typing import Any, Literal, TypeVar

from filelock import FileLock, Timeout

from managers.memory.documents import TIME, Apply, encode
from managers.memory.emotions import EmotionLog
from managers.memory.entities import Entity, name_key
from managers.memory.inner_state import InnerStateStore
from managers.memory.log import ConversationLog
from managers.memory.messages import Message
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
from managers.sleep.errors import DraftRejectedError, DreamingAlreadyError, NothingSaidError
from managers.sleep.hours import in_quiet_hours
from managers.sleep.levels import due_level, span_days
from managers.sleep.tasks import (
    AnswerMaterial,
    DayMaterial,
    DreamMind,
    EntityMaterial,
    Level,
    QuestionMaterial,
    ReflectionMaterial,
    is_speech,
)
from managers.sleep.withdrawal import withdrawals
from managers.storage.clock import Clock
from managers.storage.errors import Notice, UtataneError
from managers.storage.files import append_durably, make_folder, read_bytes
from managers.storage.locks import writing
from managers.storage.paths import PersonaPaths
from managers.storage.settings import SleepSettings

Task = Literal["episode", "entities", "questions", "answers"]
DAY_TASKS: tuple[Task, ...] = ("episode", "answers", "entities", "questions")
NIGHTS_IN_ONE = 14
"""So many missed nights become one run and one history entry; a longer catch-up goes day by day."""
_RECENT_DAYS = 3
_REMEMBERED_INSIGHTS = 5
_EVIDENCE_IN_HISTORY = 300

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Failure:
    """A task that failed; what became of it instead."""

    task: str
    day: str
    error: UtataneError


@dataclass(frozen=True)
class DreamReport:
    """What a dream did.

    Attributes:
        level: the depth of its reflection; None: it did not reflect.
        days: the days that it dreamt of.
        changes: what it changed (or would, in a dry run).
        entries: the history entries, one a transaction.
        failures: tasks that failed.
        notices: what a person should know.
        left: days that remain, where it was stopped.
        calls: how often a mind was asked.
    """

    started_at: datetime
    level: Level | None = None
    days: tuple[date, ...] = ()
    changes: tuple[Change, ...] = ()
    entries: tuple[str, ...] = ()
    failures: tuple[Failure, ...] = ()
    notices: tuple[Notice, ...] = ()
    left: int = 0
    messages: int = 0
    calls: int = 0
    cancelled: bool = False

    def plain(self) -> dict[str, Any]:
        """Return it for `--json`."""
        return {
            "started_at": f"{self.started_at:{TIME}}",
            "level": self.level,
            "days": [day.isoformat() for day in self.days],
            "messages": self.messages,
            "changes": [change.plain() for change in self.changes],
            "entries": list(self.entries),
            "failures": [{"task": f.task, "day": f.day, "error": f.error.sentence("en")} for f in self.failures],
            "left": self.left,
            "calls": self.calls,
            "cancelled": self.cancelled,
        }


Progress = Callable[[int, int], None]
"""Called with the days done and the days in all."""


@dataclass
class _Night:
    """What one transaction has gathered so far."""

    desk: Desk
    now: datetime
    changes: list[Change] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    waiting: dict[str, list[str]] = field(default_factory=dict)
    settled: list[date] = field(default_factory=list)
    materials: list[DayMaterial] = field(default_factory=list)
    calls: int = 0

    def take(self, changes: Sequence[Change]) -> None:
        for change in changes:
            change.make(self.desk)
        self.changes += changes


class Dreamer:
    """Dreams for one persona."""

    def __init__(
        self,
        paths: PersonaPaths,
        log: ConversationLog,
        clock: Clock,
        *,
        sheet: Sheet,
        mind: DreamMind,
        fallback: DreamMind,
        apply: Apply,
        settings: SleepSettings | None = None,
    ) -> None:
        """Hold what a dream needs.

        Args:
            paths: the persona's files.
            log: what was said.
            clock: the time.
            sheet: who the persona is.
            mind: what dreams; may be the fallback itself.
            fallback: the built-in mind, which writes the episode where `mind` fails.
            apply: writes files, all or none, with a history entry.
            settings: when the deeper reflections are due.
        """
        self.paths = paths
        self._log = log
        self._clock = clock
        self._sheet = sheet
        self._mind = mind
        self._fallback = fallback
        self._apply = apply
        self._settings = settings or SleepSettings()
        self._stores = Stores.open(paths, clock)
        self._emotions = EmotionLog(paths, clock)
        self._dreamt = paths.memory / ".dreamt_days"
        self._outage: UtataneError | None = None
        self._last_failure: UtataneError | None = None

    def pending_days(self, *, today: bool = False, thorough: bool = False) -> list[date]:
        """Return the days that wait for a dream, oldest first.

        Args:
            today: count the day that is still going on.
            thorough: look into every day for messages that came later (imports), not only the latest, and
                count the days whose dream a person took back: otherwise what was undone stays undone.
        """
        now = self._clock.now().date()
        state = self._stores.state.load()
        dreamt = set(self._stores.episodes.days())
        if not thorough:
            dreamt |= self._dreamt_before()
        settled = set(state.settled_days)
        waiting = {day for name in state.waiting if (day := day_of(name)) is not None}
        days = [day for day in self._log.days() if day < now or (today and day == now)]
        recent = set(days if thorough else days[-_RECENT_DAYS:])
        return [
            day
            for day in days
            if (day not in dreamt and day not in settled) or day in waiting or (day in recent and self._has_more(day))
        ]

    def dream(
        self,
        *,
        level: Level | None = None,
        catch_up: bool = False,
        dry_run: bool = False,
        today: bool | None = None,
        progress: Progress | None = None,
        cancel: Cancel | None = None,
    ) -> DreamReport:
        """Dream of all days that wait, and reflect.

        Args:
            level: how deep to reflect; None: what is due.
            catch_up: look into every day, and go day by day, each its own transaction.
            dry_run: think, and change nothing.
            today: dream of the day that is still going on, too; None: outside quiet hours, where whoever
                asks for a dream wants what was just said to be in it.
            progress: called after each day.
            cancel: when set, the dream stops; what was applied stays, the day under way is as if untouched.

        Raises:
            DreamingAlreadyError: another dream of this persona is under way.
        """
        cancel = cancel or Cancel()
        self._outage = self._last_failure = None
        with dreaming(self.paths):
            if today is None:
                today = not in_quiet_hours(self._clock.now(), self._settings)
            days = self.pending_days(today=today, thorough=catch_up)
            single = catch_up or len(days) > NIGHTS_IN_ONE
            batches = [[day] for day in days] if single and days else [days] if days or level else []
            report = DreamReport(started_at=self._clock.now())
            shared = Desk(self._stores) if dry_run else None
            for index, batch in enumerate(batches):
                is_last = index == len(batches) - 1
                wanted: Level = 1 if not is_last else level or self._due_level(days)
                report = self._one(report, batch, wanted, cancel, shared, progress, len(days))
                if report.cancelled:
                    return replace(report, left=len(days) - len(report.days))
            if not dry_run:
                self._rest()
            return replace(report, notices=(*report.notices, *self._stores.take_notices()))

    def dream_of(self, day: date, tasks: Sequence[Task] = DAY_TASKS, *, dry_run: bool = False) -> DreamReport:
        """Do chosen tasks for one day, by hand: its episode anew, or the entities of its conversation.

        Raises:
            NothingSaidError: there is no conversation on that day.
            DreamingAlreadyError: another dream of this persona is under way.
        """
        with dreaming(self.paths):
            night = _Night(Desk(self._stores), self._clock.now())
            material = self._material(day)
            if not material.messages:
                raise NothingSaidError(day=day.isoformat())
            self._think_of_day(night, material, tasks, Cancel())
            entry = None if dry_run else self._commit(night, None, [day])
            return self._extended(DreamReport(started_at=night.now), night, None, [day], entry)

    def answer_questions(self, messages: Sequence[Message]) -> DreamReport:
        """After a conversation: resolve the open questions that it answered."""
        spoken = tuple(message for message in messages if is_speech(message))
        night = _Night(Desk(self._stores), self._clock.now())
        if not spoken or not night.desk.questions.open:
            return DreamReport(started_at=night.now)
        material = DayMaterial(self._sheet, spoken[-1].time.date(), spoken)
        self._answers(night, material, Cancel())
        night.waiting.clear()
        entry = self._commit(night, None, [material.date], kind="conversation") if night.changes else None
        InnerStateStore(self.paths, self._clock, self._settings).refresh(lang=self._sheet.language)
        return self._extended(DreamReport(started_at=night.now), night, None, [material.date], entry)

    def _one(
        self,
        report: DreamReport,
        batch: Sequence[date],
        level: Level | None,
        cancel: Cancel,
        shared: Desk | None,
        progress: Progress | None,
        total: int,
    ) -> DreamReport:
        """Dream of some days in one transaction."""
        night = _Night(shared or Desk(self._stores), self._clock.now())
        for number, day in enumerate(batch, 1):
            if cancel.is_set():
                return replace(report, cancelled=True)
            self._think_of_day(night, self._material(day), self._tasks_of(day), cancel)
            if progress:
                progress(len(report.days) + number, total)
        if level is not None:
            self._reflect(night, level, cancel)
        if cancel.is_set():
            return replace(report, cancelled=True)
        is_dry = shared is not None
        entry = None if is_dry else self._commit(night, level, batch)
        return self._extended(report, night, level, batch, entry)

    def _tasks_of(self, day: date) -> Sequence[Task]:
        waiting = self._stores.state.load().waiting.get(day.isoformat(), [])
        episode = self._stores.episodes.get(day)
        if episode is None or self._has_more(day):
            return DAY_TASKS
        return [task for task in DAY_TASKS if task in waiting]

    def _think_of_day(self, night: _Night, material: DayMaterial, tasks: Sequence[Task], cancel: Cancel) -> None:
        if not material.messages:
            night.settled.append(material.date)
            night.take(withdrawals(night.desk, material.date, lambda one: self._log.get(one) is None))
            return
        night.materials.append(material)
        episode = self._stores.episodes.get(material.date)
        if episode is not None and len(material.messages) < episode.covered_messages:
            night.take(withdrawals(night.desk, material.date, lambda one: self._log.get(one) is None))
        steps: Mapping[Task, Callable[[_Night, DayMaterial, Cancel], None]] = {
            "episode": self._episode,
            "answers": self._answers,
            "entities": self._entities,
            "questions": self._questions,
        }
        for task in tasks:
            if cancel.is_set():
                return
            if task == "episode" or material.new_messages:
                steps[task](night, material, cancel)

    def _episode(self, night: _Night, material: DayMaterial, cancel: Cancel) -> None:
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

    def _entities(self, night: _Night, material: DayMaterial, cancel: Cancel) -> None:
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

    def _questions(self, night: _Night, material: DayMaterial, cancel: Cancel) -> None:
        request = QuestionMaterial(material, tuple(night.desk.questions.open))
        draft = self._ask(
            night,
            "questions",
            material,
            lambda mind: check_questions(mind.find_questions(request, cancel), request, quotes=mind is self._fallback),
        )
        if draft is not None:
            night.take(question_changes(draft, request, self._mind.name, night.now))

    def _answers(self, night: _Night, material: DayMaterial, cancel: Cancel) -> None:
        questions = tuple(q for q in night.desk.questions.open if _is_older(q, material))
        if not questions:
            return
        request = AnswerMaterial(material, questions)
        draft = self._ask(
            night, "answers", material, lambda mind: check_resolutions(mind.resolve_questions(request, cancel), request)
        )
        if draft is not None:
            night.take(resolution_changes(draft, questions, material.messages, self._mind.name, night.now))

    def _reflect(self, night: _Night, level: Level, cancel: Cancel) -> None:
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
        self, night: _Night, task: str, material: DayMaterial | None, ask: Callable[[DreamMind], Answer]
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

    def _commit(
        self, night: _Night, level: Level | None, days: Sequence[date], kind: Literal["dream", "conversation"] = "dream"
    ) -> str | None:
        """Make the changes on what the files hold now, and write them, all or none."""
        with writing(self.paths):
            desk = Desk(self._stores)
            for change in night.changes:
                change.make(desk)
            if kind == "dream":
                self._leave_word(desk, night, days)
            files = desk.files()
            if not files:
                return None
            if kind == "dream" and night.changes:
                record = self.paths.memory / f"dream_{night.now:%Y%m%d-%H%M%S}-{days[-1] if days else 'all'}.json"
                files[record] = encode(self._record(night, level, days))
            evidence = list(dict.fromkeys(one for change in night.changes for one in change.evidence))
            reason = self._reason(night, level, days, kind)
            entry = self._apply(files, author="dream", reason=reason, evidence=evidence[:_EVIDENCE_IN_HISTORY])
            if kind == "dream":
                append_durably(self._dreamt, "".join(f"{day:%Y-%m-%d}\n" for day in days).encode())
            return entry

    def _dreamt_before(self) -> set[date]:
        """Return every day that was ever dreamt of; this file is no part of the history, so no undo takes it back."""
        lines = (read_bytes(self._dreamt) or b"").decode("ascii", "replace").split()
        return {day for line in lines if (day := day_of(line)) is not None}

    def _leave_word(self, desk: Desk, night: _Night, days: Sequence[date]) -> None:
        """Note what waits for the next night."""
        state = desk.state
        waiting = {day: tasks for day, tasks in state.waiting.items() if day_of(day) not in set(days)}
        waiting |= {
            day: tasks for day, tasks in night.waiting.items() if tasks and day in {d.isoformat() for d in days}
        }
        changed = state.model_copy(
            update={
                "waiting": waiting,
                "settled_days": sorted({*state.settled_days, *night.settled}),
                "last_dream": f"{night.now:{TIME}}" if night.changes else state.last_dream,
            }
        )
        if changed != state:
            desk.state = changed

    def _record(self, night: _Night, level: Level | None, days: Sequence[date]) -> dict[str, Any]:
        return {
            "started_at": f"{night.now:{TIME}}",
            "level": level,
            "days": [day.isoformat() for day in days],
            "messages_read": sum(len(material.messages) for material in night.materials),
            "mind": self._mind.name,
            "changes": [change.plain() for change in night.changes],
            "failures": [{"task": f.task, "day": f.day, "error": f.error.sentence("en")} for f in night.failures],
        }

    def _reason(self, night: _Night, level: Level | None, days: Sequence[date], kind: str) -> str:
        japanese = self._sheet.language == "ja"
        if kind == "conversation":
            return "会話で問いの答えがわかった" if japanese else "A conversation answered what was open"
        span = " – ".join(dict.fromkeys([days[0].isoformat(), days[-1].isoformat()])) if days else ""
        count = len(night.changes)
        if japanese:
            depth = f"(省察レベル{level})" if level else ""
            return f"夢: {span} {count}件の記憶{depth}".replace("  ", " ")
        depth = f" (reflection level {level})" if level else ""
        return f"Dream: {span} {count} memories{depth}".replace("  ", " ")

    def _rest(self) -> None:
        """After the dream: what follows from the memories is computed anew."""
        self._emotions.roll()
        InnerStateStore(self.paths, self._clock, self._settings).refresh(lang=self._sheet.language)

    def _material(self, day: date) -> DayMaterial:
        messages = tuple(m for m in self._log.messages(day, day) if is_speech(m) and m.time.date() == day)
        episode = self._stores.episodes.get(day)
        state = self._stores.state.load()
        is_waiting = day.isoformat() in state.waiting
        earlier = 0 if episode is None or is_waiting or not self._has_more(day) else episode.covered_messages
        return DayMaterial(self._sheet, day, messages, min(earlier, len(messages)), tuple(self._emotions.of_day(day)))

    def _has_more(self, day: date) -> bool:
        """Whether more was said on a day than its episode was made from, or less: a message was taken back."""
        episode = self._stores.episodes.get(day)
        if episode is None or not episode.covered_messages:
            return False
        count = sum(1 for m in self._log.messages(day, day) if is_speech(m) and m.time.date() == day)
        return count != episode.covered_messages

    def _due_level(self, days: Sequence[date]) -> Level:
        first = min([*self._stores.episodes.days()[:1], *days[:1]], default=None)
        return due_level(self._stores.goals.load().meta, first, self._clock.now().date(), self._settings)

    def _extended(
        self, report: DreamReport, night: _Night, level: Level | None, days: Sequence[date], entry: str | None
    ) -> DreamReport:
        return replace(
            report,
            level=level or report.level,
            days=(*report.days, *days),
            changes=(*report.changes, *night.changes),
            entries=(*report.entries, entry) if entry else report.entries,
            failures=(*report.failures, *night.failures),
            notices=(*report.notices, *_failure_notices(night.failures)),
            messages=report.messages + sum(len(material.messages) for material in night.materials),
            calls=report.calls + night.calls,
        )


@contextmanager
def dreaming(paths: PersonaPaths) -> Iterator[None]:
    """Hold the persona's dream: one at a time, also across processes. The chat does not wait for it.

    Raises:
        DreamingAlreadyError: somebody else holds it.
    """
    make_folder(paths.memory)
    lock = FileLock(paths.memory / ".dream.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout as error:
        raise DreamingAlreadyError(name=paths.name) from error
    try:
        yield
    finally:
        lock.release()


def day_of(text: str) -> date | None:
    """Return the day that a text names, None if it names none."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _is_older(question: Question, material: DayMaterial) -> bool:
    """Whether a question was open before this day's new messages (a day does not answer what it just asked)."""
    new = {message.id for message in material.new_messages}
    return not set(question.evidence) & new


def _failure_notices(failures: Sequence[Failure]) -> list[Notice]:
    if not failures:
        return []
    first = failures[0].error
    rejected = isinstance(first, DraftRejectedError)
    return [
        Notice(
            code="dream-incomplete",
            ja=f"夢のうち{len(failures)}件がうまくいきませんでした。次の夜にもう一度試します。{'' if rejected else first.sentence('ja')}",
            en=f"{len(failures)} part(s) of the dream did not work out and will be tried again the next night. "
            f"{'' if rejected else first.sentence('en')}".strip(),
            level="info" if rejected else "warning",
        )
    ]
