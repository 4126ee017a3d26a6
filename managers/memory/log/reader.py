"""A persona's conversation as it reads now: the newest, some days, one thread; edits and deletions applied."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from datetime import date
from itertools import islice
from typing import IO, Final

from managers.memory.log.format import Record
from managers.memory.log.index import FileIndex, IndexCache, identity
from managers.memory.log.notices import damaged_file, damaged_message
from managers.memory.log.parts import Part, Snapshot, archive_parts, snapshot
from managers.memory.log.reading import read_backward, read_forward
from managers.memory.messages import Message, Role
from managers.storage.clock import Clock
from managers.storage.errors import MessageNotFoundError, Notice
from managers.storage.paths import PersonaPaths

ROLES: Final[frozenset[Role]] = frozenset({"user", "persona", "system"})
_ONE: Final = 4096
_MANY: Final = 50


class LogReader:
    """One persona's log, archives included, for whoever reads it; needs no lock.

    Attributes:
        notices: what a person should know: a torn end that was set aside, a damaged place.
    """

    def __init__(self, paths: PersonaPaths, clock: Clock) -> None:
        """Remember where the log is; nothing is read yet."""
        self.paths = paths
        self.notices: list[Notice] = []
        self._clock = clock
        self._cache = IndexCache()

    def tail(
        self,
        count: int,
        before: str | None = None,
        *,
        roles: Collection[Role] = ROLES,
        controls: bool = False,
    ) -> list[Message]:
        """Return the newest messages, oldest first, as they read now.

        Args:
            count: at most so many.
            before: only what came before the message of this id.
            roles: only those who speak in these roles.
            controls: also the records that begin topics, edit and delete, each in its place (their
                `speaker` is the kind: `new_topic`, `edit`, `delete`, `regenerate`).

        Raises:
            MessageNotFoundError: no message has the id `before`.
        """
        return self._newest(count, before, roles, controls=controls)

    def thread(self, count: int, *, roles: Collection[Role] = ROLES) -> list[Message]:
        """Return the newest messages since the last new topic, oldest first."""
        return self._newest(count, None, roles, stop_at_topic=True)

    def get(self, message_id: str) -> Message | None:
        """Return a message as it reads now; None if there is none or it was deleted."""
        original = self._original(message_id)
        if original is None:
            return None
        return _applied(original, self.corrections())

    def originals(self, ids: Collection[str]) -> dict[str, Message]:
        """Return those of some messages that are in the log, as they were first written, deleted or not."""
        found: dict[str, Message] = {}
        missing = set(ids)
        with self._snapshot() as now:
            for part in reversed(now.parts):
                index = self._index(now, part)
                wanted = sorted((index.offsets[number], key) for number, key in index.positions(missing))
                if wanted:
                    with now.open(part) as (file, end):
                        found.update(_read_at(file, wanted, end))
                    missing -= found.keys()
                if not missing:
                    break
        return found

    def messages(self, since: date | None = None, until: date | None = None) -> Iterator[Message]:
        """Yield all messages of some days (both inclusive) as they read now, in the log's order."""
        corrections = self.corrections()
        with self._snapshot() as now:
            for part in now.parts:
                span = self._span(now, part, since, until)
                if span is None:
                    continue
                with now.open(part) as (file, end):
                    for record in read_forward(file, span[0], end if span[1] is None else span[1]):
                        self._tell_of(record)
                        if record.is_control or not _within(record.message.time.date(), since, until):
                            continue
                        message = _applied(record.message, corrections)
                        if message is not None:
                            yield message

    def days(self) -> list[date]:
        """Return the days on which something was said, in order."""
        deleted = self._deleted()
        return sorted({day for index in self._indexes() for day in index.days_without(deleted)})

    def count(self) -> int:
        """Return how many messages there are, deleted ones aside."""
        deleted = self._deleted()
        return sum(len(index) - len(list(index.positions(deleted))) for index in self._indexes())

    def corrections(self) -> Mapping[str, str | None]:
        """Return every message's id that was edited or deleted, with its new text (None: deleted)."""
        return {change.target: change.text for index in self._indexes() for change in index.changes}

    def changes(self, kind: str, look_at: int) -> Iterator[tuple[Message, str]]:
        """Yield the records of one kind of change and the message that each is about, newest first.

        Args:
            kind: what the records are called, such as `forget`.
            look_at: how many records back is looked.
        """
        with self._snapshot() as now:
            for record in islice(self._backward(now, None), look_at):
                if record.target and record.message.speaker == kind:
                    yield record.message, record.target

    def readings(self, ids: Collection[str]) -> dict[str, str]:
        """Return those of some messages that were ever given a new text, with the last one, deleted since or not."""
        return {
            change.target: change.text
            for index in self._indexes()
            for change in index.changes
            if change.text is not None and change.target in ids
        }

    def revision(self) -> str:
        """Return a token that changes whenever the log does, whoever changes it."""
        files = [identity(self.paths.log), *(part.identity for part in archive_parts(self.paths))]
        return hashlib.sha256(repr(files).encode()).hexdigest()[:16]

    def check(self) -> list[Notice]:
        """Read everything and name the files in which something is damaged (nothing is changed)."""
        with self._snapshot() as now:
            found = [(part.path.name, self._index(now, part).damages) for part in now.parts]
        return [damaged_file(name, damages) for name, damages in found if damages]

    def _newest(
        self,
        count: int,
        before: str | None,
        roles: Collection[Role],
        *,
        stop_at_topic: bool = False,
        controls: bool = False,
    ) -> list[Message]:
        found: list[Message] = []
        with self._snapshot() as now:
            changes: dict[str, str | None] = {}
            if before is not None or not now.is_orderly(self._clock.now().date()):
                # Changes may stand where reading backwards does not come by.
                changes.update(self.corrections())
            for record in self._backward(now, before):
                if len(found) >= count or (stop_at_topic and record.is_control and not record.target):
                    break
                message = record.message
                self._tell_of(record)
                if record.target:
                    # Read backwards, the first record about a message is the last word on it.
                    changes.setdefault(record.target, None if record.deletes else message.text)
                shown = _applied(message, changes)
                if shown and (controls if record.is_control else message.role in roles):
                    found.append(shown)
        found.reverse()
        return found

    def _backward(self, now: Snapshot, before: str | None) -> Iterator[Record]:
        number, offset = len(now.parts), None
        if before is not None:
            number, offset = self._locate(now, before)
            with now.open(now.parts[number]) as (file, _):
                yield from read_backward(file, offset)
        for part in reversed(now.parts[:number]):
            with now.open(part) as (file, end):
                yield from read_backward(file, end)

    def _locate(self, now: Snapshot, message_id: str) -> tuple[int, int]:
        """Return which part of the log a message is in, and its offset there."""
        for number in range(len(now.parts) - 1, -1, -1):
            index = self._index(now, now.parts[number])
            for position, _ in index.positions([message_id]):
                return number, index.offsets[position]
        raise MessageNotFoundError(message_id=message_id)

    def _has(self, message_id: str) -> bool:
        return self._original(message_id) is not None

    def _original(self, message_id: str) -> Message | None:
        """Return a message as it was first written, deleted or not."""
        return self.originals([message_id]).get(message_id)

    def _snapshot(self) -> AbstractContextManager[Snapshot]:
        return snapshot(self.paths)

    def _indexes(self) -> list[FileIndex]:
        with self._snapshot() as now:
            return [self._index(now, part) for part in now.parts]

    def _index(self, now: Snapshot, part: Part) -> FileIndex:
        with ExitStack() as stack:
            return self._cache.get(part.path, part.identity, part.limit, lambda: stack.enter_context(now.open(part))[0])

    def _deleted(self) -> set[str]:
        return {target for target, text in self.corrections().items() if text is None}

    def _span(self, now: Snapshot, part: Part, since: date | None, until: date | None) -> tuple[int, int | None] | None:
        """Return which bytes of a file (None: to its end) hold the wanted days; None if it has none of them."""
        if since is None and until is None:
            return 0, None
        index = self._index(now, part)
        wanted = index.offsets_between(since, until)
        if not wanted:
            return None
        last = max(wanted)
        return min(wanted), min((offset for offset in index.offsets if offset > last), default=None)

    def _tell_of(self, record: Record) -> None:
        """Note once that something of a message is lost (what people do by hand is no loss)."""
        if record.damage in {"bytes", "header"}:
            notice = damaged_message(record.message)
            if notice not in self.notices:
                self.notices.append(notice)


def _read_at(file: IO[bytes], wanted: Sequence[tuple[int, str]], end: int) -> Iterator[tuple[str, Message]]:
    """Yield the messages at some offsets, in order; many at once are read in one go."""
    if len(wanted) > _MANY:
        keys = {key for _, key in wanted}
        for record in read_forward(file, wanted[0][0], end):
            if record.message.id in keys and not record.is_control:
                yield record.message.id, record.message
        return
    for offset, key in wanted:
        for record in islice(read_forward(file, offset, end, block=_ONE), 1):
            if record.message.id == key:
                yield key, record.message


def _within(day: date, since: date | None, until: date | None) -> bool:
    return (since is None or since <= day) and (until is None or day <= until)


def _applied(message: Message, corrections: Mapping[str, str | None]) -> Message | None:
    if message.id not in corrections:
        return message
    text = corrections[message.id]
    return None if text is None else replace(message, text=text)
