"""What a log file holds, by id and by day: derived from the file, and grown with it."""

from __future__ import annotations

import hashlib
import sys
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, fields, replace
from datetime import date
from operator import itemgetter
from typing import IO, Any, Final, NamedTuple
from urllib.parse import unquote

from managers.memory.log.file_pieces import read_forward
from managers.memory.log.format import MADE_UP, Record, id_in_trailer, is_of_words

_FINGERPRINT: Final = 4096
_MADE_UP: Final = b"\n" + MADE_UP.encode()
_MANY: Final = 20
_SHORT: Final = 64 * 1024
"""Of so few new bytes each message is looked for among the others; of more they are gathered in a set first."""


ByTrailer = Mapping[bytes, str]
"""Ids of messages by how a trailer names them."""


def by_trailer(ids: Iterable[str]) -> dict[bytes, str]:
    """Return ids by how a trailer names them: done once, for all files that are searched for them."""
    return {id_in_trailer(message_id): message_id for message_id in ids}


class Change(NamedTuple):
    """What a control record says: the message `target` now reads `text`, or is deleted (None).

    `mind`, `broken_off`, `stopped` and `origins` are those of the answer whose words these are (`variant`), where it says a
    mind.
    """

    target: str
    text: str | None
    id: str
    offset: int
    mind: str = ""
    broken_off: bool = False
    stopped: bool = False
    variant: str = ""
    origins: tuple[str, ...] = ()


class Move(NamedTuple):
    """A record by which the conversation goes on elsewhere: on a branch of its own `after` a message, or back on one.

    Attributes:
        id: the record's.
        branch: on which the conversation is from then on.
        parent, after: of a branch that begins, the branch that it begins on and the message; empty of one that is gone back to.
        time: when, ISO 8601.
    """

    id: str
    branch: str
    parent: str
    after: str
    time: str


class Damage(NamedTuple):
    """A record of which something is lost."""

    offset: int
    message_id: str
    what: str


@dataclass(slots=True)
class FileIndex:
    """The contents of one log file up to `end`, in some forty bytes a message.

    Attributes:
        ids: the messages' ids as in their trailers, each after a newline (control records are no messages).
        offsets: where each begins.
        days: the day of each (`date.toordinal`).
        repeated: where messages begin that stand further back in the file too: the last place counts.
        encoding: what its words are in that are not UTF-8; empty if they are, or nobody can tell.
        foreign: where the records begin that are in that encoding: none of them is read.
        torn: where those records begin and end of which bytes are no UTF-8, and that are read as they are.
        changes: what the control records say, in file order.
        moves: where branches begin or are gone back to, in file order.
        runs: from which offsets on messages stand on which branch; on the first one before those.
        branch: the branch that the conversation is on at the end; None if nothing here tells.
        announcements: where the program's own messages begin.
        marked: where messages begin that hold foreign words (`Message.foreign`).
        damages: what is lost where.
        fingerprint: of the bytes before `end`, to tell a grown file from another one.
    """

    end: int = 0
    fingerprint: str = ""
    ids: bytearray = field(default_factory=lambda: bytearray(b"\n"))
    offsets: array[int] = field(default_factory=lambda: array("Q"))
    days: array[int] = field(default_factory=lambda: array("I"))
    repeated: list[int] = field(default_factory=list)
    encoding: str = ""
    foreign: list[int] = field(default_factory=list)
    torn: list[tuple[int, int]] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    damages: list[Damage] = field(default_factory=list)
    moves: list[Move] = field(default_factory=list)
    runs: list[tuple[int, str]] = field(default_factory=list)
    branch: str | None = None
    announcements: list[int] = field(default_factory=list)
    marked: list[int] = field(default_factory=list)
    _day_set: frozenset[int] | None = None

    def __len__(self) -> int:
        return len(self.offsets)

    def _take(self, record: Record, known: dict[bytes, int] | None) -> None:
        message = record.message
        self.end = record.end
        if record.damage == "bytes":
            if self.encoding:
                self.foreign.append(record.at)
                return
            self.torn.append((record.start, record.end))
        if record.damage:
            self.damages.append(Damage(record.at, message.id, record.damage))
        if record.target:
            self.changes.append(change_of(record))
            return
        if record.is_placed:
            self._place(record)
        if record.is_control:
            return
        if message.role == "system":
            self.announcements.append(record.at)
        line = id_in_trailer(message.id)
        number = self._number(line) if known is None else known.get(line)
        if message.foreign or (number is not None and self.is_marked(self.offsets[number])):
            self.marked.append(record.at)
        if number is not None:
            self.repeated.append(self.offsets[number])
            self.offsets[number], self.days[number] = record.at, message.time.toordinal()
            return
        self.ids += line + b"\n"
        self.offsets.append(record.at)
        self.days.append(message.time.toordinal())
        if known is not None:
            known[line] = len(known)

    def _place(self, record: Record) -> None:
        message = record.message
        if record.moves:
            parent = message.branch if record.after else ""
            time = message.time.isoformat()
            self.moves.append(Move(message.id, record.leads_to, parent, record.after, time))
        elif message.branch != (self.runs[-1][1] if self.runs else ""):
            self.runs.append((record.at, message.branch))
        self.branch = record.leads_to

    def grow(self, file: IO[bytes], limit: int) -> None:
        """Read what has been appended since, up to the offset `limit`."""
        known = None if limit - self.end < _SHORT else {line: at for at, line in enumerate(self._lines())}
        for record in read_forward(file, self.end, limit, branch=self.branch or ""):
            self._take(record, known)
        self._day_set = None
        self.fingerprint = _fingerprint(file, self.end)

    def copy(self) -> FileIndex:
        """Return one that may grow while others are reading this one."""
        held = {one.name: getattr(self, one.name) for one in fields(self)}
        growing: dict[str, Any] = {
            name: value[:] for name, value in held.items() if isinstance(value, bytearray | array | list)
        }
        return replace(self, **growing)

    def day_set(self) -> frozenset[int]:
        """Return the days on which there are messages, as ordinals."""
        if self._day_set is None:
            self._day_set = frozenset(self.days)
        return self._day_set

    def is_marked(self, offset: int) -> bool:
        """Whether the message that begins there holds foreign words."""
        place = bisect_left(self.marked, offset)
        return place < len(self.marked) and self.marked[place] == offset

    def ids_of_days(self, days: Collection[int]) -> dict[bytes, int]:
        """Return the ids of the messages of some days, as in their trailers, and where each begins."""
        here = zip(self._lines(), self.offsets, self.days, strict=True)
        return {line: offset for line, offset, day in here if day in days}

    def all_ids(self) -> list[str]:
        written = self.ids.decode("utf-8", "replace")
        ids = written.split("\n")[1:-1]
        return [unquote(one) for one in ids] if "%" in written else ids

    def within(self, spans: Sequence[Span]) -> Iterator[tuple[int, str]]:
        """Yield where the messages between some offsets begin, and their ids."""
        ids = self.all_ids() if spans else []
        for first, last in self._numbers(spans):
            yield from zip(self.offsets[first:last], ids[first:last], strict=True)

    def offsets_within(self, spans: Sequence[Span]) -> frozenset[int]:
        """Return where the messages between some offsets begin."""
        return frozenset(offset for first, last in self._numbers(spans) for offset in self.offsets[first:last])

    def _numbers(self, spans: Sequence[Span]) -> Iterator[tuple[int, int]]:
        """Yield from which number on, and before which, the messages stand that begin between some offsets."""
        if not self.repeated:
            yield from ((bisect_left(self.offsets, start), bisect_left(self.offsets, end)) for start, end in spans)
            return
        for number, offset in enumerate(self.offsets):  # not in order then
            if is_within(spans, offset):
                yield number, number + 1

    def first_within(self, span: Span, until: int) -> int:
        """Return where the first message between two offsets begins; `until`, if there is none before that."""
        if self.repeated:  # not in order then
            return min((offset for offset in self.offsets if span[0] <= offset < until), default=until)
        place = bisect_left(self.offsets, span[0])
        return min(self.offsets[place], until) if place < len(self.offsets) else until

    def branch_at(self, offset: int) -> str:
        """Return the branch on which a message was said, by where it begins."""
        place = bisect_right(self.runs, offset, key=itemgetter(0)) - 1
        return self.runs[place][1] if place >= 0 else ""

    def _lines(self) -> list[bytes]:
        return bytes(self.ids).split(b"\n")[1:-1]

    def _number(self, line: bytes) -> int | None:
        """Return which of the messages has an id, as in its trailer; None if none has."""
        found = self.ids.find(b"\n" + line + b"\n")
        return None if found < 0 else self.ids.count(b"\n", 0, found)

    def is_prefix_of(self, file: IO[bytes]) -> bool:
        """Whether the bytes before `end` still seem to be the ones that were read."""
        return _fingerprint(file, self.end) == self.fingerprint

    def positions(self, wanted: ByTrailer) -> Iterator[tuple[int, str]]:
        """Yield, of each of some messages that is here, its number in the file and its id.

        An id that was made up of words alone means the last message of those words.
        """
        if len(wanted) <= _MANY:
            for trailer, message_id in wanted.items():
                number = self._number(trailer)
                if number is not None:
                    yield number, message_id
        else:
            for number, here in enumerate(self._lines()):
                if here in wanted:
                    yield number, wanted[here]
        for trailer, message_id in wanted.items() if _MADE_UP in self.ids else ():
            if is_of_words(message_id) and self._number(trailer) is None:
                found = self.ids.rfind(b"\n" + trailer + b"-")
                if found >= 0:
                    yield self.ids.count(b"\n", 0, found), message_id

    def days_without(self, deleted: ByTrailer, repeated: Collection[int]) -> AbstractSet[int]:
        """Return the days, as ordinals, of the messages that are not among the deleted ones, and do not begin at `repeated`."""
        numbers = self._numbers_without(deleted, repeated)
        return self.day_set() if len(numbers) == len(self) else {self.days[number] for number in numbers}

    def count_without(self, deleted: ByTrailer, repeated: Collection[int]) -> int:
        """Return how many messages are not among the deleted ones, and do not begin at `repeated`."""
        return len(self._numbers_without(deleted, repeated))

    def _numbers_without(self, deleted: ByTrailer, repeated: Collection[int]) -> Collection[int]:
        gone = {number for number, _ in self.positions(deleted)}
        if not gone and not repeated:
            return range(len(self))
        return [at for at, offset in enumerate(self.offsets) if at not in gone and offset not in repeated]

    def bytes_of(self, since: date | None, until: date | None) -> tuple[int, int | None] | None:
        """Return which bytes of the file (None: to its end) hold some days; None if it has none of them."""
        if since is None and until is None:
            return 0, None
        first = since.toordinal() if since else 0
        last = until.toordinal() if until else date.max.toordinal()
        if last - first <= len(self.day_set()) and self.day_set().isdisjoint(range(first, last + 1)):
            return None
        wanted = [offset for offset, day in zip(self.offsets, self.days, strict=True) if first <= day <= last]
        if not wanted:
            return None
        end = max(wanted)
        return min(wanted), min((offset for offset in self.offsets if offset > end), default=None)


Span = tuple[int, int]
"""Two offsets: from the first one on, and before the second."""

EVERYTHING: Final[Span] = (0, sys.maxsize)


def span_at(spans: Sequence[Span], offset: int) -> Span | None:
    """Return which of some spans, in order, holds an offset."""
    place = bisect_right(spans, offset, key=itemgetter(0)) - 1
    return spans[place] if place >= 0 and offset < spans[place][1] else None


def is_within(spans: Sequence[Span], offset: int) -> bool:
    """Whether one of some spans, in order, holds an offset."""
    return span_at(spans, offset) is not None


def change_of(record: Record) -> Change:
    """Return what a control record that has a target says."""
    said = record.message
    text = None if record.deletes else said.text
    reads = said.mind, said.broken_off, said.stopped, record.variant, said.origins
    return Change(record.target, text, said.id, record.at, *reads)


def _fingerprint(file: IO[bytes], end: int) -> str:
    file.seek(max(0, end - _FINGERPRINT))
    return hashlib.sha256(file.read(min(end, _FINGERPRINT))).hexdigest()
