"""Memories as a dreaming model reads them: a line each, and messages under short labels.

Models copy labels (m1, m2, ...) without mistakes, and they cost less than ids.
"""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from pydantic import BaseModel

from agent.attachments import sent_with
from agent.prompts.dream_prompts import aside, called
from agent.prompts.quoting import name_in_label, one_line
from managers.language.dates_in_words import say
from managers.memory.goals import HORIZONS, Goals
from managers.memory.messages import Message, is_unnamed
from managers.memory.questions import Question
from managers.mind import Sheet, talk_given
from managers.recall.hits import Hit
from managers.sleep.review import UNKNOWN_LABEL
from managers.sleep.tasks import DayMaterial, is_of_document

Draft = TypeVar("Draft", bound=BaseModel)

_HIT_LENGTH = 400


class Labels:
    """Short names for messages, for the time of one call."""

    def __init__(self, messages: Iterable[Message], further: Iterable[str] = ()) -> None:
        messages, further = list(messages), list(further)
        ids = dict.fromkeys([*(message.id for message in messages), *further])
        self.given = talk_given(messages, further)
        self._of = {one: f"m{number}" for number, one in enumerate(ids, 1)}
        self._ids = {label: one for one, label in self._of.items()}

    @property
    def all(self) -> list[str]:
        return [*self._ids]

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


def with_gaps(ids: Sequence[str], kept: set[str], lines: dict[str, str]) -> list[str]:
    """Return the lines of what is kept, in order, with one mark for each gap."""
    shown: list[str] = []
    for one in ids:
        if one in kept:
            shown.append(lines[one])
        elif not shown or shown[-1] != "…":
            shown.append("…")
    return shown


def questions_lines(questions: Sequence[Question]) -> str:
    """Return open questions, each with its id."""
    return "\n".join(one_line(f"- {one.id}: {one.topic} ({one.context})") for one in questions)


def goal_lines(goals: Goals) -> list[str]:
    """Return the active goals with their ids, by horizon."""
    found = [(horizon, goal) for horizon in HORIZONS for goal in goals.active(horizon)]
    lines = []
    for horizon, goal in found:
        values = f" [{', '.join(goal.related_values)}]" if goal.related_values else ""
        latest = f" … {goal.progress_notes[-1]}" if goal.progress_notes else ""
        lines.append(f"- {goal.id} ({horizon}, {goal.priority}, {goal.created_at[:10]}): {goal.goal}{values}{latest}")
    return [one_line(line) for line in lines]


def hit_line(hit: Hit, labels: Labels, sheet: Sheet) -> str:
    """Return one memory, under its message's label if it has one."""
    label = f"[{labels.label(hit.message_ids[0])}] " if hit.message_ids else ""
    day = say("in_numbers", hit.time.date(), sheet.language) if hit.time else ""
    who = f" {called(sheet) if is_unnamed(hit.speaker) else hit.speaker}" if hit.speaker else ""
    return label + one_line(f"{day}{who}: {hit.text}")[:_HIT_LENGTH]


def message_line(message: Message, labels: Labels, sheet: Sheet) -> str:
    """Return a message under its label, with its minute, its speaker, its mark and the files that came with it."""
    mark = aside("from_file", sheet.language) if is_of_document(message) else ""
    told = f"{message.time:%H:%M} {_speaker(message, sheet)}: {mark}{message.text}{_files(message, sheet)}"
    return f"[{labels.label(message.id)}] {one_line(told)}"


def _speaker(message: Message, sheet: Sheet) -> str:
    if message.role == "persona":
        return message.speaker
    if message.role == "other":
        return aside("another_persona", sheet.language, [message.speaker])
    return called(sheet) if is_unnamed(message.speaker) else message.speaker


def _files(message: Message, sheet: Sheet) -> str:
    """Say which files came with a message: without them "here it is" means nothing."""
    names = [name_in_label(sent.name) for sent in sent_with(message)]
    return aside("files", sheet.language, names) if names else ""


def speaks_for_itself(day: DayMaterial) -> bool:
    """Tell whether a mind made the persona say anything on a day; beside a greeting that a person wrote, too."""
    return any(message.role == "persona" and message.id not in day.testimony_ids for message in day.messages)
