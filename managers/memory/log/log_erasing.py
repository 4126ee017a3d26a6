"""Messages erased from log files: the one thing for which what stands in a log is written anew.

Of an erased message its place stays, empty and deleted, for branches may begin after it: its id, its time, who spoke.
All other records stay byte for byte as they are; what edits, other answers and announcements said of it goes with it.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from managers.memory.log.converting import in_utf_8
from managers.memory.log.format import Record, format_record
from managers.memory.log.parsing import parse
from managers.memory.messages import UNKNOWN, Message
from managers.storage.files import digest

ERASED: Final = "erase"
"""The kind of the record by which readers know that a message was erased."""

_NONE: Final[Mapping[str, str]] = MappingProxyType({})
Test = Callable[[str], bool]
"""Whether a text holds some words."""


@dataclass(frozen=True, slots=True)
class Said:
    """One record that says something of a message: itself, or an edit, another answer, an announcement."""

    id: str
    message: Message


def said_in(data: bytes) -> Iterator[Said]:
    """Yield what a log file says, each with the message that it is about."""
    for record in parse(_readable(data)).records:
        if not record.is_control or record.target or record.about:
            yield Said(_about(record), record.message)


def without(
    data: bytes, ids: Collection[str], names: Test, touches: Test, readings: Mapping[str, str] = _NONE
) -> bytes:
    """Return a log file without some messages.

    Args:
        data: the file.
        ids: the messages.
        names: messages that hold such words go too (in a copy of a log may stand what the log itself has not).
        touches: lines that belong to no message go if they hold such words.
        readings: how messages read now that once held such words: they stay, and have always read so from then on.
    """
    readable = _readable(data)
    parsed = parse(readable)
    marked = {record.target for record in parsed.records if record.message.origins}
    pieces = [
        _left(record, readable[record.start : record.end], record.damage, names, touches)
        if _about(record) not in ids and not names_any(record.message, names)
        else _shell(record, names, readings, is_marked=record.message.id in marked)
        for record in parsed.records
    ]
    tail = readable[parsed.end :]
    left = b"".join(pieces) + (b"" if _holds(tail, touches) else tail)
    return data if left == readable else left


def names_any(message: Message, names: Test) -> bool:
    """Tell whether a message holds some words: in what it says, who says it, or what its files are called."""
    return any(map(names, (message.text, message.speaker, *message.attachments, *message.attachment_names)))


def _left(record: Record, piece: bytes, damage: str, names: Test, touches: Test) -> bytes:
    if not _holds(piece, names) and not (damage == "stray" and _holds(piece, touches)):
        return piece
    return format_record(record) if damage in {"", "stray"} else b""


def _shell(record: Record, names: Test, readings: Mapping[str, str], *, is_marked: bool) -> bytes:
    """Return what stays of an erased message, and the record that takes it out of the conversation.

    That it held foreign words (`is_marked`: as another answer in its place did) stays: memories may rest on it.
    """
    if record.target or record.about or record.is_control or record.damage not in {"", "stray", "bytes"}:
        return b""
    message = record.message
    if message.id in readings:
        return format_record(replace(record, message=replace(message, text=readings[message.id])))
    shell = replace(
        message,
        origins=(UNKNOWN,) if is_marked or message.foreign else (),
        text="",
        speaker=message.role if names(message.speaker) else message.speaker,
        attachments=(),
        attachment_names=(),
        broken_off=False,
        stopped=False,
    )
    gone = Message(_id_of_erasure(message), message.time, "system", ERASED, "")
    return format_record(replace(record, message=shell)) + format_record(Record(gone, target=message.id, deletes=True))


def _about(record: Record) -> str:
    return record.target or record.about or record.message.id


def _id_of_erasure(message: Message) -> str:
    """Return an id that is the same for the same message: what is done twice is done once."""
    return f"{message.time:%Y%m%dT%H%M%S}-{digest(message.id)[:8]}"


def _holds(piece: bytes, test: Test) -> bool:
    return test(piece.decode("utf-8", "replace"))


def _readable(data: bytes) -> bytes:
    try:
        data.decode()
    except UnicodeDecodeError:
        return in_utf_8(data)
    return data
