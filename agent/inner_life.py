"""What a turn does to the persona's inner life, and what of it enters the prompt."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Protocol, TypeVar

from agent.prompt_parts import Part, text_part
from agent.prompts.quoting import one_line, plain
from agent.provenance import ForeignWords
from managers.memory.audience import NOTHING_KEPT, Kept
from managers.memory.emotion_names import Feeling
from managers.memory.emotions import EmotionLog
from managers.memory.episodes import Episode, EpisodeStore
from managers.memory.goals import GoalStore
from managers.memory.inner_state import InnerStateStore
from managers.memory.insights import InsightStore
from managers.memory.json_documents import Remembered
from managers.memory.messages import Message
from managers.memory.periods import Period
from managers.memory.questions import QuestionStore
from managers.mind import ChatTurn, EmotionReading, OpenQuestion, SelfKnowledge
from managers.storage.errors import Lang
from managers.storage.settings import ConversationSettings

QUESTIONS_IN_PROMPT = 3
DREAMS_TOLD = 3
_FELT = 0.1
"""A drive below this level moves nobody."""
_WEIGHS = timedelta(days=1)

Result = TypeVar("Result")


class Spare(Protocol):
    """Does something that a reply can go without."""

    def __call__(self, work: Callable[[], Result]) -> Result | None:
        """Return what the work returns, None where it fails."""


@dataclass(frozen=True)
class InnerLife:
    """Emotions, drives, questions, goals, dreams and episodes of one persona."""

    emotions: EmotionLog
    state: InnerStateStore
    questions: QuestionStore
    goals: GoalStore
    insights: InsightStore
    episodes: EpisodeStore

    def perceive(self, message: Message, emotion: EmotionReading, now: datetime) -> None:
        """Log the emotion of a user's message, whenever it was said; the last interaction and devotion move now."""
        try:
            text = "" if message.origins else message.text  # what a program says, nobody told of themselves
            self.emotions.append(text, emotion.emotion, message_id=message.id, time=message.time)
        finally:
            self.state.meet(emotion.emotion, now)

    def note_reply(self, reply: Message) -> None:
        """Note which open questions the persona has asked just now, so that they rest a while."""
        self.questions.note_asked(reply.text, author=reply.speaker)

    def moved_by(self, lang: Lang, threshold: float, kept: Kept = NOTHING_KEPT) -> str:
        """Return what moves the persona most at this moment, in a sentence; before a message has moved it.

        Nothing, if that is what the user felt in a message which is kept from the mind.
        """
        if self.feels_with(kept) and self.state.levels().dominant == "devotion":
            return ""
        return self.state.light_text(lang, threshold)

    def feels_with(self, kept: Kept) -> bool:
        """Tell whether what the user felt last was read from a message that is kept."""
        felt = self.state.felt() if kept else None
        return felt is not None and kept.holds([felt.message_id])

    def weighs(self, now: datetime) -> Feeling | None:
        """Return what was told within a day and still weighs: danger, self-harm, a loss."""
        felt = self.state.felt()
        return felt if felt is not None and felt.concern and now - felt.time < _WEIGHS else None

    def for_prompt(
        self,
        told: Sequence[ChatTurn],
        settings: ConversationSettings,
        drive: str,
        spare: Spare,
        foreign: ForeignWords,
        *,
        silent: bool = False,
        kept: Kept = NOTHING_KEPT,
    ) -> list[Part]:
        """Return the parts of a prompt; one whose file cannot be read is left out.

        Args:
            told: the turns that the prompt holds word for word.
            settings: how far back episodes are told.
            drive: what moved the persona before the message came.
            spare: does what can be left out, and tells what was.
            foreign: sets apart what is made of foreign words.
            silent: somebody is in distress: what the persona itself wants is not told.
            kept: what the mind must not be given.
        """
        days = [turn.time.date() for turn in told if turn.time is not None]
        oldest, lookback = min(days), settings.episode_memory_lookback_days
        episodes = spare(lambda: self.episodes.for_prompt(oldest, lookback, days.count(oldest))) or []
        older = spare(lambda: self.episodes.periods.for_prompt(oldest - timedelta(days=lookback))) or []
        told_of: list[tuple[str, Period | Episode]] = [(period.date, period) for period in kept.other_periods(older)]
        told_of += [(f"{day.date}", day) for day in kept.other_days(episodes)]
        newest = spare(partial(self.insights.with_strategy, kept.others))
        strategy = plain(newest.strategy) if newest else ""
        parts = [
            Part("episodes", [f"{when}: {_own(one.summary, one, foreign)}" for when, one in told_of], keep="last"),
            text_part("strategy", foreign.item(strategy, strategy, newest.evidence, newest.origins) if newest else ""),
        ]
        if silent:
            return parts
        found = kept.others(goal for _, goal in spare(self.goals.for_prompt) or [])
        goals = [f"- {_own(goal.goal, goal, foreign)}" for goal in found]
        own = [
            Part("goals", goals),
            text_part("drives", plain(drive)),
        ]
        return [*parts, *own]

    def itself(self, spare: Spare, kept: Kept = NOTHING_KEPT) -> SelfKnowledge:
        """Return what the persona may tell of its inner life; what cannot be read, or is kept from the mind, is left out."""
        levels = spare(self.state.levels)
        drive = levels.dominant if levels else None
        diary = spare(self.insights.load)
        goals = kept.others(goal for _, goal in spare(self.goals.for_prompt) or [])
        dreams = kept.others(diary.entries if diary else [])
        newest = spare(partial(self.insights.with_strategy, kept.others))
        return SelfKnowledge(
            strategy=one_line(newest.strategy) if newest else "",
            goals=tuple(one_line(goal.goal) for goal in goals),
            drive=drive if levels and drive and levels.of(drive) >= _FELT else "",
            dreams=tuple(one_line(entry.log_entry) for entry in dreams[:DREAMS_TOLD]),
        )

    def to_ask(self, spare: Spare, kept: Kept = NOTHING_KEPT) -> list[OpenQuestion]:
        """Return what the persona would like to know now, and may ask in the talk, without what is kept from the mind."""
        due = kept.others(spare(lambda: self.questions.to_ask(QUESTIONS_IN_PROMPT)) or [])
        return [
            OpenQuestion(one.topic, one.context, one.priority, tuple(one.evidence), tuple(one.origins)) for one in due
        ]


def _own(text: str, memory: Remembered, foreign: ForeignWords) -> str:
    """Return what a memory says on one line; quoted where it is made of foreign words."""
    return foreign.item(one_line(text), one_line(text), memory.evidence, memory.origins)
