"""What was recalled for each answer (`memory/recall_log.jsonl`): ids and scores, for whoever asks "why".

The memories themselves are not copied: what is forgotten is not kept alive by having been recalled.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from managers.memory.messages import Message
from managers.recall.hits import Hit, Layer, MemoryType
from managers.storage.files import append_durably, open_binary, read_bytes, write_atomic
from managers.storage.locks import writing
from managers.storage.paths import PersonaPaths

_BLOCK = 64 * 1024


@dataclass(frozen=True, slots=True)
class Recollection:
    """One memory that was recalled: where it stands, the messages it rests on, how close it was and why."""

    type: MemoryType
    source: Layer
    path: str
    message_ids: tuple[str, ...]
    score: float
    why: tuple[tuple[str, float], ...] = ()


class RecallLog:
    """An append-only file, one line an answer."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._paths = PersonaPaths(path.parent.parent)

    def append(self, reply: Message, query: str, hits: Sequence[Hit]) -> None:
        """Keep what was recalled for `reply`; nothing is written when nothing was searched."""
        if not query:
            return
        entry = {
            "time": f"{reply.time:%Y-%m-%dT%H:%M:%S}",
            "message_id": reply.id,
            "query": query,
            "recalled": [
                {
                    "type": h.type,
                    "_source": h.source,
                    "path": h.path,
                    "message_ids": h.message_ids,
                    "score": round(h.score, 4),
                    "why": dict(h.why),
                }
                for h in hits
            ],
        }
        with writing(self._paths):
            append_durably(self.path, (json.dumps(entry, ensure_ascii=False) + "\n").encode())

    def drop(self, message_ids: Collection[str]) -> None:
        """Keep no longer what was searched for some answers: the query may be what somebody had forgotten."""
        marks = [message_id.encode() for message_id in message_ids]
        with writing(self._paths):
            data = read_bytes(self.path) or b""
            lines = data.split(b"\n")
            kept = [
                line for line in lines if not (any(mark in line for mark in marks) and _answer(line) in message_ids)
            ]
            if len(kept) < len(lines):
                write_atomic(self.path, b"\n".join(kept))

    def find(self, message_id: str) -> tuple[str, list[Recollection]] | None:
        """Return the query and the memories behind an answer; None if nothing was searched for it."""
        wanted = message_id.encode()
        for line in self._backwards():
            if wanted not in line:
                continue
            try:
                entry = json.loads(line)
                if entry["message_id"] == message_id:
                    return entry["query"], [_recollection(r) for r in entry["recalled"]]
            except (ValueError, KeyError, TypeError):
                continue  # a line cut by a crash explains nothing and harms nothing
        return None

    def counts(self, answers: int) -> dict[str, int]:
        """Return how many memories were recalled, by message id, for about the newest `answers` that searched."""
        found: dict[str, int] = {}
        for line in islice(self._backwards(), answers):
            try:
                entry = json.loads(line)
                found.setdefault(entry["message_id"], len(entry["recalled"]))
            except (ValueError, KeyError, TypeError):
                continue  # as above
        return found

    def _backwards(self) -> Iterator[bytes]:
        """Yield the lines from the newest on: people ask about recent answers."""
        if not self.path.exists():
            return
        with open_binary(self.path) as file:
            position = file.seek(0, os.SEEK_END)
            rest = b""
            while position > 0:
                start = max(0, position - _BLOCK)
                file.seek(start)
                block = file.read(position - start) + rest
                rest, *lines = block.split(b"\n")
                yield from (line for line in reversed(lines) if line)
                position = start
            if rest:
                yield rest


def _answer(line: bytes) -> str:
    """Return the id of the answer that a line is about; empty where it says none."""
    try:
        return str(json.loads(line)["message_id"])
    except (ValueError, KeyError, TypeError):
        return ""


def _recollection(entry: dict[str, Any]) -> Recollection:
    return Recollection(
        entry["type"],
        entry["_source"],
        entry["path"],
        tuple(entry["message_ids"]),
        entry["score"],
        tuple(entry.get("why", {}).items()),
    )
