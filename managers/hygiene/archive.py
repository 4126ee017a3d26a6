"""The archive of memories: what was put away, out of search and prompts, and how it comes back.

`memory/archive_<moment>.json.gz` holds what one run put away. Such a file is written once and never changed (but by an
erasure): what has come back is told by the memories themselves. So undoing the run takes its file away, and nothing else.
"""

import gzip
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from managers.hygiene.errors import NotInArchiveError, PlaceTakenError
from managers.hygiene.inventory import Kind, Memory, find, put_back, take_out
from managers.memory.json_documents import TIME, encode, entries_of
from managers.memory.working_copy import WorkingCopy
from managers.storage.clock import Clock
from managers.storage.errors import Notice
from managers.storage.files import MAX_BYTES, files, read_bytes, set_aside
from managers.storage.json_text import NotJsonError, load_json
from managers.storage.paths import PersonaPaths

Reason = Literal["pruned", "collected", "merged", "expired"]
REASONS: Final[tuple[Reason, ...]] = get_args(Reason)
_FILES: Final = "archive_*.json.gz"


class PutAway(BaseModel):
    """One memory in the archive.

    Attributes:
        id, kind, place, text: as in `Memory`.
        why: `pruned` (it had faded), `collected` (its generation was long past), `merged` (another one holds what it
            said), `expired` (it was kept longer than the person wants).
        when: the moment at which it was put away.
        confidence: its C-value then.
        into: the memory that it was merged into; else empty.
        value: what puts it back.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    kind: Kind
    place: str
    text: str
    why: Reason
    when: str
    confidence: float
    into: str = ""
    value: dict[str, Any] = Field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Going:
    """A memory that is to be put away, why, and what it was merged into."""

    memory: Memory
    why: Reason
    into: str = ""


class Archive:
    """The archive of one persona. Files that cannot be read are set aside, and named in `notices`."""

    def __init__(self, paths: PersonaPaths, clock: Clock) -> None:
        self._paths = paths
        self._clock = clock
        self.notices: list[Notice] = []

    def put_away(self, copy: WorkingCopy, going: Iterable[Going]) -> dict[Path, bytes | None]:
        """Take memories out of a working copy; return the file of the archive that is to be written with the copy's.

        What is gone by now is left out; with nothing left there is no file.
        """
        taken, now = [], self._clock.now()
        for one in going:
            value = take_out(copy, one.memory)
            if value is not None:
                taken.append(_entry(one, value, now))
        if not taken:
            return {}
        data = encode([entry.model_dump(mode="json") for entry in taken])
        return {self._new_path(now): gzip.compress(data, mtime=0)}

    def entries(self, copy: WorkingCopy) -> Iterator[PutAway]:
        """Yield what lies in the archive and has not come back, newest first."""
        seen = set()
        for path in reversed(files(self._paths.memory, _FILES)):
            for entry in self.read(path):
                if entry.id not in seen and not _is_back(copy, entry):
                    yield entry
                seen.add(entry.id)

    def restore(self, copy: WorkingCopy, ids: Sequence[str] | None) -> list[PutAway]:
        """Put memories back into a working copy, days before what happened on them; with None all that can be.

        What comes back begins a new rest, so that the next night does not put it away again.

        Raises:
            NotInArchiveError: one of them is not there; nothing was changed.
            PlaceTakenError: one has no place any more; nothing was changed.
        """
        there = {entry.id: entry for entry in self.entries(copy) if ids is None or entry.id in ids}
        for wanted in ids or ():
            if wanted not in there:
                raise NotInArchiveError(id=wanted)
        back, today = [], f"{self._clock.now():%Y-%m-%d}"
        for entry in sorted(there.values(), key=lambda entry: entry.kind != "day"):
            value = _rested(entry.value, today)
            if put_back(copy, entry.kind, entry.place, value):
                back.append(entry)
            elif ids is not None:
                raise PlaceTakenError(place=entry.place)
        return back

    def read(self, path: Path) -> list[PutAway]:
        """Return what one file of the archive holds; a damaged one is set aside with its bytes."""
        data = read_bytes(path)
        if data is None:
            return []
        try:
            values = load_json(unpacked(data))
        except (zlib.error, NotJsonError, ValidationError):
            values = None
        if not isinstance(values, list):
            self.notices.append(set_aside(path, self._clock.now()))
            return []
        return entries_of(PutAway, values)[0]

    def paths(self) -> list[Path]:
        """Return the files of the archive, oldest first."""
        return files(self._paths.memory, _FILES)

    def _new_path(self, now: datetime) -> Path:
        stem, number = f"archive_{now:%Y%m%d-%H%M%S}", 0
        while (path := self._paths.memory / f"{stem}-{number:02d}.json.gz").exists():
            number += 1
        return path


def _entry(going: Going, value: dict[str, Any], now: datetime) -> PutAway:
    memory = going.memory
    return PutAway(
        id=memory.id,
        kind=memory.kind,
        place=memory.place,
        text=memory.text,
        why=going.why,
        when=f"{now:{TIME}}",
        confidence=memory.confidence(now.date()),
        into=going.into,
        value=value,
    )


def _is_back(copy: WorkingCopy, entry: PutAway) -> bool:
    """Tell whether a memory is active again; on its day there may be another one, dreamt since."""
    there = find(copy, entry.kind, entry.place, entry.id)
    return there is not None and (entry.kind != "day" or there.text == entry.text)


def _rested(value: dict[str, Any], day: str) -> dict[str, Any]:
    """Return a memory whose fading begins anew, with that of all that happened on a day."""
    events = [{**one, "last_accessed": day} for one in _standings(value)]
    return value | {"last_accessed": day} | ({"key_event_standings": events} if events else {})


def _standings(value: dict[str, Any]) -> list[dict[str, Any]]:
    count = len(value.get("key_events", ()))
    return [*value.get("key_event_standings", ()), *({} for _ in range(count))][:count]


def unpacked(data: bytes) -> bytes:
    """Return what a file of the archive unpacks to, which is never more than any file of memory may hold.

    Raises:
        zlib.error: it is damaged, or larger.
    """
    unpacking = zlib.decompressobj(wbits=31)
    found = unpacking.decompress(data, MAX_BYTES)
    if not unpacking.eof:
        raise zlib.error("cut off, or larger than any memory")
    return found
