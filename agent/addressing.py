"""The user's name where the settings have none, but somebody gave it in a conversation and it was noted."""

from __future__ import annotations

from dataclasses import replace

from agent.memories import Memories
from agent.minds.builtin.introducing import name_noted
from managers.mind import Sheet


def with_name(sheet: Sheet, memories: Memories) -> Sheet:
    """Return the sheet with the user's name as the notes hold it; unchanged where it has one, or nobody gave one."""
    if sheet.user_name:
        return sheet
    notes = "\n".join(memories.notes.read(kind).text for kind in ("core_memory", "notepad"))
    name = name_noted(notes, sheet.persona)
    return replace(sheet, user_name=name) if name else sheet
