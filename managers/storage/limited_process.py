"""A process that reads what came from elsewhere, seen from our side: started when it is needed, ended when it goes too far.

What limits a reading, and where it holds:

- *Time.* A thread here ends the process when its time is up, on every system; and the process ends itself a little
  later, in case nobody is left here to do it.
- *Memory.* The same thread looks at the process's memory twenty times a second, on every system. On Linux the system
  itself refuses what is above the limit, too (macOS has that limit and does not keep to it, Windows has none).
- *The world.* The process itself refuses to write, to talk to anybody and to start programs (`limited_child.py`).
"""

import contextlib
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import IO, Literal, Self

_MAPPED_BYTES = 512 << 20
"""What libraries map and never touch counts for the system, too."""
_LOOK_SECONDS = 0.05
_FOLDER = Path(__file__).resolve().parents[2]
_START = (
    "import sys; sys.path[:] = sys.argv[3:]; from importlib import import_module; import_module(sys.argv[2]).main()"
)
_KEPT = ("SYSTEMROOT", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "TZ")
"""All that is handed on of the environment: what Python itself may need to start, and which zone local times are of."""

Overstep = Literal["slow", "unfolds"]


class LimitedProcess:
    """A process of our own Python that runs `main` of a module; begun when it is made."""

    def __init__(self, module: str, memory_bytes: int, printed: IO[bytes] | int = subprocess.DEVNULL) -> None:
        self.memory_bytes = memory_bytes
        paths = [str(_FOLDER), *(path for path in sys.path if path)]
        flags = 0
        if sys.platform == "win32":  # no window of its own, no Ctrl-C of ours
            flags = subprocess.CREATE_NO_WINDOW | subprocess.CREATE_NEW_PROCESS_GROUP
        limit = str(memory_bytes + _MAPPED_BYTES)
        self._process = subprocess.Popen(  # noqa: S603  # our own Python with our own words
            [sys.executable, "-I", "-S", "-B", "-X", "utf8", "-c", _START, limit, module, *paths],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=printed,
            env={name: os.environ[name] for name in _KEPT if name in os.environ},
            creationflags=flags,
            start_new_session=True,  # a terminal that is closed ends nothing here
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self.requests: IO[bytes] = self._process.stdin
        self.answers: IO[bytes] = self._process.stdout

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    @property
    def status(self) -> int | None:
        """How it ended; a signal as a negative number."""
        return self._process.returncode

    def wait(self, seconds: float | None) -> None:
        """Wait for its end, so long at most."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)

    def kill(self) -> None:
        """End it at once, whatever it does; whoever reads its answers finds their end."""
        self._process.kill()

    def end(self) -> None:
        """End it and let go of what belongs to it."""
        self._process.kill()
        self._process.wait()
        for pipe in (self.requests, self.answers):
            with contextlib.suppress(OSError):  # what was not sent is of no use any more
                pipe.close()


class Watch(threading.Thread):
    """Ends a process that takes too long or too much memory; `why` says so."""

    def __init__(self, process: LimitedProcess, seconds: float) -> None:
        super().__init__(name="limited-process-watch", daemon=True)
        self.why: Overstep | None = None
        self._process = process
        self._seconds = seconds
        self._until = time.monotonic() + seconds
        self._over = threading.Event()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self.join()

    def heard(self) -> None:
        """Let its time begin anew: of a long reading only the silence has a limit."""
        self._until = time.monotonic() + self._seconds

    def run(self) -> None:
        import psutil  # noqa: PLC0415  # only for those who read files

        with contextlib.suppress(psutil.Error):  # it has ended by itself
            process = psutil.Process(self._process.pid)
            while not self._over.wait(_LOOK_SECONDS):
                if time.monotonic() > self._until:
                    self._kill("slow")
                elif process.memory_info().rss > self._process.memory_bytes:
                    self._kill("unfolds")

    def _kill(self, why: Overstep) -> None:
        self.why = self.why or why
        self._process.kill()
