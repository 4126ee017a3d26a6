"""The messages of all logs of a room as one conversation: each once, in order, with the time that is known best.

The app has split, renamed and copied its logs over the years, so most messages stand in several files, and some in one alone.
One with a date is known by its words and its second. One without is known by what stands before or after it.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Final

from managers.exchange.readers.nexus_ark.room_log import LogPiece
from managers.exchange.readers.nexus_ark.room_marks import ReadBody, read_body

_OVERLAP: Final = timedelta(minutes=10)
"""What was said meanwhile keeps its place, although its time is a little earlier."""
_RUN: Final = 3
"""So many messages in a row that are the same are the same messages."""
_BEGINNING: Final = 8
"""So many characters at least make the beginning of a longer message."""


@dataclass(slots=True)
class Said:
    """A message as a log holds it.

    Attributes:
        piece, read: as it stands there, and taken apart.
        log: in which log.
        time: when; None: nobody knows.
        is_certain: whether the log says so itself.
        placed: where in time it stands.
        key: what it is known by within the room.
        earlier: how older copies of the log word it.
    """

    piece: LogPiece
    read: ReadBody
    log: str
    time: datetime | None = None
    is_certain: bool = False
    placed: datetime | None = None
    key: bytes = b""
    earlier: list[str] = field(default_factory=list)


class RoomConversation:
    """Takes one log after the other, the one that counts most first.

    Attributes:
        repeated: how many messages of each log stood in one before (or twice in it).
    """

    def __init__(self) -> None:
        self.repeated: Counter[str] = Counter()
        self._said: list[Said] = []
        self._by_key: dict[bytes, Said] = {}
        self._by_second: dict[tuple[str, str, datetime], Said] = {}
        self._by_neighbours: dict[bytes, Said] = {}
        self._after: dict[bytes, Said] = {}

    def add(self, logs: Sequence[tuple[str, Sequence[LogPiece]]], fallback: datetime | None) -> None:
        """Take in a log, or several that follow one another; `fallback` is what their names say of the time."""
        found = [Said(piece, read_body(piece.role, piece.body), log) for log, pieces in logs for piece in pieces]
        _date(found, fallback)
        marks = _neighbours(found)
        new: list[tuple[Said, list[bytes]]] = []
        own: set[bytes] = set()
        for number, one in enumerate(found):
            before = found[number - 1].key if number else b""
            there = self._known(one, marks[number], before, is_last=number == len(found) - 1)
            if there is None and not (one.is_certain and one.key in own):
                new.append((one, marks[number]))
                own.add(one.key)
                continue
            self.repeated[one.log] += 1
            if there is not None and there.key != one.key:
                one.key = there.key
        for one, keys in new:
            self._keep(one, keys)
        for one, after in pairwise(found):
            self._after.setdefault(one.key, after)

    def _known(self, one: Said, marks: Sequence[bytes], before: bytes, *, is_last: bool) -> Said | None:
        """Return the same message of a log that was taken in before."""
        if one.is_certain:
            if (there := self._by_key.get(one.key)) is not None:
                return there
            there = self._by_second.get(_second(one)) if _is_to_the_second(one) else None
            if there is not None and there.log != one.log:
                if one.read.text not in (there.read.text, *there.earlier):
                    there.earlier.append(one.read.text)
                return there
            return self._completed(one, before)
        for mark in marks:
            if (there := self._by_neighbours.get(mark)) is not None:
                return there
        if is_last and len(one.piece.body) >= _BEGINNING and (there := self._after.get(before)) is not None:
            return there if there.piece.body.startswith(one.piece.body) else None
        return None

    def _completed(self, one: Said, before: bytes) -> Said | None:
        """Put a whole message in the place of its beginning, which a log taken in before broke off in."""
        there = self._after.get(before)
        if there is None or there.is_certain or there.log == one.log or len(there.piece.body) < _BEGINNING:
            return None
        if not one.piece.body.startswith(there.piece.body):
            return None
        there.piece, there.read, there.time, there.placed = one.piece, one.read, one.time, one.placed
        there.is_certain, there.key = True, one.key
        self._by_key[one.key] = there
        return there

    def _keep(self, one: Said, marks: Sequence[bytes]) -> None:
        self._said.append(one)
        for mark in marks:
            self._by_neighbours.setdefault(mark, one)
        if one.is_certain:
            self._by_key.setdefault(one.key, one)
            if _is_to_the_second(one):
                self._by_second.setdefault(_second(one), one)

    def messages(self, fallback: datetime | None) -> Iterator[Said]:
        """Yield what was said, in order; `fallback` is for a room without any date."""
        dated = [one.placed for one in self._said if one.placed is not None]
        begin = min(dated, default=fallback)
        for one in self._said:
            if one.placed is None:
                one.placed = one.time = begin
        if begin is None:
            yield from self._said
            return
        yield from sorted(self._said, key=lambda one: one.placed or begin)


def _date(found: Sequence[Said], fallback: datetime | None) -> None:
    """Give each message of a log its time, or the nearest one that is known, first of those before it."""
    known: datetime | None = None
    for one in found:
        date = one.read.date
        if date is not None and date.time is not None:
            one.is_certain = date.has_clock
            if one.is_certain or known is None or known.date() != date.time.date():
                known = date.time
            one.time = known
        else:
            one.time = known
    ahead = next((one.time for one in found if one.time is not None), fallback)
    placed: datetime | None = None
    for one in found:
        one.time = one.time or ahead
        if one.time is not None:
            if placed is None or not one.time < placed <= one.time + _OVERLAP:
                placed = one.time
            one.placed = placed


def _neighbours(found: Sequence[Said]) -> list[list[bytes]]:
    """Return for each message what it is known by where it has no date, and note its key."""
    words = [_digest(one.piece.role, "".join(one.piece.body.split())) for one in found]
    same: Counter[bytes] = Counter()
    for one, digest in zip(found, words, strict=True):
        one.key = _digest(one.time.isoformat(), digest) if one.is_certain and one.time else digest
        if one.is_certain and not _is_to_the_second(one):  # within a minute the same may well be said twice
            same[one.key] += 1
            one.key = _digest(one.key, str(same[one.key]))
    marks: list[list[bytes]] = [[] for _ in found]
    for order, side in ((range(len(found)), "before"), (range(len(found) - 1, -1, -1), "after")):
        chain: bytes | None = None
        for number in order:
            if found[number].is_certain:
                chain = found[number].key
            elif chain is not None:
                chain = _digest(side, chain, words[number])
                marks[number].append(chain)
                if side == "before":
                    found[number].key = chain
    for number in range(len(found) - _RUN + 1):
        run = range(number, number + _RUN)
        mark = _digest("run", *(found[at].key if found[at].is_certain else words[at] for at in run))
        for place, at in enumerate(run):
            if not found[at].is_certain:
                marks[at].append(_digest(str(place), mark))
    if 0 < len(found) < _RUN and not any(one.is_certain for one in found):
        for number, digest in enumerate(words):
            marks[number].append(_digest("alone", str(number), digest))
    return marks


def _digest(*parts: str | bytes) -> bytes:
    made = hashlib.blake2b(digest_size=16)
    for part in parts:
        made.update(part if isinstance(part, bytes) else part.encode("utf-8", "replace"))
        made.update(b"\x1f")
    return made.digest()


def _is_to_the_second(one: Said) -> bool:
    return one.read.date is not None and one.read.date.has_second


def _second(one: Said) -> tuple[str, str, datetime]:
    assert one.time is not None  # it is certain
    return one.piece.role, one.piece.speaker if one.piece.role != "user" else "", one.time
