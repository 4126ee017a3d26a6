"""Reading a log backwards: the newest records of the conversation, past what stands aside, however much that is.

As long as all that is met was said on one branch, nothing but the files' ends is read. What was said on another one is
leapt over with the files' indexes.
"""

from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO

from managers.memory.log.branches import Place
from managers.memory.log.contents import EVERYTHING, Change, change_of, span_at
from managers.memory.log.file_pieces import read_backward
from managers.memory.log.format import Record, id_of_words
from managers.memory.log.log_files import Part, Snapshot
from managers.memory.log.whole import Whole
from managers.storage.errors import UnreadableError


class Walk:
    """The records of a conversation, the newest first: none that stands aside, or counts elsewhere.

    Attributes:
        changes: how messages read that are yet to come.
    """

    def __init__(
        self,
        now: Snapshot,
        look: Callable[[], Whole],
        *,
        begin: Place | None = None,
        knows: bool = False,
        note_gap: Callable[[Path, UnreadableError | None], None] = lambda _path, _error: None,
    ) -> None:
        """Take the files.

        Args:
            now: the log at one moment.
            look: makes what its indexes tell.
            begin: read what stands before this place only.
            knows: changes may stand where nobody comes by: look at the indexes first.
            note_gap: told of an archive that cannot be read, or (None) can be again.
        """
        self._note_gap = note_gap
        self._now = now
        self._look = look
        self._begin = begin
        self._branch: str | None = None
        self._whole = look() if knows else None
        self.changes: dict[str, Change] = dict(self._whole.changes) if self._whole else {}

    def __iter__(self) -> Iterator[Record]:
        number, stop = self._begin or (len(self._now.parts) - 1, None)
        for part in reversed(self._now.parts[: number + 1]):
            if self._whole and self._whole.aside.get(part.path) == [EVERYTHING]:
                continue
            with ExitStack() as stack:
                try:
                    file, end = stack.enter_context(self._now.open(part))
                except UnreadableError as error:  # what is changed in it stands further back: nothing there is told
                    self._note_gap(part.path, error)
                    return
                self._note_gap(part.path, None)
                yield from self._file(part, file, end if stop is None else stop)
            stop = None

    def word_on(self, message_id: str) -> Change | None:
        """Return how a message reads as far as what was read so far tells; it is not met before what changes it."""
        return self.changes.get(message_id) or self.changes.get(id_of_words(message_id))

    def _file(self, part: Part, file: IO[bytes], stop: int) -> Iterator[Record]:
        while stop:
            stop = yield from self._stretch(part, file, stop)

    def _stretch(self, part: Part, file: IO[bytes], stop: int) -> Generator[Record, None, int]:
        """Yield records up to those that stand aside; return where to read on before them, 0 at the file's beginning."""
        for record in read_backward(file, stop):
            if record.is_placed:
                self._watch(record)
                leap = self._leap(part, record)
                if leap is not None and leap < record.at:
                    return leap
                if leap is not None:
                    continue
            if self._counts(part, record):
                if record.target:
                    # Read backwards, the first record about a message is the last word on it.
                    self.changes.setdefault(record.target, change_of(record))
                yield record
        return 0

    def _watch(self, record: Record) -> None:
        """Look at the indexes as soon as there is more than one branch."""
        if self._branch is None:
            self._branch = record.leads_to
        if self._whole is None and record.message.branch != self._branch:
            self._whole = self._look()
            self.changes.update(self._whole.changes)

    def _leap(self, part: Part, record: Record) -> int | None:
        """Return where the first message begins that stands aside together with a record; None if that does not."""
        span = span_at(self._whole.aside.get(part.path, ()), record.at) if self._whole else None
        if self._whole is None or span is None or record.moves:
            return None
        return self._whole.files[part.path].first_within(span, record.at)

    def _counts(self, part: Part, record: Record) -> bool:
        whole = self._whole or (self._look() if record.damage == "bytes" else None)
        return whole is None or record.at not in whole.twice.get(part.path, ())
