"""Messages that were known and are in no file of the log any more: an archive was halved or went away.

Noted in `log_archives/.lost.json` when an index notices it, for from then on the index knows nothing of them.
Whoever took them away on purpose says so once (`accept`), and nobody speaks of those days again.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from managers.memory.log.reader import LogReader
from managers.storage.files import dump_json, read_bytes, write_atomic
from managers.storage.json_text import load_json
from managers.storage.paths import PersonaPaths

_FILE: Final = ".lost.json"


@dataclass(frozen=True, slots=True)
class Lost:
    """What is missing.

    Attributes:
        messages: ids that were known, with their days (`YYYY-MM-DD`; empty if nobody knows).
        accepted: days of which a person has said that it is well so.
    """

    messages: Mapping[str, str] = field(default_factory=dict)
    accepted: frozenset[str] = frozenset()


def read_lost(paths: PersonaPaths) -> Lost:
    """Return what was noted; nothing, if there is no note or one that cannot be understood."""
    try:
        held: Any = load_json(read_bytes(_file(paths)) or b"{}")
        messages = {str(message_id): str(day) for message_id, day in held.get("messages", {}).items()}
        return Lost(messages, frozenset(map(str, held.get("accepted", []))))
    except (ValueError, AttributeError, TypeError):
        return Lost()


def note_lost(paths: PersonaPaths, missing: Mapping[str, str]) -> None:
    """Note messages that are missing, with their days; of days that were accepted nothing is noted.

    Raises:
        DiskFullError, UnwritableError
    """
    before = read_lost(paths)
    messages = {**before.messages, **{one: day for one, day in missing.items() if day not in before.accepted}}
    if messages != before.messages:
        _write(paths, Lost(messages, before.accepted))


def still_lost(log: LogReader) -> Lost:
    """Return what was noted and has not come back since."""
    noted = read_lost(log.paths)
    if not noted.messages or not log.is_all_utf_8():
        return Lost({}, noted.accepted)
    back = log.known(noted.messages.keys())
    return Lost({one: day for one, day in noted.messages.items() if one not in back}, noted.accepted)


def accept(paths: PersonaPaths, days: frozenset[str]) -> None:
    """Note that it is well so that the messages of some days are gone.

    Raises:
        DiskFullError, UnwritableError
    """
    before = read_lost(paths)
    messages = {one: day for one, day in before.messages.items() if day not in days}
    _write(paths, Lost(messages, before.accepted | days))


def _write(paths: PersonaPaths, lost: Lost) -> None:
    content = {"messages": dict(lost.messages), "accepted": sorted(lost.accepted)}
    write_atomic(_file(paths), dump_json(content))


def _file(paths: PersonaPaths) -> Path:
    return paths.log_archives / _FILE
