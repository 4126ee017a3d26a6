"""What is said and changed in a conversation: each is one write, on the disk when it returns, or not at all."""

import os
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from random import Random
from typing import Final, Literal

from managers.memory.errors import (
    AlternativeNotFoundError,
    BranchNotFoundError,
    MessageIdTakenError,
    MessageNotFoundError,
)
from managers.memory.log import ends as log_ends
from managers.memory.log import log_archive
from managers.memory.log.alternatives import applied
from managers.memory.log.branches import FIRST, Branch, place_of
from managers.memory.log.contents import change_of
from managers.memory.log.format import BRANCH, NEW_TOPIC, SWITCH, Record, format_record, id_in_trailer, normalised
from managers.memory.log.reader import LogReader
from managers.memory.messages import Message, Role
from managers.storage import locks
from managers.storage.clock import Clock, new_id
from managers.storage.files import open_binary
from managers.storage.paths import PersonaPaths

ChangeKind = Literal["edit", "delete", "forget", "remember"]
_RECENT: Final = 64 * 1024


class LogWriter(LogReader):
    """One persona's log: read, and added to. Writers hold the persona's lock.

    Attributes:
        log_days: how many days `log.txt` holds; may be changed at any time.
    """

    def __init__(
        self, paths: PersonaPaths, clock: Clock, rng: Random, *, log_days: int = 7, keeps_indexes: bool = True
    ) -> None:
        super().__init__(paths, clock, keeps_indexes=keeps_indexes)
        self._rng = rng
        self.log_days = log_days

    # What is said

    def append(
        self,
        role: Role,
        speaker: str,
        text: str,
        *,
        mind: str = "",
        attachments: Sequence[str] = (),
        attachment_names: Sequence[str] = (),
        broken_off: bool = False,
        stopped: bool = False,
        time: datetime | None = None,
        message_id: str | None = None,
        branch: str | None = None,
        group: str = "",
        thread: int = 0,
        present: Sequence[str] = (),
        origins: Sequence[str] = (),
    ) -> Message:
        """Append one message; it is on the disk when this returns.

        Args:
            role: who speaks; `system` for announcements, whose kind is `speaker`.
            speaker: the name for the header.
            text: what was said, exactly (lone surrogates, which no file can hold, become U+FFFD).
            mind: what thought it.
            attachments: paths relative to the persona's folder.
            attachment_names: what their sender calls them.
            broken_off: it is not the whole of what was to be said.
            stopped: it ends where the person stopped it.
            time: when; now if not given.
            message_id: its id; a new one if not given. Appending the same id and text again does nothing.
            branch: the branch that it belongs to (`current_branch`, when what it answers was said), though the conversation
                may have gone to another one meanwhile; on which it stays.
            group: which conversation of several it belongs to.
            thread: which topic of that conversation.
            present: the personas who were there, in such a conversation.
            origins: see `Message`.

        Raises:
            MessageIdTakenError: another message has this id.
            DiskFullError, UnwritableError, BusyError: nothing was appended.
        """
        message = Message(
            message_id or "",
            time or self._clock.now(),
            role,
            speaker,
            text,
            mind,
            broken_off,
            tuple(attachments),
            stopped,
            attachment_names=tuple(attachment_names),
            present=tuple(present),
            group=group,
            thread=thread,
            origins=tuple(origins),
        )
        with locks.writing(self.paths):
            if message_id is not None and (there := self._same(normalised(message))) is not None:
                return there
            (written,) = self._write(Record(message), branch=branch)
            return written

    def append_shared(self, message: Message) -> Message:
        """Append a message that stands in other logs too, under the id that it has there; again, it does nothing.

        Raises:
            MessageIdTakenError: another message has this id.
            DiskFullError, UnwritableError, BusyError: nothing was appended.
        """
        with locks.writing(self.paths):
            if (there := self._same(normalised(message))) is not None:
                return there
            return self._write(Record(message))[0]

    def append_together(self, messages: Sequence[Message]) -> list[Message]:
        """Append several messages with one write, each with an id of its own.

        Raises:
            DiskFullError, UnwritableError, BusyError: nothing was appended.
        """
        with locks.writing(self.paths):
            return self._write(*(Record(replace(message, id="")) for message in messages))

    def begin_topic(self) -> Message:
        """Begin a new thread: `thread` looks no further back than this."""
        return self._write(Record(self._told(NEW_TOPIC)))[0]

    def note(self, about: str, kind: str, text: str) -> Message:
        """Note something about an answer that is being made anew: it stands in the log, and readers show it nowhere."""
        return self._write(Record(self._told(kind, text), deletes=True, about=about))[0]

    # What is changed

    def supersede(
        self, message_id: str, text: str | None, *, kind: ChangeKind | None = None, because: str = ""
    ) -> Message:
        """Give a message a new text, or delete it (None); the last word on a message counts.

        Args:
            message_id: the message; of one with several answers, the one that is shown gets the text.
            text: what it says from now on.
            kind: what the record is called.
            because: what stands in the record of a deletion (readers show it nowhere): the message that asked for it.

        Returns:
            the record that says so.

        Raises:
            MessageNotFoundError: there is no such message, or it is deleted and not given a text.
        """
        with locks.writing(self.paths):
            original = self._original(message_id)
            if original is None or (text is None and self.get(message_id) is None):
                raise MessageNotFoundError(message_id=message_id)
            if text is None:
                told = self._told(kind or "delete", because)
                return self._write(Record(told, target=message_id, deletes=True))[0]
            shown = self._alternatives(original).shown
            if shown.text != text:  # where it ends is somebody else's doing from now on
                shown = replace(shown, text=text, broken_off=False, stopped=False)
            return self._write(self._showing(shown, kind or "edit"))[0]

    def take_back(self, ids: Sequence[str]) -> None:
        """Delete some messages with one write; those that are gone already stay so."""
        with locks.writing(self.paths):
            there = [one for one in ids if self.get(one) is not None]
            if there:
                self._write(*(Record(self._told("delete"), target=one, deletes=True) for one in there))

    def answer_anew(
        self,
        message_id: str,
        text: str,
        *,
        mind: str = "",
        broken_off: bool = False,
        stopped: bool = False,
        origins: Sequence[str] = (),
    ) -> Message:
        """Show another answer in the place of one; those that were given there before can be chosen again.

        Returns:
            the message as it reads now.

        Raises:
            MessageNotFoundError: there is no such message any more; nothing was written.
            DiskFullError, UnwritableError, BusyError: nothing was written.
        """
        with locks.writing(self.paths):
            original = self._original(message_id) if self.get(message_id) else None
            if original is None:
                raise MessageNotFoundError(message_id=message_id)
            told = replace(self._told("regenerate", text), id=self._fresh_id(), mind=mind, origins=tuple(origins))
            told = replace(told, broken_off=broken_off, stopped=stopped)
            record = Record(told, target=message_id, variant=told.id)
            self._write(record)
            return applied(original, change_of(replace(record, message=normalised(told)))) or original

    def choose(self, message_id: str, index: int) -> Message:
        """Show another one of the answers that were given in a place, by its number.

        Returns:
            the message as it reads now.

        Raises:
            MessageNotFoundError: there is no such message, or it was deleted or stands aside.
            AlternativeNotFoundError: there are not so many answers.
            DiskFullError, UnwritableError, BusyError: nothing was written.
        """
        with locks.writing(self.paths):
            there = self.alternatives(message_id)
            if not 0 <= index < len(there.messages):
                raise AlternativeNotFoundError(count=len(there.messages))
            if index != there.current:
                self._write(self._showing(there.messages[index], "choose"))
            return there.messages[index]

    # Where it goes on

    def branch(self, message_id: str) -> Branch | None:
        """Let the conversation go on from a message; what came after it is set aside.

        Returns:
            what was set aside; None if nothing was said after that message.

        Raises:
            MessageNotFoundError: there is no such message, or it was deleted or stands aside already.
            DiskFullError, UnwritableError, BusyError: nothing was changed.
        """
        with locks.writing(self.paths):
            if self.get(message_id) is None:
                raise MessageNotFoundError(message_id=message_id)
            if self.tail(1, controls=True)[-1].id == message_id:
                return None
            whole = self._whole()
            place = place_of(whole.indexes, message_id)
            parent = whole.indexes[place[0]].branch_at(place[1]) if place else ""
            told = replace(self._told(BRANCH), branch=parent)
            self._write(Record(told, deletes=True, after=message_id))
            left = whole.tree.current or FIRST
            return next((one for one in self.branches() if one.id == left), None)

    def switch_branch(self, branch_id: str) -> None:
        """Go back to what was set aside; what stood since the branches part is set aside in turn.

        Raises:
            BranchNotFoundError: there is no such branch.
            DiskFullError, UnwritableError, BusyError: nothing was changed.
        """
        branch = "" if branch_id == FIRST else branch_id
        with locks.writing(self.paths):
            tree = self._whole().tree
            if branch and branch not in tree.begun:
                raise BranchNotFoundError
            if branch != tree.current:
                self._write(self._switch(branch))

    # How it is written

    def _told(self, kind: str, text: str = "") -> Message:
        return Message("", self._clock.now(), "system", kind, text)

    def _showing(self, message: Message, kind: str) -> Record:
        """Return the record that lets readers show a message as it is given here."""
        told = replace(
            self._told(kind, message.text),
            mind=message.mind,
            broken_off=message.broken_off,
            stopped=message.stopped,
            origins=message.origins,
        )
        return Record(told, target=message.id, variant=message.variant)

    def _switch(self, branch: str) -> Record:
        return Record(replace(self._told(SWITCH), branch=branch), deletes=True)

    def _same(self, message: Message) -> Message | None:
        """Return the message that is there with the same id and text.

        Raises:
            MessageIdTakenError: there is one with another text.
        """
        self._repair()
        there = self._original(message.id)
        if there is not None and there.text != message.text:
            raise MessageIdTakenError(message_id=message.id)
        return there

    def _write(self, *records: Record, branch: str | None = None) -> list[Message]:
        """Append records with one write, those without an id with a new one; return their messages.

        Args:
            records: what is said stands on the branch that the conversation is on.
            branch: it stands on this one instead, and the conversation stays where it is.
        """
        with locks.writing(self.paths):
            self._repair()
            current = self.current_branch()
            there = current if branch is None else branch
            written = [self._ready(record, there) for record in records]
            if there != current:
                written.append(self._ready(self._switch(current), current))
            log_ends.append(self.paths.log, b"".join(map(format_record, written)))
            return [record.message for record in written[: len(records)]]

    def _ready(self, record: Record, branch: str) -> Record:
        message = normalised(record.message)
        if record.is_placed and not record.moves:
            message = replace(message, branch=branch)
        return replace(record, message=replace(message, id=message.id or self._fresh_id()))

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
