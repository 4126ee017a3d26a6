"""Reading log files from either end, a piece at a time, without taking them into memory whole."""

from collections.abc import Iterator
from typing import IO, Final

from managers.memory.log.format import Record
from managers.memory.log.parsing import first_header, parse, starts_record
from managers.storage.errors import FileTooLargeError
from managers.storage.files import MAX_BYTES

BACKWARD_BLOCK: Final = 16 * 1024
MAX_BACKWARD_BLOCK: Final = 1024 * 1024
FORWARD_BLOCK: Final = 4 * 1024 * 1024
_PEEK: Final = 64


def read_backward(file: IO[bytes], end: int, *, block: int = BACKWARD_BLOCK) -> Iterator[Record]:
    """Yield the whole records before offset `end`, the newest first.

    Args:
        file: a log file, open for reading.
        end: the file's length, or the start of a record in it.
        block: how much to read first.
    """
    is_over = _header_at(file, end)
    stop = end
    while stop > 0:
        start = max(0, stop - block)
        records = _records_between(file, start, stop, header_follows=stop < end or is_over)
        if not records:
            if start == 0:
                return
            block *= 2  # inside one long record: look further back
            check_piece(file, block)
            continue
        yield from reversed(records)
        # The newest messages are mostly all that is wanted; who reads on wants many.
        stop, block = records[0].start, min(block * 2, MAX_BACKWARD_BLOCK)


def _records_between(file: IO[bytes], start: int, stop: int, *, header_follows: bool) -> list[Record]:
    file.seek(start)
    data = file.read(stop - start)
    skip = 0 if start == 0 else first_header(data)
    if skip is None:
        return []
    records = parse(data[skip:], start + skip, header_follows=header_follows).records
    if start > 0:
        # A record without a trailer takes its time from the one before it, which is not in sight.
        while records and records[0].damage == "trailer":
            del records[0]
    return records


def _header_at(file: IO[bytes], offset: int) -> bool:
    """Whether a record begins at an offset; else what stands before it may still be growing."""
    if offset == 0:
        return False
    file.seek(offset - 1)
    return starts_record(file.read(_PEEK))


def read_forward(
    file: IO[bytes], start: int, end: int, *, block: int = FORWARD_BLOCK, branch: str = ""
) -> Iterator[Record]:
    """Yield the whole records between two offsets, the oldest first; one without a trailer has the time of the one before.

    Args:
        file: a log file, open for reading.
        start: where a record begins.
        end: the file's length, or the start of a record in it.
        block: how much to read at once.
        branch: that the conversation is on before `start`, for records that do not say it.
    """
    is_over = _header_at(file, end)
    size, time = block, None
    while start < end:
        stop = min(end, start + size)
        file.seek(start)
        data = file.read(stop - start)
        is_last = stop == end or not data
        parsed = parse(data, start, time_before=time, branch_before=branch, header_follows=is_last and is_over)
        if time is None and start > 0 and parsed.records and parsed.records[0].damage == "trailer":
            before = next(read_backward(file, start), None)
            if before is not None:
                time = before.message.time
                continue
        # The last record of a piece may go on in the next one (its blank lines, or stray bytes).
        records = parsed.records if is_last else parsed.records[:-1]
        yield from records
        branch = next((record.leads_to for record in reversed(records) if record.is_placed), branch)
        if is_last:
            return
        if records:
            start, time, size = records[-1].end, records[-1].message.time, block
        else:
            size *= 2
            check_piece(file, size)


def check_piece(file: IO[bytes], size: int) -> None:
    """Refuse to read so much of a log at once only because nothing smaller holds a whole record.

    Raises:
        FileTooLargeError
    """
    if size > MAX_BYTES:
        raise FileTooLargeError(path=file.name, megabytes=MAX_BYTES // 1_000_000)
