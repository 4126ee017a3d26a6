"""Conversations from elsewhere: a JSON line per message goes into the log with its id, time and text.

A line is ``{"id", "time" (ISO 8601, local), "role": "user" | "persona", "speaker", "text"}``. A line
that cannot be used is reported with its number and costs no other. The file itself is kept verbatim
in `log_import_source/`. Importing the same file again adds nothing.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, replace
from datetime import date, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

from managers.language.words import detect_language
from managers.memory.errors import NoSuchFileError, NotATranscriptError
from managers.memory.log import ConversationLog
from managers.memory.log.format import clean_text, normalised
from managers.memory.messages import Message, Role, is_unnamed
from managers.storage import locks
from managers.storage.errors import Lang
from managers.storage.files import read_bytes, write_atomic
from managers.storage.paths import PersonaPaths
from managers.storage.texts import Texts

MAX_ID: Final = 200
"""Longer ids are no ids: something else stands in their place."""
LISTENED_TO: Final = 100
"""So many messages tell a transcript's language."""
_say = Texts("notices/transcripts")
_ROLES: Final[dict[object, Role]] = {"user": "user", "persona": "persona"}


@dataclass(frozen=True, slots=True)
class LineProblem:
    """What is wrong with one line; `imported` when the message is in the log all the same."""

    line: int
    ja: str
    en: str
    imported: bool = False

    def sentence(self, lang: Lang) -> str:
        """Return the sentence for a reader of `lang`, with the line's number."""
        return f"{self.line}行目: {self.ja}" if lang == "ja" else f"Line {self.line}: {self.en}"


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did.

    Attributes:
        added: messages that are new in the log.
        already_there: messages that were in the log before (or twice in the file).
        first_day, last_day: the days that the file's messages span.
        kept_as: where the source is kept verbatim.
        problems: lines that could not be used, or only with a change.
    """

    added: int
    already_there: int
    first_day: date
    last_day: date
    kept_as: Path
    problems: tuple[LineProblem, ...]


class _Line(NamedTuple):
    number: int
    message: Message


class _UnusableLineError(Exception):
    def __init__(self, what: str, /, **facts: object) -> None:
        super().__init__(what)
        self.what = what
        self.facts = facts


def _problem(line: int, what: str, /, **facts: object) -> LineProblem:
    told = _say.both(what, **facts)
    return LineProblem(line, told["ja"], told["en"])


def import_transcript(log: ConversationLog, source: Path) -> ImportReport:
    """Bring a transcript into a persona's log.

    Raises:
        UnreadableError: the file is not there, or cannot be read.
        NotATranscriptError: no line of it can be used; nothing was changed.
        DiskFullError, UnwritableError, BusyError: try again later; what is there already is skipped.
    """
    data = _read(source)
    lines, problems = read_transcript(data)
    with locks.writing(log.paths):
        lines, collisions = _without_collisions(log, lines)
        problems = sorted([*problems, *collisions], key=lambda problem: problem.line)
        if not lines:
            raise _nothing_usable(source, problems)
        kept_as = _keep_source(log.paths, source.name, data)
    added = log.append_many(line.message for line in lines)  # lets others write in between
    days = [line.message.time.date() for line in lines]
    return ImportReport(added, len(lines) - added, min(days), max(days), kept_as, tuple(problems))


def who_speaks(source: Path) -> tuple[Lang, str]:
    """Return the language of a transcript and the name of its user, for a persona that is made for it.

    Raises:
        UnreadableError: the file is not there, or cannot be read.
        NotATranscriptError: no line of it can be used, so nobody need be made for it.
    """
    lines, problems = read_transcript(_read(source))
    if not lines:
        raise _nothing_usable(source, problems)
    messages = [line.message for line in lines]
    names = Counter(one.speaker for one in messages if one.role == "user" and not is_unnamed(one.speaker))
    spoken = "\n".join(message.text for message in messages[:LISTENED_TO])
    return detect_language(spoken), names.most_common(1)[0][0] if names else ""


def _read(source: Path) -> bytes:
    data = read_bytes(source)
    if data is None:
        raise NoSuchFileError(path=source)
    return data


def read_transcript(data: bytes) -> tuple[list[_Line], list[LineProblem]]:
    """Return the usable lines of a transcript, and what is wrong with the others."""
    lines: list[_Line] = []
    problems: list[LineProblem] = []
    for number, raw in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if not raw.strip():
            continue
        try:
            entry = _entry(raw)
            lines.append(_Line(number, _message(entry)))
        except _UnusableLineError as problem:
            problems.append(_problem(number, problem.what, **problem.facts))
            continue
        if clean_text(entry["text"]) != entry["text"]:
            problems.append(replace(_problem(number, "surrogates"), imported=True))
    return lines, problems


def _entry(raw: bytes) -> dict[str, Any]:
    try:
        entry = json.loads(raw.decode())
    except UnicodeDecodeError as error:
        raise _UnusableLineError("not-utf-8") from error
    except (ValueError, RecursionError) as error:
        raise _UnusableLineError("not-json", error=error) from error
    if not isinstance(entry, dict):
        raise _UnusableLineError("no-object")
    for key in ("id", "time", "role", "speaker", "text"):
        if key not in entry:
            raise _UnusableLineError("missing", key=key)
        if not isinstance(entry[key], str):
            raise _UnusableLineError("no-string", key=key)
    return entry


def _message(entry: dict[str, Any]) -> Message:
    message_id, role = entry["id"], _ROLES.get(entry["role"])
    if not message_id or len(message_id) > MAX_ID or clean_text(message_id) != message_id:
        raise _UnusableLineError("bad-id")
    if role is None:
        raise _UnusableLineError("bad-role", role=entry["role"][:20])
    return normalised(Message(message_id, _time(entry["time"]), role, entry["speaker"], entry["text"]))


def _time(value: str) -> datetime:
    try:
        time = datetime.fromisoformat(value)
        # A time with an offset is put on this computer's clock, which is what the log shows.
        return time if time.tzinfo is None else time.astimezone().replace(tzinfo=None)
    except (ValueError, OverflowError, OSError) as error:
        raise _UnusableLineError("bad-time", time=value[:40]) from error


def _without_collisions(log: ConversationLog, lines: list[_Line]) -> tuple[list[_Line], list[LineProblem]]:
    """Take out messages whose id already stands for another text, in the log or earlier in the file."""
    said = {key: message.text for key, message in log.originals([line.message.id for line in lines]).items()}
    good: list[_Line] = []
    problems: list[LineProblem] = []
    for line in lines:
        message = line.message
        if said.setdefault(message.id, message.text) == message.text:
            good.append(line)
            continue
        problems.append(_problem(line.number, "id-taken", id=message.id))
    return good, problems


def _nothing_usable(source: Path, problems: list[LineProblem]) -> NotATranscriptError:
    first = next(iter(problems), _problem(1, "empty"))
    return NotATranscriptError(path=source.name, line=first.line, reason_ja=first.ja, reason_en=first.en)


def _keep_source(paths: PersonaPaths, name: str, data: bytes) -> Path:
    """Keep a transcript as it came; return where it lies: one that is kept already is not kept twice."""
    stem, number = name.removesuffix(".txt"), 1
    kept = paths.log_import_source / f"{stem}.txt"
    while (there := read_bytes(kept)) not in (None, data):
        number += 1
        kept = paths.log_import_source / f"{stem}-{number}.txt"
    if there is None:
        write_atomic(kept, data)
    return kept
