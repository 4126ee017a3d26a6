"""Our side of the process that reads documents: started at the first one, used again, ended when it goes too far.

What limits a reading, and where it holds:

- *Time.* A thread here ends the process when its time is up, on every system; and the process ends itself a little
  later, in case nobody is left here to do it.
- *Memory.* The same thread looks at the process's memory twenty times a second, on every system. On Linux the system
  itself refuses what is above the limit, too (macOS has that limit and does not keep to it, Windows has none).
- *Output.* It is read piece by piece; the process is ended when there is too much of it.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Literal

from managers.recall.documents.parts import Part

MEMORY_BYTES = 1 << 30
_ADDRESS_BYTES = MEMORY_BYTES + (512 << 20)
"""What libraries map and never touch counts there too."""
OUTPUT_BYTES = 10_000_000
"""So much text may come of a small file (some 20 novels), and of a larger one as much as a table with long names makes."""
OUTPUT_TIMES = 3

_LOOK_SECONDS = 0.05
_IDLE_SECONDS = 60.0
"""A process that had nothing to do for so long is let go: its memory is worth more than the moment of a start."""
_FOLDER = Path(__file__).resolve().parents[3]
_START = "import sys; sys.path[:] = sys.argv[2:]; from managers.recall.documents.child import main; main()"
_KEPT = ("SYSTEMROOT", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
"""All that is handed on of the environment: what Python itself may need to start."""

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
    """Reads documents in a process of its own. Used from several threads; they take turns."""

    _turn: threading.Lock = field(default_factory=threading.Lock)
    _process: subprocess.Popen[bytes] | None = None
    _dismissed: subprocess.Popen[bytes] | None = None
    _idle: threading.Timer | None = None

    def read(self, kind: str, data: bytes, seconds: float, wait: float = -1) -> list[Part]:
        """Return the parts of a document.

        Args:
            kind: the ending of the file's name, such as `.pdf`.
            data: the file.
            seconds: how long it may take.
            wait: how long to wait for others whose turn it is; -1: until it is ours.

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
        watch = _Watch(process, seconds)
        most = max(OUTPUT_BYTES, OUTPUT_TIMES * len(data))
        request = json.dumps({"kind": kind, "bytes": len(data), "seconds": seconds}).encode()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            with watch:
                process.stdin.write(request + b"\n" + data)
                process.stdin.flush()
                return list(_parts(process.stdout, most))
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

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self._end()
            self._process = _start()
        return self._process

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):  # what was not sent is of no use any more
                    pipe.close()

    def _leave_soon(self) -> None:
        self._idle = threading.Timer(_IDLE_SECONDS, self._leave)
        self._idle.daemon = True
        self._idle.start()

    def _leave(self) -> None:
        with self._turn:
            self._end()


def _start() -> subprocess.Popen[bytes]:
    paths = [str(_FOLDER), *(path for path in sys.path if path)]
    flags = 0
    if sys.platform == "win32":  # no window of its own, no Ctrl-C of ours
        flags = subprocess.CREATE_NO_WINDOW | subprocess.CREATE_NEW_PROCESS_GROUP
    return subprocess.Popen(  # noqa: S603  # our own Python with our own words
        [sys.executable, "-I", "-S", "-B", "-X", "utf8", "-c", _START, str(_ADDRESS_BYTES), *paths],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={name: os.environ[name] for name in _KEPT if name in os.environ},
        creationflags=flags,
    )


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


class _Watch(threading.Thread):
    """Ends a process that takes too long or too much memory; `why` says so."""

    def __init__(self, process: subprocess.Popen[bytes], seconds: float) -> None:
        super().__init__(name="document-watch", daemon=True)
        self.why: Failure | None = None
        self._process = process
        self._until = time.monotonic() + seconds
        self._over = threading.Event()

    def __enter__(self) -> None:
        self.start()

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self.join()

    def run(self) -> None:
        import psutil  # noqa: PLC0415  # only for those who have documents

        with contextlib.suppress(psutil.Error):  # it has ended by itself
            process = psutil.Process(self._process.pid)
            while not self._over.wait(_LOOK_SECONDS):
                if time.monotonic() > self._until:
                    self._kill("slow")
                elif process.memory_info().rss > MEMORY_BYTES:
                    self._kill("unfolds")

    def _kill(self, why: Failure) -> None:
        self.why = self.why or why
        self._process.kill()


READER = DocumentReader()
"""The one of this program: documents of all personas take turns."""
atexit.register(READER.close)
