"""What is changed of what is indexed, file by file; one that cannot be indexed is noted, and the others are."""

import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Final

from managers.recall.embedders import Embedder
from managers.recall.errors import MemoryBrokenError
from managers.recall.hits import LOG_TYPES
from managers.recall.index.chunking import Chunk
from managers.recall.index.index_writer import try_out
from managers.recall.index.memory_index import MemoryIndex
from managers.recall.index.sources import IndexName, Source
from managers.recall.index.store import FileRecord
from managers.recall.index.unread import Unread
from managers.recall.index.word_vectors import WordVectors
from managers.storage.errors import Notice, UtataneError

CHECKPOINT_CHUNKS = 2000
UNCORRECTED = "uncorrected"
"""Noted with a log's own step: what its corrections change elsewhere is another step, which may fail or be killed."""

Indexes = Mapping[IndexName, MemoryIndex]
_ORDER: Final[tuple[IndexName, ...]] = ("static", "dynamic", "current")

_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Stale:
    """A file that is new or changed, and what is indexed of it."""

    source: Source
    old: FileRecord | None

    @property
    def growth(self) -> int:
        """How many bytes are to be read and cut: of a log what is new, of anything else all of it."""
        if self.source.type in LOG_TYPES and self.old is not None and self.source.size >= self.old.size:
            return self.source.size - self.old.size
        return self.source.size


@dataclass(frozen=True, slots=True)
class Step:
    """One change of what is indexed of a file; a file with very much that is new takes several."""

    index: IndexName
    old: FileRecord | None
    new: FileRecord | None
    removed: Sequence[str] = ()
    added: Sequence[Chunk] = ()

    @property
    def path(self) -> str:
        record = self.new or self.old
        assert record is not None
        return record.path

    @property
    def corrects(self) -> bool:
        """Whether its file says, or said, that messages read otherwise now: also those in other files."""
        states = [json.loads(record.state) for record in (self.old, self.new) if record is not None]
        return any(state.get("changes") for state in states)


@dataclass
class Outcome:
    """What a round of indexing did; `given_up` are files that could be read and not indexed."""

    files: int = 0
    static_files: int = 0
    added: int = 0
    removed: int = 0
    notices: list[Notice] = field(default_factory=list)
    given_up: set[str] = field(default_factory=set)


@dataclass
class Carrier:
    """Carries out the steps of a round."""

    indexes: Indexes
    embedder: Embedder | None
    words: WordVectors | None
    conditions: str
    """Under which files are read, for those that cannot be."""
    outcome: Outcome = field(default_factory=Outcome)

    def commit(self, steps: Sequence[Step]) -> None:
        """Carry out steps: all of one index, or none; without the file that stands in the way.

        The current log comes last: what moves out of it into the archives is found meanwhile, in one of the two.
        """
        steps = [step for step in steps if step.path not in self.outcome.given_up]
        for name, group in groupby(sorted(steps, key=lambda step: _ORDER.index(step.index)), lambda step: step.index):
            changes = list(group)
            try:
                self._write(name, changes)
            except UtataneError:
                raise
            except Exception:
                guilty = {step.path for step in changes if self._fails_by_itself(step)}
                if not guilty:
                    raise  # the disk or the index, no file's fault
                _logger.exception("%s could not be indexed", ", ".join(sorted(guilty)))
                self.outcome.given_up |= guilty
                self._write(name, [step for step in changes if step.path not in guilty])
                for path in sorted(guilty):
                    self._give_up(name, path, [step for step in changes if step.path == path][-1])

    def _fails_by_itself(self, step: Step) -> bool:
        """Whether the passages of a step cannot be indexed, in whatever index."""
        try:
            try_out(step.added, self.embedder, self.words)
        except Exception:  # noqa: BLE001  # logged by the caller, who asks for each file in turn
            return True
        return False

    def _give_up(self, name: IndexName, path: str, step: Step) -> None:
        """Note that a file cannot be indexed, and find nothing in it."""
        why = Unread.because(MemoryBrokenError(path=path), self.conditions)
        index = self.indexes[name]
        old = index.store.file(path)
        if step.new is not None:
            held = list(index.store_units(old)) if old else []
            self._write(name, [Step(name, old, replace(step.new, state=why.state), held)])

    def _write(self, name: IndexName, steps: Sequence[Step]) -> None:
        index = self.indexes[name]
        with index.store.transaction():
            for step in steps:
                # An earlier part of the same file may have given it its number.
                old = step.old or index.store.file(step.path)
                index.writer.apply(old, step.new, step.removed, step.added, self.embedder, self.words)
                if step.corrects:
                    index.store.set_meta(UNCORRECTED, "1")
        outcome = self.outcome
        for step in steps:
            outcome.files += 1
            outcome.static_files += name == "static"
            outcome.added += len(step.added)
            outcome.removed += len(step.removed) + (step.new is None)


def difference(
    indexes: Indexes, name: IndexName, old: FileRecord | None, new: FileRecord, chunks: Sequence[Chunk]
) -> Iterator[Step]:
    """Yield what makes the old passages of a file into the new ones, unit by unit."""
    held = indexes[name].store_units(old) if old else {}
    wanted = {chunk.unit: chunk.digest for chunk in chunks}
    removed = [unit for unit, digest in held.items() if wanted.get(unit) != digest]
    fresh = {unit for unit, digest in wanted.items() if held.get(unit) != digest}
    yield from in_parts(name, old, new, removed, [chunk for chunk in chunks if chunk.unit in fresh])


@contextmanager
def understanding(source: Source) -> Iterator[None]:
    """Let whatever a file's content raises be that file's error; no index is read or written meanwhile."""
    try:
        yield
    except Exception as error:
        _logger.exception("%s could not be understood", source.name)
        raise MemoryBrokenError(path=source.name) from error


def in_parts(
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
