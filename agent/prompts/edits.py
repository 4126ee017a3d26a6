"""Turning an instruction into edits of a text: the prompt, and the model of its answer."""

from datetime import datetime

from pydantic import BaseModel, Field

from agent.minds.protocol import Mind
from agent.prompts.quoting import quoted
from managers.memory.notes import Edit
from managers.mind import Asking
from managers.storage.audit import Given
from managers.storage.errors import Lang
from managers.storage.texts import Texts

_say = Texts("prompts/questions")


class PlannedEdit(BaseModel):
    """One change."""

    old: str = ""
    new: str = ""


class PlannedEdits(BaseModel):
    """The answer: all changes, in order."""

    edits: list[PlannedEdit] = Field(max_length=50)


def plan_edits(mind: Mind | None, text: str, instruction: str, lang: Lang, now: datetime) -> list[Edit]:
    """Return the edits that carry out an instruction.

    A language model is asked for them. Where none can be asked, or none need be (None, for a text that is still
    empty), the instruction is written down as an entry with the date: the words are kept, none are made up.

    Raises:
        MindError: the model failed, or gave no usable answer twice.
    """
    if not isinstance(mind, Asking):
        return [Edit("", f"{now:%Y-%m-%d} {instruction.strip()}")]
    material = f"## {_say('edits.instruction', lang)}\n{quoted(instruction)}\n\n## {_say('edits.text', lang)}\n{text}"
    given = Given({"notes": 1})
    answer = mind.ask(_say("edits.task", lang, now=now), material, PlannedEdits, language=lang, given=given)
    return [Edit(edit.old, edit.new) for edit in answer.edits if edit.old != edit.new]
