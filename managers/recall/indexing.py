"""Keeping the indexes like the files: what is new goes in, what is gone goes out, nothing else is touched."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from managers.memory.log.format import Record, parse
from managers.recall.chunking import Chunk
from managers.recall.documents import decode, read_document
from managers.recall.embedders import Embedder
from managers.recall.index import MemoryIndex
from managers.recall.listing import vector_text
from managers.recall.sources import (
    READERS,
    IndexName,
    Source,
    chunks_of_document,
    chunks_of_log,
    glimpses,
    source_of,
    sources,
)
from managers.recall.store import FileRecord
from managers.recall.word_vectors import WordVectors
from managers.storage.errors import Notice, UtataneError
from managers.storage.files import dump_json, open_binary, read_bytes, write_atomic
from managers.storage.paths import PersonaPaths
from managers.storage.settings import RecallSettings

CHECKPOINT_FILES = 5
CHECKPOINT_CHUNKS = 2000

LOGS = ("log_archive", "current_log")

_GLANCE = 64 * 1024
"""So much of a log is read to see whether a search has to wait for it."""

Indexes = Mapping[IndexName, MemoryIndex]
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Step:
    """One change of what is indexed of a file; a file with very much that is new takes several."""

    index: IndexName
    old: FileRecord | None
    new: FileRecord | None
    removed: Sequence[str] = ()
    added: Sequence[Chunk] = ()


@dataclass
class Outcome:
    """What a round of indexing did."""

    files: int = 0
    static_files: int = 0
    added: int = 0
    removed: int = 0
    notices: list[Notice] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Stale:
    source: Source
    old: FileRecord | None

    @property
    def growth(self) -> int:
        """How many bytes are to be read and cut: of a log what is new, of anything else all of it."""
        if self.source.type in LOGS and self.old is not None and self.source.size >= self.old.size:
            return self.source.size - self.old.size
        return self.source.size


class Indexer:
    """Brings the indexes up to date with a persona's files. Its caller holds the indexes' lock."""

    def __init__(self, paths: PersonaPaths, indexes: Indexes, settings: RecallSettings) -> None:
        """Take the persona, its indexes, and the settings for cutting passages."""
        self._paths = paths
        self._indexes = indexes
        self._settings = settings
        self._tools: tuple[Embedder | None, WordVectors | None] = (None, None)

    @property
    def cut(self) -> str:
        """How passages are cut, as an index notes it: their greatest length and what two of them share."""
        return f"{self._size}/{self._overlap}"

    @property
    def _size(self) -> int:
        return self._settings.chunk_size

    @property
    def _overlap(self) -> int:
        return min(self._settings.chunk_overlap, self._size // 2)

    def changed(self, shown: Collection[str] = ()) -> bool:
        """Tell by a look at the files' sizes and times whether anything is to be done.

        Args:
            shown: messages that need not be found; a log that only they were added to counts as unchanged.
        """
        stale, gone = self._look()
        return bool(gone) or not all(self._tells_only(one, shown) for one in stale)

    def run(
        self,
        embedder: Embedder | None,
        words: WordVectors | None = None,
        progress: Progress | None = None,
        at_most: int | None = None,
    ) -> Outcome:
        """Index what has changed, with a checkpoint every five files or two thousand passages.

        Args:
            embedder: makes vectors at once; None: later.
            words: lists passages by the meaning of their Japanese words too.
            progress: is told (bytes done, bytes in all).
            at_most: leave everything for later if there are more new bytes than this.
        """
        outcome = Outcome()
        self._tools = (embedder, words)
        stale, gone = self._look()
        if at_most is not None and sum(one.growth for one in stale) > at_most:
            stale = []
        total = sum(one.source.size for one in stale)
        done = 0
        for name, record in gone:
            self._commit([Step(name, record, None)], outcome)
        pending: list[Step] = []
        for number, one in enumerate(stale, 1):
            for step in self._steps(one, outcome):
                pending.append(step)
                if len(step.added) >= CHECKPOINT_CHUNKS:
                    self._commit(pending, outcome)
                    pending = []
            if number % CHECKPOINT_FILES == 0:
                self._commit(pending, outcome)
                pending = []
            done += one.source.size
            if progress:
                progress(done, total)
        self._commit(pending, outcome)
        for correction in self._corrected(outcome):
            self._commit([correction], outcome)
        if outcome.files:
            for index in self._indexes.values():
                index.save_snapshot()
        if outcome.static_files:
            self._write_processed()
        return outcome

    def texts(self) -> Iterator[str]:
        """Yield the text of every passage that there is to index: for corpus weights."""
        for source in sources(self._paths):
            for step in self._steps(_Stale(source, None), Outcome()):
                yield from (vector_text(chunk.text, chunk.heading) for chunk in step.added)

    # What is to be done

    def _look(self) -> tuple[list[_Stale], list[tuple[IndexName, FileRecord]]]:
        """Return which files are new or changed, and which are gone."""
        known = {name: dict(index.store.files()) for name, index in self._indexes.items()}
        stale = []
        for seen in glimpses(self._paths):
            old = known[seen.held_by].pop(seen.name, None)
            if old is None or old.stamp != seen.stamp:
                stale.append(_Stale(source_of(self._paths, seen), old))
        return stale, [(name, record) for name, records in known.items() for record in records.values()]

    def _tells_only(self, one: _Stale, shown: Collection[str]) -> bool:
        """Whether all that was added to a log since it was indexed are these messages."""
        if not shown or one.source.type != "current_log" or one.old is None or not 0 < one.growth <= _GLANCE:
            return False
        end = int(json.loads(one.old.state)["end"])
        with open_binary(one.source.path) as file:
            file.seek(end)
            records = parse(file.read(), end).records
        return all(not record.is_control and record.message.id in shown for record in records)

    def _steps(self, one: _Stale, outcome: Outcome) -> Iterator[Step]:
        source, old = one.source, one.old
        try:
            data = read_bytes(source.path)
        except UtataneError as error:
            outcome.notices.append(Notice("recall-unreadable", error.sentence("ja"), error.sentence("en")))
            return
        if data is None:
            return
        if source.type in LOGS:
            yield from self._log_steps(source, old, data)
            return
        digest = hashlib.sha256(data).hexdigest()
        new = FileRecord(0, source.name, source.type, digest, len(data), source.stamp, "{}")
        if old is not None and old.digest == digest:
            yield Step(source.index, old, new)
            return
        try:
            chunks = self._chunks(source, data)
        except UtataneError as error:
            outcome.notices.append(Notice("recall-document", error.sentence("ja"), error.sentence("en")))
            chunks = []
        yield from self._difference(source.index, old, new, chunks)

    def _chunks(self, source: Source, data: bytes) -> list[Chunk]:
        if source.type == "knowledge":
            return chunks_of_document(read_document(source.path), self._size, self._overlap)
        return READERS[source.type](source.path.stem, decode(data), self._size, self._overlap)

    # Logs

    def _log_steps(self, source: Source, old: FileRecord | None, data: bytes) -> Iterator[Step]:
        state = json.loads(old.state) if old else {}
        end = int(state.get("end", 0))
        grown = old is not None and end <= len(data) and hashlib.sha256(data[:end]).hexdigest() == old.digest
        start = end if grown else 0
        parsed = parse(data[start:], start)
        changes = dict(state.get("changes", {})) if grown else {}
        changes.update({r.target: None if r.deletes else r.message.text for r in parsed.records if r.target})
        digest = hashlib.sha256(data[: parsed.end]).hexdigest()
        held = json.dumps({"end": parsed.end, "changes": changes}, ensure_ascii=False)
        new = FileRecord(0, source.name, source.type, digest, len(data), source.stamp, held)
        corrections = {**self._corrections(), **changes}
        chunks = self._log_chunks(source, parsed.records, corrections)
        if grown:
            yield from _parts(source.index, old, new, (), chunks)
        else:
            yield from self._difference(source.index, old, new, chunks)

    def _log_chunks(
        self, source: Source, records: Iterable[Record], corrections: Mapping[str, str | None]
    ) -> list[Chunk]:
        return chunks_of_log(records, source.type, corrections, self._size, self._overlap)

    def _corrections(self) -> dict[str, str | None]:
        """Return what the control records of all log files say; the newest file has the last word."""
        found: dict[str, str | None] = {}
        for index in (self._indexes["static"], self._indexes["current"]):
            for record in sorted(index.store.files(LOGS).values(), key=lambda record: record.path):
                found.update(json.loads(record.state).get("changes", {}))
        return found

    def _corrected(self, outcome: Outcome) -> Iterator[Step]:
        """Yield what corrections change in files that are otherwise as they were."""
        if not outcome.files:
            return
        store = self._indexes["current"].store
        corrections = self._corrections()
        held: dict[str, str | None] = json.loads(store.meta("corrections") or "{}")
        if held == corrections:
            return
        changed = {one for one in {*held, *corrections} if held.get(one, "") != corrections.get(one, "")}
        for source in sources(self._paths):
            old = self._indexes[source.index].store.files(LOGS).get(source.name)
            if old is None or not self._concerns(source, old, changed):
                continue
            data = read_bytes(source.path) or b""
            chunks = self._log_chunks(source, parse(data[: int(json.loads(old.state)["end"])]).records, corrections)
            yield from self._difference(source.index, old, old, chunks)
        store.set_meta("corrections", json.dumps(corrections, ensure_ascii=False))

    def _concerns(self, source: Source, old: FileRecord, changed: Collection[str]) -> bool:
        """Whether one of these messages is, or once was, in a file."""
        index = self._indexes[source.index]
        if any(index.has_unit(old, unit) for unit in changed):
            return True
        # A message that had been deleted and is there again is in no index: any file may hold it.
        return any(not self._is_indexed(unit) for unit in changed)

    def _is_indexed(self, unit: str) -> bool:
        return any(
            index.has_unit(record, unit)
            for index in self._indexes.values()
            for record in index.store.files(LOGS).values()
        )

    # Carrying out

    def _difference(
        self, name: IndexName, old: FileRecord | None, new: FileRecord, chunks: Sequence[Chunk]
    ) -> Iterator[Step]:
        """Yield what makes the old passages into the new ones, unit by unit."""
        held = self._indexes[name].store_units(old) if old else {}
        wanted = {chunk.unit: chunk.digest for chunk in chunks}
        removed = [unit for unit, digest in held.items() if wanted.get(unit) != digest]
        fresh = {unit for unit, digest in wanted.items() if held.get(unit) != digest}
        yield from _parts(name, old, new, removed, [chunk for chunk in chunks if chunk.unit in fresh])

    def _commit(self, steps: Sequence[Step], outcome: Outcome) -> None:
        embedder, words = self._tools
        for name, group in groupby(sorted(steps, key=lambda step: step.index), lambda step: step.index):
            index = self._indexes[name]
            with index.store.transaction():
                for step in group:
                    # An earlier part of the same file may have given it its number.
                    path = (step.new or step.old).path  # type: ignore[union-attr]  # one of them is there
                    old = step.old or index.store.file(path)
                    index.writer.apply(old, step.new, step.removed, step.added, embedder, words)
                    outcome.files += 1
                    outcome.static_files += name == "static"
                    outcome.added += len(step.added)
                    outcome.removed += len(step.removed) + (step.new is None)

    def _write_processed(self) -> None:
        """Write the list of what is indexed, for people and for comparison; the truth is in the index."""
        listing = {
            name: {
                record.path: {"type": record.type, "sha256": record.digest, "bytes": record.size}
                for record in sorted(index.store.files().values(), key=lambda record: record.path)
            }
            for name, index in self._indexes.items()
        }
        write_atomic(self._paths.rag_index / "processed_static_files.json", dump_json(listing["static"]))


def _parts(
    name: IndexName, old: FileRecord | None, new: FileRecord, removed: Sequence[str], added: Sequence[Chunk]
) -> Iterator[Step]:
    """Yield a change in one step, or in several that each leave the file marked as unfinished but the last."""
    unfinished = FileRecord(0, new.path, new.type, "", 0, "", '{"end": 0}')
    at = 0
    while len(added) - at > CHECKPOINT_CHUNKS:
        cut = at + CHECKPOINT_CHUNKS
        while cut < len(added) and added[cut].unit == added[cut - 1].unit:
            cut += 1
        yield Step(name, old, unfinished, removed, added[at:cut])
        removed, at = (), cut
    yield Step(name, old, new, removed, added[at:])
