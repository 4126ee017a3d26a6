"""The process that reads documents: a request comes in, the parts of one document go out, and so on until there is no more.

Request: a line of JSON (`kind`: the file's ending, `bytes`: how many follow, `seconds`: how long it may take) and the
file itself. Answer: a line of JSON for each part, `[heading, text]`, and one for how it ended, `{"end": ...}`.
"""

from __future__ import annotations

import faulthandler
import json
import os
import signal
import sys
from collections.abc import Iterator
from typing import IO, Literal, cast

from managers.recall.documents.html import read_html
from managers.recall.documents.parts import EncryptedError, Part, Reader, UnfoldsError
from managers.recall.documents.pdf import read_pdf
from managers.recall.documents.text import read_markdown, read_table, read_text
from managers.recall.documents.word import read_word

End = Literal["read", "encrypted", "unfolds", "broken"]

READERS: dict[str, Reader] = {
    ".txt": read_text,
    ".md": read_markdown,
    ".pdf": read_pdf,
    ".html": read_html,
    ".htm": read_html,
    ".csv": read_table,
    ".docx": read_word,
}

_GRACE_SECONDS = 2
"""So much later than its parent this process ends itself: it may have become an orphan."""


def main() -> None:
    """Answer requests until the other side is gone."""
    requests, answers = _own_streams()
    _limit_memory(int(sys.argv[1]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the program that uses this one
    sys.addaudithook(_refuse_the_world)
    while line := requests.readline():
        request = json.loads(line)
        # Written in C, with a thread of its own: a reader that never lets go of the interpreter does not stop it.
        faulthandler.dump_traceback_later(request["seconds"] + _GRACE_SECONDS, exit=True, file=2)
        answers.writelines(_answers(request["kind"], requests.read(request["bytes"])))
        answers.flush()
        faulthandler.cancel_dump_traceback_later()


def _answers(kind: str, data: bytes) -> Iterator[bytes]:
    end: End = "read"
    try:
        yield from map(_line, READERS[kind](data))
    except EncryptedError:
        end = "encrypted"
    except (UnfoldsError, MemoryError):
        end = "unfolds"
    except Exception:  # noqa: BLE001  # the edge: whatever a reader raises, the file is broken, and nothing else is
        end = "broken"
    yield _line({"end": end})


def _line(answer: Part | dict[str, End]) -> bytes:
    return json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace") + b"\n"  # halves of characters are none


def _own_streams() -> tuple[IO[bytes], IO[bytes]]:
    """Return both pipes; what a library prints goes nowhere."""
    answers = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    return cast("IO[bytes]", sys.stdin.buffer), answers


def _limit_memory(most: int) -> None:
    """Let the system refuse more memory where it can; macOS and Windows do not, there the parent looks (`process.py`)."""
    if sys.platform == "linux":
        import resource  # noqa: PLC0415  # is there on POSIX alone

        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


_REFUSED = ("socket.", "subprocess.", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "os.system", "os.remove")
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT


def _refuse_the_world(event: str, arguments: tuple[object, ...]) -> None:
    """Refuse network, other programs and writing to files, whatever a library comes to think of."""
    flags = arguments[2] if event == "open" else 0
    if event.startswith(_REFUSED) or (isinstance(flags, int) and flags & _WRITES):
        raise PermissionError(event)
