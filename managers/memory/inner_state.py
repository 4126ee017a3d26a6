"""The inner state: `memory/internal_state.json`, what moves the persona and why.

The file is the specification's. It is rewritten at every turn and mirrors the open questions and the
active goal, so it is no part of a dream's transaction and of the history: whatever it says follows from
`open_questions.json`, `goals.json`, the last interaction and what the user felt.
"""

from contextlib import suppress
from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from managers.memory.drive_course import DriveCourse
from managers.memory.drives import (
    DRIVES,
    LABELS,
    Drive,
    Levels,
    boredom,
    curiosity,
    decayed,
    devotion_after,
    goal_achievement,
    thresholds,
)
from managers.memory.emotion_names import Feeling, feeling_name, latest_feeling
from managers.memory.emotions import EmotionLog, concern_of
from managers.memory.goals import Goal, Goals, GoalStore
from managers.memory.json_documents import JsonFile, OfOneFile, encode
from managers.memory.questions import MAX_OPEN, Questions, QuestionStore
from managers.storage.clock import Clock
from managers.storage.errors import BusyError, Lang, UnwritableError
from managers.storage.files import write_atomic
from managers.storage.locks import WAIT_SECONDS, writing
from managers.storage.paths import PersonaPaths
from managers.storage.settings import SleepSettings
from managers.storage.texts import Texts
from managers.storage.watching import beside_listed

LIGHT_THRESHOLD = 0.4
_say = Texts("prompts/inner_state")
_LATELY = 200
"""Readings among which the latest day is looked at."""

_NOTICED = 0.02
"""What is weaker moves nobody: a minute after a word nobody is missed."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="allow")


class _Boredom(_Part):
    level: float = 0.0
    last_interaction: datetime | None = None
    threshold: float = 0.6


class _Curiosity(_Part):
    level: float = 0.0
    open_questions: list[dict[str, Any]] = Field(default_factory=list)


class _GoalAchievement(_Part):
    level: float = 0.0
    active_goal_id: str | None = None


class _Devotion(_Part):
    level: float = 0.0
    user_emotional_state: str = "neutral"
    last_felt: str = ""
    """The last emotion that was not neutral: what the level comes from."""
    updated_at: datetime | None = None


class _Drives(_Part):
    boredom: _Boredom = Field(default_factory=_Boredom)
    curiosity: _Curiosity = Field(default_factory=_Curiosity)
    goal_achievement: _GoalAchievement = Field(default_factory=_GoalAchievement)
    devotion: _Devotion = Field(default_factory=_Devotion)


class MotivationLog(_Part):
    """Which drive moves the persona most, and why."""

    dominant_drive: str = ""
    dominant_drive_label: str = ""
    drive_level: float = 0.0
    narrative: str = ""


class InnerState(_Part):
    """The file's content."""

    drives: _Drives = Field(default_factory=_Drives)
    motivation_log: MotivationLog = Field(default_factory=MotivationLog)


def mirror(state: InnerState, questions: Questions, goals: Goals) -> None:
    """Put into a state what it shows of questions and goals."""
    state.drives.curiosity.open_questions = [
        {"topic": one.topic, "context": one.context, "priority": one.priority, "id": one.id} for one in questions.open
    ]
    active = goals.for_prompt()
    state.drives.goal_achievement.active_goal_id = active[0][1].id if active else None


class InnerStateStore(OfOneFile):
    """The inner state of a persona."""

    def __init__(
        self,
        paths: PersonaPaths,
        clock: Clock,
        settings: SleepSettings | None = None,
        *,
        questions: QuestionStore | None = None,
        goals: GoalStore | None = None,
        emotions: EmotionLog | None = None,
    ) -> None:
        """Remember where it is, whose questions and goals it mirrors, and where it finds what the user felt."""
        self._paths = paths
        self._clock = clock
        self._settings = settings or SleepSettings()
        self._questions = questions or QuestionStore(paths, clock)
        self._goals = goals or GoalStore(paths, clock)
        self._emotions = emotions or EmotionLog(paths, clock)
        self._file = JsonFile(paths, paths.internal_state, clock, dict)
        self.course = DriveCourse(paths)

    def load(self) -> InnerState:
        return self._file.read_as(InnerState) or InnerState()  # of another kind: the next write mirrors everything anew

    def touch(self, now: datetime | None = None) -> None:
        """Note that somebody talked with the persona now."""
        self.meet("", now)

    def meet(self, emotion: str, now: datetime | None = None) -> None:
        """Note that somebody talked with the persona, and let what they feel, if it is known, move devotion."""
        moment = now or self._clock.now()
        with writing(self._paths):
            state = self.load()
            self._note_course(state, moment)
            state.drives.boredom.last_interaction = moment
            if emotion:
                self._feel(state, emotion, moment)
            self._write(state, moment)

    def _feel(self, state: InnerState, emotion: str, now: datetime) -> None:
        devotion = state.drives.devotion
        devotion.level = round(devotion_after(self._devotion(state, now), emotion), 4)
        devotion.updated_at = now
        devotion.user_emotional_state = emotion
        if emotion != "neutral":
            devotion.last_felt = emotion

    def refresh(self, now: datetime | None = None, lang: Lang = "ja") -> InnerState:
        """Recompute all drives and the motivation log, and write them."""
        moment = now or self._clock.now()
        with writing(self._paths):
            state = self.load()
            self._note_course(state, moment)
            state.motivation_log = self._motivation(state, moment, lang)
            self._write(state, moment)
            return state

    def levels(self, now: datetime | None = None) -> Levels:
        """Return the drives as they are now; nothing is written."""
        return self._levels(self.load(), now or self._clock.now())

    def note_course(self, now: datetime | None = None) -> bool:
        """Let the course of the drives know how they are, for whoever looks after the persona while nobody talks.

        Nobody waits for it: while somebody else writes, or nothing can be written, it is left for the next look.

        Returns:
            whether they were noted: once an hour.
        """
        with suppress(BusyError, UnwritableError):
            return self._note_course(self.load(), now or self._clock.now(), wait=0)
        return False

    def _note_course(self, state: InnerState, now: datetime, wait: float = WAIT_SECONDS) -> bool:
        """Note the drives as they are before something moves them: the height that boredom reached shows."""
        if state.drives.boredom.last_interaction is None:
            return False
        return self.course.note(self._levels(state, now), now, wait)

    def last_interaction(self) -> datetime | None:
        return self.load().drives.boredom.last_interaction

    def motivation(self, lang: Lang, now: datetime | None = None) -> MotivationLog:
        """Return the dominant drive with its label, level and narrative as of now, to be shown: heavy words are not quoted."""
        return self._motivation(self.load(), now or self._clock.now(), lang, is_shown=True)

    def light_text(self, lang: Lang, threshold: float = LIGHT_THRESHOLD, now: datetime | None = None) -> str:
        """Return "how you feel now" for an ordinary turn: the strongest drive from the threshold on, in one sentence.

        It names no question and no goal: those stand in a prompt of themselves.
        """
        moment = now or self._clock.now()
        state = self.load()
        levels = self._levels(state, moment)
        drive = levels.dominant
        if levels.of(drive) < threshold:
            return ""
        felt = self.felt()
        if drive == "devotion" and felt is None:
            return ""
        idle = _spoken(_idle_hours(state, moment), lang)
        feeling = feeling_name(felt.name, lang) if felt else ""
        return _say(f"moved.{drive}", lang, idle=idle, feeling=feeling)

    def full_text(self, lang: Lang, now: datetime | None = None) -> str:
        """Return the whole inner-state log: the reason for which the persona acts on its own."""
        moment = now or self._clock.now()
        state = self.load()
        levels = self._levels(state, moment)
        motive = self._motivation(state, moment, lang)
        lines = [
            _say(
                "log.line",
                lang,
                label=_label(drive, lang),
                level=levels.of(drive),
                threshold=levels.thresholds[drive],
                why=self._why(drive, state, moment, lang),
            )
            for drive in DRIVES
        ]
        strongest = _say("log.strongest", lang, label=motive.dominant_drive_label, level=motive.drive_level)
        return "\n".join([_say("log.head", lang), *lines, strongest, motive.narrative])

    def felt(self) -> Feeling | None:
        """Return what the user felt last, by the readings of the latest day; None where nothing was told."""
        return latest_feeling(self._emotions.recent(_LATELY))

    def _write(self, state: InnerState, now: datetime) -> None:
        levels = self._levels(state, now)
        drives = state.drives
        drives.boredom.level = round(levels.boredom, 4)
        drives.boredom.threshold = levels.thresholds["boredom"]
        drives.curiosity.level = round(levels.curiosity, 4)
        drives.goal_achievement.level = round(levels.goal_achievement, 4)
        mirror(state, self._questions.load(), self._goals.load())
        if drives.devotion.updated_at is None:
            drives.devotion.updated_at = now
        with beside_listed(self._paths.internal_state):
            write_atomic(self._paths.internal_state, encode(state.model_dump(mode="json")))

    def _levels(self, state: InnerState, now: datetime) -> Levels:
        return Levels(
            boredom=boredom(_idle_hours(state, now), self._settings.boredom_full_hours),
            curiosity=curiosity(self._questions.to_ask(MAX_OPEN)),
            goal_achievement=goal_achievement(self._active_goals(), now),
            devotion=self._devotion(state, now),
            thresholds=thresholds(self._settings),
        )

    def _devotion(self, state: InnerState, now: datetime) -> float:
        since = state.drives.devotion.updated_at
        hours = (now - since).total_seconds() / 3600 if since else 0.0
        return decayed(state.drives.devotion.level, hours, self._settings.devotion_half_life_hours)

    def _active_goals(self) -> list[Goal]:
        return [goal for _, goal in self._goals.for_prompt()]

    def _motivation(self, state: InnerState, now: datetime, lang: Lang, *, is_shown: bool = False) -> MotivationLog:
        levels = self._levels(state, now)
        drive = levels.dominant
        level = levels.of(drive)
        return MotivationLog(
            dominant_drive=drive,
            dominant_drive_label=_label(drive, lang),
            drive_level=round(level, 4),
            narrative=self._narrative(drive, state, now, lang, is_shown=is_shown) if level >= _NOTICED else "",
        )

    def _why(self, drive: Drive, state: InnerState, now: datetime, lang: Lang) -> str:
        if drive == "boredom":
            if state.drives.boredom.last_interaction is None:
                return _say("why.not_yet", lang)
            return _say("why.boredom", lang, idle=_spoken(_idle_hours(state, now), lang))
        if drive == "curiosity":
            questions = self._questions.to_ask()
            return _say("why.curiosity", lang, topic=questions[0].topic if questions else _say("why.none", lang))
        if drive == "goal_achievement":
            goals = self._active_goals()
            return _say("why.goal_achievement", lang, goal=goals[0].goal if goals else _say("why.none", lang))
        recent = self._emotions.recent(_LATELY)
        felt = latest_feeling(recent)
        noted = "neutral" if recent else state.drives.devotion.user_emotional_state
        return _say("why.devotion", lang, feeling=feeling_name(felt.name if felt else noted, lang))

    def _narrative(self, drive: Drive, state: InnerState, now: datetime, lang: Lang, *, is_shown: bool) -> str:
        if drive == "boredom":
            return _say("thought.boredom", lang, idle=_spoken(_idle_hours(state, now), lang))
        if drive == "curiosity":
            question = self._questions.to_ask()[0]
            if is_shown and concern_of(f"{question.topic}\n{question.context}"):
                return _say("thought.worried", lang)
            return _say("thought.curiosity", lang, topic=question.topic, context=question.context).strip()
        if drive == "goal_achievement":
            goal = self._active_goals()[0]
            last = _say("thought.so_far", lang, note=goal.progress_notes[-1]) if goal.progress_notes else ""
            return _say("thought.goal_achievement", lang, goal=goal.goal) + last
        return self._devoted(state, lang, is_shown=is_shown)

    def _devoted(self, state: InnerState, lang: Lang, *, is_shown: bool) -> str:
        """Return what the user felt last, and the words that it was read from; heavy ones are not held up to anybody."""
        felt = self.felt()
        name = felt.name if felt else state.drives.devotion.last_felt
        if not name:
            return _say("thought.devotion", lang)
        words = felt.words if felt else ""
        if is_shown and felt and (felt.concern or concern_of(words)):
            return _say("thought.entrusted", lang, feeling=feeling_name(name, lang))
        key = "thought.sensed_in_words" if words else "thought.sensed"
        return _say(key, lang, feeling=feeling_name(name, lang), words=words)


def _label(drive: Drive, lang: Lang) -> str:
    return LABELS[drive][0 if lang == "ja" else 1]


def _idle_hours(state: InnerState, now: datetime) -> float:
    last = state.drives.boredom.last_interaction
    return max(0.0, (now - last).total_seconds() / 3600) if last else 0.0


_HOURS_SPOKEN_AS_MINUTES = 1
_HOURS_SPOKEN_AS_DAYS = 48


def _spoken(hours: float, lang: Lang) -> str:
    if hours < _HOURS_SPOKEN_AS_MINUTES:
        count, unit = int(hours * 60), "minute"
    elif hours < _HOURS_SPOKEN_AS_DAYS:
        count, unit = int(hours), "hour"
    else:
        count, unit = int(hours / 24), "day"
    return _say(f"idle.{unit}{'' if count == 1 else 's'}", lang, count=count)
