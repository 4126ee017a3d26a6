"""What a turn does to the persona's inner life, and what of it enters the prompt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agent.compose import Part, text_part
from agent.prompts import reply as words
from managers.memory.emotions import EmotionLog
from managers.memory.episodes import EpisodeStore
from managers.memory.goals import GoalStore
from managers.memory.inner_state import InnerStateStore
from managers.memory.insights import InsightStore
from managers.memory.messages import Message
from managers.memory.questions import QuestionStore
from managers.mind import ChatTurn, EmotionReading, OpenQuestion
from managers.storage.errors import Lang
from managers.storage.settings import ConversationSettings

QUESTIONS_IN_PROMPT = 3


@dataclass(frozen=True, slots=True)
class InnerParts:
    """What of the inner life a prompt holds."""

    parts: Sequence[Part]
    questions: Sequence[OpenQuestion]


@dataclass(frozen=True)
class InnerLife:
    """Emotions, drives, questions, goals, dreams and episodes of one persona."""

    emotions: EmotionLog
    state: InnerStateStore
    questions: QuestionStore
    goals: GoalStore
    insights: InsightStore
    episodes: EpisodeStore

    def perceive(self, message: Message, emotion: EmotionReading) -> None:
        """Log the emotion of a user's message; the last interaction and devotion move."""
        self.emotions.append(message.text, emotion.emotion, message_id=message.id, time=message.time)
        self.state.meet(emotion.emotion, message.time)

    def note_reply(self, reply: Message) -> None:
        """Note which open questions the persona has asked just now, so that they rest a while."""
        self.questions.note_asked(reply.text, author=reply.speaker)

    def for_prompt(self, told: Sequence[ChatTurn], settings: ConversationSettings, lang: Lang) -> InnerParts:
        """Return the parts of a prompt; `told` are the turns that it holds word for word."""
        days = [turn.time.date() for turn in told if turn.time is not None]
        oldest = min(days)
        episodes = self.episodes.for_prompt(oldest, settings.episode_memory_lookback_days, days.count(oldest))
        questions = [OpenQuestion(q.topic, q.context, q.priority) for q in self.questions.to_ask(QUESTIONS_IN_PROMPT)]
        return InnerParts(
            parts=[
                Part("episodes", [f"{e.date:%Y-%m-%d}: {e.summary}" for e in episodes], keep="last"),
                text_part("strategy", self.insights.latest_strategy()),
                Part("goals", [f"- {goal.goal}" for _, goal in self.goals.for_prompt()]),
                text_part("drives", self.state.light_text(lang, settings.light_drive_threshold)),
                text_part("questions", words.questions(questions)),
            ],
            questions=questions,
        )
