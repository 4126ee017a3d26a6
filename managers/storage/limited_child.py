"""A process that reads what came from elsewhere, seen from within: a request comes in, lines go out, until there is no more.

A request is a line of JSON, with `seconds` (how long may pass before the next line goes out) and whatever the module that
runs here needs; bytes may follow it. An answer is lines, and the last one says how it ended. Nothing can be written from
here, nobody called, no program started, whatever a library comes to think of.
"""

import faulthandler
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from typing import IO, Any, cast

_GRACE_SECONDS = 2
"""So much later than its parent this process ends itself: it may have become an orphan."""
_REFUSED = ("socket.", "subprocess.", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "os.system", "os.remove")
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT

Answering = Callable[[dict[str, Any], IO[bytes]], Iterator[bytes]]


def answer_requests(answering: Answering) -> None:
    """Answer requests until the other side is gone.

    Args:
        answering: gives the lines that answer a request; what follows it is read from the stream.
    """
    requests, answers = _own_streams()
    _limit_memory(int(sys.argv[1]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the program that uses this one
    sys.addaudithook(_refuse_the_world)
    while line := requests.readline():
        request = json.loads(line)
        seconds = request["seconds"] + _GRACE_SECONDS
        _end_after(seconds)
        since = time.monotonic()
        for each in answering(request, requests):
            answers.write(each)
            if time.monotonic() - since > 1:  # whoever goes on answering is not silent
                answers.flush()
                _end_after(seconds)
                since = time.monotonic()
        answers.flush()
        faulthandler.cancel_dump_traceback_later()


def _end_after(seconds: float) -> None:
    # Written in C, with a thread of its own: a reader that never lets go of the interpreter does not stop it.
    faulthandler.dump_traceback_later(seconds, exit=True, file=2)


def _own_streams() -> tuple[IO[bytes], IO[bytes]]:
    """Return both pipes; what a library prints goes nowhere."""
    answers = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    return cast("IO[bytes]", sys.stdin.buffer), answers


def _limit_memory(most: int) -> None:
    """Let the system refuse more memory where it can; macOS and Windows do not, there the parent looks."""
    if sys.platform == "linux":
        import resource  # noqa: PLC0415  # is there on POSIX alone

        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _refuse_the_world(event: str, arguments: tuple[object, ...]) -> None:
    """Refuse network, other programs and writing to files, whatever a library comes to think of."""
    flags = arguments[2] if event == "open" else 0
    if event.startswith(_REFUSED) or (isinstance(flags, int) and flags & _WRITES):
        raise PermissionError(event)
