"""One night: read → think → a list of changes → apply all or none → one entry in the history.

Thinking holds no lock, so the chat goes on meanwhile; only the writing does (`night_writer`). A run that dies is as if
it had never begun.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta

from managers.hygiene.housekeeping import is_crowded
from managers.memory.emotions import EmotionLog
from managers.memory.inner_state import InnerStateStore
from managers.memory.json_documents import Apply
from managers.memory.log import ConversationLog
from managers.memory.messages import Message
from managers.memory.working_copy import Stores, WorkingCopy
from managers.mind import Cancel, Sheet
from managers.sleep.condensing import ASKED_A_NIGHT, due_spans
from managers.sleep.cost import DreamCost, estimated
from managers.sleep.dream_days import Days
from managers.sleep.dreamt import DreamtDays, dreaming
from managers.sleep.errors import NothingSaidError
from managers.sleep.night import Night
from managers.sleep.night_writer import NightWriter, TakenBackMeanwhileError
from managers.sleep.reflection_levels import NIGHTS_IN_ONE, levels_of, transactions
from managers.sleep.report import DreamReport, failure_notices
from managers.sleep.tasks import DAY_TASKS, DayMaterial, DreamMind, Level, Task, is_speech
from managers.sleep.thinking import Past, Thinker
from managers.storage.clock import Clock
from managers.storage.edges import told
from managers.storage.errors import UtataneError, as_notice
from managers.storage.paths import PersonaPaths
from managers.storage.settings import MemorySettings, PrivacySettings, SleepSettings

__all__ = ["DreamReport", "Dreamer", "dreaming"]

_BEFORE_DAWN = time(3)
_THOUGHTS = 3
"""So often is thought about the same days, when words are taken back while they are thought about."""

Progress = Callable[[int, int], None]
"""Called with the days done and the days in all."""


@dataclass(frozen=True)
class _Run:
    """What the nights of one run have in common.

    Attributes:
        depths: how deep the night after each day would have reflected.
        anew: the days that are dreamt of as if for the first time.
        is_long: years may be missing: each day is thought of as in its own night, and dated so.
        shared: the copy of a dry run.
    """

    depths: Mapping[date, Level]
    anew: frozenset[date]
    is_long: bool
    cancel: Cancel
    shared: WorkingCopy | None
    progress: Progress | None


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
        limits: MemorySettings | None = None,
        recall: Past = lambda _words, _messages: (),
        privacy: PrivacySettings | None = None,
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
            limits: from when on memories count as the same, and how many there may be.
            recall: searches the past before a reflection, told which messages the words are taken from.
            privacy: what is written down masked.
        """
        self.paths, self._log, self._clock = paths, log, clock
        self._sheet, self._mind, self._fallback = sheet, mind, fallback
        self._settings = settings or SleepSettings()
        self._stores = Stores.open(paths, clock, limits, is_crowded=is_crowded(paths, clock, limits))
        self._emotions = EmotionLog(paths, clock, set_aside=log.set_aside)
        self._dreamt = DreamtDays(paths, log)
        self._writer = NightWriter(log, self._stores, self._dreamt, sheet=sheet, mind=mind.name, apply=apply)
        self._days = Days(sheet, log, clock, stores=self._stores, emotions=self._emotions, dreamt=self._dreamt)
        self._thinker = Thinker(
            self._stores,
            sheet=sheet,
            mind=mind,
            fallback=fallback,
            settings=self._settings,
            gone=self._gone,
            deleted=log.deleted,
            when=lambda ids: [message.time for message in log.originals(ids).values()],
            origins=log.origins,
            recall=recall,
            privacy=privacy or PrivacySettings(),
        )

    def pending_days(self, *, today: bool = False, thorough: bool = False) -> list[date]:
        """Return the days that wait for a dream, oldest first; everything is as `Days.pending` takes it."""
        return self._days.pending(today=today, thorough=thorough)

    def cost(self, *, today: bool = True, catch_up: bool = False) -> DreamCost:
        """Estimate what `dream` would ask of the mind; of many days a few are looked at. Nothing is asked."""
        days = self.pending_days(today=today, thorough=catch_up)
        deep = sum(level > 1 for level in self._depths(days[:-1]).values())
        reflections = len(days) if catch_up or len(days) > NIGHTS_IN_ONE else 1 + deep
        known, now = self._stores.episodes, self._clock.now().date()
        ended = due_spans({*known.days(), *days}, known.periods.spans(), days, now)[:ASKED_A_NIGHT]
        return estimated(self._mind, self._days, days, reflections + len(ended), anew=catch_up)

    def dream(
        self,
        *,
        level: Level | None = None,
        catch_up: bool = False,
        dry_run: bool = False,
        today: bool = True,
        progress: Progress | None = None,
        cancel: Cancel | None = None,
    ) -> DreamReport:
        """Dream of all days that wait, and reflect.

        Args:
            level: how deep to reflect; None: what is due.
            catch_up: look into every day, and reflect on each.
            dry_run: think, and change nothing.
            today: dream of the day that is still going on, too, as far as it has come: whoever asks for a dream
                wants what was just said to be in it. What is said afterwards is dreamt of the next time.
            progress: called after each day.
            cancel: when set, the dream stops; what was applied stays, the days under way are as if untouched.

        Raises:
            DreamingAlreadyError: another dream of this persona is under way.
        """
        cancel = cancel or Cancel()
        self._thinker.begin()
        with dreaming(self.paths):
            days = self.pending_days(today=today, thorough=catch_up)
            is_long = len(days) > NIGHTS_IN_ONE
            depths = self._depths(days)
            cheap = self._mind is self._fallback
            batches = transactions(days, depths, each=catch_up, is_cheap=cheap) or ([[]] if level else [])
            report = DreamReport(started_at=self._clock.now())
            anew = frozenset(days).difference(self._stores.episodes.days()) if catch_up else frozenset[date]()
            shared = WorkingCopy(self._stores) if dry_run else None
            run = _Run(depths, anew, is_long, cancel, shared, progress)
            for batch in batches:
                wanted = level if not days or days[-1] in batch else None
                report = self._one(report, batch, wanted, run)
                if report.cancelled:
                    return replace(report, left=len(days) - len(report.days))
            if not dry_run:
                try:
                    self._rest()
                except (UtataneError, OSError) as error:  # the dream is applied, and counts
                    failed = as_notice("dream-follow-up", told(error))
                    report = replace(report, notices=(*report.notices, failed))
            return replace(report, notices=(*report.notices, *self._stores.take_notices()))

    def _gone(self, ids: Collection[str]) -> set[str]:
        there, changed = self._log.known(ids), self._log.corrections()
        return {one for one in ids if one not in there or changed.get(one, "") is None}

    def dream_of(self, day: date, tasks: Sequence[Task] = DAY_TASKS, *, dry_run: bool = False) -> DreamReport:
        """Do chosen tasks for one day, by hand: its episode anew, or the entities of its conversation.

        Raises:
            NothingSaidError: there is no conversation on that day.
            DreamingAlreadyError: another dream of this persona is under way.
        """
        with dreaming(self.paths):

            def think() -> Night:
                night = Night(WorkingCopy(self._stores), self._clock.now(), tasks=frozenset(tasks))
                material = self._days.material(day, anew=True)
                if not material.messages:
                    raise NothingSaidError(day=day.isoformat())
                self._thinker.think_of_day(night, material, tasks, Cancel())
                return night

            night, entry = self._thought(think, [day], dry_run=dry_run)
            return self._extended(DreamReport(started_at=night.now), night, [day], entry)

    def answer_questions(self, messages: Sequence[Message]) -> DreamReport:
        """After a conversation: resolve the open questions that it answered."""
        spoken = tuple(message for message in messages if is_speech(message))
        night = Night(WorkingCopy(self._stores), self._clock.now())
        if not spoken or not night.copy.questions.open:
            return DreamReport(started_at=night.now)
        material = DayMaterial(self._sheet, spoken[-1].time.date(), spoken)
        self._thinker.answers(night, material, Cancel())
        night.waiting.clear()
        try:
            entry = self._writer.write(night, [material.date], kind="conversation") if night.changes else None
        except TakenBackMeanwhileError:
            return DreamReport(started_at=night.now)  # the night looks at the conversation again
        self._refresh_inner_state()
        return self._extended(DreamReport(started_at=night.now), night, [material.date], entry)

    def _one(self, report: DreamReport, batch: Sequence[date], wanted: Level | None, run: _Run) -> DreamReport:
        """Dream of some days in one transaction.

        The night reflects at its end, to the depth that was `wanted` or is due; and after each day after which, had it
        been dreamt of in time, a week or a month would have been looked back on.
        """

        def think() -> Night:
            night = Night(run.shared or WorkingCopy(self._stores), self._clock.now())
            is_new = False
            for number, day in enumerate(batch, 1):
                if run.cancel.is_set():
                    return night
                if run.is_long:
                    night.at = self._moment_of(day, run, night.now)
                is_new |= self._think_of(night, day, run)
                if run.progress:
                    run.progress(len(report.days) + number, len(run.depths))
                if number < len(batch) and (run.is_long or run.depths[day] > 1):
                    self._thinker.reflect(night, run.depths[day], run.cancel, self._night_after(day, run))
            until = self._night_after(batch[-1], run) if batch else None
            self._thinker.condense(night, night.now.date() if run.is_long else until, run.cancel)
            night.level = wanted or (_depth(run.depths[batch[-1]], is_new=is_new) if batch else None)
            if night.level is not None:
                self._thinker.reflect(night, night.level, run.cancel, until)
            if run.is_long:
                self._thinker.let_go(night)
            return night

        night, entry = self._thought(think, batch, dry_run=run.shared is not None, cancel=run.cancel)
        if run.cancel.is_set() and entry is None:
            return replace(report, cancelled=True)
        return self._extended(report, night, batch, entry)

    def _think_of(self, night: Night, day: date, run: _Run) -> bool:
        """Think of one day; return whether there is something in it that was not reflected on."""
        anew = day in run.anew
        material = self._days.material(day, anew=anew)
        self._thinker.think_of_day(night, material, self._days.tasks_of(material, anew=anew), run.cancel)
        return anew or not self._days.is_redone(material)

    def _night_after(self, day: date, run: _Run) -> date:
        now = self._clock.now().date()
        return now if day == max(run.depths) else min(day + timedelta(days=1), now)

    def _moment_of(self, day: date, run: _Run, now: datetime) -> datetime:
        """Return when a day would have been dreamt of, had it been in its own night."""
        return now if (night := self._night_after(day, run)) == now.date() else datetime.combine(night, _BEFORE_DAWN)

    def _depths(self, days: Sequence[date]) -> dict[date, Level]:
        first = min([*self._stores.episodes.days()[:1], *days[:1]], default=None)
        return levels_of(days, self._stores.goals.load().meta, first, self._clock.now().date(), self._settings)

    def _thought(
        self, think: Callable[[], Night], days: Sequence[date], *, dry_run: bool, cancel: Cancel | None = None
    ) -> tuple[Night, str | None]:
        """Think, and write what came of it; think anew where somebody took back meanwhile what was read."""
        for _ in range(_THOUGHTS):
            night = think()
            if dry_run or (cancel is not None and cancel.is_set()):
                return night, None
            with suppress(TakenBackMeanwhileError):
                return night, self._writer.write(night, days)
        night.changes.clear()  # who takes words back all the time is dreamt of another night
        return night, None

    def _rest(self) -> None:
        """After the dream: what follows from the memories is computed anew."""
        self._emotions.roll()
        self._refresh_inner_state()

    def _refresh_inner_state(self) -> None:
        state = InnerStateStore(self.paths, self._clock, self._settings, emotions=self._emotions)
        state.refresh(lang=self._sheet.language)

    def _extended(self, report: DreamReport, night: Night, days: Sequence[date], entry: str | None) -> DreamReport:
        return replace(
            report,
            level=night.level or report.level,
            days=(*report.days, *days),
            changes=(*report.changes, *(change.told() for change in night.changes)),
            entries=(*report.entries, entry) if entry else report.entries,
            failures=(*report.failures, *night.failures),
            notices=(*report.notices, *failure_notices(night.failures)),
            messages=report.messages + sum(len(material.messages) for material in night.materials),
            calls=report.calls + night.calls,
        )


def _depth(due: Level, *, is_new: bool) -> Level | None:
    """Return how deep a night reflects; where days are only done again, they have been reflected on."""
    return due if is_new or due > 1 else None
