"""What the persona room shows beside the fields."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from managers.personas import Persona, Trashed
from managers.storage.errors import Notice
from managers.storage.paths import PersonaPaths
from ui.components.times import when
from ui.locales import Texts
from ui.server.once import new_number

_BROKEN: Final = frozenset({"persona-broken", "prompt-broken"})
"""Notices of files that the history may have a good version of."""

Conflicts = Sequence[tuple[str, str]]
"""Fields that were changed elsewhere too, and what they hold there."""


@dataclass(frozen=True, slots=True)
class InTrash:
    """A persona in the trash.

    Attributes:
        id: names its folder there.
        name: of the persona.
        deleted: when, in words.
        number: of the form that brings it back.
    """

    id: str
    name: str
    deleted: str
    number: str


def trash(trashed: Sequence[Trashed], now: datetime, t: Texts) -> list[InTrash]:
    """Return the personas in the trash, newest first."""
    return [InTrash(one.id, one.name, when(one.deleted_at, now, t), new_number()) for one in trashed]


def broken(persona: Persona) -> list[Notice]:
    """Return which of a persona's own files are broken."""
    return [notice for notice in persona.notices if notice.code in _BROKEN]


def files(paths: PersonaPaths) -> list[tuple[str, Path]]:
    """Return the files that the fields are kept in, whose histories are shown."""
    return [("prompt", paths.system_prompt), ("sheet", paths.persona_json)]
