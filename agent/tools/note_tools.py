"""Tools over the texts that a persona keeps: core memory, notepad, diary, secret diary."""

from dataclasses import replace
from functools import partial
from typing import Literal

from pydantic import Field

from agent.prompts.edits import plan_edits
from agent.prompts.quoting import quoted
from agent.tools.catalogue import Arguments, Nothing, NothingDoneError, Tool
from agent.tools.context import ToolContext, tool
from agent.tools.writes import Look, Write, Writer
from managers.memory.audience import NOTES
from managers.memory.notes import Edit, NoteKind
from managers.storage.errors import Lang
from managers.storage.texts import Texts

MAX_TEXT = 20_000
_say = Texts("prompts/tools")


class NoteEdit(Arguments):
    """One edit of a note."""

    operation: Literal["append", "replace", "delete"] = Field(
        "append", description="append: add text at the end; replace: old_text becomes text; delete: take old_text away"
    )
    text: str = Field("", max_length=MAX_TEXT, description="The text to add or to put in place of old_text")
    old_text: str = Field("", max_length=MAX_TEXT, description="The passage to replace or delete, exactly as it stands")


class Instruction(Arguments):
    """What to change in a diary, in plain words."""

    instruction: str = Field(min_length=1, max_length=4000, description="What to write or change, in plain words")


class NoteWrite(Write):
    """Edits of a note, one after the other."""

    kind: Literal["note"] = "note"
    note: NoteKind
    edits: tuple[Edit, ...]

    def look(self, writer: Writer) -> Look:
        notes = writer.memories.notes
        before, text = notes.edited(self.note, self.edits)
        diff = notes.diff(self.note, before.text, text)
        if not diff:
            raise NothingDoneError(_say("note_same", writer.sheet.language))
        path = notes.path(self.note).relative_to(writer.memories.paths.folder).as_posix()
        return Look(path, before.digest or "", diff)

    def announcement(self, lang: Lang) -> str:
        return "" if any(edit.new.strip() for edit in self.edits) else _say(f"deleted.{self.note}", lang)

    def is_users_own(self, writer: Writer) -> bool:
        return all(writer.is_said(edit.new, edit.old) for edit in self.edits)

    def carry_out(self, writer: Writer) -> str:
        lang = writer.sheet.language
        reason = _say(
            "reason_asked_for" if writer.is_program else "reason_allowed" if writer.is_allowed else "reason", lang
        )
        diff = writer.memories.notes.apply_edit(
            self.note, self.edits, author=writer.author, reason=reason, evidence=writer.evidence
        )
        if not diff:
            raise NothingDoneError(_say("note_same", lang))
        return _say("note_changed", lang, diff=diff)


def _edit(kind: NoteKind, context: ToolContext, wanted: NoteEdit) -> NoteWrite:
    lang = context.sheet.language
    if kind in NOTES and context.withheld.holds_file(
        NOTES[kind]
    ):  # what is changed would be told with what stands around it
        raise NothingDoneError(_say("note_kept_here", lang))
    complete = {
        "append": bool(wanted.text),
        "replace": bool(wanted.text and wanted.old_text),
        "delete": bool(wanted.old_text),
    }
    if not complete[wanted.operation]:
        raise NothingDoneError(_say(f"needs.{wanted.operation}", lang))
    old = "" if wanted.operation == "append" else wanted.old_text
    new = "" if wanted.operation == "delete" else wanted.text
    return NoteWrite(note=kind, edits=(Edit(old, context.kept(new)),))


def _read(kind: NoteKind, context: ToolContext, _: Nothing) -> str:
    text = context.memories.notes.read(kind).text
    return quoted(text) if text.strip() else _say("empty_note", context.sheet.language)


def _plan(kind: NoteKind, context: ToolContext, wanted: Instruction) -> NoteWrite:
    current = context.memories.notes.read(kind).text
    edits = plan_edits(
        context.mind,
        current,
        wanted.instruction,
        context.sheet.language,
        context.clock.now(),
    )
    if not edits:
        raise NothingDoneError(_say("nothing_to_do", context.sheet.language))
    return NoteWrite(note=kind, edits=tuple(replace(edit, new=context.kept(edit.new)) for edit in edits))


TOOLS: list[Tool[ToolContext]] = [
    tool("edit_core_memory", NoteEdit, partial(_edit, "core_memory"), writes=True),
    tool("edit_notepad", NoteEdit, partial(_edit, "notepad"), writes=True),
    tool("read_main_memory", Nothing, partial(_read, "main_memory"), is_private=True),
    tool("plan_main_memory_edit", Instruction, partial(_plan, "main_memory"), writes=True, is_private=True),
    tool("read_secret_diary", Nothing, partial(_read, "secret_diary"), is_private=True),
    tool("plan_secret_diary_edit", Instruction, partial(_plan, "secret_diary"), writes=True, is_private=True),
]
