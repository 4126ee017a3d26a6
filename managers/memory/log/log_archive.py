"""Moving whole days from `log.txt` to `log_archives/YYYY-MM.txt`, and putting imported ones there.

A move appends to the archives and then cuts `log.txt`, with a journal around both (see `log_files`).
A kill in between is undone by the next writer: the archives are cut back to the sizes in the journal, if all that is
beyond them is what moved.
"""

import os
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from itertools import accumulate, groupby, pairwise
from operator import itemgetter
from pathlib import Path
from typing import IO, Final, NamedTuple

from managers.memory.log.ends import append, close_off, cut_back, joint
from managers.memory.log.file_pieces import read_backward, read_forward
from managers.memory.log.format import Record, format_record
from managers.memory.log.log_files import MONTH, archive_parts, first_id, first_record, read_journal
from managers.memory.log.parsing import BOM, parse
from managers.personas.errors import ShrinkRefusedError
from managers.storage.clock import is_shown_twice
from managers.storage.errors import Notice, UtataneError
from managers.storage.files import (
    MAX_BYTES,
    append_durably,
    dump_json,
    open_binary,
    read_bytes,
    remove,
    set_aside,
    write_atomic,
    write_atomic_parts,
)
from managers.storage.paths import PersonaPaths
from managers.storage.watching import written_into

_COPY_BLOCK: Final = 8 * 1024 * 1024
_OVERLAP: Final = timedelta(minutes=10)
_TWICE: Final = timedelta(hours=1)
"""So long the clock shows the same times again, at most."""
_MINUTE: Final = timedelta(minutes=1)


def archive_of(paths: PersonaPaths, day: date) -> Path:
    """Return the archive that a day belongs to."""
    return paths.log_archives / f"{day.year:04d}-{day.month:02d}.txt"


def repair(paths: PersonaPaths, now: datetime) -> list[Notice]:
    """Undo a move that was interrupted, and close off a torn end of `log.txt`; needs the lock."""
    journal = paths.log_journal
    notices = []
    if journal.exists() and read_journal(paths) is None:
        notices.append(set_aside(journal, now))
    _undo_interrupted_move(paths)
    return [*notices, *close_off(paths.log, now)]


def _undo_interrupted_move(paths: PersonaPaths) -> None:
    journal = read_journal(paths)
    if journal is None:
        return
    is_cut = True
    if paths.log.exists():
        with open_binary(paths.log) as file:
            is_cut = first_id(file) != journal.first_id
    if not is_cut and _is_what_moved(paths, journal.sizes):
        for name, size in reversed(journal.sizes.items()):  # what is left stays what moved first
            cut_back(paths.log_archives / name, size)
    remove(paths.log_journal)


def _is_what_moved(paths: PersonaPaths, sizes: Mapping[str, int]) -> bool:
    """Whether the archives hold nothing beyond some sizes but what `log.txt` begins with, however far a move came.

    Else somebody put another file there meanwhile: what stands there and in `log.txt` too counts once anyway.
    """
    with open_binary(paths.log) as log:
        at = len(BOM) if log.read(len(BOM)) == BOM else 0
        for name, size in sizes.items():
            added = _beyond(paths.log_archives / name, size).lstrip(b"\n")
            log.seek(at)
            if log.read(len(added)) != added:
                return False
            at += len(added)
    return True


def _beyond(archive: Path, size: int) -> bytes:
    if not archive.exists():
        return b""
    with open_binary(archive) as file:
        file.seek(size)
        return file.read()


class _Span(NamedTuple):
    day: date
    start: int
    end: int


def roll(paths: PersonaPaths, today: date, log_days: int) -> int:
    """Move whole days older than the last `log_days` to the archives; needs the lock and a repaired log.

    Returns:
        how many records moved.
    """
    if not paths.log.exists():
        return 0
    oldest_kept = today - timedelta(days=log_days - 1)
    with open_binary(paths.log) as log:
        first = first_record(log)
        if first is None or oldest_kept <= first.message.time.date() <= today:
            return 0  # days never run backwards from there on: nothing to look through
        spans = _spans(log, today, _newest_archived_month(paths, today))
        moving = [span for span in spans if span.day < oldest_kept]
        if not moving:
            return 0
        months = [(path, list(group)) for path, group in groupby(moving, lambda span: archive_of(paths, span.day))]
        for path, _ in months:
            close_off(path, datetime.combine(today, time.min))
        sizes = {path.name: path.stat().st_size if path.exists() else 0 for path, _ in months}
        write_atomic(paths.log_journal, dump_json({"first_id": first.message.id, "sizes": sizes}))
        log.seek(moving[-1].end)
        rest = log.read()
    try:
        for path, group in months:
            _copy(paths.log, group[0].start, group[-1].end, path)
        write_atomic(paths.log, rest)  # not open here: Windows replaces no open file
    except UtataneError:
        _undo_interrupted_move(paths)
        raise
    remove(paths.log_journal)
    return len(moving)


def _copy(source: Path, start: int, end: int, archive: Path) -> None:
    between, is_first = joint(archive), True
    with open_binary(source) as file:
        file.seek(start)
        while start < end:
            data = file.read(min(_COPY_BLOCK, end - start))
            append_durably(archive, between + (data.removeprefix(BOM) if is_first else data))
            between, is_first = b"", False
            start += len(data)
    written_into(archive)


def _newest_archived_month(paths: PersonaPaths, today: date) -> date:
    months = [part.path.stem for part in archive_parts(paths) if MONTH.fullmatch(part.path.name)]
    past = [month for month in months if month <= f"{today:%Y-%m}"]
    return date(int(past[-1][:4]), int(past[-1][5:]), 1) if past else date.min


def _spans(log: IO[bytes], today: date, floor: date) -> list[_Span]:
    """Return each record's bytes and the day it counts for, which never runs backwards.

    A clock that was wrong for a while must not scatter a conversation over the archives: a record
    from the future counts for the day of the next one that is not, one from before its forerunner
    for the forerunner's day.
    """
    size = os.fstat(log.fileno()).st_size
    spans = [_Span(record.message.time.date(), record.start, record.end) for record in read_forward(log, 0, size)]
    following = today
    for number in range(len(spans) - 1, -1, -1):
        if spans[number].day > today:
            spans[number] = spans[number]._replace(day=following)
        following = spans[number].day
    for number, span in enumerate(spans):
        floor = max(floor, span.day)
        spans[number] = span._replace(day=floor)
    return spans


class Placed(NamedTuple):
    """A record from elsewhere, and the time by which it is put in order."""

    time: datetime
    record: Record


def in_order(records: Sequence[Record], said: Mapping[str, datetime] | None = None) -> list[Placed]:
    """Put records in the order of time, but keep the given one where two spoke at once.

    Real chats have answers that were begun before and sent after one another; their lines are in
    the order in which they were read, and a few seconds of overlap must not tear that up.
    A change stands before neither its message nor an earlier change of it, whatever the clock said when it was made.
    An hour that the clock showed twice is no leap back either: what was said in it keeps its order, and what is known to
    have been said the second time (`fold`) stands behind all of the first.
    """
    steps = list(pairwise(record.message.time for record in records))
    newest_first = sum(later < earlier for earlier, later in steps) * 2 > len(steps)
    placed: list[Placed] = []
    reached = {**(said or {}), **{one.message.id: one.message.time for one in records if not one.target}}
    for record in records:
        time = _second_time(record.message.time)
        if placed and not newest_first and time < placed[-1].time <= time + _overlap(time):
            time = placed[-1].time
        time = max(time, reached.get(record.target, time))
        if not newest_first:
            reached[record.target or record.message.id] = time
        placed.append(Placed(time, record))
    return sorted(placed, key=lambda one: one.time)


def _second_time(time: datetime) -> datetime:
    """Return where a record stands: where the clock showed an hour for the second time, at that hour's very end."""
    end = time.replace(second=59)
    while time.fold and is_shown_twice(end + _MINUTE):
        end += _MINUTE
    return end if time.fold else time


def _overlap(time: datetime) -> timedelta:
    """Return how far behind what was said last a record may be and yet follow it."""
    return _TWICE if is_shown_twice(time) else _OVERLAP


def insert(path: Path, records: Sequence[Placed]) -> None:
    """Add records where their times belong; needs the lock and a closed-off file.

    Where some bring other answers or notes along, all are there or none, whenever the power goes: a message that is there
    is not asked for them again. The file is written anew for that, if it is small enough to be read.

    Raises:
        ShrinkRefusedError: what is there would not all be there afterwards; nothing was changed.
    """
    if not records:
        return
    new = [(placed.time, format_record(placed.record)) for placed in records]
    last = _last_time(path)
    if last is None or last <= new[0][0]:
        data = b"".join(data for _, data in new)
        size = path.stat().st_size if path.exists() else 0
        if any(placed.record.is_control for placed in records) and size + len(data) < MAX_BYTES:
            write_atomic_parts(path, [(read_bytes(path) or b"") if size else b"", joint(path), data])
        else:
            append(path, data)
        return
    content = (read_bytes(path) or b"").removeprefix(BOM)
    merged = _merged(content, parse(content).records, records)
    if len(merged) < len(content) + sum(len(data) for _, data in new):
        raise ShrinkRefusedError(path=path.name)
    write_atomic(path, merged)


def _last_time(path: Path) -> datetime | None:
    if not path.exists():
        return None
    with open_binary(path) as file:
        record = next(read_backward(file, os.fstat(file.fileno()).st_size), None)
    return record.message.time if record else None


def _merged(content: bytes, records: Sequence[Record], placed: Sequence[Placed]) -> bytes:
    if content and not content.endswith(b"\n"):
        content += b"\n\n"
    reached = [*accumulate((record.message.time for record in records), max)]
    said = {record.message.id: time for record, time in zip(records, reached, strict=True)}
    timed = [(max(one.time, said.get(one.record.target, one.time)), format_record(one.record)) for one in placed]
    new = sorted(timed, key=itemgetter(0))
    pieces: list[bytes] = []
    position = 0
    for number, record in enumerate(records):
        while position < len(new) and new[position][0] < reached[number]:
            pieces.append(new[position][1])
            position += 1
        end = records[number + 1].start if number + 1 < len(records) else len(content)
        pieces.append(content[record.start : end])
    pieces.extend(data for _, data in new[position:])
    return b"".join(pieces)
