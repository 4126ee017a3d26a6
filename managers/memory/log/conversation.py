"""A persona's conversation log: every word that was said, appended and never rewritten.

`log.txt` holds the last days and `log_archives/` all before. Editing or deleting a message appends
a record that readers apply. Writers hold the persona's lock; readers need none.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from datetime import date, datetime, timedelta
from itertools import groupby, islice
from pathlib import Path
from random import Random
from typing import IO, Final, Literal

from managers.memory.log import archive as log_archive
from managers.memory.log import ends as log_ends
from managers.memory.log.format import NEW_TOPIC, Record, format_record, id_in_trailer, normalised
from managers.memory.log.index import FileIndex, IndexCache, identity
from managers.memory.log.notices import damaged_file, damaged_message
from managers.memory.log.parts import Part, Snapshot, archive_parts, snapshot
from managers.memory.log.reading import read_backward, read_forward
from managers.memory.messages import Message, Role
from managers.storage import locks
from managers.storage.clock import Clock, new_id
from managers.storage.errors import MessageIdTakenError, MessageNotFoundError, Notice
from managers.storage.files import open_binary
from managers.storage.paths import PersonaPaths

ChangeKind = Literal["edit", "delete", "regenerate"]
ROLES: Final[frozenset[Role]] = frozenset({"user", "persona", "system"})
_RECENT: Final = 64 * 1024
_ONE: Final = 4096
_MANY: Final = 50


class ConversationLog:
    """One persona's log, archives included.

    Attributes:
        notices: what a person should know: a torn end that was set aside, a damaged place.
        log_days: how many days `log.txt` holds; may be changed at any time.
    """

    def __init__(self, paths: PersonaPaths, clock: Clock, rng: Random, *, log_days: int = 7) -> None:
        """Remember where the log is; nothing is read yet.

        Args:
            paths: the persona's folder.
            clock: what time it is.
            rng: makes the ids' random part.
            log_days: how many days `log.txt` holds before older ones move to the archives.
        """
        self.paths = paths
        self.notices: list[Notice] = []
        self._clock = clock
        self._rng = rng
        self.log_days = log_days
        self._cache = IndexCache()

    # Writing

    def append(
        self,
        role: Role,
        speaker: str,
        text: str,
        *,
        mind: str = "",
        attachments: Sequence[str] = (),
        broken_off: bool = False,
        time: datetime | None = None,
        message_id: str | None = None,
    ) -> Message:
        """Append one message; it is on the disk when this returns.

        Args:
            role: who speaks; `system` for announcements, whose kind is `speaker`.
            speaker: the name for the header.
            text: what was said, exactly (lone surrogates, which no file can hold, become U+FFFD).
            mind: what thought it.
            attachments: paths relative to the persona's folder.
            broken_off: it is not the whole of what was to be said.
            time: when; now if not given.
            message_id: its id; a new one if not given. Appending the same id and text again does nothing.

        Raises:
            MessageIdTakenError: another message has this id.
            DiskFullError, UnwritableError, BusyError: nothing was appended.
        """
        message = Message(
            message_id or "", time or self._clock.now(), role, speaker, text, mind, broken_off, tuple(attachments)
        )
        return self._write(Record(normalised(message)))

    def supersede(self, message_id: str, text: str | None, *, kind: ChangeKind | None = None) -> Message:
        """Give a message a new text, or delete it (None); the last word on a message counts.

        Returns:
            the record that says so.

        Raises:
            MessageNotFoundError: there is no such message, or it is deleted and not given a text.
        """
        with locks.writing(self.paths):
            if not (self._has(message_id) if text is not None else self.get(message_id)):
                raise MessageNotFoundError(message_id=message_id)
            speaker = kind or ("delete" if text is None else "edit")
            message = Message("", self._clock.now(), "system", speaker, text or "")
            return self._write(Record(normalised(message), target=message_id, deletes=text is None))

    def begin_topic(self) -> Message:
        """Begin a new thread: `thread` looks no further back than this."""
        return self._write(Record(normalised(Message("", self._clock.now(), "system", NEW_TOPIC, ""))))

    def append_many(self, messages: Iterable[Message]) -> int:
        """Add messages from elsewhere, keeping their ids and times; those already there are skipped.

        They go where their times belong: old days into the archives, whatever order they come in. Others who
        write are let in between one file and the next: years of messages must not hold up a conversation.

        Returns:
            how many were added.

        Raises:
            MessageIdTakenError: an id is there with another text; nothing was added.
        """
        given = [normalised(message) for message in messages]
        held_since = locks.moment()
        with locks.writing(self.paths):
            self._repair()
            self.roll()
            ordered = log_archive.in_order(self._missing(given))
        added = 0
        for path, group in groupby(ordered, lambda placed: self._file_for(placed.time.date())):
            held_since = locks.let_others_in(held_since)
            with locks.writing(self.paths):
                added += self._insert(path, list(group))
        self._indexes()  # whoever imports years waits anyway, so that nobody does later
        return added

    def _missing(self, given: Sequence[Message]) -> list[Message]:
        """Return those of some messages that are not in the log, each once.

        Raises:
            MessageIdTakenError: one of them is there with another text.
        """
        there = self.originals([message.id for message in given])
        fresh: dict[str, Message] = {}
        for message in given:
            same = there.get(message.id) or fresh.setdefault(message.id, message)
            if same.text != message.text:
                raise MessageIdTakenError(message_id=message.id)
        return list(fresh.values())

    def _insert(self, path: Path, group: Sequence[log_archive.Placed]) -> int:
        """Add messages to one file, but for those that another import brought meanwhile; needs the lock."""
        self._repair()
        missing = {message.id for message in self._missing([placed.message for placed in group])}
        self.notices += log_ends.close_off(path, self._clock.now())
        log_archive.insert(path, [placed for placed in group if placed.message.id in missing])
        return len(missing)

    def roll(self) -> int:
        """Move days that `log.txt` need not hold any longer to the archives.

        Returns:
            how many records moved.
        """
        with locks.writing(self.paths):
            self._repair()
            return log_archive.roll(self.paths, self._clock.now().date(), self.log_days)

    def _write(self, record: Record) -> Message:
        with locks.writing(self.paths):
            self._repair()
            message = record.message
            if message.id:
                there = self._original(message.id)
                if there is not None and there.text == message.text:
                    return there
                if there is not None:
                    raise MessageIdTakenError(message_id=message.id)
            else:
                message = replace(message, id=self._fresh_id())
            log_ends.append(self.paths.log, format_record(replace(record, message=message)))
            return message

    def _repair(self) -> None:
        self.notices += log_archive.repair(self.paths, self._clock.now())

    def _fresh_id(self) -> str:
        """Return an id that none of the last messages has (two processes may draw the same one)."""
        recent = b""
        if self.paths.log.exists():
            with open_binary(self.paths.log) as file:
                size = os.fstat(file.fileno()).st_size
                file.seek(max(0, size - _RECENT))
                recent = file.read()
        while id_in_trailer(candidate := new_id(self._clock, self._rng)) in recent:
            pass
        return candidate

    def _file_for(self, day: date) -> Path:
        oldest_kept = self._clock.now().date() - timedelta(days=self.log_days - 1)
        return log_archive.archive_of(self.paths, day) if day < oldest_kept else self.paths.log

    # Reading

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
