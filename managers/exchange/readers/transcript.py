"""The project's own form of a conversation from elsewhere: a JSON line per message.

A line is ``{"id", "time" (ISO 8601, local), "role": "user" | "persona" | "other", "speaker", "text"}``, and may have ``"from"``, whose
foreign words are in it. A line that cannot be used is
reported with its number and costs no other.
"""

import json
from collections.abc import Iterator
from datetime import datetime
from typing import IO, Any, Final

from managers.exchange.import_source import ImportSource
from managers.exchange.items import FoundMessage, Item, NotTaken, ReadingWishes, UnusableSourceError
from managers.memory.log.format import clean_text
from managers.memory.messages import UNKNOWN, Role
from managers.storage.clock import local

MAX_ID: Final = 200
_MAX_LINE: Final = 10_000_000
_KEYS: Final = ("id", "time", "role", "speaker", "text")
_ROLES: Final[dict[object, Role]] = {"user": "user", "persona": "persona", "other": "other"}
_MARK: Final = b"\xef\xbb\xbf"


class UnusableLineError(Exception):
    """A line holds no message; `what` is a key of the notices."""

    def __init__(self, what: str, **facts: object) -> None:
        super().__init__(what)
        self.what = what
        self.facts = {key: str(value) for key, value in facts.items()}


def recognises(source: ImportSource) -> float:
    """Tell whether one of the first lines is a message of this form."""
    if source.shape != "file":
        return 0.0
    for raw in source.beginning(next(iter(source.files))).removeprefix(_MARK).split(b"\n")[:20]:
        try:
            message_of(raw)
        except UnusableLineError:
            continue
        return 0.95
    return 0.0


def read(source: ImportSource, _wishes: ReadingWishes) -> Iterator[Item]:
    """Yield the messages; of a file without any it is said what is wrong with its first line.

    Raises:
        UnusableSourceError
    """
    if source.shape != "file":
        raise UnusableSourceError("transcript.no-file")
    first: tuple[int, UnusableLineError] | None = None
    used = False
    with source.open(next(iter(source.files))) as file:
        for number, raw in _lines(file):
            try:
                found = message_of(raw, place=f"{source.name}:{number}")
            except UnusableLineError as problem:
                first = first or (number, problem)
                yield NotTaken(f"transcript.{problem.what}", f"{source.name}:{number}", facts=problem.facts)
                continue
            used = True
            yield found
    if not used:
        number, why = first or (1, UnusableLineError("empty"))
        raise UnusableSourceError(f"transcript.{why.what}", line=str(number), **why.facts)


def _lines(file: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    number = 0
    while raw := file.readline(_MAX_LINE):
        number += 1
        if number == 1:
            raw = raw.removeprefix(_MARK)
        if raw.strip():
            yield number, raw


def message_of(raw: bytes, place: str = "") -> FoundMessage:
    """Return the message of a line.

    Raises:
        UnusableLineError: it holds none.
    """
    entry = _entry(raw)
    message_id, role = entry["id"], _ROLES.get(entry["role"])
    if not message_id or len(message_id) > MAX_ID or clean_text(message_id) != message_id:
        raise UnusableLineError("bad-id")
    if role is None:
        raise UnusableLineError("bad-role", role=entry["role"][:20])
    time, told = _time(entry["time"]), entry.get("from") or ()
    origins = tuple(str(one) for one in told) if isinstance(told, list) else (UNKNOWN,) if told else ()
    return FoundMessage(role, entry["speaker"], entry["text"], time, id=message_id, place=place, origins=origins)


def _entry(raw: bytes) -> dict[str, Any]:
    try:
        entry = json.loads(raw.decode())
    except UnicodeDecodeError as error:
        raise UnusableLineError("not-utf-8") from error
    except (ValueError, RecursionError) as error:
        raise UnusableLineError("not-json", error=error) from error
    if not isinstance(entry, dict):
        raise UnusableLineError("no-object")
    for key in _KEYS:
        if key not in entry:
            raise UnusableLineError("missing", key=key)
        if not isinstance(entry[key], str):
            raise UnusableLineError("no-string", key=key)
    return entry


def _time(value: str) -> datetime:
    try:
        return local(datetime.fromisoformat(value))
    except ValueError as error:
        raise UnusableLineError("bad-time", time=value[:40]) from error
