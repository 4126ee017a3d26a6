"""A persona's conversation log: every word that was said, appended and never rewritten.

`log.txt` holds the last days and `log_archives/` all before. Editing or deleting a message appends
a record that readers apply. Writers hold the persona's lock; readers need none.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from itertools import groupby
from pathlib import Path
from random import Random
from typing import Final, Literal

from managers.memory.log import archive as log_archive
from managers.memory.log import ends as log_ends
from managers.memory.log.format import NEW_TOPIC, Record, format_record, id_in_trailer, normalised
from managers.memory.log.reader import LogReader
from managers.memory.messages import Message, Role
from managers.storage import locks
from managers.storage.clock import Clock, new_id
from managers.storage.errors import MessageIdTakenError, MessageNotFoundError
from managers.storage.files import open_binary
from managers.storage.paths import PersonaPaths

ChangeKind = Literal["edit", "delete", "regenerate", "forget", "remember"]
_RECENT: Final = 64 * 1024


class ConversationLog(LogReader):
    """One persona's log, archives included: read, and written to.

    Attributes:
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
        super().__init__(paths, clock)
        self._rng = rng
        self.log_days = log_days

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

    def supersede(
        self, message_id: str, text: str | None, *, kind: ChangeKind | None = None, because: str = ""
    ) -> Message:
        """Give a message a new text, or delete it (None); the last word on a message counts.

        Args:
            message_id: the message.
            text: what it says from now on.
            kind: what the record is called.
            because: what stands in the record of a deletion (readers show it nowhere): the message that asked for it.

        Returns:
            the record that says so.

        Raises:
            MessageNotFoundError: there is no such message, or it is deleted and not given a text.
        """
        with locks.writing(self.paths):
            if not (self._has(message_id) if text is not None else self.get(message_id)):
                raise MessageNotFoundError(message_id=message_id)
            speaker = kind or ("delete" if text is None else "edit")
            message = Message("", self._clock.now(), "system", speaker, because if text is None else text)
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
