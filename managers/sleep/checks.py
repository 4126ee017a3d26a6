"""What of a mind's answer may become memory. Minds are not trusted: least of all where they quote.

Each check returns the draft with what is sound, or raises `DraftRejectedError` with a reason that a
language model can act on.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel

from managers.language.words import detect_language
from managers.memory.entities import is_safe, name_key
from managers.memory.log.format import clean_text
from managers.sleep.errors import DraftRejectedError
from managers.sleep.tasks import (
    AnswerMaterial,
    DayDraft,
    DayMaterial,
    EntitiesDraft,
    EntityMaterial,
    GoalDraft,
    QuestionMaterial,
    QuestionsDraft,
    ReflectionDraft,
    ReflectionMaterial,
    ResolutionsDraft,
)
from managers.storage.errors import Lang

MAX_SUMMARY = 2000
MAX_LINE = 400
MAX_EVENTS = 12
MAX_ENTITIES = 40
MAX_FACTS = 12
MAX_ALIASES = 6
MAX_QUESTIONS = 5
MAX_GOAL_CHANGES = 6
_PRONOUNS = frozenset(
    ["私", "僕", "俺", "あなた", "彼", "彼女", "相手", "i", "me", "you", "he", "she", "they", "him", "her", "user"]
)
_SLOT = re.compile(r"[\w ]{0,30}")
Draft = TypeVar("Draft", bound=BaseModel)

_JUDGED_LENGTH = 12
"""Shorter texts may be a name or a loan word, whatever the language."""


def check_day(draft: DayDraft, material: DayMaterial, *, quotes: bool = False) -> DayDraft:
    """Check an episode: it says something, in the persona's language, about messages that exist.

    `quotes`, here and below: the mind only quotes, in whatever language it was said.
    """
    draft = _as_text(draft)
    task = "summarise_day"
    _require_text(draft.summary, None if quotes else material.sheet.language, task, "summary")
    _require_evidence(draft.evidence, material.ids, task)
    events = []
    for event in draft.key_events[:MAX_EVENTS]:
        if event.text.strip():
            _require_evidence(event.evidence, material.ids, task)
            events.append(event.model_copy(update={"text": _line(event.text), "evidence": _once(event.evidence)}))
    return draft.model_copy(
        update={"summary": draft.summary.strip()[:MAX_SUMMARY], "evidence": _once(draft.evidence), "key_events": events}
    )


def check_entities(draft: EntitiesDraft, material: EntityMaterial, *, quotes: bool = False) -> EntitiesDraft:
    """Check entities: names that can be files, facts that a person said."""
    draft = _as_text(draft)
    task = "describe_entities"
    known = {fact.id for entity in material.known for fact in entity.facts}
    sound = []
    unfounded: list[str] = []
    sheet = material.day.sheet
    speakers = {name_key(name) for name in (sheet.persona, sheet.user_name, *_speakers(material)) if name}
    # Nobody goes by the name of somebody else: what is told of a cat, or a friend, is not told of who speaks.
    names = {name_key(entity.name) for entity in draft.entities}
    for entity in draft.entities[:MAX_ENTITIES]:
        if not is_safe(entity.name):
            unfounded.append(f"unsafe name {entity.name[:40]!r}")
            continue
        facts = []
        for fact in entity.facts[:MAX_FACTS]:
            if not fact.text.strip() or not fact.evidence or not set(fact.evidence) <= material.day.testimony_ids:
                unfounded.append(f"{entity.name}: {fact.text[:60]}")
            elif not quotes and _is_foreign(fact.text, material.day.sheet.language):
                unfounded.append(f"{entity.name}: not in the persona's language")
            else:
                replaces = fact.replaces if fact.replaces in known else ""
                facts.append(
                    fact.model_copy(
                        update={
                            "text": _line(fact.text),
                            "evidence": _once(fact.evidence),
                            "slot": fact.slot if _SLOT.fullmatch(fact.slot) else "",
                            "replaces": replaces,
                        }
                    )
                )
        if facts:
            others = (speakers | (set() if quotes and name_key(entity.name) not in speakers else names)) - {
                name_key(entity.name)
            }
            aliases = [
                alias for alias in entity.aliases if is_safe(alias) and name_key(alias) not in others | _PRONOUNS
            ][:MAX_ALIASES]
            sound.append(entity.model_copy(update={"name": entity.name.strip(), "aliases": aliases, "facts": facts}))
    if draft.entities and not sound:
        raise DraftRejectedError(task=task, reason="; ".join(unfounded[:5]) or "no facts")
    return EntitiesDraft(entities=sound)


def _speakers(material: EntityMaterial) -> list[str]:
    return [message.speaker for message in material.day.messages]


def check_questions(draft: QuestionsDraft, material: QuestionMaterial, *, quotes: bool = False) -> QuestionsDraft:
    """Check questions: the most pressing few, each resting on messages that exist."""
    draft = _as_text(draft)
    task = "find_questions"
    lang = material.day.sheet.language
    sound = [
        question.model_copy(
            update={
                "topic": _line(question.topic),
                "context": _line(question.context),
                "about": _line(question.about),
                "evidence": _once(question.evidence),
            }
        )
        for question in draft.questions
        if question.topic.strip()
        and _rests_on(question.evidence, material.day.ids)
        and (quotes or not _is_foreign(question.topic + question.context, lang))
    ]
    if draft.questions and not sound:
        raise DraftRejectedError(
            task=task, reason="no question rests on messages that exist, in the persona's language"
        )
    return QuestionsDraft(questions=sorted(sound, key=lambda question: -question.priority)[:MAX_QUESTIONS])


def check_resolutions(draft: ResolutionsDraft, material: AnswerMaterial) -> ResolutionsDraft:
    """Check answers: to questions that are open, resting on messages of persons."""
    draft = _as_text(draft)
    task = "resolve_questions"
    open_ids = {question.id for question in material.open}
    sound = [
        answer.model_copy(update={"answer": _line(answer.answer), "evidence": _once(answer.evidence)})
        for answer in draft.resolutions
        if answer.question_id in open_ids
        and answer.answer.strip()
        and _rests_on(answer.evidence, material.day.testimony_ids)
    ]
    if draft.resolutions and not sound:
        raise DraftRejectedError(task=task, reason="no answer names an open question and messages that exist")
    return ResolutionsDraft(resolutions=sound)


def check_reflection(draft: ReflectionDraft, material: ReflectionMaterial, *, quotes: bool = False) -> ReflectionDraft:
    """Check a reflection: it says something of its own about messages that exist."""
    draft = _as_text(draft)
    task = "reflect"
    lang = None if quotes else material.sheet.language
    for name in ("insight", "strategy", "log_entry"):
        _require_text(getattr(draft, name), lang, task, name)
    _require_evidence(draft.evidence, material.ids, task)
    if not quotes and any(draft.insight.strip() == insight.insight.strip() for insight in material.insights):
        raise DraftRejectedError(task=task, reason="this insight is in the diary already")
    goals = [
        goal.model_copy(
            update={
                "goal": _line(goal.goal),
                "reason": _line(goal.reason),
                "related_values": [_line(value) for value in goal.related_values],
                "evidence": _once(goal.evidence),
            }
        )
        for goal in draft.goals
        if _is_sound_goal(goal, material, quotes=quotes)
    ][:MAX_GOAL_CHANGES]
    return draft.model_copy(
        update={
            "trigger_topic": _line(draft.trigger_topic),
            "insight": draft.insight.strip()[:MAX_SUMMARY],
            "strategy": _line(draft.strategy),
            "log_entry": draft.log_entry.strip()[:MAX_SUMMARY],
            "evidence": _once(draft.evidence),
            "goals": goals,
        }
    )


def _as_text(draft: Draft) -> Draft:
    """Return an answer with nothing in it that no file, or no reader, can hold: half characters, control characters."""
    return type(draft).model_validate(_cleaned(draft.model_dump()))


def _cleaned(value: Any) -> Any:  # noqa: ANN401  # whatever a model's fields hold
    if isinstance(value, str):
        kept = "".join(c for c in value if c in "\n\t" or unicodedata.category(c) != "Cc")
        return clean_text(kept)
    if isinstance(value, list):
        return [_cleaned(one) for one in value]
    return {key: _cleaned(one) for key, one in value.items()} if isinstance(value, dict) else value


def _is_sound_goal(goal: GoalDraft, material: ReflectionMaterial, *, quotes: bool) -> bool:
    if not _rests_on(goal.evidence, material.ids) and not (goal.action == "abandon" and not goal.evidence):
        return False
    if goal.action == "create":
        is_said = bool(goal.goal.strip()) and (quotes or not _is_foreign(goal.goal, material.sheet.language))
        return is_said and (goal.horizon == "short_term" or material.level == 3)  # noqa: PLR2004  # the monthly reflection
    found = material.goals.get(goal.goal_id)
    return found is not None and found[1].status == "active" and bool(goal.reason.strip())


def _require_text(text: str, lang: Lang | None, task: str, name: str) -> None:
    if not text.strip():
        raise DraftRejectedError(task=task, reason=f"`{name}` is empty")
    if lang is not None and _is_foreign(text, lang):
        raise DraftRejectedError(task=task, reason=f"`{name}` must be in {'Japanese' if lang == 'ja' else 'English'}")


def _require_evidence(evidence: Sequence[str], ids: Collection[str], task: str) -> None:
    unknown = [one for one in evidence if one not in ids]
    if unknown or not evidence:
        named = ", ".join(unknown[:5]) or "none given"
        raise DraftRejectedError(task=task, reason=f"evidence must be ids of the messages above ({named})")


def _rests_on(evidence: Sequence[str], ids: Collection[str]) -> bool:
    return bool(evidence) and all(one in ids for one in evidence)


def _is_foreign(text: str, lang: Lang) -> bool:
    return len(text.strip()) >= _JUDGED_LENGTH and detect_language(text, lang) != lang


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= MAX_LINE else line[: MAX_LINE - 1] + "…"


def _once(evidence: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(evidence))
