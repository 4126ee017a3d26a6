"""A companion as sleep sees it: what dreams, what ends a conversation, what it may do of its own accord."""

import logging
from collections.abc import Callable, Collection, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from datetime import date, datetime
from functools import cached_property
from typing import Final

from agent.addressing import with_name
from agent.audience import DiscreetDreams, asking_of, kept_from, leaves, other_messages
from agent.errors import UnknownLevelError, UnknownTaskError
from agent.forgetting import let_wishes_go, take_up
from agent.growing import grow_by_itself
from agent.memories import Memories
from agent.minds.choose import Minds, built_in_mind
from agent.minds.errors import MindError
from agent.minds.protocol import Mind
from managers.memory.errors import AudienceUnknownError
from managers.memory.log import ConversationLog
from managers.memory.messages import Message
from managers.mind import Cancel, Sheet
from managers.recall.embedders.embedder_choice import DRIFT
from managers.recall.hits import Hit, MemoryType
from managers.sleep.autonomy import Autonomy, Deed, Occasion
from managers.sleep.conversation_end import ConversationEnd
from managers.sleep.cost import DreamCost
from managers.sleep.dream import Dreamer, DreamReport
from managers.sleep.tasks import DAY_TASKS, DreamMind, Level, Task
from managers.storage.clock import AHEAD, Clock
from managers.storage.edges import said
from managers.storage.errors import Notice, as_notice
from managers.storage.settings import SleepSettings
from managers.storage.unchanged import Unchanged
from managers.usage.errors import CapReachedError
from managers.usage.ledger import Purpose

logger = logging.getLogger(__name__)

_PAST: tuple[MemoryType, ...] = ("log_archive", "current_log", "episodic_memory", "diary")
_PAST_SEARCHED = 20
"""Most of what is found was said on the very days that a night looks back on."""
_outlooks: Final = Unchanged[tuple[list[date], DreamCost]]()
_LEVELS: dict[str, Level | None] = {"auto": None, "1": 1, "2": 2, "3": 3}


@dataclass
class CompanionSleeper:
    """One persona's sleep, over its memories and the mind that its settings name."""

    memories: Memories
    minds: Minds
    clock: Clock
    _: KW_ONLY
    aside: Callable[[], datetime | None] = lambda: None

    @property
    def name(self) -> str:
        return self.memories.paths.name

    @property
    def log(self) -> ConversationLog:
        return self.memories.log

    def settings(self) -> SleepSettings:
        return self.memories.settings().sleep

    def last_interaction(self) -> datetime | None:
        """Return when somebody last talked with the persona, off the record too."""
        moments = [self.memories.inner_state.last_interaction(), self.aside()]
        return max((one for one in moments if one is not None and one <= self.clock.now() + AHEAD), default=None)

    def pending_days(self, *, today: bool = False) -> list[date]:
        """Return the days that wait for a dream, oldest first; with `today` also the one that still goes on."""
        return self.dreamer().pending_days(today=today)

    def dream(
        self,
        cancel: Cancel,
        *,
        level: Level | None = None,
        catch_up: bool = False,
        dry_run: bool = False,
        today: bool = True,
        progress: Callable[[int, int], None] | None = None,
        built_in: bool = False,
    ) -> DreamReport:
        """Dream of the days that wait; the index learns of it, and files that have grown are put in order.

        Everything is as `Dreamer.dream` takes it: whoever asks dreams of today too, a night that comes by itself does not.
        With `built_in` the built-in mind dreams, whatever the settings name: that costs nothing.

        Raises:
            DreamingAlreadyError
        """
        if not dry_run:
            self._let_wishes_go()
        report = self.dreamer(built_in=built_in).dream(
            cancel=cancel, level=level, catch_up=catch_up, dry_run=dry_run, today=today, progress=progress
        )
        if dry_run:
            return report
        return replace(report, notices=(*report.notices, *self._follow_up(report, None if today else cancel)))

    def outlook(self) -> tuple[list[date], DreamCost]:
        """Return the days that wait, and what a dream would cost now; worked out again where any of that has changed."""

        def look() -> tuple[list[date], DreamCost]:
            dreamer = self.dreamer()
            return dreamer.pending_days(), dreamer.cost()

        paths, state = self.memories.paths, (self.log.revision(), self.memories.settings(), self.clock.now().date())
        dreamt = (paths.memory / name for name in (".dreamt_days", ".dreamt_corrections"))
        return _outlooks.get(look, paths.memory, paths.goals, paths.episodic_memory, *dreamt, of=state)

    def cost(self, *, today: bool = True, catch_up: bool = False) -> DreamCost:
        """Estimate what `dream` would ask of the mind; nothing is asked."""
        return self.dreamer().cost(today=today, catch_up=catch_up)

    def _follow_up(self, report: DreamReport, night: Cancel | None) -> list[Notice]:
        """After a dream: the index learns of it, and files are put in order. What fails waits for the next night.

        After a night that came by itself, which `night` ends, the persona learns, where the person wishes so.
        """
        memories = self.memories
        notices: list[Notice] = []
        made = sum(change.memories for change in report.changes)
        for work in (
            lambda: notices.extend(memories.housekeeping().after_night(made).notices),
            lambda: notices.extend(memories.recall.keep_up(DRIFT)),
            self._tidy,
            memories.history.maintain,
            lambda: notices.extend(grow_by_itself(memories, night) if night else ()),
        ):
            try:
                work()
            except Exception as error:  # noqa: BLE001  # the dream is applied: nothing may make it seem to have failed
                notices.append(as_notice("dream-follow-up", said(error, "what follows a dream")))
        return notices

    def dream_of(
        self, day: date, tasks: Sequence[str] | None = None, *, dry_run: bool = False, built_in: bool = False
    ) -> DreamReport:
        """Dream of one day by hand: all of it, or its episode, entities, questions or answers alone.

        With `built_in` the built-in mind dreams, as in `dream`.

        Raises:
            UnknownTaskError, NothingSaidError, DreamingAlreadyError
        """
        wanted = [as_task(name) for name in tasks] if tasks else DAY_TASKS
        if not dry_run:
            self._let_wishes_go()
        report = self.dreamer(built_in=built_in).dream_of(day, wanted, dry_run=dry_run)
        if dry_run:
            return report
        return replace(report, notices=(*report.notices, *self.memories.recall.keep_up()))

    def dreamer(self, purpose: Purpose = "dream", *, built_in: bool = False) -> Dreamer:
        """Return what dreams, with the mind that the settings name now; its calls are counted for `purpose`."""
        memories, here = self.memories, built_in_mind(self.memories.settings().mind).dreams
        return Dreamer(
            memories.paths,
            memories.log,
            self.clock,
            sheet=self._sheet(),
            mind=here if built_in else self._dreams(purpose, here),
            fallback=here,
            apply=memories.apply,
            settings=self.settings(),
            limits=memories.settings().memory,
            privacy=memories.settings().privacy,
            recall=self._past,
        )

    def _past(self, gist: str, rests_on: Collection[str]) -> list[Hit]:
        """Return what is remembered of what some days were about."""
        with asking_of(self.memories, rests_on):
            return self.memories.recall.search(gist, _PAST_SEARCHED, types=_PAST, fitting=True)

    def _dreams(self, purpose: Purpose, here: DreamMind) -> DreamMind:
        mind = self._small_mind(purpose)
        kept_from(self.memories, mind)  # where nobody can tell, nothing is dreamt
        return DiscreetDreams(mind.dreams, here, self.memories.audiences) if leaves(mind) else mind.dreams

    def end_conversation(self) -> None:
        """Resolve what a conversation that has ended by idleness answered; note how the drives stand meanwhile."""
        memories = self.memories
        if self._conversation_end.check():
            self._let_wishes_go()
            self.memories.recall.keep_up()
            self._tidy()  # nobody waits now: what was taken back leaves the derived files too
            memories.emotions.roll()
            memories.shared.renew()
            memories.kpi.update()
        if memories.inner_state.note_course():
            memories.inner_state.refresh(lang=memories.sheet().language)

    def _let_wishes_go(self) -> None:
        """Before anything is dreamt: what somebody asked to have forgotten is forgotten to the end, the asking too."""
        take_up(self.memories)
        let_wishes_go(self.memories)

    def _tidy(self) -> None:
        """Leave nothing of what was forgotten in any derived file."""
        self.memories.recall.tidy()
        self.memories.map.tidy()
        self.memories.network.tidy()

    def close_conversation(self) -> None:
        """The same now: a new topic was begun, or the app closes."""
        if self._conversation_end.end():
            self._let_wishes_go()
            self.memories.emotions.roll()
            self.memories.shared.renew()
            self.memories.kpi.update()

    def act(self) -> None:
        """Do something of its own accord, if it may and is moved to."""
        self._autonomy.act()

    def _impulse(self, occasion: Occasion) -> Deed | None:
        """Ask the mind for inner work; where it fails, the built-in one."""
        memories = self.memories
        try:
            mind = self._small_mind("initiative")
            kept = kept_from(memories, mind)
            wondered = [*memories.questions.open(), *memories.goals.load().all] if kept else []
            is_told = memories.inner_life.feels_with(kept) or len(kept.others(wondered)) < len(wondered)
            if not is_told:  # the occasion's reason tells of all of them
                return mind.impulse(replace(occasion, last_words=tuple(other_messages(kept, occasion.last_words))))
        except (MindError, CapReachedError, AudienceUnknownError) as error:
            logger.info("own initiative without the model: %s", error)
        return built_in_mind(memories.settings().mind).impulse(occasion)

    def _sheet(self) -> Sheet:
        """Return who it is and whom it talks to, by the name that the talk tells too."""
        memories = self.memories
        count = 2 * memories.settings().conversation.window_turns
        return with_name(memories.sheet(), memories, memories.log.tail(count, roles=("user", "persona")))

    def _small_mind(self, purpose: Purpose) -> Mind:
        settings, masking = self.memories.settings().mind, self.memories.masking()
        return self.minds.choose_small(settings, persona=self.name, purpose=purpose, masking=masking).mind

    @cached_property
    def _conversation_end(self) -> ConversationEnd:
        memories = self.memories

        def resolve(messages: Sequence[Message]) -> None:
            if memories.questions.open():
                self.dreamer("answers").answer_questions(messages)

        return ConversationEnd(
            memories.paths,
            memories.log,
            self.clock,
            idle_minutes=lambda: memories.settings().conversation.idle_minutes,
            then=resolve,
        )

    @cached_property
    def _autonomy(self) -> Autonomy:
        memories = self.memories

        def note(text: str) -> None:
            memories.notes.append("main_memory", text, author=memories.paths.name, reason="thought")

        return Autonomy(
            memories.paths,
            memories.log,
            self.clock,
            sheet=self._sheet,
            settings=self.settings,
            inner_state=memories.inner_state,
            questions=memories.questions,
            goals=memories.goals,
            impulse=self._impulse,
            note=note,
            aside=self.aside,
        )


def as_level(name: str) -> Level | None:
    """Return the level that was named; None: what is due.

    Raises:
        UnknownLevelError
    """
    if name not in _LEVELS:
        raise UnknownLevelError(name=name)
    return _LEVELS[name]


def as_task(name: str) -> Task:
    """Return the task of a dream that was named.

    Raises:
        UnknownTaskError
    """
    for task in DAY_TASKS:
        if task == name:
            return task
    raise UnknownTaskError(name=name, known=", ".join(DAY_TASKS))
