"""Our side of the process that reads documents: started at the first one, used again, ended when it goes too far.

What limits a reading is told in `managers/storage/limited_process.py`. Output has a limit here, too: it is read piece by
piece, and the process is ended when there is too much of it.
"""

import atexit
import json
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO, Literal

from managers.recall.documents.parts import Part
from managers.storage.limited_process import LimitedProcess, Watch

MEMORY_BYTES = 1 << 30
OUTPUT_BYTES = 10_000_000
"""So much text may come of a small file (some 20 novels), and of a larger one as much as a table with long names makes."""
OUTPUT_TIMES = 3

_IDLE_SECONDS = 60.0
"""A process that had nothing to do for so long is let go: its memory is worth more than the moment of a start."""
_MODULE = "managers.recall.documents.child"

Failure = Literal["slow", "unfolds", "encrypted", "broken"]


class UnreadError(Exception):
    """A document could not be read; `why` says what happened."""

    def __init__(self, why: Failure) -> None:
        super().__init__(why)
        self.why = why


class _DiedError(Exception):
    """The process ended in the middle, and it was not us who ended it."""


@dataclass
class DocumentReader:
    """Reads documents in a process of its own. Used from several threads; they take turns.

    Attributes:
        module: what runs there (`child.py`, or another one that answers as it does).
    """

    module: str = _MODULE
    _turn: threading.Lock = field(default_factory=threading.Lock)
    _process: LimitedProcess | None = None
    _dismissed: LimitedProcess | None = None
    _idle: threading.Timer | None = None

    def read(self, kind: str, data: bytes, seconds: float, wait: float = -1) -> list[Part]:
        """Return the parts of a document; wait so many seconds for a turn, or with -1 as long as it takes.

        Raises:
            UnreadError: why not.
            OSError: the process cannot be started, or the program ends.
        """
        if not self._turn.acquire(timeout=wait):
            raise UnreadError("slow")
        try:
            if self._idle is not None:
                self._idle.cancel()
            until = time.monotonic() + seconds
            try:
                return self._read(kind, data, until)
            except _DiedError:  # a crash, or killed from outside: once more, so that nobody's kill is the file's fault
                return self._read(kind, data, until)
        except _DiedError as error:
            raise UnreadError("broken") from error
        finally:
            self._leave_soon()
            self._turn.release()

    def close(self) -> None:
        """End the process at once, also while it reads: for the end of the program."""
        if self._turn.acquire(blocking=False):
            try:
                self._end()
            finally:
                self._turn.release()
        elif (process := self._process) is not None:
            self._dismissed = process
            process.kill()

    def _read(self, kind: str, data: bytes, until: float) -> list[Part]:
        process = self._running()
        seconds = max(until - time.monotonic(), 0)
        watch = Watch(process, seconds)
        most = max(OUTPUT_BYTES, OUTPUT_TIMES * len(data))
        request = json.dumps({"kind": kind, "bytes": len(data), "seconds": seconds}).encode()
        try:
            with watch:
                process.requests.write(request + b"\n" + data)
                process.requests.flush()
                return list(_parts(process.answers, most))
        except UnreadError as error:
            if error.why == "unfolds":  # what is left of the answer is in the pipe, and what it took in its memory
                self._end()
            raise
        except (OSError, _DiedError) as error:
            self._end()
            if watch.why:
                raise UnreadError(watch.why) from error
            if process is self._dismissed:
                raise OSError("the program ends") from error
            raise _DiedError from error

    def _running(self) -> LimitedProcess:
        if self._process is None or not self._process.is_running:
            self._end()
            self._process = LimitedProcess(self.module, MEMORY_BYTES)
        return self._process

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.end()

    def _leave_soon(self) -> None:
        self._idle = threading.Timer(_IDLE_SECONDS, self._leave)
        self._idle.daemon = True
        self._idle.start()

    def _leave(self) -> None:
        with self._turn:
            self._end()


def _parts(answers: IO[bytes], most: int) -> Iterator[Part]:
    while True:
        line = answers.readline(most + 1)
        most -= len(line)
        if most < 0:
            raise UnreadError("unfolds")
        if not line.endswith(b"\n"):
            raise _DiedError
        answer = json.loads(line)
        if isinstance(answer, list):
            yield Part(*answer)
        elif answer["end"] == "read":
            return
        else:
            raise UnreadError(answer["end"])


READER = DocumentReader()
"""The one of this program: documents of all personas take turns."""
atexit.register(READER.close)
