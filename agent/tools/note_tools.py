"""Tools over the texts that a persona keeps: core memory, notepad, diary, secret diary."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from agent.prompts.edits import plan_edits
from agent.prompts.quoting import quoted
from agent.tools.catalogue import Arguments, NothingDoneError, Tool
from agent.tools.context import ToolContext
from agent.tools.writes import Look, Write, Writer
from managers.memory.notes import Edit, NoteKind
from managers.storage.errors import Lang

MAX_TEXT = 20_000
_EMPTY: dict[Lang, str] = {"ja": "まだ何も書かれていません。", "en": "Nothing is written there yet."}
_DONE: dict[Lang, str] = {"ja": "書き換えました。変更点:\n{diff}", "en": "Done. What changed:\n{diff}"}
_SAME: dict[Lang, str] = {
    "ja": "もうそう書かれているので、何も変えていません。",
    "en": "It says so already; nothing was changed.",
}
_NOTHING_TO_DO: dict[Lang, str] = {
    "ja": "指示からは変更点が読みとれませんでした。何をどう書くかを具体的に伝えてください。",
    "en": "The instruction does not say what to change. Say exactly what to write.",
}
_REASONS: dict[Lang, str] = {"ja": "会話の中で", "en": "during the conversation"}
_ALLOWED: dict[Lang, str] = {"ja": "会話の中で、許可をもらって", "en": "during the conversation, with your yes"}
_ASKED_FOR: dict[Lang, str] = {"ja": "頼まれて、許可をもらって", "en": "asked for it, with your yes"}


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


class Nothing(Arguments):
    """No arguments."""


_NEEDS: dict[str, dict[Lang, str]] = {
    "append": {"ja": "append には text が必要です。", "en": "append needs text."},
    "replace": {"ja": "replace には old_text と text が必要です。", "en": "replace needs old_text and text."},
    "delete": {"ja": "delete には old_text が必要です。", "en": "delete needs old_text."},
}


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
            raise NothingDoneError(_SAME[writer.sheet.language])
        path = notes.path(self.note).relative_to(writer.memories.paths.folder).as_posix()
        return Look(path, before.digest or "", diff)

    def announcement(self, lang: Lang) -> str:
        return "" if any(edit.new.strip() for edit in self.edits) else _DELETED[self.note][lang]

    def carry_out(self, writer: Writer) -> str:
        lang = writer.sheet.language
        reason = (_ASKED_FOR if writer.is_program else _ALLOWED if writer.is_allowed else _REASONS)[lang]
        diff = writer.memories.notes.apply_edit(
            self.note, self.edits, author=writer.author, reason=reason, evidence=writer.evidence
        )
        if not diff:
            raise NothingDoneError(_SAME[lang])
        return _DONE[lang].format(diff=diff)


_DELETED: dict[NoteKind, dict[Lang, str]] = {
    "core_memory": {"ja": "🛠️ コアメモリから消しました", "en": "🛠️ Took something out of the core memory"},
    "notepad": {"ja": "🛠️ メモ帳から消しました", "en": "🛠️ Crossed something out in the notepad"},
    "main_memory": {"ja": "🛠️ 日記から消しました", "en": "🛠️ Took something out of my diary"},
    "secret_diary": {"ja": "🛠️ 秘密の日記から消しました", "en": "🛠️ Took something out of my secret diary"},
}


def _edit(context: ToolContext, kind: NoteKind, wanted: NoteEdit) -> NoteWrite:
    lang = context.sheet.language
    complete = {
        "append": bool(wanted.text),
        "replace": bool(wanted.text and wanted.old_text),
        "delete": bool(wanted.old_text),
    }
    if not complete[wanted.operation]:
        raise NothingDoneError(_NEEDS[wanted.operation][lang])
    old = "" if wanted.operation == "append" else wanted.old_text
    new = "" if wanted.operation == "delete" else wanted.text
    return NoteWrite(note=kind, edits=(Edit(old, new),))


def _read(context: ToolContext, kind: NoteKind) -> str:
    text = context.memories.notes.read(kind).text
    return quoted(text) if text.strip() else _EMPTY[context.sheet.language]


def _plan(context: ToolContext, kind: NoteKind, wanted: Instruction) -> NoteWrite:
    current = context.memories.notes.read(kind).text
    edits = plan_edits(
        context.mind if current.strip() else None,
        current,
        wanted.instruction,
        context.sheet.language,
        context.clock.now(),
    )
    if not edits:
        raise NothingDoneError(_NOTHING_TO_DO[context.sheet.language])
    return NoteWrite(note=kind, edits=tuple(edits))


def edit_core_memory(context: ToolContext, wanted: NoteEdit) -> NoteWrite:
    """Change the core memory."""
    return _edit(context, "core_memory", wanted)


def edit_notepad(context: ToolContext, wanted: NoteEdit) -> NoteWrite:
    """Change the notepad."""
    return _edit(context, "notepad", wanted)


def read_main_memory(context: ToolContext, _: Nothing) -> str:
    """Return the diary."""
    return _read(context, "main_memory")


def read_secret_diary(context: ToolContext, _: Nothing) -> str:
    """Return the secret diary."""
    return _read(context, "secret_diary")


def plan_main_memory_edit(context: ToolContext, wanted: Instruction) -> NoteWrite:
    """Make an edit of the diary from an instruction."""
    return _plan(context, "main_memory", wanted)


def plan_secret_diary_edit(context: ToolContext, wanted: Instruction) -> NoteWrite:
    """Make an edit of the secret diary from an instruction."""
    return _plan(context, "secret_diary", wanted)


TOOLS: list[Tool[ToolContext]] = [
    Tool(
        "edit_core_memory",
        {
            "ja": "コアメモリ(あなたの根幹: 名前、価値観、相手との関係、大切な約束)を書き足す・直す。",
            "en": "Add to or mend the core memory: who you are, your values, your bond with the user, important promises.",
        },
        {"ja": "🛠️ コアメモリを書き換えました", "en": "🛠️ Edited the core memory"},
        NoteEdit,
        edit_core_memory,
        writes=True,
    ),
    Tool(
        "edit_notepad",
        {
            "ja": "メモ帳(今日の予定、覚えておくこと)を書き足す・直す。「覚えておいて」と頼まれたら使う。",
            "en": "Add to or mend the notepad: plans, things to keep in mind. Use it when asked to remember something.",
        },
        {"ja": "🛠️ メモ帳に書きました", "en": "🛠️ Wrote in the notepad"},
        NoteEdit,
        edit_notepad,
        writes=True,
    ),
    Tool(
        "read_main_memory",
        {"ja": "自分の日記(主観的な記憶)を全部読む。", "en": "Read your whole diary."},
        {"ja": "🛠️ 日記を読み返しました", "en": "🛠️ Read my diary"},
        Nothing,
        read_main_memory,
    ),
    Tool(
        "plan_main_memory_edit",
        {
            "ja": "日記に書き足す・直す。どう書くかを言葉で指示すると、その場で書かれ、変更点が返る。",
            "en": "Write in your diary: say in plain words what to add or change. It is written at once, and you get the changes back.",
        },
        {"ja": "🛠️ 日記を書きました", "en": "🛠️ Wrote in my diary"},
        Instruction,
        plan_main_memory_edit,
        writes=True,
    ),
    Tool(
        "read_secret_diary",
        {"ja": "自分だけの秘密の日記を読む。", "en": "Read your secret diary."},
        {"ja": "🛠️ 秘密の日記をひらきました", "en": "🛠️ Opened my secret diary"},
        Nothing,
        read_secret_diary,
    ),
    Tool(
        "plan_secret_diary_edit",
        {
            "ja": "秘密の日記に書き足す・直す。どう書くかを言葉で指示すると、その場で書かれ、変更点が返る。",
            "en": "Write in your secret diary: say in plain words what to add or change. It is written at once, and you get the changes back.",
        },
        {"ja": "🛠️ 秘密の日記に書きました", "en": "🛠️ Wrote in my secret diary"},
        Instruction,
        plan_secret_diary_edit,
        writes=True,
    ),
]
