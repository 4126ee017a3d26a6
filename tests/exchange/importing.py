"""Imports as a person would do them, without the page or the command line."""

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from managers.exchange import import_engine, readers, reading_child
from managers.exchange.import_engine import ImportReport, ImportTarget, SourceImport
from managers.exchange.import_reading import ImportReading
from managers.exchange.items import Kind, ReadingWishes
from managers.memory.emotions import EmotionLog
from managers.memory.log import ConversationLog
from managers.memory.working_copy import Stores, WorkingCopy
from managers.storage.history import History


def take_over(
    log: ConversationLog, source: Path, kind: Kind | None = None, wishes: ReadingWishes | None = None, **how: Any
) -> ImportReport:
    """Import a source into the persona that a log belongs to."""
    paths, clock = log.paths, log._clock
    with closing(SourceImport(paths.home, source, clock, **how)) as work, closing(History(paths, clock)) as history:
        work.read(kind, wishes)
        return work.carry_out(target_of(log, history))


def target_of(log: ConversationLog, history: History) -> ImportTarget:
    paths, clock = log.paths, log._clock
    copy = WorkingCopy(Stores.open(paths, clock))
    names = ("Ann", paths.name)
    return ImportTarget(paths, clock, log, history, EmotionLog(paths, clock), copy, names, lambda _: "", is_let_in=True)


class HereReading(ImportReading):
    """Reads in this process: for tests of what follows, which need no second one a hundred times."""

    def _answer(self, request: dict[str, Any]) -> Iterator[bytes]:
        asked = {**request, "path": str(self.path.absolute()), "seconds": 1}
        for line in reading_child._answer(json.loads(json.dumps(asked)), None):  # type: ignore[arg-type]  # nothing follows
            if line.startswith(b'{"end": '):
                self._check(json.loads(line))
            yield line

    def fetch(self, file: str) -> bytes | None:
        head, *rest = self._answer({"do": "fetch", "file": file})
        return rest[0] if head.startswith(b'{"bytes": ') else None


def read_here() -> None:
    """Let imports read in this process, with all readers loaded: for one whose forked children do nothing else."""
    vars(import_engine)["ImportReading"] = HereReading
    readers.warm_up()


def lines_of(entries: Sequence[dict[str, Any]]) -> str:
    return "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries)
