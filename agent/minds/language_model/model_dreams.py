"""How a language model dreams: one structured call per task, cut to a budget, checked, asked once more.

An answer is checked while it is being read: what `managers.sleep.checks` rejects goes back to the
model once, with the reason.
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import date
from functools import partial
from itertools import pairwise
from typing import NamedTuple, Protocol, TypeVar

from pydantic import BaseModel

from agent.minds.errors import InvalidAnswerError
from agent.minds.language_model.answers import checked_form, describe_form, task_of
from agent.minds.language_model.dream_lines import (
    Labels,
    goal_lines,
    hit_line,
    message_line,
    questions_lines,
    speaks_for_itself,
    with_gaps,
)
from agent.minds.relevance import by_relevance
from agent.minds.tokens import answer_room
from agent.prompts import own_initiative
from agent.prompts.dream_prompts import (
    PERSONA_TOKENS,
    NightPart,
    day_before,
    excerpt,
    of_day,
    of_night,
    of_period,
)
from agent.prompts.own_initiative import InitiativeDraft
from agent.prompts.quoting import one_line, quoted
from managers.language.dates_in_words import say
from managers.language.words import content_words, detect_language, sentences
from managers.memory.episodes import Episode
from managers.memory.messages import Message
from managers.mind import Asking, Cancel, Sheet, talk_given
from managers.sleep import checks
from managers.sleep.autonomy import Deed, Occasion
from managers.sleep.tasks import (
    AnswerMaterial,
    DayDraft,
    DayMaterial,
    EntitiesDraft,
    EntityMaterial,
    PeriodDraft,
    PeriodMaterial,
    QuestionMaterial,
    QuestionsDraft,
    ReflectionDraft,
    ReflectionMaterial,
    ResolutionsDraft,
    Task,
)
from managers.storage.errors import Lang

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


class Asker(Asking, Protocol):
    """What can be asked for a structured answer and knows its own measures: a language model."""

    @property
    def name(self) -> str:
        """The model's name."""

    @property
    def context_tokens(self) -> int:
        """How much it can read and write at once."""

    def count_tokens(self, text: str) -> int:
        """Estimate the tokens of a text."""


class _Prompt(NamedTuple):
    instructions: str
    material: str
    labels: Labels
    sheet: Sheet


class LanguageModelDreamMind:
    """A language model asleep."""

    def __init__(self, model: Asker) -> None:
        self._model = model
        self._personas: dict[Sheet, str] = {}

    @property
    def name(self) -> str:
        return self._model.name

    def summarise_day(self, material: DayMaterial, cancel: Cancel) -> DayDraft:
        prompt = self._day_prompt("episode", DayDraft, material)
        return self._ask(prompt, DayDraft, lambda draft: checks.check_day(draft, material), cancel)

    def describe_entities(self, material: EntityMaterial, cancel: Cancel) -> EntitiesDraft:
        day = material.day
        room = self._room(self._builder("entities", day)(conversation=""), EntitiesDraft, day.sheet)
        known = "\n".join(self._known(material, room // 4))
        prompt = self._day_prompt("entities", EntitiesDraft, day, known, room=room - self._count(known))
        return self._ask(prompt, EntitiesDraft, lambda draft: checks.check_entities(draft, material), cancel)

    def find_questions(self, material: QuestionMaterial, cancel: Cancel) -> QuestionsDraft:
        prompt = self._day_prompt("questions", QuestionsDraft, material.day, questions_lines(material.open))
        return self._ask(prompt, QuestionsDraft, lambda draft: checks.check_questions(draft, material), cancel)

    def resolve_questions(self, material: AnswerMaterial, cancel: Cancel) -> ResolutionsDraft:
        wanted = {term for one in material.open for term in content_words(f"{one.topic} {one.context}")}
        known = questions_lines(material.open)
        prompt = self._day_prompt("answers", ResolutionsDraft, material.day, known, wanted=wanted)
        return self._ask(prompt, ResolutionsDraft, lambda draft: checks.check_resolutions(draft, material), cancel)

    def reflect(self, material: ReflectionMaterial, cancel: Cancel) -> ReflectionDraft | None:
        messages = [message for day in material.days for message in day.messages]
        cited = [one for episode in material.episodes for one in episode.evidence]
        labels = Labels(messages, [*cited, *(one for hit in material.past for one in hit.message_ids[:1])])
        sheet = material.sheet
        build = partial(of_night, sheet, self._persona(sheet), material.level, today=material.today)
        room = self._room(build(parts={}), ReflectionDraft, sheet)
        parts: dict[NightPart, str] = {
            "goals": self._within(goal_lines(material.goals), room // 4),
            "questions": self._within([one_line(f"- {one.topic}") for one in material.questions], room // 12),
            "values": one_line(", ".join(material.values)),
            "insights": self._within([one_line(f"- {insight.insight}") for insight in material.insights], room // 8),
            "past": self._within([hit_line(hit, labels, sheet) for hit in material.past], room // 8),
        }
        room -= sum(self._count(part) for part in parts.values())
        parts["episodes"] = self._episodes(material, labels, room // 2 if messages else room)
        room -= self._count(parts["episodes"])
        parts["conversation"] = self._conversation(messages, labels, sheet, room, dated=True)
        prompt = _Prompt(*build(parts=parts), labels, sheet)
        return self._ask(prompt, ReflectionDraft, lambda draft: checks.check_reflection(draft, material), cancel)

    def summarise_period(self, material: PeriodMaterial, cancel: Cancel) -> PeriodDraft | None:
        sheet = material.sheet
        labels = Labels([], [one for episode in material.episodes for one in episode.evidence])
        build = partial(of_period, sheet, self._persona(sheet), material.span)
        room = self._room(build(days=""), PeriodDraft, sheet)
        each = room // max(1, len(material.episodes))
        days = [self._told(episode, labels, each, sheet.language) for episode in material.episodes]
        prompt = _Prompt(*build(days=self._within(days, room)), labels, sheet)
        return self._ask(prompt, PeriodDraft, lambda draft: checks.check_period(draft, material), cancel)

    def _told(self, episode: Episode, labels: Labels, room: int, lang: Lang) -> str:
        """Return a day in short, as much of it as fits, under the labels of what it rests on."""
        head = f"[{', '.join(labels.label(one) for one in episode.evidence[:3])}] "
        head += f"{say('in_numbers', episode.date, lang)}:"
        left = max(_LEAST_OF_A_DAY, room - self._count(head))
        return f"{head} {one_line(self._beginning(episode.summary, left))}"

    def _episodes(self, material: ReflectionMaterial, labels: Labels, room: int) -> str:
        """Return the days that are looked back on, the newest first; where they do not fit, the beginning of each.

        Days whose own words stand below are given up first.
        """
        below = {day.date for day in material.days}
        shown = [one for one in reversed(material.episodes) if material.level > 1 or one.date not in below]
        each = room if sum(self._count(one.summary) for one in shown) < room // 2 else room // max(1, len(shown))
        lines: dict[str, date] = {}
        for episode in shown:
            lines[self._told(episode, labels, each, material.sheet.language)] = episode.date
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
        prompt = self._day_prompt("episode", DayDraft, material)
        return self._count(prompt.instructions) + self._count(prompt.material) + _FORM_AND_ANSWER

    def _day_prompt(
        self,
        task: Task,
        form: type[BaseModel],
        day: DayMaterial,
        known: str = "",
        *,
        room: int | None = None,
        wanted: Iterable[str] = (),
    ) -> _Prompt:
        """Return the prompt of a task; `room` is for the conversation, all that is left if None."""
        messages = day.messages if task == "episode" else day.new_messages
        labels, build = Labels(messages), self._builder(task, day, known)
        if room is None:
            room = self._room(build(conversation=""), form, day.sheet)
        conversation = self._conversation(messages, labels, day.sheet, room, wanted)
        return _Prompt(*build(conversation=conversation), labels, day.sheet)

    def _builder(self, task: Task, day: DayMaterial, known: str = "") -> Callable[..., tuple[str, str]]:
        """Return what makes a task's prompt of a `conversation`."""
        return partial(
            of_day,
            task,
            day.sheet,
            self._persona(day.sheet),
            day=day.date,
            known=known,
            before="" if task == "answers" else self._day_before(day),
            persona_speaks_for_itself=task in {"entities", "answers"} and speaks_for_itself(day),
        )

    def _day_before(self, day: DayMaterial) -> str:
        """Return the beginning of what is remembered of the talk before this day's."""
        if day.before is None:
            return ""
        told = one_line(self._beginning(day.before.summary, _BEFORE_TOKENS))
        return day_before(day.before.date, told, day.sheet.language)

    def _ask(self, prompt: _Prompt, form: type[Draft], check: Callable[[Draft], Draft], cancel: Cancel) -> Draft:
        labels, lang = prompt.labels, prompt.sheet.language
        checked = checked_form(form, lambda answer: check(labels.resolved(answer)), lang, labels.all)
        answer = self._model.ask(
            prompt.instructions, prompt.material, checked, language=lang, cancel=cancel, given=labels.given
        )
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
        labels: Labels,
        sheet: Sheet,
        room: int,
        wanted: Iterable[str] = (),
        *,
        dated: bool = False,
    ) -> str:
        """Return as much of a conversation as fits: what tells most, or what is wanted, in its order.

        Of more than one day, and where it is `dated`, each day stands over its words.
        """
        lines = {message.id: message_line(message, labels, sheet) for message in messages}
        if dated or len({message.time.date() for message in messages}) > 1:
            for before, message in pairwise([None, *messages]):
                if message is not None and (before is None or before.time.date() != message.time.date()):
                    lines[message.id] = (
                        f"({say('in_numbers', message.time.date(), sheet.language)})\n{lines[message.id]}"
                    )
        costs = {one: self._model.count_tokens(line) + 1 for one, line in lines.items()}
        if sum(costs.values()) <= room:
            return "\n".join(lines.values())
        kept: set[str] = set()
        for message in by_relevance(messages, frozenset(wanted)):
            if costs[message.id] <= room:
                kept.add(message.id)
                room -= costs[message.id]
        return "\n".join(with_gaps([m.id for m in messages], kept, lines))

    def _within(self, lines: Sequence[str], budget: int) -> str:
        kept = []
        for line in lines:
            if (cost := self._count(line) + 1) <= budget:  # whole items fall, and a shorter one may still fit
                budget -= cost
                kept.append(line)
        return "\n".join(kept)


def impulse(model: Asker, occasion: Occasion) -> Deed | None:
    """Return what a model would do; None if it would rather not.

    Raises:
        MindError: it gave no usable answer, or one in another language.
        CapReachedError: it was not asked.
    """
    lang = occasion.sheet.language
    words = "\n".join(one_line(f"{m.time:%Y-%m-%d %H:%M} {m.speaker}: {m.text}") for m in occasion.last_words)
    reason, words = (quoted(text) if occasion.origins else text for text in (occasion.reason, words))
    prompt = own_initiative.build(occasion.sheet, now=occasion.now, reason=reason, conversation=words)
    draft = model.ask(*prompt, InitiativeDraft, language=lang, given=talk_given(occasion.last_words))
    text = draft.text.strip()
    if draft.kind == "nothing" or not text:
        return None
    if detect_language(text, lang) != lang:
        raise InvalidAnswerError(model=model.name, reason="another language", **task_of(InitiativeDraft))
    return Deed(draft.kind, text, model.name)
