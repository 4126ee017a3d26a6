"""What each answer rests on (`memory/recall_log.jsonl`): ids and scores, for whoever asks "why".

The memories themselves are not copied: what is forgotten is not kept alive by having been recalled.
"""

import json
import os
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from typing import Any

from managers.memory.messages import Message
from managers.recall.hits import Hit, Layer, MemoryType
from managers.storage.files import append_durably, open_binary, write_atomic_parts
from managers.storage.json_text import load_json
from managers.storage.locks import writing
from managers.storage.opening import is_file
from managers.storage.paths import PersonaPaths

_BLOCK = 64 * 1024
_LONGEST = 1 << 20
"""Bytes of a line."""
_SLACK = timedelta(days=1)
"""A clock may have been set back since."""
_TIME = re.compile(rb'"time": "([^"]*)"')
_ID = re.compile(rb'"message_id": "([^"]*)"')


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

    def __init__(self, paths: PersonaPaths) -> None:
        self.path = paths.recall_log
        self._paths = paths

    def append(self, reply: Message, query: str, hits: Sequence[Hit], *, time: datetime | None = None) -> None:
        """Keep what `reply` rests on; nothing is written when nothing was searched or found.

        Args:
            reply: the answer.
            query: what was searched for; empty where nothing was.
            hits: what it rests on.
            time: when it was made; when it was said, if not given: one that is made anew stands in an older place.
        """
        if not query and not hits:
            return
        entry: dict[str, Any] = {
            "time": f"{time or reply.time:%Y-%m-%dT%H:%M:%S}",
            "message_id": reply.id,
            **({"variant": reply.variant} if reply.variant else {}),
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

        def is_dropped(line: bytes) -> bool:
            return any(mark in line for mark in marks) and _answer(line) in message_ids

        with writing(self._paths):
            if any(map(is_dropped, self._forwards())):
                write_atomic_parts(self.path, (line for line in self._forwards() if not is_dropped(line)))

    def find(self, message_id: str, variant: str = "") -> tuple[str, list[Recollection]] | None:
        """Return the query and the memories behind an answer (one `variant` of it); None if nothing was searched for it."""
        wanted = message_id.encode()
        for line in self._backwards():
            if wanted not in line:
                continue
            try:
                entry = load_json(line)
                if (
                    entry["message_id"] == message_id
                    and entry.get("variant", "") == variant
                    and (entry["query"] or entry["recalled"])
                ):
                    return entry["query"], [_recollection(r) for r in entry["recalled"]]
            except (ValueError, KeyError, TypeError):
                continue  # a line cut by a crash explains nothing and harms nothing
        return None

    def since(self, time: str, most: int) -> Iterator[tuple[str, list[Recollection]]]:
        """Yield when answers were made and what they rest on, newest first: those after a moment (ISO), `most` of them."""
        for line in islice(self._backwards(), most):
            if (told := _TIME.search(line)) and told[1].decode("utf-8", "replace") <= time:
                return
            try:
                entry = load_json(line)
                yield str(entry["time"]), [_recollection(r) for r in entry["recalled"]]
            except (ValueError, KeyError, TypeError):
                continue  # as above

    def counts(self, answers: int) -> dict[str, int]:
        """Return how many memories were recalled for about the newest `answers` that searched.

        They are by message id; of an answer that was made anew, by its `Message.variant`.
        """
        found: dict[str, int] = {}
        for line in islice(self._backwards(), answers):
            try:
                entry = load_json(line)
                answer, recalled = entry["message_id"], entry["recalled"]
                found.setdefault(entry.get("variant") or answer, len(recalled))
            except (ValueError, KeyError, TypeError):
                continue  # as above
        return found

    def answers_that_recalled(self, messages: Collection[Message]) -> frozenset[str]:
        """Return the ids of those of some messages that rest on something recalled."""
        answers = [message for message in messages if message.role == "persona" and message.mind]
        ids = {message.id for message in answers}
        found = (_ID.search(line) for line in self._lines_since(answers) if b'"recalled": []' not in line)
        named = {marked[1].decode("utf-8", "replace") for marked in found if marked}
        return frozenset(ids & named)

    def _lines_since(self, answers: Collection[Message]) -> Iterator[bytes]:
        """Yield the lines since the first of some answers was said, newest first; none for no answers."""
        if not answers:
            return
        since = f"{min(message.time for message in answers) - _SLACK:%Y-%m-%dT%H:%M:%S}".encode()
        for line in self._backwards():
            if (time := _TIME.search(line)) and time[1] < since:
                return
            yield line

    def _forwards(self) -> Iterator[bytes]:
        """Yield the lines from the oldest on, with their ends; one that is endless in pieces."""
        if is_file(self.path):
            with open_binary(self.path) as file:
                yield from iter(partial(file.readline, _LONGEST), b"")

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
                if len(rest) > _LONGEST:
                    return  # no line of ours: nothing further back is asked about
                yield from (line for line in reversed(lines) if line)
                position = start
            if rest:
                yield rest


def _answer(line: bytes) -> str:
    """Return the id of the answer that a line is about; empty where it says none."""
    try:
        return str(load_json(line)["message_id"])
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
