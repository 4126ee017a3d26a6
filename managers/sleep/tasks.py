"""What sleep asks of a mind: the `DreamMind` protocol, its materials and its typed answers.

Materials are plain data. Answers are pydantic models, because a language model's answer is text from
outside; `checks.py` decides what of an answer may become memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from typing import Literal, Protocol

from pydantic import BaseModel, Field

from managers.language.masking.placeholders import Mask
from managers.memory.emotions import EmotionEntry
from managers.memory.entities import Entity
from managers.memory.episodes import Episode
from managers.memory.goals import Goals
from managers.memory.insights import Insight
from managers.memory.messages import Message, united
from managers.memory.periods import Span
from managers.memory.provenance import is_own
from managers.memory.questions import Question
from managers.mind import Cancel, Sheet
from managers.recall.hits import Hit

Level = Literal[1, 2, 3]
Task = Literal["episode", "entities", "questions", "answers"]
DAY_TASKS: tuple[Task, ...] = ("episode", "answers", "entities", "questions")
READING_TASKS: frozenset[Task] = frozenset({"answers", "entities", "questions"})
"""What looks at the words that no dream has read; who did less has not read them."""
Tone = Literal["positive", "negative", "neutral", "mixed"]


def is_testimony(message: Message) -> bool:
    """Whether what it says may become a fact: a person said it.

    The user's words do, and those of a persona whom a person spoke (an imported conversation: no mind
    stands in its trailer). What a mind made the persona, or another one, say is an invention, and so is its greeting.
    """
    return message.role == "user" or (message.role == "persona" and not message.mind)


def is_of_document(message: Message) -> bool:
    """Whether a mind said it with foreign words before its eyes: it may tell what a document says, and of nobody's life."""
    return message.role != "user" and bool(message.mind and message.origins)


def is_speech(message: Message) -> bool:
    """Whether somebody said it: no record of the program."""
    return message.role != "system" and bool(message.text.strip())


@dataclass(frozen=True)
class DayMaterial:
    """What was said on one day.

    Attributes:
        sheet: whose memory it is.
        date: the day.
        messages: what was said, in order; no system records.
        unread: the ids of those that no dream has read as they stand now; None: all.
        emotions: what the user felt, as it was read at the time; may be empty (imported days).
        changed: the messages that were deleted or reworded since a dream read the day, each with a mark of how.
        before: what is remembered of the talk of the days before, if there was one that rests on no foreign words.
        recalled: the ids of the persona's lines that rest on something recalled.
    """

    sheet: Sheet
    date: date
    messages: tuple[Message, ...]
    unread: frozenset[str] | None = None
    emotions: tuple[EmotionEntry, ...] = ()
    changed: Mapping[str, str] = field(default_factory=dict)
    before: Episode | None = None
    recalled: frozenset[str] = frozenset()

    @cached_property
    def origins(self) -> tuple[str, ...]:
        """Whose foreign words stand in it; the user's own are none, whatever they sent along."""
        return united(*(one.foreign for one in self.messages if not is_own(one)))

    @cached_property
    def ids(self) -> frozenset[str]:
        """The ids that an answer may give as evidence."""
        return frozenset(message.id for message in self.messages)

    @cached_property
    def testimony_ids(self) -> frozenset[str]:
        """The ids that a fact may rest on."""
        return frozenset(message.id for message in self.messages if is_testimony(message))

    @property
    def new_messages(self) -> tuple[Message, ...]:
        """What no dream has read yet."""
        if self.unread is None:
            return self.messages
        return tuple(message for message in self.messages if message.id in self.unread)

    def masked(self, used: Mask | None = None) -> DayMaterial:
        """Return the day with placeholders for what is private in its words; what is the same has the same all day."""
        used = used or Mask()
        return replace(self, messages=tuple(replace(one, text=used.hide(one.text)) for one in self.messages))

    @property
    def is_read_again(self) -> bool:
        """Whether a dream has read some of it before: the day went on after it, or was changed."""
        return len(self.new_messages) < len(self.messages)


@dataclass(frozen=True)
class EntityMaterial:
    """A day, and what is known already about whom and what it mentions."""

    day: DayMaterial
    known: tuple[Entity, ...] = ()

    @cached_property
    def fact_ids(self) -> frozenset[str]:
        """The ids of facts that an answer may put another in the place of."""
        return frozenset(fact.id for entity in self.known for fact in entity.facts)


@dataclass(frozen=True)
class QuestionMaterial:
    """A day, and what the persona wonders about already."""

    day: DayMaterial
    open: tuple[Question, ...] = ()


@dataclass(frozen=True)
class AnswerMaterial:
    """What was said lately, and the questions that it may have answered; whose foreign words these rest on, by their ids."""

    day: DayMaterial
    open: tuple[Question, ...]
    origins: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class ReflectionMaterial:
    """What a night looks back on.

    Attributes:
        level: 1 the day, 2 the week, 3 the month.
        days: the new days (the newest last).
        episodes: the episodes of the span that the level looks back on, oldest first.
        insights: the latest insights, newest first.
        outdated: what an earlier dream concluded of the newest day before that day was over.
        goals: all goals.
        questions: the open questions, most pressing first.
        past: what was said or remembered before those days and bears on them, best first.
        values: what mattered most at the last monthly reflection.
        origins: whose foreign words all that rests on.
    """

    sheet: Sheet
    level: Level
    today: date
    days: tuple[DayMaterial, ...]
    episodes: tuple[Episode, ...] = ()
    insights: tuple[Insight, ...] = ()
    outdated: tuple[Insight, ...] = ()
    goals: Goals = field(default_factory=Goals)
    questions: tuple[Question, ...] = ()
    past: tuple[Hit, ...] = ()
    values: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()

    def masked(self) -> ReflectionMaterial:
        """Return it with placeholders for what is private in what was said, in the days in short, and in what was found."""
        used = Mask()
        return replace(
            self,
            days=tuple(day.masked(used) for day in self.days),
            episodes=_masked(self.episodes, used),
            past=tuple(replace(hit, text=used.hide(hit.text)) for hit in self.past),
        )

    @cached_property
    def ids(self) -> frozenset[str]:
        """The ids that an answer may give as evidence."""
        told = {one for day in self.days for one in day.ids}
        remembered = {one for episode in self.episodes for one in episode.evidence}
        return frozenset(told | remembered | {one for hit in self.past for one in hit.message_ids})


@dataclass(frozen=True)
class PeriodMaterial:
    """A week or a month that is over.

    Attributes:
        span: its first and last day.
        episodes: its days that are remembered, oldest first.
    """

    sheet: Sheet
    span: Span
    episodes: tuple[Episode, ...]

    @cached_property
    def ids(self) -> frozenset[str]:
        """The ids that an answer may give as evidence."""
        return frozenset(one for episode in self.episodes for one in episode.evidence)

    def masked(self) -> PeriodMaterial:
        """Return it with placeholders for what is private in its days."""
        return replace(self, episodes=_masked(self.episodes, Mask()))


def _masked(episodes: Sequence[Episode], used: Mask) -> tuple[Episode, ...]:
    return tuple(
        one.model_copy(
            update={"summary": used.hide(one.summary), "key_events": [used.hide(event) for event in one.key_events]}
        )
        for one in episodes
    )


class Claim(BaseModel):
    """One sentence about what was said, and the messages that say so."""

    text: str
    evidence: list[str]


class DayDraft(BaseModel):
    """A day's episode."""

    summary: str
    evidence: list[str]
    key_events: list[Claim] = Field(default_factory=list)
    emotional_tone: Tone = "neutral"


class PeriodDraft(BaseModel):
    """A week or a month in brief."""  # read by the mind; what mattered most of it is chosen elsewhere, by C-value

    summary: str
    evidence: list[str]


class FactDraft(BaseModel):
    """One thing that was said about an entity."""

    text: str
    evidence: list[str]
    slot: str = Field(
        "", description="home, work, school, partner, age, name: where only one value is true; else empty"
    )
    replaces: str = Field("", description="the id of a known fact that no longer holds; else empty")


class EntityDraft(BaseModel):
    """Somebody or something that was spoken of."""

    name: str
    kind: Literal["person", "pet", "place", "work", "organisation", "thing"]
    aliases: list[str] = Field(default_factory=list)
    facts: list[FactDraft]


class EntitiesDraft(BaseModel):
    """All whom and what a day told something about."""

    entities: list[EntityDraft] = Field(default_factory=list)


class QuestionDraft(BaseModel):
    """Something that remained open."""

    topic: str
    context: str
    priority: float = Field(0.5, ge=0, le=1)
    evidence: list[str]
    about: str = Field("", description="the name of the one whom the question is about; else empty")
    due: str = Field("", description="YYYY-MM-DD: from when on it can be answered; empty: already now")


class QuestionsDraft(BaseModel):
    """All that a day left open."""

    questions: list[QuestionDraft] = Field(default_factory=list)


class ResolutionDraft(BaseModel):
    """An answer to an open question."""

    question_id: str
    answer: str
    evidence: list[str]


class ResolutionsDraft(BaseModel):
    """The open questions that were answered."""

    resolutions: list[ResolutionDraft] = Field(default_factory=list)


class GoalDraft(BaseModel):
    """A change of the goals."""

    action: Literal["create", "progress", "complete", "abandon", "reprioritise", "reword", "revalue"]
    goal: str = Field("", description="for create: the new goal; for reword: its new words")
    goal_id: str = Field("", description="for the others: the id of the goal")
    horizon: Literal["short_term", "long_term"] = "short_term"
    priority: int | None = Field(None, ge=1, le=9, description="1 is the highest, 9 the lowest")
    related_values: list[str] = Field(
        default_factory=list, description="for long-term goals and revalue: what it serves"
    )
    reason: str = Field("", description="the progress made, or why")
    evidence: list[str] = Field(default_factory=list)


class ReflectionDraft(BaseModel):
    """What a night concluded."""

    trigger_topic: str
    insight: str
    strategy: str
    log_entry: str
    evidence: list[str]
    values: list[str] = Field(default_factory=list, description="monthly only: what matters most, a word or two each")
    goals: list[GoalDraft] = Field(default_factory=list)


class DreamMind(Protocol):
    """Whatever dreams for a persona.

    Each method raises a `UtataneError` (a mind's named ways of failing) when it cannot answer. None
    may mean "nothing came of it", where a mind has nothing to say rather than something wrong.
    """

    @property
    def name(self) -> str:
        """What stands as `mind` in the memories that it makes."""

    def summarise_day(self, material: DayMaterial, cancel: Cancel, /) -> DayDraft:
        """Condense a day into an episode."""

    def describe_entities(self, material: EntityMaterial, cancel: Cancel, /) -> EntitiesDraft:
        """Say whom and what the day told something about."""

    def find_questions(self, material: QuestionMaterial, cancel: Cancel, /) -> QuestionsDraft:
        """Say what remained open."""

    def resolve_questions(self, material: AnswerMaterial, cancel: Cancel, /) -> ResolutionsDraft:
        """Say which open questions were answered."""

    def reflect(self, material: ReflectionMaterial, cancel: Cancel, /) -> ReflectionDraft | None:
        """Look back and conclude something; None if nothing happened that is worth a thought."""

    def summarise_period(self, material: PeriodMaterial, cancel: Cancel, /) -> PeriodDraft | None:
        """Tell a week or a month; None: it is told in the words of its days."""

    def tokens_of(self, material: DayMaterial, /) -> int:
        """Estimate what one question about a day costs, read and written; 0 where nothing is counted."""
