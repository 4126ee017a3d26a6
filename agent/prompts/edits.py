"""Turning an instruction into edits of a text: the prompt, and the model of its answer."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, Field

from managers.memory.notes import Edit
from managers.mind import Asking, Mind
from managers.storage.errors import Lang

_INSTRUCTIONS: dict[Lang, str] = {
    "ja": "下の文書を、指示のとおりに直すための変更を挙げてください。\n"
    "- old: 置き換える箇所。文書にある通りの、一度だけ現れる文字列。書き足すときは空にする。\n"
    "- new: 新しい文。消すときは空にする。\n"
    "指示にないことは変えず、指示にない事実を書き加えないでください。\n"
    "今は{now:%Y-%m-%d %H:%M}です。\n\n指示:\n{instruction}",
    "en": "List the changes that carry out the instruction on the text below.\n"
    "- old: the passage to replace, exactly as it stands and occurring once; empty to add at the end.\n"
    "- new: the new passage; empty to delete.\n"
    "Change nothing else, and add no facts that the instruction does not contain.\n"
    "It is now {now:%Y-%m-%d %H:%M}.\n\nInstruction:\n{instruction}",
}


class PlannedEdit(BaseModel):
    """One change."""

    old: str = ""
    new: str = ""


class PlannedEdits(BaseModel):
    """The answer: all changes, in order."""

    edits: list[PlannedEdit] = Field(max_length=50)


def plan_edits(mind: Mind, text: str, instruction: str, lang: Lang, now: datetime) -> list[Edit]:
    """Return the edits that carry out an instruction.

    A language model is asked for them. A mind that cannot be asked writes the instruction down as an
    entry of its own with the date: the words are kept, none are made up.

    Raises:
        MindError: the model failed, or gave no usable answer twice.
    """
    if not isinstance(mind, Asking):
        return [Edit("", f"{now:%Y-%m-%d} {instruction.strip()}")]
    answer = mind.ask(_INSTRUCTIONS[lang].format(now=now, instruction=instruction), text, PlannedEdits, language=lang)
    return [Edit(edit.old, edit.new) for edit in answer.edits if edit.old != edit.new]
