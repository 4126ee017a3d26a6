"""What the persona does of its own accord, when a drive passes its threshold outside quiet hours.

Off unless the person turns it on; a few times a day at most, never twice without an answer in between,
never while the silence switch is set. The reason stands in the log as a `## SYSTEM:autonomous` record
with the full inner-state log, right before what the persona says.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal, Protocol

from managers.memory.drives import Drive
from managers.memory.goals import Goal, GoalStore
from managers.memory.inner_state import InnerStateStore
from managers.memory.json_documents import TIME
from managers.memory.log import ConversationLog
from managers.memory.messages import Message, united
from managers.memory.questions import Question, QuestionStore
from managers.mind import Sheet
from managers.sleep.quiet_hours import in_quiet_hours, is_idle
from managers.storage.clock import AHEAD, Clock
from managers.storage.files import read_bytes, write_atomic
from managers.storage.locks import writing
from managers.storage.paths import PersonaPaths
from managers.storage.settings import SleepSettings

RECORD = "autonomous"
_LOOKED_AT = 60
_RECONSIDERS_AFTER_MINUTES = 120


@dataclass(frozen=True)
class Occasion:
    """Why the persona would act.

    Attributes:
        drive: the strongest drive beyond its threshold.
        reason: the full inner-state log.
        question, goal: what the drive is about, where it is about one.
        last_words: what was said last, oldest first.
        origins: whose foreign words all that rests on (`Message.origins`): then it may speak, and writes nothing down.
    """

    sheet: Sheet
    drive: Drive
    reason: str
    now: datetime
    question: Question | None = None
    goal: Goal | None = None
    last_words: tuple[Message, ...] = ()
    origins: tuple[str, ...] = ()


@dataclass(frozen=True)
class Deed:
    """What the persona does: `write` a message, move a `goal` on, or note a `thought`."""

    kind: Literal["write", "goal", "thought"]
    text: str
    mind: str


class Impulse(Protocol):
    """Turns an occasion into a deed: the built-in mind, or a language model. None: rather not."""

    def __call__(self, occasion: Occasion) -> Deed | None:
        """Decide what to do."""


@dataclass(frozen=True)
class Autonomy:
    """The persona's own initiative.

    Attributes:
        note: keeps a thought (the diary).
        aside: tells when somebody last spoke off the record.
    """

    paths: PersonaPaths
    log: ConversationLog
    clock: Clock
    sheet: Callable[[], Sheet]
    settings: Callable[[], SleepSettings]
    inner_state: InnerStateStore
    questions: QuestionStore
    goals: GoalStore
    impulse: Impulse
    note: Callable[[str], object]
    aside: Callable[[], datetime | None] = lambda: None

    @property
    def _declined(self) -> Path:
        """When it last thought of doing something and would rather not: a model is not asked again every minute."""
        return self.paths.memory / ".rather_not"

    def act(self) -> Message | None:
        """Do something if allowed and moved to; return the message, if the deed is one.

        The lock is held while it is decided whether, and while it is written, not while it is thought:
        whoever speaks meanwhile is answered first, and the deed is dropped.
        """
        settings, now = self.settings(), self.clock.now()
        drive = self._moved(settings, now)
        if drive is None:
            return None
        before = self.log.revision(), self.aside()
        self.inner_state.refresh(now, self.sheet().language)
        occasion = self._occasion(drive, now)
        deed = self.impulse(occasion)
        if deed is None or not deed.text.strip() or (occasion.origins and deed.kind != "write"):
            with writing(self.paths):
                write_atomic(self._declined, now.isoformat(timespec="seconds"))
            return None
        with writing(self.paths):
            if (self.log.revision(), self.aside()) != before:
                return None
            self.log.append("system", RECORD, occasion.reason)
            return self._do(deed, occasion)

    def _moved(self, settings: SleepSettings, now: datetime) -> Drive | None:
        most = settings.autonomous_actions_per_day if settings.autonomous_actions and not settings.silence else 0
        if not most or in_quiet_hours(now, settings):
            return None
        drives = self.inner_state.levels(now).beyond_threshold
        if not drives or not is_idle(self._declined_at(), now, _RECONSIDERS_AFTER_MINUTES):
            return None
        if not is_idle(self._resting_since(), now, settings.idle_minutes_before_dream):
            return None
        if (
            first_word(self.log.tail(_LOOKED_AT))
            or sum(map(is_deed, self.log.messages(now.date(), now.date()))) >= most
        ):
            return None
        return next((drive for drive in drives if self._has_matter(drive, now)), None)

    def _resting_since(self) -> datetime | None:
        """Return when somebody last talked with it, or it last did something of its own accord."""
        deeds = (message for message in reversed(self.log.tail(_LOOKED_AT)) if is_deed(message))
        latest = next(deeds, None)
        moments = [self.inner_state.last_interaction(), self.aside(), latest.time if latest else None]
        return max((one for one in moments if one is not None and one <= self.clock.now() + AHEAD), default=None)

    def _declined_at(self) -> datetime | None:
        try:
            return datetime.fromisoformat((read_bytes(self._declined) or b"").decode("ascii", "replace").strip())
        except ValueError:  # never, or mended by hand
            return None

    def _has_matter(self, drive: Drive, now: datetime) -> bool:
        """Whether there is something new to do about a drive: nobody asks, or resolves, the same thing all day."""
        if drive == "curiosity":
            return bool(self.questions.to_ask(1))
        if drive == "goal_achievement":
            goals = self.goals.for_prompt()
            return bool(goals) and self._is_on_its_mind(goals[0][1], now)
        return True

    def _is_on_its_mind(self, goal: Goal, now: datetime) -> bool:
        """Whether a goal may be thought of: once a day, and once while nobody talks, which brings nothing new of it."""
        if max(goal.updated_at, goal.thought_of).startswith(f"{now:%Y-%m-%d}"):
            return False
        last = self.inner_state.last_interaction()
        known = goal.thought_of if goal.thought_of <= f"{now + AHEAD:{TIME}}" else ""
        return not known or (last is not None and f"{last:{TIME}}" > known)

    def _occasion(self, drive: Drive, now: datetime) -> Occasion:
        sheet = self.sheet()
        questions = self.questions.to_ask(1)
        goals = self.goals.for_prompt()
        last_words = tuple(self.log.tail(6, roles=("user", "persona")))
        wondered = [*self.questions.open(), *(goal for _, goal in goals)]
        rests_on = {one for memory in wondered for one in memory.evidence} | {one.id for one in last_words}
        origins = united(*(memory.origins for memory in wondered), *self.log.origins(rests_on).values())
        return Occasion(
            sheet=sheet,
            drive=drive,
            reason=self.inner_state.full_text(sheet.language, now),
            now=now,
            question=questions[0] if questions else None,
            goal=goals[0][1] if goals else None,
            last_words=last_words,
            origins=origins,
        )

    def _do(self, deed: Deed, occasion: Occasion) -> Message | None:
        if deed.kind == "write":
            told = occasion.sheet.persona, deed.text
            message = self.log.append("persona", *told, mind=deed.mind, origins=occasion.origins)
            if occasion.drive == "curiosity" and occasion.question is not None:
                self.questions.mark_asked(occasion.question.id, author=occasion.sheet.persona)
            return message
        if deed.kind == "goal" and occasion.goal is not None:
            self.goals.think_of(occasion.goal.id, deed.text, author=occasion.sheet.persona)
        else:
            self.note(deed.text)
        return None


def first_word(messages: Sequence[Message]) -> Message | None:
    """Return what the persona wrote first since the user last spoke, the newest where there are several."""
    later: Message | None = None
    for message in reversed(messages):
        if message.role == "user":
            return None
        if is_deed(message) and later is not None and later.role == "persona":
            return later
        later = message
    return None


def is_deed(message: Message) -> bool:
    """Whether it is the record of why the persona acted of its own accord."""
    return message.role == "system" and message.speaker == RECORD
