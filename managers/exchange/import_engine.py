"""An import: what a reader finds in a source is looked at first, and taken over when somebody says yes.

Nothing of the source is changed. What is taken over has ids that come from the source or from its content, so doing it again
adds nothing, and what was stopped or killed in the middle is finished by doing it again.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Final, Literal, NamedTuple

from managers.exchange.errors import ImportCancelledError, ImportSourceError
from managers.exchange.import_reading import ImportReading
from managers.exchange.import_words import both_of
from managers.exchange.items import FoundPersona, Kind, MemoryKind, NotTaken, ReadingWishes
from managers.exchange.memory_places import MemoryPlaces
from managers.exchange.message_records import MessageRecords
from managers.exchange.spool import Spool, Waiting, first_text, open_spool
from managers.memory.emotions import EmotionLog
from managers.memory.log import ConversationLog
from managers.memory.log.format import clean_text
from managers.memory.messages import Role
from managers.memory.working_copy import WorkingCopy
from managers.storage.clock import Clock
from managers.storage.errors import UnsafeNameError
from managers.storage.files import read_bytes, write_atomic
from managers.storage.history import History
from managers.storage.paths import Home, PersonaPaths, safe_name

_BATCH: Final = 8000
_MOST_DIFFERING: Final = 200
Stage = Literal["reading", "writing"]
StageProgress = Callable[[Stage, int, int], None]
"""Is told how far a stage has come: bytes of so many, messages of so many."""


@dataclass(frozen=True, slots=True)
class ImportPreview:
    """What was found in a source; nothing was changed.

    Attributes:
        messages: how many, each counted once.
        repeated: how many stand in the source again.
        already_there: how many of them the persona has.
        speakers: role, name and number of messages, the most talkative first.
        undated: how many messages have no sure time.
        threads: how many conversations it holds.
        left_out: what is not taken over, and why.
    """

    kind: Kind
    source: str
    persona: FoundPersona
    messages: int
    repeated: int
    already_there: int
    first: datetime | None
    last: datetime | None
    speakers: tuple[tuple[Role, str, int], ...]
    undated: int
    threads: int
    files: int
    memories: Mapping[MemoryKind, int]
    left_out: tuple[NotTaken, ...]


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did.

    Attributes:
        added: messages that are new in the log.
        already_there: messages that were there before, or stand in the source more than once.
        first, last: the times that the messages span.
        memories, memories_there: how many memories of each kind are new, and how many were there.
        files: how many files of messages are kept.
        left_out: what was not taken over (or only changed), and why.
        kept: where the source is kept verbatim.
    """

    kind: Kind
    source: str
    added: int
    already_there: int
    first: datetime | None
    last: datetime | None
    memories: Mapping[MemoryKind, int]
    memories_there: Mapping[MemoryKind, int]
    files: int
    left_out: tuple[NotTaken, ...]
    kept: tuple[Path, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether all that was found came over, if need be in another form."""
        return all(one.is_changed for one in self.left_out)


@dataclass(frozen=True)
class ImportTarget:
    """The persona that an import is for.

    Attributes:
        names: under which names words stand that have none in the source: the user's and the persona's.
        avatar: takes a picture, if the persona has none (`MemoryPlaces.avatar`).
        is_let_in: somebody let the source in whole, knowing what that means: its words count as the talk's own.
    """

    paths: PersonaPaths
    clock: Clock
    log: ConversationLog
    history: History
    emotions: EmotionLog
    copy: WorkingCopy
    names: tuple[str, str]
    avatar: Callable[[bytes], str]
    is_let_in: bool


class _Compared(NamedTuple):
    """Some messages: which are in the log, and which of those say something else there (they are left out)."""

    batch: Sequence[Waiting]
    there: frozenset[str]
    known: Sequence[str]
    differing: Sequence[NotTaken]


@dataclass
class SourceImport:
    """One source, from being looked at to being taken over. To be closed: what waits on the disk goes then.

    Attributes:
        is_cancelled: is asked again and again; a yes ends the work with `ImportCancelledError`.
    """

    home: Home
    source: Path
    clock: Clock
    is_cancelled: Callable[[], bool] = lambda: False
    progress: StageProgress = lambda _stage, _done, _whole: None
    _stack: ExitStack = field(default_factory=ExitStack, repr=False)
    _reading: ImportReading | None = field(default=None, repr=False)
    _spool: Spool | None = field(default=None, repr=False)

    def close(self) -> None:
        """Let go of what was read."""
        self._stack.close()

    def interrupt(self) -> None:
        """End the process that reads, for whoever has said that the work is cancelled and may be waiting for it."""
        if self._reading is not None:
            self._reading.interrupt()

    @property
    def reading(self) -> ImportReading:
        assert self._reading is not None
        return self._reading

    @property
    def spool(self) -> Spool:
        assert self._spool is not None
        return self._spool

    def read(self, kind: Kind | None = None, wishes: ReadingWishes | None = None) -> None:
        """Read the source; may be done again with other wishes.

        Raises:
            ImportSourceError: it cannot be read.
            ImportCancelledError, DiskFullError, UnwritableError
        """
        self.close()
        self._reading = self._stack.enter_context(
            closing(
                ImportReading(self.source, self.is_cancelled, lambda done, whole: self.progress("reading", done, whole))
            )
        )
        self._spool = self._stack.enter_context(open_spool(self.home))
        for item in self._reading.items(kind, wishes or ReadingWishes()):
            self._spool.add(item)
        self._spool.finish(self._moment())
        if self._spool.undated:
            self._spool.leave_out(NotTaken("engine.undated", count=self._spool.undated, is_changed=True))
        if self._spool.lost:
            self._spool.leave_out(NotTaken("engine.lost", count=self._spool.lost, is_changed=True))
        if not len(self._spool) and not self._spool.memories and self._spool.persona == FoundPersona():
            raise self._nothing()

    def preview(self, log: ConversationLog | None = None) -> ImportPreview:
        """Return what was found, and how much of it is there already."""
        spool, span = self.spool, self.spool.span
        there, differing = 0, list[NotTaken]()
        for compared in self._compared(log) if log is not None else ():
            there += len(compared.known)
            differing += compared.differing
        roles: list[tuple[Role, str, int]] = [(role, name, n) for (role, name), n in spool.speakers.most_common()]
        return ImportPreview(
            kind=self.reading.kind or "text",
            source=self.source.name,
            persona=spool.persona,
            messages=len(spool),
            repeated=spool.repeated,
            already_there=there,
            first=span[0] if span else None,
            last=span[1] if span else None,
            speakers=tuple(roles),
            undated=spool.undated,
            threads=spool.threads,
            files=spool.files,
            memories=dict(spool.memories),
            left_out=(*spool.left_out, *differing[:_MOST_DIFFERING]),
        )

    def carry_out(self, target: ImportTarget) -> ImportReport:
        """Take over what was read.

        Raises:
            ImportCancelledError, DiskFullError, UnwritableError, BusyError: what is there by then stays, and is skipped
                when it is done again.
        """
        spool = self.spool
        kept = tuple(self._keep_source(target.paths))
        origins = () if target.is_let_in else (self.source.name,)
        records = MessageRecords(target.paths, target.names, self.reading.fetch, spool.leave_out, origins)
        added, there = self._take_messages(target.log, records)
        places = MemoryPlaces(
            target.paths, target.clock, target.history, target.copy, target.emotions, self.reading.fetch,
            spool.leave_out, target.avatar, origins,
        )  # fmt: skip
        for memory in spool.found_memories():
            self._go_on()
            places.take(memory)
        places.write(f"import {self.reading.kind}")
        span = spool.span
        return ImportReport(
            kind=self.reading.kind or "text",
            source=self.source.name,
            added=added,
            already_there=there + spool.repeated,
            first=span[0] if span else None,
            last=span[1] if span else None,
            memories=+places.added,
            memories_there=+places.there,
            files=records.files,
            left_out=spool.left_out,
            kept=kept,
        )

    def _take_messages(self, log: ConversationLog, records: MessageRecords) -> tuple[int, int]:
        """Return how many messages were added, and how many were there already."""
        added = there = done = 0
        whole = len(self.spool)
        for compared in self._compared(log):
            for one in compared.differing:
                self.spool.leave_out(one)
            bundles = []
            for waiting in compared.batch:
                if waiting.id in compared.there:
                    records.skip(waiting)
                else:
                    bundles.append(records.of(waiting))
            new = log.take_in(bundles).added if bundles else 0
            added += new
            there += len(compared.known) + len(bundles) - new
            done += len(compared.batch)
            self.progress("writing", done, whole)
        return added, there

    def _compared(self, log: ConversationLog) -> Iterator[_Compared]:
        """Yield the messages, batch by batch, beside what the log has of them."""
        for waiting in self.spool.batches(_BATCH):
            self._go_on()
            there = log.originals([each.id for each in waiting])
            known: list[str] = []
            differing: list[NotTaken] = []
            for each in waiting:
                if (same := there.get(each.id)) is None:
                    continue
                if same.text == clean_text(first_text(each.found)):
                    known.append(each.id)
                else:
                    differing.append(NotTaken("engine.id-taken", each.found.place, facts={"id": each.id[:40]}))
            yield _Compared(waiting, frozenset(there), known, differing)

    def _keep_source(self, paths: PersonaPaths) -> Iterator[Path]:
        """Keep the texts that were read as they are; yield where they lie: what is kept already is not kept twice."""
        folder = paths.log_import_source
        if self.reading.kind != "transcript":
            folder = folder / _tidy(self.source.name)
        for name in self.reading.opened:
            data = self.reading.fetch(name)
            if data is None:
                self.spool.leave_out(NotTaken("engine.source", name, facts={"name": name}, is_changed=True))
            elif b"\0" not in data[:4096]:
                yield _kept(folder.joinpath(*map(_tidy, PurePosixPath(name).parts)), data)

    def _moment(self) -> datetime:
        """Return the time that messages of a source without any time get: that of its file, which copying keeps."""
        try:
            return datetime.fromtimestamp(self.source.stat().st_mtime).replace(microsecond=0)  # noqa: DTZ006  # local, as all times
        except (OSError, ValueError, OverflowError):
            return self.clock.now().replace(microsecond=0)

    def _go_on(self) -> None:
        if self.is_cancelled():
            raise ImportCancelledError

    def _nothing(self) -> ImportSourceError:
        left = self.spool.left_out
        words = both_of(left[0].code, **left[0].facts) if left else both_of("engine.nothing")
        return ImportSourceError(name=self.source.name, reason_ja=words["ja"], reason_en=words["en"])


def _kept(path: Path, data: bytes) -> Path:
    stem = path.name.removesuffix(".txt")
    kept, number = path.with_name(f"{stem}.txt"), 1
    while (there := read_bytes(kept)) not in (None, data):
        number += 1
        kept = path.with_name(f"{stem}-{number}.txt")
    if there is None:
        write_atomic(kept, data)
    return kept


def _tidy(name: str) -> str:
    try:
        return safe_name(name)
    except UnsafeNameError:
        printed = "".join(char if char.isalnum() else "_" for char in name)
        return printed.encode()[:90].decode(errors="ignore") or "_"


def counted(left: Sequence[NotTaken]) -> int:
    """Return how many things were left out."""
    return sum(one.count for one in left if not one.is_changed)
