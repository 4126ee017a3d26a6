"""How a language model dreams: one structured call per task, cut to a budget, checked, asked once more.

Messages get short labels (m1, m2, ...), which models copy without mistakes, and which cost less than
ids. An answer is checked while it is being read: what `managers.sleep.checks` rejects goes back to the
model once, with the reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, TypeVar

from pydantic import BaseModel, model_validator

from agent.minds.builtin.dreaming_days import weight_of
from agent.minds.builtin.dreaming_speech import said_in
from agent.prompts import day_entities, day_episode, day_questions, night_reflection, open_answers
from managers.language.words import content_words
from managers.memory.goals import Goals
from managers.memory.messages import Message
from managers.memory.questions import Question
from managers.mind import Asking, Cancel
from managers.sleep.checks import check_day, check_entities, check_questions, check_reflection, check_resolutions
from managers.sleep.errors import DraftRejectedError
from managers.sleep.tasks import (
    AnswerMaterial,
    DayDraft,
    DayMaterial,
    EntitiesDraft,
    EntityMaterial,
    QuestionMaterial,
    QuestionsDraft,
    ReflectionDraft,
    ReflectionMaterial,
    ResolutionsDraft,
)
from managers.storage.errors import Lang

Draft = TypeVar("Draft", bound=BaseModel)

MOST_TOKENS = 12_000
"""More than this of a day does not make its memory better, only dearer."""
_SHARE = 0.5
"""Of the model's context for the material; the rest is for instructions, form and answer."""


class Asker(Asking, Protocol):
    """What can be asked for a structured answer and knows its own measures: a language model."""

    @property
    def name(self) -> str:
        """The model's name."""
        ...

    @property
    def context_tokens(self) -> int:
        """How much it can read and write at once."""
        ...

    def count_tokens(self, text: str) -> int:
        """Estimate the tokens of a text."""
        ...


class LanguageModelDreamMind:
    """A language model asleep."""

    def __init__(self, model: Asker) -> None:
        """Dream with this model."""
        self._model = model

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    def summarise_day(self, material: DayMaterial, cancel: Cancel) -> DayDraft:
        """Condense a day into an episode."""
        labels = _Labels(material.messages)
        text = self._conversation(material.messages, labels)
        prompt = day_episode.build(material.sheet, date=material.date.isoformat(), conversation=text)
        return self._ask(
            prompt, DayDraft, labels, lambda draft: check_day(draft, material), material.sheet.language, cancel
        )

    def describe_entities(self, material: EntityMaterial, cancel: Cancel) -> EntitiesDraft:
        """Say whom and what the day told something about."""
        day = material.day
        labels = _Labels(day.new_messages)
        known = "\n".join(
            f"- {entity.name} ({', '.join(entity.aliases)}): "
            + " / ".join(f"[{fact.id}] {fact.text}" for fact in entity.current_facts[-5:])
            for entity in material.known[:20]
        )
        known = self._within(known.splitlines(), self._budget() // 4)
        text = self._conversation(day.new_messages, labels)
        prompt = day_entities.build(day.sheet, date=day.date.isoformat(), conversation=text, known=known)
        return self._ask(
            prompt, EntitiesDraft, labels, lambda draft: check_entities(draft, material), day.sheet.language, cancel
        )

    def find_questions(self, material: QuestionMaterial, cancel: Cancel) -> QuestionsDraft:
        """Say what remained open."""
        day = material.day
        labels = _Labels(day.new_messages)
        text = self._conversation(day.new_messages, labels)
        prompt = day_questions.build(
            day.sheet, date=day.date.isoformat(), conversation=text, questions=_questions(material.open)
        )
        return self._ask(
            prompt, QuestionsDraft, labels, lambda draft: check_questions(draft, material), day.sheet.language, cancel
        )

    def resolve_questions(self, material: AnswerMaterial, cancel: Cancel) -> ResolutionsDraft:
        """Say which open questions were answered."""
        day = material.day
        labels = _Labels(day.new_messages)
        wanted = {term for question in material.open for term in content_words(f"{question.topic} {question.context}")}
        text = self._conversation(day.new_messages, labels, wanted)
        prompt = open_answers.build(day.sheet, conversation=text, questions=_questions(material.open))
        return self._ask(
            prompt,
            ResolutionsDraft,
            labels,
            lambda draft: check_resolutions(draft, material),
            day.sheet.language,
            cancel,
        )

    def reflect(self, material: ReflectionMaterial, cancel: Cancel) -> ReflectionDraft | None:
        """Look back and conclude something."""
        messages = [message for day in material.days for message in day.messages]
        labels = _Labels(messages, (one for episode in material.episodes for one in episode.evidence))
        budget = self._budget()
        lines = [
            f"[{', '.join(labels.label(one) for one in episode.evidence[:3])}] {episode.date:%Y-%m-%d}: {episode.summary}"
            for episode in reversed(material.episodes)
        ]
        prompt = night_reflection.build(
            material.sheet,
            material.level,
            conversation=self._conversation(messages, labels, share=2),
            episodes=self._within(lines, budget // 3),
            insights=self._within([f"- {insight.insight}" for insight in material.insights], budget // 12),
            goals=self._within(_goal_lines(material.goals), budget // 12),
        )
        lang = material.sheet.language
        return self._ask(prompt, ReflectionDraft, labels, lambda draft: check_reflection(draft, material), lang, cancel)

    def _ask(
        self,
        prompt: tuple[str, str],
        form: type[Draft],
        labels: _Labels,
        check: Callable[[Draft], Draft],
        lang: Lang,
        cancel: Cancel,
    ) -> Draft:
        checked = _checked(form, labels, check)
        answer = self._model.ask(*prompt, checked, language=lang, cancel=cancel)
        return labels.resolved(form.model_validate(answer.model_dump()))

    def _budget(self) -> int:
        return min(MOST_TOKENS, int(self._model.context_tokens * _SHARE))

    def _conversation(
        self, messages: Sequence[Message], labels: _Labels, wanted: Iterable[str] = (), *, share: int = 1
    ) -> str:
        """Return as much of a conversation as fits: what tells most, or what is wanted, in its order."""
        lines = {
            m.id: f"[{labels.label(m.id)}] {m.time:%H:%M} {m.speaker}: {' '.join(m.text.split())}" for m in messages
        }
        budget = self._budget() // share
        costs = {one: self._model.count_tokens(line) + 1 for one, line in lines.items()}
        if sum(costs.values()) <= budget:
            return "\n".join(lines.values())
        kept: set[str] = set()
        for message in _by_relevance(messages, frozenset(wanted)):
            if costs[message.id] <= budget:
                kept.add(message.id)
                budget -= costs[message.id]
        return "\n".join(_with_gaps([m.id for m in messages], kept, lines))

    def _within(self, lines: Sequence[str], budget: int) -> str:
        kept = []
        for line in lines:
            budget -= self._model.count_tokens(line) + 1
            if budget < 0:
                break
            kept.append(line)
        return "\n".join(kept)


class _Labels:
    """Short names for messages, for the time of one call."""

    def __init__(self, messages: Iterable[Message], further: Iterable[str] = ()) -> None:
        ids = dict.fromkeys([*(message.id for message in messages), *further])
        self._of = {one: f"m{number}" for number, one in enumerate(ids, 1)}
        self._ids = {label: one for one, label in self._of.items()}

    def label(self, message_id: str) -> str:
        return self._of[message_id]

    def resolved(self, draft: Draft) -> Draft:
        """Return the draft with ids for labels; a label that was not given out stays, and fails the checks."""
        return type(draft).model_validate(self._swap(draft.model_dump()))

    def _swap(self, value: object, key: str = "") -> object:
        if isinstance(value, dict):
            return {name: self._swap(one, name) for name, one in value.items()}
        if isinstance(value, list):
            return [self._swap(one, key) for one in value]
        if key == "evidence" and isinstance(value, str):
            label = value.strip(" []")
            return self._ids.get(label, f"unknown label {label}")
        return value


def _checked(form: type[Draft], labels: _Labels, check: Callable[[Draft], Draft]) -> type[Draft]:
    """Return the answer's form, with the checks of sleep as part of its validation."""

    def sound(answer: Draft) -> Draft:
        try:
            check(labels.resolved(form.model_validate(answer.model_dump())))
        except DraftRejectedError as error:
            raise ValueError(str(error.facts["reason"])) from error
        return answer

    validators = {"sound": model_validator(mode="after")(sound)}
    namespace = {"__doc__": form.__doc__, "__module__": form.__module__, **validators}
    return type(form.__name__, (form,), namespace)


def _by_relevance(messages: Sequence[Message], wanted: frozenset[str]) -> list[Message]:
    spoken = said_in(messages)
    counts = Counter(term for said in spoken for term in said.terms)
    weights: dict[str, float] = {}
    for said in spoken:
        hits = len(said.terms & wanted) / (len(wanted) or 1)
        weights[said.message.id] = weights.get(said.message.id, 0.0) + weight_of(said, counts) + 100 * hits
    return sorted(messages, key=lambda message: -weights.get(message.id, 0.0))


def _with_gaps(ids: Sequence[str], kept: set[str], lines: dict[str, str]) -> list[str]:
    shown: list[str] = []
    for one in ids:
        if one in kept:
            shown.append(lines[one])
        elif not shown or shown[-1] != "…":
            shown.append("…")
    return shown


def _questions(questions: Sequence[Question]) -> str:
    return "\n".join(f"- {question.id}: {question.topic} ({question.context})" for question in questions)


def _goal_lines(goals: Goals) -> list[str]:
    short = [f"- {goal.id} (short_term, {goal.priority}): {goal.goal}" for goal in goals.active("short_term")]
    return short + [f"- {goal.id} (long_term): {goal.goal}" for goal in goals.active("long_term")]
