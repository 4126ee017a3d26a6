"""Which files are memories, of what kind, and how each kind becomes passages."""

import contextlib
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from itertools import chain
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from pydantic import ValidationError

from managers.memory.confidence import NEVER_FADES, Origin, Standing, day_of, fading_of
from managers.memory.entity_cards import parse_entity
from managers.memory.episodes import Episode
from managers.memory.insights import Insight
from managers.memory.json_documents import USER
from managers.memory.log.format import Record
from managers.memory.log.log_files import archives_of
from managers.memory.messages import UNKNOWN
from managers.recall.documents.document_loader import DOCUMENTS
from managers.recall.documents.parts import Part, as_heading
from managers.recall.documents.text import heading_of
from managers.recall.hits import ALL_TYPES, MemoryType
from managers.recall.index.chunking import Chunk, chunks_of_message, split
from managers.recall.index.index_terms import unit_digest
from managers.storage.copies import are_same, copies_in
from managers.storage.errors import NotPlainFileError
from managers.storage.json_text import NotJsonError, load_json
from managers.storage.opening import NotPlainError, kind_of, look
from managers.storage.paths import PersonaPaths
from managers.storage.watching import Identity, Listing, listing

IndexName = Literal["static", "dynamic", "current"]


_DAY = re.compile(r"(\d{4})[-/年.](\d{1,2})[-/月.](\d{1,2})")
_BESIDE_DATE = 12
"""A weekday and brackets."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file that holds memories.

    Attributes:
        name: its path relative to the persona's folder, with `/`.
        index: which of the three indexes it belongs to.
        stamp: what changes when the file does.
    """

    path: Path
    name: str
    type: MemoryType
    index: IndexName
    stamp: str
    size: int


class Glimpse(NamedTuple):
    """What a look at a folder tells of a file; ten thousand are looked at before each search."""

    name: str
    type: MemoryType
    held_by: IndexName
    stamp: str
    size: int


class _Folder(NamedTuple):
    """Where files of a kind lie, and how their names begin and end."""

    files: Listing
    type: MemoryType
    held_by: IndexName
    beginning: str
    endings: tuple[str, ...]

    def seen(self, there: Mapping[str, Identity]) -> list[Glimpse]:
        """Return the files of this kind among those that are there, without copies that sync tools left of them."""
        found = {name: one for name, one in there.items() if self._fits(name)}
        for copy in copies_in(self.files.folder, found, are_same if self.type == "knowledge" else None):
            found.pop(copy, None)
        within = f"{self.files.folder.name}/"
        return [_seen(within + name, self.type, self.held_by, found[name]) for name in sorted(found)]

    def _fits(self, name: str) -> bool:
        return name.startswith(self.beginning) and name.lower().endswith(self.endings)


class MemoryFiles:
    """Every file of a persona that is to be indexed. The secret diary is none of them."""

    def __init__(self, paths: PersonaPaths) -> None:
        """Take the persona's folder; the first look is one at each file."""
        self._paths = paths
        own, log = listing(paths.memory, _is_of_memory), archives_of(paths)
        self._folders = (
            _Folder(own, "diary", "static", "memory", (".txt",)),  # memory_main.txt, its archives, a person's own
            _Folder(own, "dream_insight", "static", "insights_archived_", (".json",)),
            _Folder(log, "log_archive", "static", "", (".txt",)),
            _Folder(listing(paths.episodic_memory), "episodic_memory", "static", "", (".json",)),
            _Folder(listing(paths.entity_memory), "entity_memory", "static", "", (".md",)),
            _Folder(listing(paths.knowledge), "knowledge", "dynamic", "", DOCUMENTS),
        )
        self._looked: tuple[tuple[Mapping[str, Identity], ...], tuple[Glimpse, ...]] | None = None
        self.look_again()

    def look_again(self) -> None:
        """Look at each file when they are asked for next."""
        for folder in self._folders:
            folder.files.forget()

    def all(self, types: Collection[MemoryType] = ALL_TYPES) -> Iterator[Source]:
        """Yield every file of some types, as it is now."""
        return (self.source_of(seen) for seen in (*self.alone(), *self.in_folders()) if seen.type in types)

    def source_of(self, seen: Glimpse) -> Source:
        """Return a file that was seen."""
        return Source(self._paths.folder / seen.name, seen.name, seen.type, seen.held_by, seen.stamp, seen.size)

    def alone(self) -> Iterator[Glimpse]:
        """Yield those that lie beside others of other kinds, seen from outside."""
        for name, kind, index in _ALONE:
            with contextlib.suppress(NotPlainError):
                if (status := look(self._paths.folder / name)) is not None and kind_of(status) == "file":
                    yield _seen(name, kind, index, Identity.of(status))

    def in_folders(self) -> tuple[Glimpse, ...]:
        """Return those that fill folders of their own, seen from outside; the same object as long as nothing changes."""
        looked = {one: _files_in(one) for one in dict.fromkeys(folder.files for folder in self._folders)}
        there = tuple(looked[folder.files] for folder in self._folders)
        known = self._looked
        if known is None or any(now is not before for now, before in zip(there, known[0], strict=True)):
            found = (folder.seen(files) for folder, files in zip(self._folders, there, strict=True))
            known = self._looked = (there, tuple(chain.from_iterable(found)))
        return known[1]


_ALONE: Final[tuple[tuple[str, MemoryType, IndexName], ...]] = (
    ("log.txt", "current_log", "current"),
    ("core_memory.txt", "note", "static"),
    ("notepad.txt", "note", "static"),
    ("memory/insights.json", "dream_insight", "static"),
)
ALONE: Final = frozenset(name for name, *_ in _ALONE)
"""The names of the files that lie beside others of other kinds."""
_NOTHING: Final[Mapping[str, Identity]] = {}


def _is_of_memory(name: str) -> bool:
    return name.startswith(("memory", "insights_archived_"))


def _files_in(files: Listing) -> Mapping[str, Identity]:
    """Return what is in a folder; one that is a link is left out, as all links are."""
    try:
        return files.files()
    except NotPlainFileError:
        return _NOTHING


def has_documents(paths: PersonaPaths) -> bool:
    """Tell whether there is anything in the knowledge base."""
    documents = _Folder(listing(paths.knowledge), "knowledge", "dynamic", "", DOCUMENTS)
    return bool(documents.seen(_files_in(documents.files)))


def _seen(name: str, kind: MemoryType, index: IndexName, found: Identity) -> Glimpse:
    return Glimpse(name, kind, index, f"{found.inode}:{found.size}:{found.modified_ns}", found.size)


def chunks_of_log(
    records: Iterable[Record], kind: MemoryType, corrections: Mapping[str, str | None], size: int, overlap: int
) -> list[Chunk]:
    """Return the passages of a log's messages as they read now; the program's own records are none."""
    found: list[Chunk] = []
    for record in records:
        message = record.message
        if record.is_control or message.role == "system" or record.damage == "header":
            continue
        if message.id in corrections:
            text = corrections[message.id]
            if text is None:
                continue
            message = replace(message, text=text)
        found += sealed(chunks_of_message(message, kind, size, overlap))
    return found


def chunks_of_episode(text: str, size: int, overlap: int) -> list[Chunk]:
    """Return the passages of a day's episode: its summary, and each key event with its own evidence."""
    value = _json(text)
    if not isinstance(value, dict):
        return []
    day = _moment(str(value.get("date", "")))
    events = [str(event) for event in _list(value.get("key_events"))]
    evidence, standings = _list(value.get("key_event_evidence")), _list(value.get("key_event_standings"))
    kept = _is_kept(value, Episode)
    text, ids = str(value.get("summary", "")), _ids(value.get("evidence"), value)
    found = _pieces(text, "episodic_memory", "summary", size, overlap, day, ids)
    found = _trusted(found, value, kept=kept)
    for number, event in enumerate(events):
        ids = _ids(evidence[number] if number < len(evidence) else (), value)
        pieces = _pieces(event, "episodic_memory", f"event {number}", size, overlap, day, ids)
        found += _trusted(pieces, standings[number] if number < len(standings) else {}, kept=kept)
    return found


def chunks_of_insights(text: str, size: int, overlap: int) -> list[Chunk]:
    """Return the passages of the dream diary, one or more an entry."""
    found: list[Chunk] = []
    for entry in _list(_json(text)):
        if not isinstance(entry, dict):
            continue
        made = str(entry.get("created_at", ""))
        parts = [str(entry.get(key, "")).strip() for key in ("insight", "log_entry")]
        unit = str(entry.get("id") or made)
        body = "\n".join(part for part in parts if part)
        topic = str(entry.get("trigger_topic", ""))
        ids = _ids(entry.get("evidence"), entry)
        told = _moment(str(entry.get("day") or made))  # a night writes of the day before
        pieces = _pieces(body, "dream_insight", unit, size, overlap, told, ids, topic)
        found += _trusted(pieces, entry, kept=_is_kept(entry, Insight), origin="insight", made=_moment(made))
    return found


def chunks_of_entity(name: str, text: str, size: int, overlap: int) -> list[Chunk]:
    """Return the passages of an entity's file: what people read in it, under its name."""
    entity = parse_entity(name, text)
    heading = " / ".join(entity.names)
    made = _moment(entity.created)
    pieces = _pieces(entity.text(), "entity_memory", "facts", size, overlap, made, entity.evidence, heading)
    facts = (fading_of(fact.standing, "experience", day_of(fact.since)) for fact in entity.facts)
    newest = max(facts, key=lambda fading: (fading.since or date.max, fading.began), default=NEVER_FADES)
    fading = NEVER_FADES if entity.is_pinned else newest
    return sealed([replace(one, fading=fading) for one in pieces])


def chunks_of_diary(text: str, kind: MemoryType, size: int, overlap: int) -> list[Chunk]:
    """Return the passages of a text that a person or the persona writes on.

    Each paragraph is a unit named by its content, so writing on costs what was written. A date that
    stands in a line of its own, or in a heading, holds for what follows.
    """
    found: list[Chunk] = []
    seen: dict[str, int] = {}
    time: datetime | None = None
    heading = ""
    for paragraph in re.split(r"\n\s*\n", text.replace("\r\n", "\n")):
        lines = paragraph.strip().splitlines()
        begin = 0
        while begin < len(lines) and (title := _title(lines[begin])):
            heading = title
            time = _moment(heading) or time
            begin += 1
        body = "\n".join(lines[begin:])
        if not body.strip():
            continue
        pieces = _pieces(body, kind, "", size, overlap, time, (), heading)
        unit = pieces[0].digest.hex()
        seen[unit] = seen.get(unit, 0) + 1
        found += [replace(piece, unit=f"{unit} {seen[unit]}") for piece in pieces]
    return found


def chunks_of_document(parts: Sequence[Part], size: int, overlap: int) -> list[Chunk]:
    """Return the passages of a knowledge document; a unit is a part's place, so writing on changes only the end."""
    return [
        chunk
        for number, part in enumerate(parts)
        for chunk in _pieces(part.text, "knowledge", f"{number}", size, overlap, None, (), part.heading)
    ]


def sealed(chunks: list[Chunk]) -> list[Chunk]:
    """Return a unit's passages with the unit's digest."""
    mark = unit_digest(chunks)
    return [replace(chunk, digest=mark) for chunk in chunks]


def _pieces(
    text: str,
    kind: MemoryType,
    unit: str,
    size: int,
    overlap: int,
    time: datetime | None,
    ids: tuple[str, ...],
    heading: str = "",
) -> list[Chunk]:
    heading = as_heading(heading)
    return sealed(
        [
            Chunk(text=piece, type=kind, unit=unit, message_ids=ids, time=time, heading=heading)
            for piece in split(text, size, overlap)
        ]
    )


def _trusted(
    chunks: list[Chunk], value: object, *, kept: bool, origin: Origin = "experience", made: datetime | None = None
) -> list[Chunk]:
    """Return the passages of a dreamt memory, sealed anew, with its C-value.

    Args:
        chunks: the passages.
        value: the fields that tell how it stands (`Standing`), among others.
        kept: whether a person pinned or wrote it.
        origin: what it came from.
        made: when it was made; the day that it tells of, if not given.
    """
    since = made or (chunks[0].time if chunks else None)
    standing = Standing.model_validate(value if isinstance(value, dict) else {})
    fading = NEVER_FADES if kept else fading_of(standing, origin, since.date() if since else None)
    return sealed([replace(one, fading=fading) for one in chunks])


def _is_kept(value: Mapping[str, Any], model: type[Episode | Insight]) -> bool:
    """Tell whether a person pinned or wrote a memory; what is no such memory, nobody did."""
    try:
        memory = model.model_validate(value)
    except ValidationError:
        return False
    return memory.is_pinned or (memory.is_users if isinstance(memory, Episode) else memory.mind == USER)


def _title(line: str) -> str:
    """Return what a heading, or a line that is a date, says; nothing for any other line."""
    if found := heading_of(line):
        return found[1]
    day = _DAY.search(line)
    return line.strip() if day and len(line.strip()) <= len(day.group()) + _BESIDE_DATE else ""


def _moment(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        match = _DAY.search(text)
    try:
        return datetime.combine(date(*(int(part) for part in match.groups())), datetime.min.time()) if match else None
    except ValueError:
        return None


def _json(text: str) -> object:
    try:
        return load_json(text)
    except NotJsonError:
        return None  # whoever owns the file sets it aside with a notice; there is nothing to find in it


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _ids(evidence: object, memory: Mapping[str, object]) -> tuple[str, ...]:
    """Return what a memory rests on: messages, and `UNKNOWN` for the foreign words that it is marked with itself."""
    return (*(str(one) for one in _list(evidence)), *((UNKNOWN,) if memory.get("origins") else ()))


TextReader = Callable[[str, str, int, int], list[Chunk]]

READERS: dict[MemoryType, TextReader] = {
    "episodic_memory": lambda _, text, size, overlap: chunks_of_episode(text, size, overlap),
    "dream_insight": lambda _, text, size, overlap: chunks_of_insights(text, size, overlap),
    "entity_memory": chunks_of_entity,
    "diary": lambda _, text, size, overlap: chunks_of_diary(text, "diary", size, overlap),
    "note": lambda _, text, size, overlap: chunks_of_diary(text, "note", size, overlap),
}
"""How a file of each kind is read: (name without suffix, text, size, overlap) → passages. Logs and documents have their own ways."""
