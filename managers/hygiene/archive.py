"""The archive of memories: what was put away, out of search and prompts, and how it comes back.

`memory/archive_<moment>.json.gz` holds what one run put away. Such a file is written once and never changed (but by an
erasure): what has come back is told by the memories themselves. So undoing the run takes its file away, and nothing else.

Facts for which a card had no room lie in `memory/entity_facts_archived_NNN.json`, where whoever writes cards puts them
(`WorkingCopy.files`). They are listed here, and come back, like all others.
"""

import gzip
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any, Final, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from managers.hygiene.errors import NotInArchiveError, PlaceTakenError
from managers.hygiene.inventory import Kind, Memory, fact_value, find, of_entity, put_back, take_out
from managers.memory.entities import is_safe
from managers.memory.entity_cards import parse_entity
from managers.memory.entry_files import shelves
from managers.memory.forgotten import forgotten_words
from managers.memory.json_documents import TIME, JsonFile, encode, entries_of
from managers.memory.log.reader import LogReader
from managers.memory.working_copy import FACTS_SHELF, WorkingCopy
from managers.storage.clock import Clock
from managers.storage.errors import Notice
from managers.storage.files import MAX_BYTES, files, read_bytes, set_aside
from managers.storage.json_text import NotJsonError, load_json
from managers.storage.opening import look
from managers.storage.paths import PersonaPaths

Reason = Literal["pruned", "collected", "merged", "expired", "crowded"]
REASONS: Final[tuple[Reason, ...]] = get_args(Reason)
_FILES: Final = "archive_*.json.gz"


class PutAway(BaseModel):
    """One memory in the archive.

    Attributes:
        id, kind, place, text: as in `Memory`.
        why: `pruned` (it had faded), `collected` (its generation was long past), `merged` (another one holds what it
            said), `expired` (it was kept longer than the person wants), `crowded` (its card held too many facts).
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
        """Yield all that lies in the archive and has not come back, newest first."""
        seen = set()
        for entry in self._all():
            if entry.id not in seen and not _is_back(copy, entry):
                yield entry
            seen.add(entry.id)

    def offered(self, copy: WorkingCopy) -> list[PutAway]:
        """Return what may come back, newest first: all but what rests on words that were taken back since."""
        found = list(self.entries(copy))
        if not found:
            return []
        log = LogReader(self._paths, self._clock)
        taken_back = _TakenBack(
            log.deleted(), {said.id: said.time.date() for wish in forgotten_words(log) for said in wish.messages}
        )
        return [entry for entry in found if not taken_back.has(entry)]

    def restore(self, copy: WorkingCopy, ids: Sequence[str] | None) -> list[PutAway]:
        """Put memories back into a working copy, days before what happened on them; with None all that can be.

        What comes back begins a new rest, so that the next night does not put it away again.

        Raises:
            NotInArchiveError: one of them is not there; nothing was changed.
            PlaceTakenError: one has no place any more; nothing was changed.
        """
        there = {entry.id: entry for entry in self.offered(copy) if ids is None or entry.id in ids}
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

    def _all(self) -> Iterator[PutAway]:
        for path in reversed(self.paths()):
            yield from self.read(path)
        for path in reversed(shelves(self._paths.memory / FACTS_SHELF)):
            yield from self._shelved(path)

    def _shelved(self, path: Path) -> Iterator[PutAway]:
        """Yield the facts on one shelf, as of the day on which it was written."""
        file, status = JsonFile(self._paths, path, self._clock, dict), look(path)
        written = datetime.fromtimestamp(status.st_mtime) if status else self._clock.now()  # noqa: DTZ006  # local, as all times
        for name, lines in file.read().items():
            if not is_safe(name) or not isinstance(lines, list):
                continue
            entity = parse_entity(name, "\n".join(map(str, lines)))
            for fact, memory in zip(entity.facts, of_entity(entity), strict=True):
                yield _entry(Going(memory, "crowded"), fact_value(entity, fact), written)
        self.notices += file.take_notices()

    def _new_path(self, now: datetime) -> Path:
        stem, number = f"archive_{now:%Y%m%d-%H%M%S}", 0
        while (path := self._paths.memory / f"{stem}-{number:02d}.json.gz").exists():
            number += 1
        return path


@dataclass(frozen=True, slots=True)
class _TakenBack:
    """Words that were taken back.

    Attributes:
        deleted: the messages.
        forgotten: those that somebody asked to have forgotten, with the days on which they were said.
    """

    deleted: Collection[str]
    forgotten: Mapping[str, date]

    def has(self, entry: PutAway) -> bool:
        """Tell whether a memory would have gone with these words, had it been active (`managers.sleep.withdrawal`).

        A day would have been dreamt anew. Of a fact that was told before, too, a wish to forget takes the later telling.
        """
        evidence = [str(one) for one in entry.value.get("evidence") or ()]
        gone = [one in self.deleted for one in evidence]
        if entry.kind == "day":
            return any(gone)
        asked = [self.forgotten[one] for one in evidence if one in self.forgotten]
        if asked and not (entry.kind == "fact" and str(entry.value.get("since", "")) < min(asked).isoformat()):
            return True
        return bool(gone) and all(gone)


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
    count = len(value.get("key_events", ()))
    standings = [*value.get("key_event_standings", ()), *({} for _ in range(count))][:count]
    events = [{**one, "last_accessed": day} for one in standings]
    return value | {"last_accessed": day} | ({"key_event_standings": events} if events else {})


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
