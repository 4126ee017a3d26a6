"""Keeping the indexes like the files: what is new goes in, what is gone goes out, nothing else is touched."""

import hashlib
import json
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from managers.memory.log import ConversationLog
from managers.memory.log.format import Record
from managers.memory.log.parsing import parse
from managers.memory.log.whole import PassedOver
from managers.recall.documents.document_loader import look_at, read_document, reading_version
from managers.recall.documents.text import decode
from managers.recall.embedders import Embedder
from managers.recall.embedders.embedder_choice import DRIFT
from managers.recall.errors import DocumentError, DocumentReaderError, DocumentSlowError, MemoryBrokenError
from managers.recall.hits import LOG_TYPES
from managers.recall.index.chunking import Chunk
from managers.recall.index.file_updates import (
    CHECKPOINT_CHUNKS,
    Carrier,
    Indexes,
    Outcome,
    Stale,
    Step,
    difference,
    in_parts,
    understanding,
)
from managers.recall.index.index_terms import vector_text
from managers.recall.index.log_corrections import LogCorrections
from managers.recall.index.sources import (
    ALONE,
    READERS,
    Glimpse,
    IndexName,
    MemoryFiles,
    Source,
    chunks_of_document,
    chunks_of_log,
)
from managers.recall.index.store import FileRecord
from managers.recall.index.unread import Unread, content_key, odd_name, unread_among, why_unread
from managers.recall.index.word_vectors import WordVectors
from managers.storage.errors import Notice, UnreadableError, UtataneError
from managers.storage.files import dump_json, open_binary, read_bytes, write_atomic
from managers.storage.paths import PersonaPaths, is_text
from managers.storage.settings import RecallSettings

CHECKPOINT_FILES = 5

_MUCH = 512 * 1024
"""Bytes; less than this is indexed in seconds."""

_GLANCE = 64 * 1024
"""So much of a log is read to see whether a search has to wait for it."""

_TURN_SECONDS = 1.0
"""So long documents are read while somebody waits for an answer; what takes longer is read after it."""


Progress = Callable[[int, int], None]


class _LaterError(Exception):
    """A document takes longer than somebody who waits for an answer should wait: it is read after that."""


class Indexer:
    """Brings the indexes up to date with a persona's files. Its caller holds the indexes' lock."""

    def __init__(
        self,
        paths: PersonaPaths,
        indexes: Indexes,
        settings: RecallSettings,
        log: ConversationLog,
        unread: Mapping[str, Unread] | None = None,
    ) -> None:
        """Take where files and indexes are; `unread`: what could not be read, by its content, is not tried again."""
        self._paths = paths
        self._indexes = indexes
        self._settings = settings
        self._log = log
        self._corrections = LogCorrections(indexes)
        self._over: PassedOver = {}
        self.unread = dict(unread or {})
        self._until: float | None = None
        self.files = MemoryFiles(paths)
        self._settled: object = None

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
        stale, gone, _ = self._look()
        return bool(gone) or not all(self._tells_only(one, shown) for one in stale)

    def is_outgrown(self) -> bool:
        """Tell whether so much is new, years that were imported say, that weights from what is indexed say nothing of it."""
        new = sum(one.growth for one in self._look()[0])
        held = sum(one.size for index in self._indexes.values() for one in index.store.files().values())
        return new > max(_MUCH, DRIFT * held)

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
        carrier = Carrier(self._indexes, embedder, words, self._conditions)
        outcome = carrier.outcome
        self._until = None if at_most is None else time.monotonic() + _TURN_SECONDS
        self._remember_unread()
        stale, gone, outcome.notices = self._look()
        if stale or gone:
            self._note_missing(stale, gone)
            self._over = self._log.passed_over()
            stale += self._told_otherwise({one.source.name for one in stale})
        if at_most is not None and sum(one.growth for one in stale) > at_most:
            stale = []
        for name, record in gone:
            carrier.commit([Step(name, record, None)])
        # Old days of the log stand in the archives by now: they are found in one of the two all the while.
        stale.sort(key=lambda one: one.source.index == "current" and one.old is not None)
        self._take_in(stale, carrier, progress or (lambda _done, _total: None))
        for correction in self._corrected(outcome):
            carrier.commit([correction])
        if outcome.static_files:
            self._write_processed()
        self.unread = {}
        for record, why in self._remember_unread():
            outcome.notices.append(why.notice(record.type))
        return outcome

    def _take_in(self, stale: Sequence[Stale], carrier: Carrier, progress: Progress) -> None:
        total, done = sum(one.source.size for one in stale), 0
        pending: list[Step] = []
        for number, one in enumerate(stale, 1):
            for step in self._steps(one, carrier.outcome):
                pending.append(step)
                if len(step.added) >= CHECKPOINT_CHUNKS:
                    carrier.commit(pending)
                    pending = []
            if number % CHECKPOINT_FILES == 0:
                carrier.commit(pending)
                pending = []
            done += one.source.size
            progress(done, total)
        carrier.commit(pending)

    def texts(self) -> Iterator[str]:
        """Yield the text of every passage that there is to index: for corpus weights."""
        self._over = self._log.passed_over()
        self._until = None
        self._remember_unread()
        for source in self.files.all():
            if not is_text(source.name):
                continue
            for step in self._steps(Stale(source, None), Outcome()):
                yield from (vector_text(chunk.text, chunk.heading) for chunk in step.added)

    # What is to be done

    def _look(self) -> tuple[list[Stale], list[tuple[IndexName, FileRecord]], list[Notice]]:
        """Return which files are new or changed, which are gone, and which have names that no index can hold."""
        listed = self.files.in_folders()
        marks = [index.store.marks() for name, index in self._indexes.items() if name != "current"]
        state = (listed, self._conditions, marks)
        if state == self._settled:  # of thousands of files none needs another look
            found = self._compared((), ALONE)
        else:
            found = stale, gone, odd = self._compared(listed)
            names = {*(one.source.name for one in stale), *(record.path for _, record in gone)}
            self._settled = state if names <= ALONE and not odd else None
        return found

    def _compared(
        self, listed: Sequence[Glimpse], names: Collection[str] | None = None
    ) -> tuple[list[Stale], list[tuple[IndexName, FileRecord]], list[Notice]]:
        """Compare files with what is indexed of them, or of some names alone."""
        files = {name: index.store.files() for name, index in self._indexes.items()}
        known = {
            index: dict(held) if names is None else {name: held[name] for name in names if name in held}
            for index, held in files.items()
        }
        stale, odd = [], []
        for seen in (*self.files.alone(), *listed):
            if not is_text(seen.name):
                odd.append(odd_name(seen.name))
                continue
            old = known[seen.held_by].pop(seen.name, None)
            if old is None or old.stamp != seen.stamp or self._is_to_try_again(old):
                stale.append(Stale(self.files.source_of(seen), old))
        gone = [(index, record) for index, records in known.items() for record in records.values()]
        return stale, gone, odd

    def _note_missing(self, stale: Sequence[Stale], gone: Sequence[tuple[IndexName, FileRecord]]) -> None:
        """Let the log note which messages were indexed and are in none of its files now, where one is shorter or gone."""
        shorter = [(one.source.index, one.old) for one in stale if one.old and one.source.size < one.old.size]
        held: dict[str, str] = {}
        for name, record in [*gone, *shorter]:
            if record.type in LOG_TYPES:
                held |= self._indexes[name].store.days_of_units(record.id)
        if held:
            self._log.note_missing(held)

    def _is_to_try_again(self, old: FileRecord) -> bool:
        """Whether a file could not be read under conditions that are others now."""
        why = why_unread(old)
        return why is not None and why.tried != self._conditions

    @property
    def _conditions(self) -> str:
        return f"{reading_version()}/{self._settings.document_seconds:g}"

    def _remember_unread(self) -> list[tuple[FileRecord, Unread]]:
        """Note and return which of the files that are indexed could not be read."""
        found = [one for index in self._indexes.values() for one in unread_among(index.store.files().values())]
        self.unread |= {content_key(one.path, one.digest): why for one, why in found if one.digest}
        return found

    def _told_otherwise(self, stale: Collection[str]) -> list[Stale]:
        """Return the logs that are as they were, but of which other messages stand elsewhere too than before."""
        known = {**self._indexes["static"].store.files(LOG_TYPES), **self._indexes["current"].store.files(LOG_TYPES)}
        return [
            Stale(source, known[source.name])
            for source in self.files.all(LOG_TYPES)
            if source.name in known and source.name not in stale
            if json.loads(known[source.name].state).get("passed_over", "") != self._mark_of_passed_over(source)
        ]

    def _mark_of_passed_over(self, source: Source) -> str:
        """Return what changes when other records of a log do not count in it."""
        over = self._over.get(source.path)
        return hashlib.sha256(repr(sorted(over)).encode()).hexdigest()[:16] if over else ""

    def _tells_only(self, one: Stale, shown: Collection[str]) -> bool:
        """Whether all that was added to a log since it was indexed are these messages."""
        if not shown or one.source.type != "current_log" or one.old is None or not 0 < one.growth <= _GLANCE:
            return False
        if why_unread(one.old):
            return False
        end = int(json.loads(one.old.state)["end"])
        with open_binary(one.source.path) as file:
            file.seek(end)
            records = parse(file.read(), end).records
        return all(not record.is_control and record.message.id in shown for record in records)

    def _steps(self, one: Stale, outcome: Outcome) -> Sequence[Step]:
        """Return what is to be done about one file; whatever is wrong with it is no other's concern."""
        source, old = one.source, one.old
        try:
            return list(self._log_steps(source, old) if source.type in LOG_TYPES else self._whole_steps(source, old))
        except (UnreadableError, DocumentReaderError) as error:  # that may pass, so it is tried again
            outcome.notices.append(Notice("recall-unreadable", error.sentence("ja"), error.sentence("en")))
        except _LaterError:
            pass
        except (DocumentError, MemoryBrokenError) as error:
            return self._without(source, old, error)
        return ()

    def _without(self, source: Source, old: FileRecord | None, error: UtataneError) -> Sequence[Step]:
        """Return what is to be done about a file of which not even the digest is known."""
        why = Unread.because(error, self._conditions)
        new = FileRecord(0, source.name, source.type, "", source.size, source.stamp, why.state)
        return list(difference(self._indexes, source.index, old, new, []))

    def _whole_steps(self, source: Source, old: FileRecord | None) -> Iterator[Step]:
        """Yield what is to be done about a file that is always read as a whole."""
        if source.type == "knowledge":
            look_at(source.path.name, source.size)
        data = read_bytes(source.path)
        if data is None:
            return
        digest = hashlib.sha256(data).hexdigest()
        new = FileRecord(0, source.name, source.type, digest, len(data), source.stamp, "{}")
        if old is not None and old.digest == digest and not self._is_to_try_again(old):
            yield Step(source.index, old, replace(new, state=old.state))
            return
        content, chunks = content_key(source.name, digest), list[Chunk]()
        why = self.unread.get(content)
        if why is None or why.tried != self._conditions:
            why = None
            try:
                chunks = self._chunks(source, data)
            except (DocumentError, MemoryBrokenError) as error:
                if isinstance(error, DocumentSlowError) and self._until is not None:
                    raise _LaterError from error
                why = self.unread[content] = Unread.because(error, self._conditions)
        yield from difference(self._indexes, source.index, old, replace(new, state=why.state) if why else new, chunks)

    def _chunks(self, source: Source, data: bytes) -> list[Chunk]:
        if source.type != "knowledge":
            with understanding(source):
                return READERS[source.type](source.path.stem, decode(data), self._size, self._overlap)
        seconds, wait = self._settings.document_seconds, -1.0
        if self._until is not None:
            wait = max(self._until - time.monotonic(), 0)
            seconds = min(seconds, wait)
        parts = read_document(source.path.name, data, seconds, wait)
        return chunks_of_document(parts, self._size, self._overlap)

    # Logs

    def _log_steps(self, source: Source, old: FileRecord | None) -> Iterator[Step]:
        data = read_bytes(source.path)
        if data is None:
            return
        state = json.loads(old.state) if old else {}
        end, passed_over = int(state.get("end", 0)), self._mark_of_passed_over(source)
        grown = (
            old is not None
            and end <= len(data)
            and state.get("passed_over", "") == passed_over
            and hashlib.sha256(data[:end]).hexdigest() == old.digest
        )
        start = end if grown else 0
        with understanding(source):
            parsed = parse(data[start:], start)
        records = self._counting(source, parsed.records)
        changes = dict(state.get("changes", {})) if grown else {}
        changes.update({r.target: None if r.deletes else r.message.text for r in records if r.target})
        digest = hashlib.sha256(data[: parsed.end]).hexdigest()
        held = json.dumps({"end": parsed.end, "changes": changes, "passed_over": passed_over}, ensure_ascii=False)
        new = FileRecord(0, source.name, source.type, digest, len(data), source.stamp, held)
        corrections = self._corrections.told({source.name: changes})
        with understanding(source):
            chunks = chunks_of_log(records, source.type, corrections, self._size, self._overlap)
        if grown:
            yield from in_parts(source.index, old, new, (), chunks)
        else:
            yield from difference(self._indexes, source.index, old, new, chunks)

    def _counting(self, source: Source, records: Sequence[Record]) -> Sequence[Record]:
        """Return the records of a log without those that count elsewhere."""
        over = self._over.get(source.path)
        return records if not over else [record for record in records if record.at not in over]

    def _corrected(self, outcome: Outcome) -> Iterator[Step]:
        """Yield what corrections change in files that are otherwise as they were."""
        if not outcome.files and not self._corrections.are_under_way():
            return
        corrections = self._corrections.told()
        changed = self._corrections.changed(corrections)
        for source in self.files.all(LOG_TYPES) if changed else ():
            old = self._indexes[source.index].store.files(LOG_TYPES).get(source.name)
            if old is None or not self._corrections.concern(source, old, changed):
                continue
            try:
                data = read_bytes(source.path) or b""
            except UnreadableError:  # said already; its index stays as it is until it can be read
                continue
            records = self._counting(source, parse(data[: int(json.loads(old.state)["end"])]).records)
            chunks = chunks_of_log(records, source.type, corrections, self._size, self._overlap)
            yield from difference(self._indexes, source.index, old, old, chunks)
        self._corrections.note_carried_out(corrections)

    def _write_processed(self) -> None:
        """Write the list of what is indexed, for people and for comparison; the truth is in the index."""
        listing = {
            record.path: {"type": record.type, "sha256": record.digest, "bytes": record.size}
            for record in sorted(self._indexes["static"].store.files().values(), key=lambda record: record.path)
        }
        write_atomic(self._paths.rag_index / "processed_static_files.json", dump_json(listing))
