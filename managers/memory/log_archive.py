"""The files of a log: which there are, how days move to the archives, how a torn end is closed off.

`log.txt` holds the last days, `log_archives/YYYY-MM.txt` all before. Moving days is two steps
(append to the archives, cut `log.txt`), so a journal stands beside the archives from before the
first until after the second. While it stands and `log.txt` is uncut, what the archives hold beyond
their noted sizes does not count: readers leave it out, the next writer cuts it off.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from itertools import groupby, pairwise
from pathlib import Path
from typing import IO, Final, NamedTuple

from managers.memory.log_format import Record, first_header, format_message, parse
from managers.memory.log_index import Identity, identity
from managers.memory.log_reading import read_backward, read_forward
from managers.memory.messages import Message
from managers.storage.errors import Notice, UnreadableError, UnwritableError, UtataneError
from managers.storage.files import (
    append_durably,
    dump_json,
    fsync_folder,
    open_binary,
    read_bytes,
    set_aside,
    write_atomic,
)
from managers.storage.paths import PersonaPaths

JOURNAL: Final = ".moving.json"
_MONTH = re.compile(r"\d{4}-(0[1-9]|1[0-2])\.txt")
_COPY_BLOCK: Final = 8 * 1024 * 1024
_TAIL_BLOCK: Final = 4096
_OVERLAP: Final = timedelta(minutes=10)


class Part(NamedTuple):
    """One file of a log as a reader sees it: nothing beyond `limit` counts."""

    path: Path
    identity: Identity
    limit: int


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The log at one moment: its files, oldest first; `log.txt`, the last one, is held open."""

    parts: tuple[Part, ...]
    log_file: IO[bytes] | None

    def is_orderly(self, today: date) -> bool:
        """Whether no archive comes from a future month: what was written last is read last."""
        return all(part.path.name <= f"{today:%Y-%m}.txt" for part in self.parts if _MONTH.fullmatch(part.path.name))

    @contextmanager
    def open(self, part: Part) -> Iterator[tuple[IO[bytes], int]]:
        """Open one of the files, and say up to where it counts."""
        if part is self.parts[-1] and self.log_file is not None:
            yield self.log_file, part.limit
            return
        with open_binary(part.path) as file:
            now = Identity.of(os.fstat(file.fileno()))
            # An import replaces an archive whole: then all of the new one counts.
            yield file, part.limit if now.inode == part.identity.inode else now.size


class Journal(NamedTuple):
    """A move under way: the id that `log.txt` begins with before the cut, and the archives' old sizes."""

    first_id: str
    sizes: dict[str, int]


@contextmanager
def snapshot(paths: PersonaPaths) -> Iterator[Snapshot]:
    """Look at the log without a lock, at a moment at which its files fit together."""
    with ExitStack() as stack:
        while True:
            log_file = stack.enter_context(open_binary(paths.log)) if paths.log.exists() else None
            before = Identity.of(os.fstat(log_file.fileno())) if log_file else None
            journal = read_journal(paths)
            archives = archive_parts(paths)
            after = identity(paths.log)
            # A move replaces log.txt, whose inode cannot be given away while we hold it open.
            if (before and before.inode) == (after and after.inode) and read_journal(paths) == journal:
                break
        if journal is not None and log_file is not None and first_id(log_file) == journal.first_id:
            sizes = journal.sizes
            archives = [
                part._replace(limit=min(part.limit, sizes.get(part.path.name, part.limit))) for part in archives
            ]
        log = [Part(paths.log, before, before.size)] if before else []
        yield Snapshot((*archives, *log), log_file)


def archive_parts(paths: PersonaPaths) -> list[Part]:
    """Return the archives in order; files with names of their own come before the months."""
    try:
        with os.scandir(paths.log_archives) as entries:
            # On Windows an entry's own stat has no inode.
            found = [
                (entry.name, Identity.of(os.stat(entry.path) if sys.platform == "win32" else entry.stat()))  # noqa: PTH116  # scandir gives strings
                for entry in entries
                if entry.name.endswith(".txt") and not entry.name.startswith(".")
            ]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise UnreadableError(path=paths.log_archives, cause=error.strerror or error) from error
    found.sort(key=lambda one: (_MONTH.fullmatch(one[0]) is not None, one[0]))
    return [Part(paths.log_archives / name, known, known.size) for name, known in found]


def archive_of(paths: PersonaPaths, day: date) -> Path:
    """Return the archive that a day belongs to."""
    return paths.log_archives / f"{day.year:04d}-{day.month:02d}.txt"


def first_id(file: IO[bytes]) -> str:
    """Return the id of a file's first record, empty if it has none."""
    size = os.fstat(file.fileno()).st_size
    record = next(read_forward(file, 0, size, block=_TAIL_BLOCK), None)
    return record.message.id if record else ""


def read_journal(paths: PersonaPaths) -> Journal | None:
    """Return the move that is under way or was interrupted, None if there is none.

    A journal that cannot be understood counts as none; the next writer sets it aside.
    """
    data = read_bytes(paths.log_archives / JOURNAL)
    if data is None:
        return None
    try:
        content = json.loads(data)
        return Journal(str(content["first_id"]), {str(name): int(size) for name, size in content["sizes"].items()})
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def repair(paths: PersonaPaths, now: datetime) -> list[Notice]:
    """Undo a move that was interrupted, and close off a torn end of `log.txt`; needs the lock."""
    journal = paths.log_archives / JOURNAL
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
    if not is_cut:
        for name, size in journal.sizes.items():
            _cut_back(paths.log_archives / name, size)
    _remove(paths.log_archives / JOURNAL)


def close_off(path: Path, now: datetime) -> list[Notice]:
    """Set an unfinished record at a file's end aside, bytes intact, so that nothing is added to it."""
    if not path.exists():
        return []
    with open_binary(path) as file:
        end, size = whole_end(file), os.fstat(file.fileno()).st_size
        if end >= size:
            return []
        file.seek(end)
        torn = file.read()
    kept = _keep(path, torn, now)
    _cut_back(path, end)
    return [
        Notice(
            code="log-torn-end",
            ja=f"{path.name} の最後に書きかけの記録があったので、「{kept.name}」に移しました。それより前は無事です。",
            en=f'The last record of {path.name} was unfinished and was moved to "{kept.name}". All before it is intact.',
        )
    ]


def whole_end(file: IO[bytes]) -> int:
    """Return the offset at which the last whole record of a file ends, its blank lines included."""
    size = os.fstat(file.fileno()).st_size
    block = _TAIL_BLOCK
    while True:
        start = max(0, size - block)
        file.seek(start)
        data = file.read(size - start)
        skip = first_header(data) if start else 0
        if skip is not None:
            parsed = parse(data[skip:], start + skip)
            if parsed.records or start == 0:
                return parsed.end
        block *= 4


def joint(path: Path) -> bytes:
    """Return what must stand between a file's end and the next record."""
    if not path.exists():
        return b""
    with open_binary(path) as file:
        size = os.fstat(file.fileno()).st_size
        file.seek(max(0, size - 2))
        ending = file.read(2)
    return b"" if not ending or ending == b"\n\n" else b"\n" if ending.endswith(b"\n") else b"\n\n"


def append(path: Path, data: bytes) -> int:
    """Append whole records to a closed-off file; return where they begin."""
    between = joint(path)
    return append_durably(path, between + data) + len(between)


def _keep(path: Path, torn: bytes, now: datetime) -> Path:
    for kept in path.parent.glob(f"{path.name}.broken-*"):
        if kept.stat().st_size == len(torn) and kept.read_bytes() == torn:
            return kept  # kept before the last crash
    kept = path.with_name(f"{path.name}.broken-{now:%Y%m%d-%H%M%S}")
    number = 1
    while kept.exists():
        number += 1
        kept = path.with_name(f"{path.name}.broken-{now:%Y%m%d-%H%M%S}-{number}")
    write_atomic(kept, torn)
    return kept


def _cut_back(path: Path, size: int) -> None:
    try:
        if size == 0:
            _remove(path)
            return
        descriptor = os.open(path, os.O_RDWR | getattr(os, "O_BINARY", 0))
        try:
            if os.fstat(descriptor).st_size > size:
                os.ftruncate(descriptor, size)
                os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except FileNotFoundError:
        return
    except OSError as error:
        raise UnwritableError(path=path, cause=error.strerror or error) from error


def _remove(path: Path) -> None:
    try:
        os.unlink(path)  # noqa: PTH108  # an explicit os call, which crash tests intercept
        fsync_folder(path.parent)
    except FileNotFoundError:
        return
    except OSError as error:
        raise UnwritableError(path=path, cause=error.strerror or error) from error


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
        spans = _spans(log, today, _newest_archived_month(paths, today))
        moving = [span for span in spans if span.day < oldest_kept]
        if not moving:
            return 0
        months = [(path, list(group)) for path, group in groupby(moving, lambda span: archive_of(paths, span.day))]
        for path, _ in months:
            close_off(path, datetime.combine(today, time.min))
        sizes = {path.name: path.stat().st_size if path.exists() else 0 for path, _ in months}
        write_atomic(paths.log_archives / JOURNAL, dump_json({"first_id": first_id(log), "sizes": sizes}))
        log.seek(moving[-1].end)
        rest = log.read()
    try:
        for path, group in months:
            _copy(paths.log, group[0].start, group[-1].end, path)
        write_atomic(paths.log, rest)  # not open here: Windows replaces no open file
    except UtataneError:
        _undo_interrupted_move(paths)
        raise
    _remove(paths.log_archives / JOURNAL)
    return len(moving)


def _copy(source: Path, start: int, end: int, archive: Path) -> None:
    between = joint(archive)
    with open_binary(source) as file:
        file.seek(start)
        while start < end:
            data = file.read(min(_COPY_BLOCK, end - start))
            append_durably(archive, between + data)
            between = b""
            start += len(data)


def _newest_archived_month(paths: PersonaPaths, today: date) -> date:
    months = [part.path.stem for part in archive_parts(paths) if _MONTH.fullmatch(part.path.name)]
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
    """A message from elsewhere, and the time by which it is put in order."""

    time: datetime
    message: Message


def in_order(messages: Sequence[Message]) -> list[Placed]:
    """Put messages in the order of time, but keep the given one where two spoke at once.

    Real chats have answers that were begun before and sent after one another; their lines are in
    the order in which they were read, and a few seconds of overlap must not tear that up.
    """
    steps = list(pairwise(message.time for message in messages))
    newest_first = sum(later < earlier for earlier, later in steps) * 2 > len(steps)
    placed: list[Placed] = []
    for message in messages:
        time = message.time
        if placed and not newest_first and time < placed[-1].time <= time + _OVERLAP:
            time = placed[-1].time
        placed.append(Placed(time, message))
    return sorted(placed, key=lambda one: one.time)


def insert(path: Path, messages: Sequence[Placed]) -> None:
    """Add messages where their times belong; needs the lock and a closed-off file.

    Args:
        path: `log.txt` or an archive.
        messages: in order.
    """
    if not messages:
        return
    new = [(placed.time, format_message(placed.message)) for placed in messages]
    last = _last_time(path)
    if last is None or last <= new[0][0]:
        append(path, b"".join(data for _, data in new))
        return
    content = read_bytes(path) or b""
    write_atomic(path, _merged(content, parse(content).records, new))


def _last_time(path: Path) -> datetime | None:
    if not path.exists():
        return None
    with open_binary(path) as file:
        record = next(read_backward(file, os.fstat(file.fileno()).st_size), None)
    return record.message.time if record else None


def _merged(content: bytes, records: Sequence[Record], new: Sequence[tuple[datetime, bytes]]) -> bytes:
    if content and not content.endswith(b"\n"):
        content += b"\n\n"
    pieces: list[bytes] = []
    position = 0
    latest = datetime(1, 1, 1)
    for number, record in enumerate(records):
        latest = max(latest, record.message.time)
        while position < len(new) and new[position][0] < latest:
            pieces.append(new[position][1])
            position += 1
        end = records[number + 1].start if number + 1 < len(records) else len(content)
        pieces.append(content[record.start : end])
    pieces.extend(data for _, data in new[position:])
    return b"".join(pieces)
