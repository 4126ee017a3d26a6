"""Turning an instruction into edits of a text: the prompt, and the model of its answer."""

from collections.abc import Callable
from datetime import datetime
from typing import Final

from pydantic import BaseModel, Field

from agent.minds.protocol import Mind
from agent.prompts.quoting import quoted
from managers.memory.notes import Edit
from managers.mind import Asking
from managers.storage.audit import Given
from managers.storage.errors import Lang
from managers.storage.texts import Texts

TEXT_SHARE: Final = 0.4
"""Of what a model can read for the text and the instruction; the rest is for what it is asked, the form and the answer."""
_say = Texts("prompts/questions")


class PlannedEdit(BaseModel):
    """One change."""

    old: str = ""
    new: str = ""


class PlannedEdits(BaseModel):
    """The answer: all changes, in order."""

    edits: list[PlannedEdit] = Field(max_length=50)


def plan_edits(mind: Mind, text: str, instruction: str, lang: Lang, now: datetime) -> list[Edit]:
    """Return the edits that carry out an instruction.

    A language model is asked for them, and shown as much of the text's end as it has room for. Where none can be asked, the
    instruction is written down as an entry with the date: the words are kept, none are made up.

    Raises:
        MindError: the model failed, or gave no usable answer twice.
    """
    if not isinstance(mind, Asking):
        return [Edit("", f"{now:%Y-%m-%d} {instruction.strip()}")]
    shown = _end_of(text, int(TEXT_SHARE * mind.context_tokens) - mind.count_tokens(instruction), mind.count_tokens)
    heading = _say("edits.text" if shown == text else "edits.end_of_text", lang)
    material = f"## {_say('edits.instruction', lang)}\n{quoted(instruction)}\n\n## {heading}\n{shown}"
    given = Given({"notes": 1} if text.strip() else {})
    answer = mind.ask(_say("edits.task", lang, now=now), material, PlannedEdits, language=lang, given=given)
    return [Edit(edit.old, edit.new) for edit in answer.edits if edit.old != edit.new]


def _end_of(text: str, room: int, count: Callable[[str], int]) -> str:
    """Return the last lines of a text that fit; whole ones."""
    kept: list[str] = []
    for line in reversed(text.splitlines(keepends=True)):
        room -= count(line) + 1
        if room < 0:
            break
        kept.append(line)
    return "".join(reversed(kept))
