"""The names that a persona had before, so that an address with one of them leads to it still.

They stand in `persona.json`, each with when it was given up and a digest of the folder's mark: in a copy of the folder,
or in one that came from elsewhere, they say nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Final

from managers.personas.folders import name_key
from managers.personas.persona_file import Document
from managers.storage.files import digest

MOST: Final = 12
_KEY: Final = "former_names"


def note_former_name(document: Document, name: str, mark: str, now: datetime) -> None:
    """Note in a persona's document that it gave up a name."""
    others = [entry for entry in _entries(document) if name_key(str(entry.get("name"))) != name_key(name)]
    given_up = {"name": name, "until": now.isoformat(timespec="seconds"), "of": _own(mark)}
    document[_KEY] = [*others, given_up][-MOST:]


def given_up(document: Document, name: str, mark: str) -> str | None:
    """Return when a persona gave up a name, ISO 8601; None if it never had it."""
    own = [entry for entry in _entries(document) if entry.get("of") == _own(mark)]
    found = [str(entry.get("until", "")) for entry in own if name_key(str(entry.get("name"))) == name_key(name)]
    return max(found, default=None)


def _entries(document: Document) -> Iterable[dict[str, Any]]:
    found = document.get(_KEY)
    return [entry for entry in found if isinstance(entry, dict)] if isinstance(found, list) else []


def _own(mark: str) -> str:
    return digest(mark.encode())[:16]
