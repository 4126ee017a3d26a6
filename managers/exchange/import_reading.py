"""Our side of the process that reads what is imported: what it says is checked, and it ends when it goes too far."""

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from managers.exchange.errors import ImportCancelledError, ImportSourceError
from managers.exchange.import_words import both_of
from managers.exchange.items import LINES, Item, Kind, ReadingWishes
from managers.storage.limited_process import LimitedProcess, Watch

MEMORY_BYTES: Final = 500_000_000
SILENCE_SECONDS: Final = 120.0
"""So long a reader may think without a word; how long all of it takes has no limit."""
MAX_LINE: Final = 20_000_000
"""Bytes; no message is as long."""
_MODULE: Final = "managers.exchange.reading_child"

Progress = Callable[[int, int], None]
"""Is told how many of how many bytes were read."""


@dataclass
class ImportReading:
    """Reads one source in a process of its own, which is there from the first request to `close`.

    Attributes:
        path: the file or folder.
        kind: what it was read as.
        opened: which files of it were read, once it was read to its end.
        is_cancelled: is asked again and again.
    """

    path: Path
    is_cancelled: Callable[[], bool] = lambda: False
    progress: Progress = lambda _done, _whole: None
    kind: Kind | None = None
    opened: tuple[str, ...] = ()
    _process: LimitedProcess | None = field(default=None, repr=False)

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            process.end()

    def interrupt(self) -> None:
        """End the process in the middle, from another thread."""
        if (process := self._process) is not None:
            process.kill()

    def items(self, kind: Kind | None, wishes: ReadingWishes) -> Iterator[Item]:
        """Yield what is in the source, as it is read; `kind` is known from the first item on.

        Raises:
            ImportSourceError: it cannot be read (any further).
            ImportCancelledError
        """
        request = {"do": "read", "kind": kind, "wishes": asdict(wishes)}
        for line in self._answer(request):
            if line.startswith(b'{"kind": '):
                self.kind = json.loads(line)["kind"]
            elif line.startswith(b'{"progress": '):
                self.progress(*json.loads(line)["progress"])
            elif line.startswith(b'{"end": '):
                self.opened = tuple(json.loads(line).get("opened", ()))
            else:
                try:
                    yield LINES.validate_json(line)
                except ValidationError as error:
                    raise self._refused("stumbled", cause="ValidationError") from error

    def fetch(self, file: str) -> bytes | None:
        """Return the bytes of one file of the source; None if it cannot be read, or is too large."""
        data = None
        try:
            for line in self._answer({"do": "fetch", "file": file}):
                if line.startswith(b'{"bytes": '):
                    assert self._process is not None
                    data = self._process.answers.read(json.loads(line)["bytes"])
        except ImportSourceError:
            return None
        return data

    def _answer(self, request: dict[str, Any]) -> Iterator[bytes]:
        """Yield the lines of an answer, the last one too if all went well."""
        if self._process is None or not self._process.is_running:
            self.close()
            self._process = LimitedProcess(_MODULE, MEMORY_BYTES)
        process = self._process
        with Watch(process, SILENCE_SECONDS) as watch:
            try:
                line = json.dumps({**request, "path": str(self.path.absolute()), "seconds": SILENCE_SECONDS})
                process.requests.write(line.encode() + b"\n")
                process.requests.flush()
                while (line_read := process.answers.readline(MAX_LINE + 1)).endswith(b"\n"):
                    watch.heard()
                    if self.is_cancelled():
                        raise ImportCancelledError
                    if line_read.startswith(b'{"end": '):
                        self._check(json.loads(line_read))
                        yield line_read
                        return
                    yield line_read
            except OSError as error:
                raise self._refused(watch.why or "died") from error
            finally:
                if not process.is_running or self.is_cancelled():
                    self.close()
        too_long = len(line_read) > MAX_LINE
        self.close()
        if self.is_cancelled():
            raise ImportCancelledError
        raise self._refused(watch.why or ("unfolds" if too_long else "died"))

    def _check(self, end: dict[str, Any]) -> None:
        """Raise what the process says it ended with, if that is not well."""
        facts = {key: str(value) for key, value in end.get("facts", {}).items()}
        if end["end"] == "unusable":
            raise self._refused(end["code"], **facts)
        if end["end"] != "done":
            raise self._refused(end["end"], **facts)

    def _refused(self, why: str, **facts: str) -> ImportSourceError:
        words = both_of(why if "." in why else f"engine.{why}", **facts)
        return ImportSourceError(name=self.path.name, reason_ja=words["ja"], reason_en=words["en"])
