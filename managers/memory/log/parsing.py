"""Reading log files: from bytes to the records that stand in them, whatever happened to the bytes. `format` writes them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, NamedTuple
from urllib.parse import unquote

from managers.memory.log.format import DAMAGED, Record, has_known_length, made_up_id, restore
from managers.memory.messages import UNKNOWN, Message, Role
from managers.storage.json_text import load_json

_ROLES: Final[dict[bytes, Role]] = {b"USER": "user", b"AGENT": "persona", b"SYSTEM": "system"}
_LONGEST_NUMBER: Final = 9
"""So many digits are a count of something."""
_EXTRAS: Final = frozenset((
    "branch", "broken-off", "stopped", "other", "group", "thread", "present", "names", "attachments",
    "after", "about", "variant", "supersedes", "deletes",
))  # fmt: skip
"""What a trailer may hold beside whose foreign words are in a message; whatever else stands there may have been that."""
_NO_TIME: Final = datetime(1, 1, 1)
BOM: Final = b"\xef\xbb\xbf"
"""What editors put at a file's beginning; it may have come into the middle of one that was joined with others."""

_HEADER = rb"## (?P<tag>USER|AGENT|SYSTEM):(?P<name>[^\n]+)"
_TRAILER = (
    rb"(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d) \([^()\n]{1,16}\) "
    rb"(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d) ?\|(?P<fields>[^\n]*)"
)
# The literal "\n" in front makes the search three times as fast as `^` would.
_MARK = re.compile(rb"\n(?:(?:" + BOM + rb")?" + _HEADER + rb"|" + _TRAILER + rb")")
_FIRST_MARK = re.compile(_HEADER + rb"|" + _TRAILER)
_NEXT_HEADER = re.compile(rb"\n" + _HEADER)
_RECORD_START = re.compile(rb"\n+(?:" + BOM + rb")?## (?:USER|AGENT|SYSTEM):[^\n]")


@dataclass(frozen=True, slots=True)
class Parsed:
    """The records of a piece of a log file, and the offset at which the last whole one ends.

    Bytes from `end` on are a record that is still being written or was never finished.
    `closed` is False when the last trailer is there but its newline is not.
    """

    records: list[Record]
    end: int
    closed: bool = True


def parse(
    data: bytes | str,
    base: int = 0,
    *,
    time_before: datetime | None = None,
    branch_before: str = "",
    header_follows: bool = False,
) -> Parsed:
    """Read the records of a piece of a log file that begins at a line's start.

    Args:
        data: the file's bytes from offset `base` on.
        base: what is added to all offsets.
        time_before: time of the record before this piece, for records that have lost theirs.
        branch_before: the branch that the conversation is on before this piece, for the same.
        header_follows: a header comes right after this piece, so its last record is over.
    """
    raw = data.encode() if isinstance(data, str) else data
    reader = _Reader(raw, base, time_before, branch_before)
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
    first = _FIRST_MARK.match(data, len(BOM) if data.startswith(BOM) else 0)
    if first is not None:
        yield first
    yield from _MARK.finditer(data)


class _Reader:
    """Turns the marks of a file into records; a header always begins a new one."""

    def __init__(self, data: bytes, base: int, time_before: datetime | None, branch_before: str) -> None:
        self.data = data
        self.base = base
        self.time = time_before
        self.branch = branch_before
        self.found: list[_Found] = []
        self.header: re.Match[bytes] | None = None
        self.end = 0  # where the last whole record ends
        self.closed = True

    def take(self, mark: re.Match[bytes]) -> None:
        if mark["tag"] is not None:
            if self.header is not None and _line_start(mark) < _at(mark):
                return  # within a text, of which nobody escaped it
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
        # Blank lines and stray bytes belong to the record before them: spans leave no gap.
        ends = [*(found.start for found in self.found[1:]), self.end] if self.found else []
        return Parsed(self._records(ends), self.base + self.end, self.closed)

    def _records(self, ends: Sequence[int]) -> list[Record]:
        """Return what was found as records; one that has lost its trailer goes with those around it."""
        first_time = next((found.time for found in self.found if found.time), _NO_TIME)
        branch, records = self.branch, list[Record]()
        for found, end in zip(self.found, ends, strict=True):
            record = _build(found, end, self.base, found.time or first_time, branch)
            branch = record.leads_to if record.is_placed else branch
            records.append(record)
        return records

    def _is_whole(self, mark: re.Match[bytes]) -> bool:
        if mark.end() < len(self.data):
            return True
        # No newline: cut off by a crash, or saved by an editor that drops the last one.
        whole = self.header is not None and _ends_whole(self.header["tag"], _fields(mark), self._branch_now())
        self.closed = not whole
        return whole

    def _branch_now(self) -> str:
        """Return the branch that the conversation is on after what was found so far."""
        for found in reversed(self.found):
            record = _build(found, 0, self.base, _NO_TIME, "")
            if record.is_placed:
                return record.leads_to
        return self.branch

    def _add(self, mark: re.Match[bytes], time: datetime) -> None:
        header = self.header
        fields = _fields(mark)
        if header is None:
            text, _ = _text(self.data[self.end : _line_start(mark)], has_crlf=False)
            at, name = _line_start(mark), DAMAGED.encode()
            self._append(_Found(self.end, at, b"SYSTEM", name, text.strip("\n"), time, fields, "header"))
        else:
            name = header["name"]
            text, torn = _text(self.data[header.end() + 1 : _line_start(mark)], has_crlf=name.endswith(b"\r"))
            damage = "bytes" if torn else ""
            start = _line_start(header)
            self._append(_Found(start, _at(header), header["tag"], name, text, time, fields, damage))
        self.end = min(mark.end() + 1, len(self.data))
        self.time = time

    def _add_without_trailer(self, end: int) -> None:
        header = self.header
        assert header is not None
        text, _ = _text(self.data[header.end() + 1 : end], has_crlf=header["name"].endswith(b"\r"))
        start, at, text = _line_start(header), _at(header), text.rstrip("\n")
        self._append(_Found(start, at, header["tag"], header["name"], text, self.time, [], "trailer"))
        self.end = end

    def _append(self, found: _Found) -> None:
        self.found.append(found if self.found else found._replace(start=0))
        self.header = None


class _Found(NamedTuple):
    """A record before its last byte is known."""

    start: int
    at: int
    tag: bytes
    name: bytes
    text: str
    time: datetime | None
    fields: list[str]
    damage: str


def _build(found: _Found, end: int, base: int, time: datetime, branch_before: str) -> Record:
    fields = found.fields
    speaker, is_torn = _name(found.name)
    message_id = unquote(fields[1]) if len(fields) > 1 and fields[1] else _made_up_id(found)
    damage = found.damage or ("bytes" if is_torn else "")
    span = base + found.start, base + end
    extras = dict(_extra(field) for field in fields[2:])
    message = Message(
        id=message_id,
        time=time,
        role=_ROLES[found.tag],
        speaker=speaker,
        text=found.text,
        mind=fields[0] if fields else "",
        branch="" if fields else branch_before,
    )
    if not extras:  # so are most
        return Record(message, *span, damage=damage, at=base + found.at)
    target = unquote(extras.get("supersedes", "") or extras.get("deletes", ""))
    deletes = "deletes" in extras
    return Record(
        _with_extras(message, extras),
        *span,
        target="" if deletes and target == message_id else target,
        deletes=deletes,
        damage=damage,
        variant=unquote(extras.get("variant", "")),
        after=unquote(extras.get("after", "")),
        about=unquote(extras.get("about", "")),
        at=base + found.at,
    )


def _with_extras(message: Message, extras: Mapping[str, str]) -> Message:
    return replace(
        message,
        broken_off="broken-off" in extras,
        attachments=_names(extras.get("attachments", "")),
        attachment_names=_names(extras.get("names", "")),
        stopped="stopped" in extras,
        role="other" if "other" in extras and message.role == "persona" else message.role,
        group=unquote(extras.get("group", "")),
        thread=_number(extras.get("thread", "")),
        present=_names(extras.get("present", "")),
        branch=unquote(extras.get("branch", "")),
        origins=_names(extras["from"]) or (UNKNOWN,)
        if "from" in extras
        else ()
        if extras.keys() <= _EXTRAS
        else (UNKNOWN,),
    )


def _name(name: bytes) -> tuple[str, bool]:
    """Return a header's name, and whether some of its bytes were no UTF-8."""
    try:
        return name.decode().strip(), False
    except UnicodeDecodeError:
        return name.decode("utf-8", "replace").strip(), True


def _extra(field: str) -> tuple[str, str]:
    key, _, value = field.partition("=")
    return key.strip(), value.strip()


def _names(value: str) -> tuple[str, ...]:
    if not value:
        return ()
    try:
        names = load_json(value)
    except ValueError:
        return ()
    return tuple(str(name) for name in names) if isinstance(names, list) else ()


def _number(value: str) -> int:
    return int(value) if value.isascii() and value.isdigit() and len(value) <= _LONGEST_NUMBER else 0


def _made_up_id(found: _Found) -> str:
    """Return an id for a record that has none; one without a trailer has the time of another, which may change."""
    content = b"\n".join([found.tag, found.name, found.text.encode()])
    return made_up_id(content, found.time if found.fields else None)


def _time(mark: re.Match[bytes]) -> datetime | None:
    try:
        return datetime(*(int(mark[part]) for part in ("year", "month", "day", "hour", "minute", "second")))  # type: ignore[arg-type]  # six ints
    except ValueError:
        return None  # 30 February: looks like a trailer and is none


def _fields(mark: re.Match[bytes]) -> list[str]:
    return [field.strip() for field in mark["fields"].decode("utf-8", "replace").split("|")]


def _ends_whole(tag: bytes, fields: list[str], branch: str) -> bool:
    """Whether a trailer without its newline has surely lost nothing else.

    An id of an unknown length may have lost its end, and only what people say on the first branch is never followed by more.
    """
    if len(fields) == 2:  # noqa: PLR2004  # model and id
        return tag != b"SYSTEM" and not branch and has_known_length(fields[1])
    key, value = _extra(fields[-1])
    match key:
        case "broken-off" | "stopped":
            return True
        case "attachments" | "present" | "from":
            return bool(_names(value))
        case "branch":
            return tag != b"SYSTEM" and has_known_length(value)
        case "supersedes" | "deletes":
            return has_known_length(value)
        case _:
            return False


def _line_start(mark: re.Match[bytes]) -> int:
    return mark.start() + 1 if mark[0].startswith(b"\n") else mark.start()


def _at(header: re.Match[bytes]) -> int:
    """Return where a header begins, after the mark that an editor may have put before it."""
    return header.start("tag") - len(b"## ")


def _text(body: bytes, *, has_crlf: bool) -> tuple[str, bool]:
    """Return the text of a record's middle lines, and whether some of its bytes were no UTF-8."""
    if has_crlf:  # we never end a header with \r: an editor has turned the whole file's lines
        body = body.replace(b"\r\n", b"\n")
    body = body.removesuffix(b"\n").removesuffix(b"\n")
    try:
        return restore(body.decode()), False
    except UnicodeDecodeError:
        return restore(body.decode("utf-8", "replace")), True
