"""A persona's conversation log: every word that was said, appended and never rewritten.

`log.txt` holds the last days and `log_archives/` all before. Editing or deleting a message appends
a record that readers apply. Writers hold the persona's lock; readers need none.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from managers.memory.errors import MessageIdTakenError
from managers.memory.log import ends as log_ends
from managers.memory.log import log_archive
from managers.memory.log.converting import in_utf_8
from managers.memory.log.file_pieces import read_forward
from managers.memory.log.format import MADE_UP, Record, id_of_words, normalised
from managers.memory.log.lost import note_lost
from managers.memory.log.parsing import parse
from managers.memory.log.writer import LogWriter
from managers.memory.messages import Message
from managers.personas.errors import ShrinkRefusedError
from managers.storage import locks
from managers.storage.aside import keep_aside
from managers.storage.files import open_binary, read_bytes, write_atomic


class Merged(NamedTuple):
    """What came of taking in another version of a file: how many records were new, and who says something else here."""

    added: int
    differing: tuple[str, ...]


class ConversationLog(LogWriter):
    """One persona's log, archives included: read, written to, and kept in order."""

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
        with locks.writing(self.paths):
            self._repair()
            fresh = self._missing(given)
        return self.take_in([Record(message)] for message in fresh).added

    def take_in(self, said: Iterable[Sequence[Record]]) -> Merged:
        """Add messages from elsewhere, each with the records that come with it: all of them, or none.

        Args:
            said: of each message the records in the order in which they shall stand; one of them is the message itself, the
                others begin a topic, give it other answers or note something about it, and have its time. All have ids.

        Returns:
            how many messages were added, and which are there with another text, and were left out.
        """
        given = [[replace(one, message=normalised(one.message)) for one in records] for records in said]
        held_since = locks.moment()
        with locks.writing(self.paths):
            self._repair()
            self.roll()
            fresh, differing = self._new_ones(given)
            ordered = log_archive.in_order([one for records in self._on_branches(fresh) for one in records])
        owners = {one.message.id: _message_of(records).id for records in fresh for one in records}
        added = 0
        for path, group in groupby(ordered, lambda placed: self._file_for(placed.time.date())):
            held_since = locks.let_others_in(held_since)
            with locks.writing(self.paths):
                added += self._insert(path, list(group), owners)
        self._whole()  # whoever imports years waits anyway, so that nobody does later
        return Merged(added, tuple(differing))

    def _new_ones(self, given: Sequence[Sequence[Record]]) -> tuple[list[Sequence[Record]], list[str]]:
        """Return what is given of messages that are not in the log, each once, and which are there with another text."""
        there = self.originals([_message_of(records).id for records in given])
        fresh: dict[str, Sequence[Record]] = {}
        differing: list[str] = []
        for records in given:
            message = _message_of(records)
            same = there.get(message.id) or _message_of(fresh.setdefault(message.id, records))
            if same.text != message.text:
                differing.append(message.id)
        return list(fresh.values()), differing

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

    def _on_branches(self, said: Sequence[Sequence[Record]]) -> Iterator[Sequence[Record]]:
        """Yield what comes from elsewhere where the present conversation is at its time: none stands aside."""
        tree = self._whole().tree
        path = tree.path(tree.current)[1:]
        begun = self.originals([tree.after(branch) for branch in path]) if path else {}
        starts = [(begun[tree.after(branch)].time, branch) for branch in path if tree.after(branch) in begun]
        for records in said:
            time = _message_of(records).time
            branch = next((branch for start, branch in reversed(starts) if start <= time), "")
            yield [
                replace(one, message=replace(one.message, branch=branch)) if branch and one.is_placed else one
                for one in records
            ]

    def _insert(self, path: Path, group: Sequence[log_archive.Placed], owners: Mapping[str, str]) -> int:
        """Add records to one file, but for those that another import brought meanwhile; needs the lock."""
        self._repair()
        messages = {owners[placed.record.message.id] for placed in group}
        missing = messages - self.known(messages)
        self.notices += log_ends.close_off(path, self._clock.now())
        log_archive.insert(path, [placed for placed in group if owners[placed.record.message.id] in missing])
        return len(missing)

    def merge(self, source: Path, into: Path | None = None) -> Merged:
        """Take in what another version of a file of the log holds and the log does not, message by message.

        What stands in both stays as it is here. Changes of messages come along with their times, so that the
        newest has the last word. The other version is left where it is.

        Args:
            source: a copy that a sync service left, or a log that was set aside; in any encoding.
            into: the file whose copy it is; if not given, each record goes where its day belongs.

        Raises:
            ShrinkRefusedError, UnreadableError, UnwritableError, DiskFullError, BusyError
        """
        records = [one for one in parse(in_utf_8(read_bytes(source) or b"")).records if one.damage != "header"]
        with locks.writing(self.paths):
            self._repair()
            here = self._held([one.message for one in records if not one.is_control])
            indexes = self._whole().indexes
            told = {change.id for index in indexes for change in index.changes} | self._topics(into or self.paths.log)
            told |= {move.id for index in indexes for move in index.moves}
            missing = {
                one.message.id: replace(one, message=normalised(one.message))
                for one in records
                if one.message.id not in here and not (one.is_control and one.message.id in told)
            }
            changed = self.originals({one.target for one in missing.values() if one.target})
            said = {message_id: message.time for message_id, message in changed.items()}
            ordered = log_archive.in_order(list(missing.values()), said)
            for path, group in groupby(ordered, lambda one: into or self._file_for(one.time.date())):
                self.notices += log_ends.close_off(path, self._clock.now())
                log_archive.insert(path, list(group))
        differing = [one.message.id for one in records if _differs(one.message, here.get(one.message.id))]
        return Merged(len(missing), tuple(differing))

    def _held(self, messages: Sequence[Message]) -> dict[str, Message]:
        """Return, by the ids of some messages, those of them that are in the log; also under the id that their words made."""
        ids = [one.id for one in messages]
        found = self.originals({*ids, *map(id_of_words, ids)})
        for one in messages:
            same = found.get(id_of_words(one.id))
            if same is not None and same.id == id_of_words(one.id) and same.time == one.time:
                found[one.id] = same
        return found

    def convert(self, path: Path) -> Path:
        """Make a file of the log UTF-8; return where the original is kept.

        Raises:
            ShrinkRefusedError: not every message would be there afterwards; nothing was changed.
            UnreadableError, UnwritableError, DiskFullError, BusyError
        """
        with locks.writing(self.paths):
            data = read_bytes(path) or b""
            converted = in_utf_8(data)
            if len(parse(converted).records) < len(parse(data).records):
                raise ShrinkRefusedError(path=path.name)
            kept = keep_aside(self.paths.folder, path, self._clock.now())
            write_atomic(path, converted)
            return kept

    def _topics(self, path: Path) -> set[str]:
        """Return the ids of the records in a file that begin topics or are shown nowhere: no index holds them."""
        if not path.exists():
            return set()
        with open_binary(path) as file:
            records = read_forward(file, 0, os.fstat(file.fileno()).st_size)
            return {record.message.id for record in records if record.is_control and not record.target}

    def note_missing(self, held: Mapping[str, str]) -> None:
        """Note which of some messages that were known, with their days, are in no file of the log any more.

        Raises:
            DiskFullError, UnwritableError
        """
        own = {message_id: day for message_id, day in held.items() if not message_id.startswith(MADE_UP)}
        missing = own.keys() - self.known(own)
        if missing and self.is_all_utf_8():
            note_lost(self.paths, {message_id: own[message_id] for message_id in missing})

    def roll(self) -> int:
        """Move days that `log.txt` need not hold any longer to the archives.

        Returns:
            how many records moved.
        """
        with locks.writing(self.paths):
            self._repair()
            return log_archive.roll(self.paths, self._clock.now().date(), self.log_days)

    def _file_for(self, day: date) -> Path:
        oldest_kept = self._clock.now().date() - timedelta(days=self.log_days - 1)
        return log_archive.archive_of(self.paths, day) if day < oldest_kept else self.paths.log


def _message_of(records: Sequence[Record]) -> Message:
    """Return the message among the records that come with it."""
    return next(one.message for one in records if not one.is_control)


def _differs(theirs: Message, ours: Message | None) -> bool:
    return ours is not None and ours.text != normalised(theirs).text
