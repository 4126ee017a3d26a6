r"""How messages stand in a log file: pure functions between bytes and records.

A record is a header, the text, an empty line, and a trailer::

    ## USER:Sara
    I saw a kingfisher today.

    2026-01-02 (Fri) 22:00:00 |  | 20260102T220000-7k2m9qx4

The trailer's fields are the model, the message's id, and where needed `broken-off`,
`attachments=[...]` (JSON), `supersedes=<id>` (the record's text replaces that message's) or
`deletes=<id>`. A line of text that looks like a header or a trailer gets a backslash in front, and
so does one that already has backslashes there; reading takes exactly one away again. So text comes
back as it was, and `^## (USER|AGENT|SYSTEM):(.+?)$` finds headers and nothing else.

Lines end at ``\n`` and nowhere else when reading; what other readers may take for a line's end
(``\r``, form feed, U+2028 ...) is reckoned with when escaping.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, NamedTuple
from urllib.parse import unquote

from managers.memory.messages import Message, Role

NEW_TOPIC: Final = "new_topic"
"""The kind of the record that begins a new thread."""
DAMAGED: Final = "damaged"
"""The kind under which text is shown whose header was destroyed."""

_TAGS: Final[dict[Role, str]] = {"user": "USER", "persona": "AGENT", "system": "SYSTEM"}
_ROLES: Final[dict[bytes, Role]] = {b"USER": "user", b"AGENT": "persona", b"SYSTEM": "system"}
_WEEKDAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_NO_TIME: Final = datetime(1, 1, 1)
_BOM: Final = b"\xef\xbb\xbf"

_HEADER = rb"## (?P<tag>USER|AGENT|SYSTEM):(?P<name>[^\n]+)"
_TRAILER = (
    rb"(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d) \([^()\n]{1,16}\) "
    rb"(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d) ?\|(?P<fields>[^\n]*)"
)
# The literal "\n" in front makes the search three times as fast as `^` would.
_MARK = re.compile(rb"\n(?:" + _HEADER + rb"|" + _TRAILER + rb")")
_FIRST_MARK = re.compile(_HEADER + rb"|" + _TRAILER)
_NEXT_HEADER = re.compile(rb"\n" + _HEADER)
_RECORD_START = re.compile(rb"\n+## (?:USER|AGENT|SYSTEM):[^\n]")

_LINE_ENDS = "\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
_LOOKS_LIKE_MARK = (
    r"(?:## (?:USER|AGENT|SYSTEM):|[0-9]{4}-[0-9]{2}-[0-9]{2} \([^()\n]{1,16}\) [0-9]{2}:[0-9]{2}:[0-9]{2} ?\|)"
)
_TO_ESCAPE = re.compile(rf"(?<![^{_LINE_ENDS}])(?=\\*{_LOOKS_LIKE_MARK})")
_TO_RESTORE = re.compile(rf"(?<![^{_LINE_ENDS}])\\(?=\\*{_LOOKS_LIKE_MARK})")

_OWN_ID = re.compile(r"\d{8}T\d{6}-[0-9a-z]{8}")
_ODD_IN_ID = re.compile(r"[%|\s\x00-\x20\x7f-\xa0\u2028\u2029]")
_ODD_IN_NAME = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\s]+")
_ODD_IN_JSON = re.compile("[|\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Record:
    """A message as it stands in a file, or a control record that readers apply.

    Attributes:
        message: what it says.
        start, end: its bytes in the file, header to the blank lines after its trailer.
        target: the id of the message that this record changes; empty for messages.
        deletes: the target is deleted, not given a new text.
        damage: empty, or what is wrong with it: `bytes` (not UTF-8), `header` (destroyed),
            `trailer` (missing: time and id are made up from what is around it), `stray` (lines
            that belong to no message follow it).
    """

    message: Message
    start: int = 0
    end: int = 0
    target: str = ""
    deletes: bool = False
    damage: str = ""

    @property
    def is_control(self) -> bool:
        """Whether readers apply it instead of showing it."""
        return bool(self.target) or (self.message.role == "system" and self.message.speaker == NEW_TOPIC)


@dataclass(frozen=True, slots=True)
class Parsed:
    """The records of a piece of a log file, and the offset at which the last whole one ends.

    Bytes from `end` on are a record that is still being written or was never finished.
    `closed` is False when the last trailer is there but its newline is not.
    """

    records: list[Record]
    end: int
    closed: bool = True


def format_record(record: Record) -> bytes:
    """Return a record's bytes, ending with an empty line."""
    message = record.message
    time = message.time
    fields = [
        f"{time.date().isoformat()} ({_WEEKDAYS[time.weekday()]}) {time.replace(microsecond=0).time().isoformat()}",
        tidy_name(message.mind).replace("|", "/"),
        _quote_id(message.id),
    ]
    if message.broken_off:
        fields.append("broken-off")
    if message.attachments:
        fields.append(f"attachments={_json_line(list(message.attachments))}")
    if record.target:
        fields.append(f"{'deletes' if record.deletes else 'supersedes'}={_quote_id(record.target)}")
    header = f"## {_TAGS[message.role]}:{tidy_name(message.speaker) or message.role}"
    return f"{header}\n{escape(clean_text(message.text))}\n\n{' | '.join(fields)}\n\n".encode()


def format_message(message: Message) -> bytes:
    """Return the bytes of a plain message."""
    return format_record(Record(message))


def normalised(message: Message) -> Message:
    """Return the message as it will be read back: to the second, names on one line, no lone surrogates."""
    return replace(
        message,
        id=clean_text(message.id),
        time=message.time.replace(microsecond=0, tzinfo=None),
        speaker=tidy_name(message.speaker) or message.role,
        text=clean_text(message.text),
        mind=tidy_name(message.mind).replace("|", "/"),
        attachments=tuple(message.attachments),
    )


def clean_text(text: str) -> str:
    """Replace lone surrogates, which no UTF-8 file can hold, by U+FFFD; all else stays."""
    return _SURROGATE.sub("\ufffd", text)


def tidy_name(name: str) -> str:
    """Put a name on one line: runs of blanks and control characters become one space."""
    return _ODD_IN_NAME.sub(" ", clean_text(name)).strip()


def escape(text: str) -> str:
    """Put a backslash before what would look like a header or a trailer."""
    if "## " not in text and ") " not in text:
        return text  # nearly all there is: a look at every position of 1 MB would take a while
    return _TO_ESCAPE.sub(r"\\", text)


def restore(text: str) -> str:
    """Take the backslash of `escape` away again."""
    return _TO_RESTORE.sub("", text) if "\\" in text else text


def is_own_id(message_id: str) -> bool:
    """Whether an id was made by `new_id` (and so names its own second)."""
    return _OWN_ID.fullmatch(message_id) is not None


def id_in_trailer(message_id: str) -> bytes:
    """Return the bytes by which a trailer names an id."""
    return _quote_id(message_id).encode("utf-8", "surrogatepass")


def parse(
    data: bytes | str, base: int = 0, *, time_before: datetime | None = None, header_follows: bool = False
) -> Parsed:
    """Read the records of a piece of a log file that begins at a line's start.

    Args:
        data: the file's bytes from offset `base` on.
        base: what is added to all offsets.
        time_before: time of the record before this piece, for records that have lost theirs.
        header_follows: a header comes right after this piece, so its last record is over.
    """
    raw = data.encode() if isinstance(data, str) else data
    reader = _Reader(raw, base, time_before)
    for mark in _marks(raw):
        reader.take(mark)
    return reader.finish(header_follows=header_follows)


def first_header(data: bytes) -> int | None:
    """Return where the first header after a newline begins: a safe place to begin parsing at."""
    mark = _NEXT_HEADER.search(data)
    return None if mark is None else mark.start() + 1


def starts_record(data: bytes) -> bool:
    """Whether a header comes right after the newline (and blank lines) that `data` begins with."""
    return _RECORD_START.match(data) is not None


def _marks(data: bytes) -> Iterator[re.Match[bytes]]:
    first = _FIRST_MARK.match(data, len(_BOM) if data.startswith(_BOM) else 0)
    if first is not None:
        yield first
    yield from _MARK.finditer(data)


class _Reader:
    """Turns the marks of a file into records; a header always begins a new one."""

    def __init__(self, data: bytes, base: int, time_before: datetime | None) -> None:
        self.data = data
        self.base = base
        self.time = time_before
        self.found: list[_Found] = []
        self.header: re.Match[bytes] | None = None
        self.end = 0  # where the last whole record ends
        self.closed = True

    def take(self, mark: re.Match[bytes]) -> None:
        if mark["tag"] is not None:
            if self.header is not None:
                self._add_without_trailer(_line_start(mark))
            elif self.found and self.data[self.end : _line_start(mark)].strip():
                self.found[-1] = self.found[-1]._replace(damage=self.found[-1].damage or "stray")
            self.header = mark
            return
        time = _time(mark)
        if time is not None and self._is_whole(mark):
            self._add(mark, time)

    def finish(self, *, header_follows: bool) -> Parsed:
        if self.header is not None and header_follows:
            self._add_without_trailer(len(self.data))
        elif self.header is not None:
            self.end = _line_start(self.header)
        elif header_follows or not self.data[self.end :].strip():
            self.end = len(self.data)
        first_time = next((found.time for found in self.found if found.time), _NO_TIME)
        # Blank lines and stray bytes belong to the record before them: spans leave no gap.
        ends = [*(found.start for found in self.found[1:]), self.end]
        records = [_build(found, end, self.base, first_time) for found, end in zip(self.found, ends, strict=False)]
        return Parsed(records, self.base + self.end, self.closed)

    def _is_whole(self, mark: re.Match[bytes]) -> bool:
        if mark.end() < len(self.data):
            return True
        # No newline: cut off by a crash, or saved by an editor that drops the last one.
        whole = self.header is not None and _ends_whole(self.header["tag"], _fields(mark))
        self.closed = not whole
        return whole

    def _add(self, mark: re.Match[bytes], time: datetime) -> None:
        header = self.header
        fields = _fields(mark)
        if header is None:
            text, _ = _text(self.data[self.end : _line_start(mark)], has_crlf=False)
            self._append(_Found(self.end, b"SYSTEM", DAMAGED.encode(), text.strip("\n"), time, fields, "header"))
        else:
            name = header["name"]
            text, torn = _text(self.data[header.end() + 1 : _line_start(mark)], has_crlf=name.endswith(b"\r"))
            damage = "bytes" if torn else ""
            self._append(_Found(_line_start(header), header["tag"], name, text, time, fields, damage))
        self.end = min(mark.end() + 1, len(self.data))
        self.time = time

    def _add_without_trailer(self, end: int) -> None:
        header = self.header
        assert header is not None
        text, _ = _text(self.data[header.end() + 1 : end], has_crlf=header["name"].endswith(b"\r"))
        self._append(
            _Found(_line_start(header), header["tag"], header["name"], text.rstrip("\n"), self.time, [], "trailer")
        )
        self.end = end

    def _append(self, found: _Found) -> None:
        self.found.append(found if self.found else found._replace(start=0))
        self.header = None


class _Found(NamedTuple):
    """A record before its last byte is known."""

    start: int
    tag: bytes
    name: bytes
    text: str
    time: datetime | None
    fields: list[str]
    damage: str


def _build(found: _Found, end: int, base: int, first_time: datetime) -> Record:
    fields = found.fields
    speaker = found.name.decode("utf-8", "replace").strip()
    message_id = unquote(fields[1]) if len(fields) > 1 and fields[1] else _made_up_id(found)
    extras = dict(_extra(field) for field in fields[2:])
    message = Message(
        id=message_id,
        time=found.time or first_time,
        role=_ROLES[found.tag],
        speaker=speaker,
        text=found.text,
        mind=fields[0] if fields else "",
        broken_off="broken-off" in extras,
        attachments=_attachments(extras.get("attachments", "")),
    )
    target = unquote(extras.get("supersedes", "") or extras.get("deletes", ""))
    return Record(message, base + found.start, base + end, target, "deletes" in extras, found.damage)


def _extra(field: str) -> tuple[str, str]:
    key, _, value = field.partition("=")
    return key.strip(), value.strip()


def _attachments(value: str) -> tuple[str, ...]:
    if not value:
        return ()
    try:
        names = json.loads(value)
    except ValueError:
        return ()
    return tuple(str(name) for name in names) if isinstance(names, list) else ()


def _made_up_id(found: _Found) -> str:
    """Return an id for a record that has none: the same as long as the record is the same."""
    content = b"\n".join([found.tag, found.name, found.text.encode()])
    return f"x-{hashlib.sha256(content).hexdigest()[:16]}"


def _time(mark: re.Match[bytes]) -> datetime | None:
    try:
        return datetime(*(int(mark[part]) for part in ("year", "month", "day", "hour", "minute", "second")))  # type: ignore[arg-type]  # six ints
    except ValueError:
        return None  # 30 February: looks like a trailer and is none


def _fields(mark: re.Match[bytes]) -> list[str]:
    return [field.strip() for field in mark["fields"].decode("utf-8", "replace").split("|")]


def _ends_whole(tag: bytes, fields: list[str]) -> bool:
    """Whether a trailer without its newline has surely lost nothing else.

    Only an id of our own has a known length, and only what people say is never followed by more.
    """
    if len(fields) == 2:  # noqa: PLR2004  # model and id
        return tag != b"SYSTEM" and is_own_id(fields[1])
    key, value = _extra(fields[-1])
    return key == "broken-off" or is_own_id(value) or (key == "attachments" and bool(_attachments(value)))


def _line_start(mark: re.Match[bytes]) -> int:
    return mark.start() + 1 if mark[0].startswith(b"\n") else mark.start()


def _text(body: bytes, *, has_crlf: bool) -> tuple[str, bool]:
    """Return the text of a record's middle lines, and whether some of its bytes were no UTF-8."""
    if has_crlf:  # we never end a header with \r: an editor has turned the whole file's lines
        body = body.replace(b"\r\n", b"\n")
    body = body.removesuffix(b"\n").removesuffix(b"\n")
    try:
        return restore(body.decode()), False
    except UnicodeDecodeError:
        return restore(body.decode("utf-8", "replace")), True


def _quote_id(message_id: str) -> str:
    return _ODD_IN_ID.sub(lambda odd: "".join(f"%{byte:02X}" for byte in odd[0].encode()), message_id)


def _json_line(names: list[str]) -> str:
    line = json.dumps(names, ensure_ascii=False)
    return _ODD_IN_JSON.sub(lambda odd: f"\\u{ord(odd[0]):04x}", line)
