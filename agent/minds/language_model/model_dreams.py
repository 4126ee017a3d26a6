"""How a language model dreams: one structured call per task, cut to a budget, checked, asked once more.

Messages get short labels (m1, m2, ...), which models copy without mistakes, and which cost less than
ids. An answer is checked while it is being read: what `managers.sleep.checks` rejects goes back to the
model once, with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import date
from functools import partial
from itertools import pairwise
from typing import Protocol, TypeVar

from pydantic import BaseModel

from agent.attachments import sent_with
from agent.minds.fit import answer_room
from agent.minds.language_model.answers import checked_form, describe_form
from agent.minds.relevance import by_relevance
from agent.prompts.dream_prompts import (
    PERSONA_TOKENS,
    NightPart,
    called,
    day_before,
    excerpt,
    of_day,
    of_night,
    spell_day,
    with_files,
)
from agent.prompts.quoting import name_in_label, one_line
from managers.language.words import content_words, sentences
from managers.memory.goals import HORIZONS, Goals
from managers.memory.messages import Message, is_unnamed
from managers.memory.questions import Question
from managers.mind import Asking, Cancel, Sheet
from managers.recall.hits import Hit
from managers.sleep.checks import check_day, check_entities, check_questions, check_reflection, check_resolutions
from managers.sleep.review import UNKNOWN_LABEL
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
    Task,
)

Draft = TypeVar("Draft", bound=BaseModel)

MOST_TOKENS = 12_000
"""More than this of a day does not make its memory better, only dearer."""
_LEAST = 400
_LEAST_OF_A_DAY = 40
_BEFORE_TOKENS = 160
_MARGIN = 100
_PERSONA_SHARE = 12
"""The persona's part of a small model's context."""
_SHARE = 0.5
"""Of the model's context for the material; the rest is for instructions, form and answer."""
_FORM_AND_ANSWER = 1_000
"""Tokens of the answer's form and of an answer of middling length."""
_FACT_ID = 12
_HIT_LENGTH = 400


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
        self._personas: dict[Sheet, str] = {}

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    def summarise_day(self, material: DayMaterial, cancel: Cancel) -> DayDraft:
        """Condense a day into an episode."""
        labels = _Labels(material.messages)
        prompt = self._day_prompt(material, labels)
        return self._ask(prompt, DayDraft, labels, lambda draft: check_day(draft, material), material.sheet, cancel)

    def describe_entities(self, material: EntityMaterial, cancel: Cancel) -> EntitiesDraft:
        """Say whom and what the day told something about."""
        day = material.day

        def known(room: int) -> str:
            return "\n".join(self._known(material, room // 4))

        def check(draft: EntitiesDraft) -> EntitiesDraft:
            return check_entities(draft, material)

        return self._of_day("entities", day, EntitiesDraft, known, check, cancel, before=self._day_before(day))

    def find_questions(self, material: QuestionMaterial, cancel: Cancel) -> QuestionsDraft:
        """Say what remained open."""
        day, questions = material.day, _questions(material.open)

        def check(draft: QuestionsDraft) -> QuestionsDraft:
            return check_questions(draft, material)

        before = self._day_before(day)
        return self._of_day("questions", day, QuestionsDraft, questions, check, cancel, before=before)

    def resolve_questions(self, material: AnswerMaterial, cancel: Cancel) -> ResolutionsDraft:
        """Say which open questions were answered."""
        wanted = {term for question in material.open for term in content_words(f"{question.topic} {question.context}")}

        def check(draft: ResolutionsDraft) -> ResolutionsDraft:
            return check_resolutions(draft, material)

        questions = _questions(material.open)
        return self._of_day("answers", material.day, ResolutionsDraft, questions, check, cancel, wanted=wanted)

    def _of_day(
        self,
        task: Task,
        day: DayMaterial,
        form: type[Draft],
        known: str | Callable[[int], str],
        check: Callable[[Draft], Draft],
        cancel: Cancel,
        *,
        before: str = "",
        wanted: Iterable[str] = (),
    ) -> Draft:
        """Ask for one task about a day's new words.

        Args:
            task: which.
            day: the day.
            form: of the answer.
            known: what is known already; where it has to find room beside the conversation, what makes it of that room.
            check: raises what is wrong with an answer.
            cancel: stops the call.
            before: what is remembered of the day before.
            wanted: terms whose messages come before all others.
        """
        labels = _Labels(day.new_messages)
        speaks = task != "questions" and _speaks_for_itself(day)
        build = partial(
            of_day,
            task,
            day.sheet,
            self._persona(day.sheet),
            day=day.date,
            before=before,
            persona_speaks_for_itself=speaks,
        )
        told = known if isinstance(known, str) else ""
        room = self._room(build(conversation="", known=told), form, day.sheet)
        if not isinstance(known, str):
            told = known(room)
            room -= self._count(told)
        text = self._conversation(day.new_messages, labels, day.sheet, room, wanted)
        return self._ask(build(conversation=text, known=told), form, labels, check, day.sheet, cancel)

    def reflect(self, material: ReflectionMaterial, cancel: Cancel) -> ReflectionDraft | None:
        """Look back and conclude something."""
        messages = [message for day in material.days for message in day.messages]
        cited = [one for episode in material.episodes for one in episode.evidence]
        labels = _Labels(messages, [*cited, *(one for hit in material.past for one in hit.message_ids[:1])])
        sheet = material.sheet
        build = partial(of_night, sheet, self._persona(sheet), material.level, today=material.today)
        room = self._room(build(parts={}), ReflectionDraft, sheet)
        parts: dict[NightPart, str] = {
            "goals": self._within(_goal_lines(material.goals), room // 4),
            "questions": self._within([one_line(f"- {one.topic}") for one in material.questions], room // 12),
            "values": one_line(", ".join(material.values)),
            "insights": self._within([one_line(f"- {insight.insight}") for insight in material.insights], room // 8),
            "past": self._within([_hit_line(hit, labels, sheet) for hit in material.past], room // 8),
        }
        room -= sum(self._count(part) for part in parts.values())
        parts["episodes"] = self._episodes(material, labels, room // 2 if messages else room)
        room -= self._count(parts["episodes"])
        parts["conversation"] = self._conversation(messages, labels, sheet, room, dated=True)
        return self._ask(
            build(parts=parts), ReflectionDraft, labels, lambda draft: check_reflection(draft, material), sheet, cancel
        )

    def _episodes(self, material: ReflectionMaterial, labels: _Labels, room: int) -> str:
        """Return the days that are looked back on, the newest first; where they do not fit, the beginning of each.

        Days whose own words stand below are given up first.
        """
        below = {day.date for day in material.days}
        shown = [one for one in reversed(material.episodes) if material.level > 1 or one.date not in below]
        each = room if sum(self._count(one.summary) for one in shown) < room // 2 else room // max(1, len(shown))
        lines: dict[str, date] = {}
        for episode in shown:
            head = f"[{', '.join(labels.label(one) for one in episode.evidence[:3])}] "
            head += f"{spell_day(episode.date, material.sheet.language)}:"
            left = max(_LEAST_OF_A_DAY, each - self._count(head))
            lines[f"{head} {one_line(self._beginning(episode.summary, left))}"] = episode.date
        kept = self._within(sorted(lines, key=lambda line: lines[line] in below), room).split("\n")
        return "\n".join(line for line in lines if line in kept)

    def _beginning(self, text: str, room: int) -> str:
        """Return the first sentences that fit, one at least."""
        end = 0
        for sentence in sentences(text):
            after = text.find(sentence, end) + len(sentence)
            if end and self._count(text[:after]) > room:
                break
            end = after
        return text[:end]

    def tokens_of(self, material: DayMaterial) -> int:
        """Estimate what one question about a day makes the model read and write."""
        return sum(map(self._count, self._day_prompt(material, _Labels(material.messages)))) + _FORM_AND_ANSWER

    def _day_prompt(self, material: DayMaterial, labels: _Labels) -> tuple[str, str]:
        sheet = material.sheet
        before = self._day_before(material)
        build = partial(of_day, "episode", sheet, self._persona(sheet), day=material.date, before=before)
        room = self._room(build(conversation=""), DayDraft, sheet)
        return build(conversation=self._conversation(material.messages, labels, sheet, room))

    def _day_before(self, day: DayMaterial) -> str:
        """Return the beginning of what is remembered of the talk before this day's."""
        if day.before is None:
            return ""
        told = one_line(self._beginning(day.before.summary, _BEFORE_TOKENS))
        return day_before(day.before.date, told, day.sheet.language)

    def _ask(
        self,
        prompt: tuple[str, str],
        form: type[Draft],
        labels: _Labels,
        check: Callable[[Draft], Draft],
        sheet: Sheet,
        cancel: Cancel,
    ) -> Draft:
        checked = checked_form(form, lambda answer: check(labels.resolved(answer)), sheet.language)
        answer = self._model.ask(*prompt, checked, language=sheet.language, cancel=cancel)
        return labels.resolved(form.model_validate(answer.model_dump()))

    def _count(self, text: str) -> int:
        return self._model.count_tokens(text)

    def _known(self, material: EntityMaterial, room: int) -> list[str]:
        """Return what is known already of whom the day mentions: first what the day's words bear on, then what is newest."""
        told = frozenset(term for message in material.day.new_messages for term in content_words(message.text))
        facts = [(entity, fact) for entity in material.known for fact in entity.current_facts]
        bearing = {fact.id: len(told & set(content_words(fact.text))) for _, fact in facts}
        heads = {one.name: one_line(f"- {one.name} ({'; '.join([one.kind, *one.aliases])})") for one in material.known}
        room -= sum(self._count(head) + 1 for head in heads.values())
        shown: set[str] = set()
        for _, fact in sorted(
            facts, key=lambda one: (bool(one[1].slot), bearing[one[1].id], one[1].since), reverse=True
        ):
            room -= self._count(fact.text) + _FACT_ID
            if room < 0:
                break
            shown.add(fact.id)
        lines = []
        for entity in material.known:
            lines.append(heads[entity.name])
            lines += ["  " + one_line(f"[{one.id}] {one.text}") for one in entity.current_facts if one.id in shown]
        return lines

    def _persona(self, sheet: Sheet) -> str:
        """Return what of the persona's description each task reads: the same in all of them, so that it is read once."""
        if sheet not in self._personas:
            most = min(PERSONA_TOKENS, self._model.context_tokens // _PERSONA_SHARE)
            self._personas[sheet] = excerpt(sheet.system_prompt, self._count, most)
        return self._personas[sheet]

    def _room(self, blank: tuple[str, str], form: type[BaseModel], sheet: Sheet) -> int:
        """Return the tokens for the material: what instructions, form and answer leave, and no more than makes sense."""
        context = self._model.context_tokens
        used = sum(map(self._count, blank)) + self._count(describe_form(form, sheet.language))
        return max(_LEAST, min(MOST_TOKENS, int(context * _SHARE), context - answer_room(context) - used - _MARGIN))

    def _conversation(
        self,
        messages: Sequence[Message],
        labels: _Labels,
        sheet: Sheet,
        room: int,
        wanted: Iterable[str] = (),
        *,
        dated: bool = False,
    ) -> str:
        """Return as much of a conversation as fits: what tells most, or what is wanted, in its order.

        Of more than one day, and where it is `dated`, each day stands over its words.
        """
        lines = {
            m.id: f"[{labels.label(m.id)}] {one_line(f'{m.time:%H:%M} {_speaker(m, sheet)}: {m.text}{_with_files(m, sheet)}')}"
            for m in messages
        }
        if dated or len({message.time.date() for message in messages}) > 1:
            for before, message in pairwise([None, *messages]):
                if message is not None and (before is None or before.time.date() != message.time.date()):
                    lines[message.id] = f"({spell_day(message.time.date(), sheet.language)})\n{lines[message.id]}"
        costs = {one: self._model.count_tokens(line) + 1 for one, line in lines.items()}
        if sum(costs.values()) <= room:
            return "\n".join(lines.values())
        kept: set[str] = set()
        for message in by_relevance(messages, frozenset(wanted)):
            if costs[message.id] <= room:
                kept.add(message.id)
                room -= costs[message.id]
        return "\n".join(_with_gaps([m.id for m in messages], kept, lines))

    def _within(self, lines: Sequence[str], budget: int) -> str:
        kept = []
        for line in lines:
            if (cost := self._count(line) + 1) <= budget:  # whole items fall, and a shorter one may still fit
                budget -= cost
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
            return self._ids.get(label, f"{UNKNOWN_LABEL}{label}")
        return value


def _with_gaps(ids: Sequence[str], kept: set[str], lines: dict[str, str]) -> list[str]:
    shown: list[str] = []
    for one in ids:
        if one in kept:
            shown.append(lines[one])
        elif not shown or shown[-1] != "…":
            shown.append("…")
    return shown


def _questions(questions: Sequence[Question]) -> str:
    return "\n".join(one_line(f"- {one.id}: {one.topic} ({one.context})") for one in questions)


def _goal_lines(goals: Goals) -> list[str]:
    found = [(horizon, goal) for horizon in HORIZONS for goal in goals.active(horizon)]
    lines = []
    for horizon, goal in found:
        values = f" [{', '.join(goal.related_values)}]" if goal.related_values else ""
        latest = f" … {goal.progress_notes[-1]}" if goal.progress_notes else ""
        lines.append(f"- {goal.id} ({horizon}, {goal.priority}, {goal.created_at[:10]}): {goal.goal}{values}{latest}")
    return [one_line(line) for line in lines]


def _hit_line(hit: Hit, labels: _Labels, sheet: Sheet) -> str:
    label = f"[{labels.label(hit.message_ids[0])}] " if hit.message_ids else ""
    day = spell_day(hit.time.date(), sheet.language) if hit.time else ""
    who = f" {called(sheet) if is_unnamed(hit.speaker) else hit.speaker}" if hit.speaker else ""
    return label + one_line(f"{day}{who}: {hit.text}")[:_HIT_LENGTH]


def _speaker(message: Message, sheet: Sheet) -> str:
    if message.role == "persona":
        return message.speaker
    return called(sheet) if is_unnamed(message.speaker) else message.speaker


def _with_files(message: Message, sheet: Sheet) -> str:
    """Say which files came with a message: without them "here it is" means nothing."""
    names = [name_in_label(sent.name) for sent in sent_with(message)]
    return with_files(sheet.language, names) if names else ""


def _speaks_for_itself(day: DayMaterial) -> bool:
    """Whether a mind made the persona say anything on a day; beside a greeting that a person wrote, too."""
    return any(message.role == "persona" and message.id not in day.testimony_ids for message in day.messages)
