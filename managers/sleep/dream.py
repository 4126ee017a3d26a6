"""One night: read → think → a list of changes → apply all or none → one entry in the history.

Thinking holds no lock, so the chat goes on meanwhile; only the applying does, for milliseconds, and it
makes the changes on what the files hold then. A run that dies is as if it had never begun.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import date
from typing import Any, Literal

from filelock import FileLock, Timeout

from managers.memory.documents import TIME, Apply, encode
from managers.memory.emotions import EmotionLog
from managers.memory.inner_state import InnerStateStore
from managers.memory.log import ConversationLog
from managers.memory.messages import Message
from managers.mind import Cancel, Sheet
from managers.sleep.desk import Desk, Stores
from managers.sleep.dreamt import DreamtDays, Reading
from managers.sleep.errors import DreamingAlreadyError, NothingSaidError
from managers.sleep.hours import in_quiet_hours
from managers.sleep.levels import due_level
from managers.sleep.report import DreamReport, failure_notices
from managers.sleep.tasks import DAY_TASKS, DayMaterial, DreamMind, Level, Task, is_speech
from managers.sleep.thinking import Night, Thinker
from managers.storage.clock import Clock
from managers.storage.files import make_folder
from managers.storage.locks import writing
from managers.storage.paths import PersonaPaths
from managers.storage.settings import SleepSettings

__all__ = ["DreamReport", "Dreamer", "dreaming"]

NIGHTS_IN_ONE = 14
"""So many missed nights become one run and one history entry; a longer catch-up goes day by day."""
_RECENT_DAYS = 3
_EVIDENCE_IN_HISTORY = 300
_THOUGHTS = 3
"""So often is thought about the same days, when words are taken back while they are thought about."""

Progress = Callable[[int, int], None]
"""Called with the days done and the days in all."""


class _TakenBackMeanwhileError(Exception):
    """What was thought rests on words that were taken back since; it never leaves this module."""


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
        self._apply = apply
        self._settings = settings or SleepSettings()
        self._stores = Stores.open(paths, clock)
        self._emotions = EmotionLog(paths, clock)
        self._dreamt = DreamtDays(paths, log)
        self._thinker = Thinker(
            self._stores,
            sheet=sheet,
            mind=mind,
            fallback=fallback,
            settings=self._settings,
            is_gone=lambda message_id: log.get(message_id) is None,
            when=lambda ids: [message.time for message in log.originals(ids).values()],
        )

    def pending_days(self, *, today: bool = False, thorough: bool = False) -> list[date]:
        """Return the days that wait for a dream, oldest first.

        Args:
            today: count the day that is still going on.
            thorough: look into every day for messages that came later (imports), not only the latest, and
                count the days whose dream a person took back: otherwise what was undone stays undone.
        """
        now = self._clock.now().date()
        state = self._stores.state.load()
        readings = self._dreamt.readings()
        dreamt = set(self._stores.episodes.days())
        if not thorough:
            dreamt |= readings.keys()
        settled = set(state.settled_days)
        waiting = {day for name in state.waiting if (day := day_of(name)) is not None}
        corrected = {day for day in self._dreamt.corrected() if day in dreamt or day in readings}
        spoken = self._log.days()
        days = [day for day in sorted({*spoken, *corrected}) if day < now or (today and day == now)]
        recent = set(days if thorough else days[-_RECENT_DAYS:])
        return [
            day
            for day in days
            if (day not in dreamt and day not in settled)
            or day in waiting
            or day in corrected
            or (day in recent and self._has_more(day, readings))
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
        self._thinker.begin()
        with dreaming(self.paths):
            if today is None:
                today = not in_quiet_hours(self._clock.now(), self._settings)
            days = self.pending_days(today=today, thorough=catch_up)
            single = catch_up or len(days) > NIGHTS_IN_ONE
            batches = [[day] for day in days] if single and days else [days] if days or level else []
            report = DreamReport(started_at=self._clock.now())
            shared = Desk(self._stores) if dry_run else None
            anew = frozenset(days).difference(self._stores.episodes.days()) if catch_up else frozenset[date]()
            for index, batch in enumerate(batches):
                is_last = index == len(batches) - 1
                wanted: Level = 1 if not is_last else level or self._due_level(days)
                report = self._one(report, batch, wanted, cancel, shared, progress, len(days), anew)
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

            def think() -> Night:
                night = Night(Desk(self._stores), self._clock.now())
                material = self._material(day, anew=True)
                if not material.messages:
                    raise NothingSaidError(day=day.isoformat())
                self._thinker.think_of_day(night, material, tasks, Cancel())
                return night

            night, entry = self._thought(think, None, [day], dry_run=dry_run)
            return self._extended(DreamReport(started_at=night.now), night, None, [day], entry)

    def answer_questions(self, messages: Sequence[Message]) -> DreamReport:
        """After a conversation: resolve the open questions that it answered."""
        spoken = tuple(message for message in messages if is_speech(message))
        night = Night(Desk(self._stores), self._clock.now())
        if not spoken or not night.desk.questions.open:
            return DreamReport(started_at=night.now)
        material = DayMaterial(self._sheet, spoken[-1].time.date(), spoken)
        self._thinker.answers(night, material, Cancel())
        night.waiting.clear()
        try:
            entry = self._commit(night, None, [material.date], kind="conversation") if night.changes else None
        except _TakenBackMeanwhileError:
            return DreamReport(started_at=night.now)  # the night looks at the conversation again
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
        anew: frozenset[date],
    ) -> DreamReport:
        """Dream of some days in one transaction; of those that are dreamt anew, everything counts as unread."""

        def think() -> Night:
            night = Night(shared or Desk(self._stores), self._clock.now())
            for number, day in enumerate(batch, 1):
                if cancel.is_set():
                    return night
                material = self._material(day, anew=day in anew)
                self._thinker.think_of_day(night, material, self._tasks_of(material, anew=day in anew), cancel)
                if progress:
                    progress(len(report.days) + number, total)
            if level is not None:
                self._thinker.reflect(night, level, cancel)
            return night

        night, entry = self._thought(think, level, batch, dry_run=shared is not None, cancel=cancel)
        if cancel.is_set() and entry is None:
            return replace(report, cancelled=True)
        return self._extended(report, night, level, batch, entry)

    def _thought(
        self,
        think: Callable[[], Night],
        level: Level | None,
        days: Sequence[date],
        *,
        dry_run: bool,
        cancel: Cancel | None = None,
    ) -> tuple[Night, str | None]:
        """Think, and write what came of it; think anew where somebody took back meanwhile what was read."""
        for _ in range(_THOUGHTS):
            night = think()
            if dry_run or (cancel is not None and cancel.is_set()):
                return night, None
            with suppress(_TakenBackMeanwhileError):
                return night, self._commit(night, level, days)
        night.changes.clear()  # who takes words back all the time is dreamt of another night
        return night, None

    def _tasks_of(self, material: DayMaterial, *, anew: bool) -> Sequence[Task]:
        """Return what is to be done about a day: all, or what waits; a deleted episode is not made again."""
        state, reading = self._stores.state.load(), self._reading(material.date)
        has_episode = self._stores.episodes.get(material.date) is not None
        if anew or reading is None or (not reading.count and not has_episode):
            return DAY_TASKS
        if self._has_more(material.date) or (material.changed and has_episode):
            unwanted = not has_episode and material.date in state.settled_days
            return [task for task in DAY_TASKS if not (unwanted and task == "episode")]
        waiting = state.waiting.get(material.date.isoformat(), [])
        return [task for task in DAY_TASKS if task in waiting]

    def _commit(
        self, night: Night, level: Level | None, days: Sequence[date], kind: Literal["dream", "conversation"] = "dream"
    ) -> str | None:
        """Make the changes on what the files hold now, and write them, all or none."""
        with writing(self.paths):
            self._refuse_what_was_taken_back(night)
            desk = Desk(self._stores)
            for change in night.changes:
                change.make(desk)
            if kind == "dream":
                self._leave_word(desk, night, days)
            files = desk.files()
            if kind == "dream" and night.changes:
                record = self.paths.memory / f"dream_{night.now:%Y%m%d-%H%M%S}-{days[-1] if days else 'all'}.json"
                files[record] = encode(self._record(night, level, days))
            evidence = list(dict.fromkeys(one for change in night.changes for one in change.evidence))
            reason = self._reason(night, level, days, kind)
            entry = None
            if files:
                entry = self._apply(files, author="dream", reason=reason, evidence=evidence[:_EVIDENCE_IN_HISTORY])
            if kind == "dream":
                self._note_reading(night)
            return entry

    def _refuse_what_was_taken_back(self, night: Night) -> None:
        """Refuse a night that read words, or rests on them, which were deleted, forgotten or changed since.

        Not only what names them as its evidence: a mind that summed up a day has read them all.
        """
        read = {message.id: message.text for material in night.materials for message in material.messages}
        cited = {one for change in night.changes for one in change.evidence}
        for message_id, text in self._log.corrections().items():
            if read.get(message_id, text) != text or (text is None and message_id in cited):
                raise _TakenBackMeanwhileError

    def _note_reading(self, night: Night) -> None:
        readings = {one.date: Reading.of(one.messages) for one in night.read}
        known = {one: mark for material in night.read for one, mark in material.changed.items()}
        dreamt = {*readings, *self._dreamt.readings(), *self._stores.episodes.days()}
        of_no_dream = [marks for day, marks in self._dreamt.corrected().items() if day not in dreamt]
        self._dreamt.note(readings, known | {one: mark for marks in of_no_dream for one, mark in marks.items()})

    def _leave_word(self, desk: Desk, night: Night, days: Sequence[date]) -> None:
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

    def _record(self, night: Night, level: Level | None, days: Sequence[date]) -> dict[str, Any]:
        return {
            "started_at": f"{night.now:{TIME}}",
            "level": level,
            "days": [day.isoformat() for day in days],
            "messages_read": sum(len(material.messages) for material in night.materials),
            "mind": self._mind.name,
            "changes": [change.plain() for change in night.changes],
            "failures": [{"task": f.task, "day": f.day, "error": f.error.sentence("en")} for f in night.failures],
        }

    def _reason(self, night: Night, level: Level | None, days: Sequence[date], kind: str) -> str:
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

    def _material(self, day: date, *, anew: bool) -> DayMaterial:
        """Return what was said on a day, and what of it no dream has read as it stands now."""
        changed = self._dreamt.corrected().get(day, {})
        messages = self._said(day)
        waiting = self._stores.state.load().waiting.get(day.isoformat(), [])
        reading = self._reading(day)
        unread = messages
        # Where only the episode waits, or nothing, the other tasks are for what is new.
        if not anew and reading is not None and (waiting in ([], ["episode"])):
            new = set(reading.unread(messages))
            unread = tuple(message for message in messages if message.id in changed or message in new)
        return DayMaterial(
            self._sheet,
            day,
            messages,
            frozenset(message.id for message in unread),
            tuple(self._emotions.of_day(day)),
            changed,
        )

    def _said(self, day: date) -> tuple[Message, ...]:
        return tuple(m for m in self._log.messages(day, day) if is_speech(m) and m.time.date() == day)

    def _reading(self, day: date, readings: Mapping[date, Reading | None] | None = None) -> Reading | None:
        """Return how much of a day was read; None: nothing. What an older version read, the episode tells."""
        readings = self._dreamt.readings() if readings is None else readings
        if (noted := readings.get(day)) is not None:
            return noted
        episode = self._stores.episodes.get(day)
        if episode is not None and episode.covered_messages:
            return Reading(episode.covered_messages)
        return None

    def _has_more(self, day: date, readings: Mapping[date, Reading | None] | None = None) -> bool:
        """Whether more was said on a day than a dream has read."""
        reading = self._reading(day, readings)
        if reading is None:
            return False
        said = self._said(day)
        return bool(reading.unread(said)) or (reading.until is None and len(said) != reading.count)

    def _due_level(self, days: Sequence[date]) -> Level:
        first = min([*self._stores.episodes.days()[:1], *days[:1]], default=None)
        return due_level(self._stores.goals.load().meta, first, self._clock.now().date(), self._settings)

    def _extended(
        self, report: DreamReport, night: Night, level: Level | None, days: Sequence[date], entry: str | None
    ) -> DreamReport:
        return replace(
            report,
            level=level or report.level,
            days=(*report.days, *days),
            changes=(*report.changes, *night.changes),
            entries=(*report.entries, entry) if entry else report.entries,
            failures=(*report.failures, *night.failures),
            notices=(*report.notices, *failure_notices(night.failures)),
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
