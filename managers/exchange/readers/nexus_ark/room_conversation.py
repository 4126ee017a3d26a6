"""The messages of all logs of a room as one conversation: each once, in order, with the time that is known best.

The app has split, renamed and copied its logs over the years, so most messages stand in several files, and some in one alone.
One with a date is known by its words and its second. One without is known by what stands before or after it.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby, pairwise
from typing import Final

from managers.exchange.readers.nexus_ark.room_dates import moment_in_name
from managers.exchange.readers.nexus_ark.room_log import LogPiece
from managers.exchange.readers.nexus_ark.room_marks import ReadBody, date_of, read_body

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
        piece: as it stands there.
        log: in which log.
        time: when; None: nobody knows.
        is_certain: whether the log says so itself; `is_exact`: to the second.
        placed: where in time it stands.
        behind: the last time that its log says before it.
        key: what it is known by within the room.
        after: the message after it in its log.
        earlier: how older copies of the log word it.
    """

    piece: LogPiece
    log: str
    time: datetime | None = None
    is_certain: bool = False
    is_exact: bool = False
    placed: datetime | None = None
    behind: datetime | None = None
    key: bytes = b""
    after: Said | None = None
    earlier: tuple[str, ...] = ()

    def read(self) -> ReadBody:
        """Take it apart."""
        return read_body(self.piece.role, self.piece.body)


class RoomConversation:
    """Takes one log after the other, the one that counts most first.

    Attributes:
        repeated: how many messages of each log stood in one before (or twice in it).
    """

    def __init__(self) -> None:
        self.repeated: Counter[str] = Counter()
        self._said: list[Said] = []
        self._by_key: dict[bytes, Said] = {}
        self._by_second: dict[bytes, Said] = {}
        self._by_neighbours: dict[bytes, Said] = {}
        self._ends: dict[bytes, Said] = {}

    def add(self, logs: Sequence[tuple[str, Sequence[LogPiece]]]) -> None:
        """Take in a log, or several that follow one another."""
        found = [Said(piece, log) for log, pieces in logs for piece in pieces]
        _date(found)
        marks = _neighbours(found)
        kept: list[Said] = []
        own: dict[bytes, Said] = {}
        for number, one in enumerate(found):
            before = kept[-1].key if kept else b""
            there = self._known(one, marks.get(number, ()), before, is_last=number == len(found) - 1)
            if there is None and (one.is_certain or one.key in marks[number]):
                there = own.setdefault(one.key, one)
            kept.append(there or one)
            if kept[-1] is not one:
                self.repeated[one.log] += 1
        for number, noted in marks.items():
            for mark in noted:
                self._by_neighbours.setdefault(mark, kept[number])
        self._keep(found, kept)

    def _keep(self, found: Sequence[Said], kept: Sequence[Said]) -> None:
        new = [one for one, there in zip(found, kept, strict=True) if one is there]
        fresh = set(map(id, new))
        for one, after in pairwise(kept):
            one.after = after if id(one) in fresh else one.after or after
        if len(found) > 1 and not found[-1].is_certain:
            self._ends.setdefault(kept[-2].key, found[-1])
        for one in new:
            if 2 * len(new) < len(found):
                one.piece = one.piece.alone()  # an old copy that holds little that is new is let go of
            if one.is_certain:
                self._by_key.setdefault(one.key, one)
            if one.is_exact:
                self._by_second.setdefault(_second(one), one)
        self._said += new

    def _known(self, one: Said, marks: Sequence[bytes], before: bytes, *, is_last: bool) -> Said | None:
        """Return the same message of a log that was taken in before."""
        if one.is_certain:
            if (there := self._by_key.get(one.key)) is not None:
                return there
            there = self._by_second.get(_second(one)) if one.is_exact else None
            if there is not None and there.log != one.log:
                if (words := one.read().text) not in (there.read().text, *there.earlier):
                    there.earlier += (words,)
                return there
            return self._completed(one, before)
        for mark in marks:
            if (there := self._by_neighbours.get(mark)) is not None:
                return there
        if is_last and (known := self._by_key.get(before)) is not None and known.after is not None:
            return known.after if _begins(one, known.after) else None
        return None

    def _completed(self, one: Said, before: bytes) -> Said | None:
        """Put a whole message in the place of its beginning, which a log taken in before broke off in."""
        there = self._ends.get(before)
        if there is None or there.log == one.log or not _begins(there, one):
            return None
        there.piece, there.time, there.placed, there.key = one.piece.alone(), one.time, one.placed, one.key
        there.is_certain, there.is_exact = True, one.is_exact
        self._by_key[one.key] = there
        return there

    def messages(self, fallback: datetime | None) -> list[Said]:
        """Return what was said, in order; `fallback` is for a room without any date."""
        dated = [one.placed for one in self._said if one.placed is not None]
        begin = min(dated, default=fallback)
        for one in self._said:
            if one.placed is None:
                one.placed = one.time = begin
        return self._said if begin is None else sorted(self._said, key=lambda one: one.placed or begin)


def _begins(one: Said, whole: Said) -> bool:
    """Tell whether a message is the beginning of another."""
    body = one.piece.body
    return len(body) >= _BEGINNING and whole.piece.body.startswith(body)


def _date(found: Sequence[Said]) -> None:
    """Give each message its time, or the nearest that is known: that of the answer to it, or that before it."""
    last: datetime | None = None
    known: datetime | None = None
    asked: list[Said] = []
    for log, said in groupby(found, key=lambda one: one.log):
        begun = _begun(log)
        known = None if known and begun and known < begun else known  # a month has a file of its own
        for one in said:
            one.behind, date = last, date_of(one.piece.role, one.piece.body)
            if date is not None and date.time is not None:
                one.is_certain, one.is_exact = date.has_clock, date.has_second
                if one.is_certain or known is None or known.date() != date.time.date():
                    known = last = date.time
            elif one.piece.role == "user" or (asked and one.piece.role == "system"):
                asked.append(one)
            one.time = known
            if one.is_certain and one.piece.role != "user":
                for question in asked:
                    question.time = known
            if not asked or one is not asked[-1]:
                asked.clear()
    _place(found)


def _begun(log: str) -> datetime | None:
    """Return the moment that a log's name holds: the month that it is of."""
    return moment_in_name(log.rpartition("/")[2])


def _place(found: Sequence[Said]) -> None:
    """Put the messages before all dates of their log to the first one, or when the log says that it begins; all in order."""
    ahead: datetime | None = None
    for log, said in groupby(reversed(found), key=lambda one: one.log):
        ahead, later = None, ahead
        for one in said:
            ahead = one.time = one.time or ahead or _begun(log) or later
    placed: datetime | None = None
    for one in found:
        if one.time is not None:
            if placed is None or not one.time < placed <= one.time + _OVERLAP:
                placed = one.time
            one.placed = placed


def _neighbours(found: Sequence[Said]) -> dict[int, list[bytes]]:
    """Return what the messages without a date are known by, by their numbers, and note everybody's key."""
    words = [_digest(one.piece.role, "".join(one.piece.body.split())) for one in found]
    same: Counter[bytes] = Counter()
    for one, digest in zip(found, words, strict=True):
        one.key = _digest(one.time.isoformat(), digest) if one.is_certain and one.time else digest
        if one.is_certain and not one.is_exact:  # within a minute the same may well be said twice
            same[one.key] += 1
            one.key = _digest(one.key, str(same[one.key]))
    marks: dict[int, list[bytes]] = {number: [] for number, one in enumerate(found) if not one.is_certain}
    if not marks:
        return marks
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
    _note_runs(found, words, marks)
    return marks


def _note_runs(found: Sequence[Said], words: Sequence[bytes], marks: Mapping[int, list[bytes]]) -> None:
    for number in range(len(found) - _RUN + 1):
        run = range(number, number + _RUN)
        if any(at in marks for at in run):
            mark = _digest("run", *(words[at] if at in marks else found[at].key for at in run))
            for place, at in enumerate(run):
                if at in marks:
                    marks[at].append(_digest(str(place), mark))
    if len(found) < _RUN and len(marks) == len(found):
        for number, digest in enumerate(words):
            marks[number].append(_digest("alone", str(number), digest))


def _digest(*parts: str | bytes) -> bytes:
    made = hashlib.blake2b(digest_size=16)
    for part in parts:
        made.update(part if isinstance(part, bytes) else part.encode("utf-8", "replace"))
        made.update(b"\x1f")
    return made.digest()


def _second(one: Said) -> bytes:
    return _digest(one.piece.role, one.piece.speaker if one.piece.role != "user" else "", f"{one.time}")
