"""`persona.json`: its format version, the recorded steps from older ones, and lenient reading."""

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

from managers.personas.errors import BrokenPersonaFileError
from managers.personas.folders import name_key
from managers.storage.errors import Notice
from managers.storage.files import digest
from managers.storage.json_text import NotJsonError, load_json
from managers.storage.texts import Texts

_say = Texts("notices/personas")

Document = dict[str, Any]
"""The parsed file. Keys that this version does not know stay in it."""
Step = Callable[[Document], None]

_STEPS: list[Step] = []
_FORMER = "former_names"
_MOST_FORMER = 12
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")


def step(function: Step) -> Step:
    """Register the step from one format version to the next; the number of steps is the version."""
    _STEPS.append(function)
    return function


@step
def gather_user(document: Document) -> None:
    """1: what the persona knows of the user stands together under `user`."""
    user = document.setdefault("user", {})
    if isinstance(user, dict):
        for old, new in (("user_name", "name"), ("user_profile", "profile")):
            if old in document:
                user.setdefault(new, document.pop(old))


FORMAT = len(_STEPS)
"""The newest format version."""


def migrated(document: Document, now: datetime | None = None) -> Document:
    """Return the document in the newest format; with `now` each step that was taken is recorded in it.

    Reading an older file changes nothing on disk; the next change of it writes the newest format.
    """
    new: Document = json.loads(json.dumps(document))
    for number in range(version(document), FORMAT):
        _STEPS[number](new)
        new["format"] = number + 1
        if now is not None:
            records = new.get("migrations")
            if not isinstance(records, list):
                records = new["migrations"] = []
            records.append({"step": _STEPS[number].__name__, "applied_at": now.isoformat(timespec="seconds")})
    return new


def version(document: Document) -> int:
    """Return a document's format version; 0 for one from before there were any, or written by hand."""
    found = document.get("format", 0)
    return found if isinstance(found, int) and found >= 0 else 0


def is_older(name: str, data: bytes | None) -> bool:
    """Tell whether a file is in an older format than the newest; one that is broken, or not there, is in none."""
    try:
        return data is not None and version(parse(name, data)) < FORMAT
    except BrokenPersonaFileError:
        return False


def parse(name: str, data: bytes) -> Document:
    """Return the parsed file.

    Raises:
        BrokenPersonaFileError: it is no JSON object in UTF-8, or in UTF-16 with a mark.
    """
    try:
        document = load_json(data)
    except NotJsonError as error:
        raise BrokenPersonaFileError(name=name, cause=error) from error
    if not isinstance(document, dict):
        raise BrokenPersonaFileError(name=name, cause="{ }")
    return document


def settings_of(document: Document) -> Mapping[str, Any]:
    """Return the persona's own settings, by section; none where there is no object of them."""
    found = document.get("settings")
    return found if isinstance(found, Mapping) else {}


def text(document: Mapping[str, Any], *keys: str) -> str:
    """Return the text under nested keys; empty if there is none."""
    value: Any = document
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value if isinstance(value, str) else ""


def texts(document: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """Return the texts in the list under a key, empty ones left out; none where there is no list."""
    found = document.get(key)
    return tuple(one for one in found if isinstance(one, str) and one.strip()) if isinstance(found, list) else ()


def colour(document: Mapping[str, Any], key: str, default: str) -> str:
    """Return a colour such as `#5b5b9a`; the default if there is none or it is no colour."""
    found = text(document, "colours", key)
    return found if _COLOUR.fullmatch(found) else default


def newer_format(name: str, document: Document) -> list[Notice]:
    """Return the notice that a newer program made the folder, if one did."""
    if version(document) <= FORMAT:
        return []
    return [_say.notice("persona-newer", name=name)]


def part(document: Document, key: str) -> Document:
    """Return the object under a key, made if it is missing or no object."""
    found = document.get(key)
    if not isinstance(found, dict):
        found = document[key] = {}
    return found


def normal(name: str) -> str:
    """Return a name in the normal form that the program uses."""
    return unicodedata.normalize("NFC", name)


# The names that a persona had before, so that an address with one of them leads to it still. Each stands with when it was given up
# and a digest of the folder's mark: in a copy of the folder, or in one that came from elsewhere, they say nothing.


def note_former_name(document: Document, name: str, mark: str, now: datetime) -> None:
    """Note in a persona's document that it gave up a name."""
    others = [entry for entry in _former(document) if name_key(str(entry.get("name"))) != name_key(name)]
    given_up = {"name": name, "until": now.isoformat(timespec="seconds"), "of": _own(mark)}
    document[_FORMER] = [*others, given_up][-_MOST_FORMER:]


def given_up(document: Document, name: str, mark: str) -> str | None:
    """Return when a persona gave up a name, ISO 8601; None if it never had it."""
    own = [entry for entry in _former(document) if entry.get("of") == _own(mark)]
    found = [str(entry.get("until", "")) for entry in own if name_key(str(entry.get("name"))) == name_key(name)]
    return max(found, default=None)


def _former(document: Document) -> Iterable[dict[str, Any]]:
    found = document.get(_FORMER)
    return [entry for entry in found if isinstance(entry, dict)] if isinstance(found, list) else []


def _own(mark: str) -> str:
    return digest(mark.encode())[:16]
