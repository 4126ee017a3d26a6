"""What dreams have read of each day, so that each word is read once, and none that was changed since goes unnoticed.

Two hidden files beside the memories, to which lines are only ever added. They are no part of the history: what a
person undid was read all the same, and is not dreamt again. How many messages a day has says too little: one taken
back and one more said make as many as before.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import date, datetime

from managers.memory.log import ConversationLog
from managers.memory.messages import Message
from managers.sleep.errors import DreamingAlreadyError
from managers.storage.errors import BusyError
from managers.storage.files import append_durably, read_bytes
from managers.storage.locks import holding
from managers.storage.paths import PersonaPaths

_DELETED = "-"
_AS_WRITTEN = "="
"""The mark of a message that reads as it was first written; noted where a dream has known it otherwise."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How much of a day a dream has read.

    Attributes:
        count: so many messages.
        until: when the last of them was said; None of an empty day, or of one whose episode alone tells how much was read.
    """

    count: int
    until: datetime | None = None

    @classmethod
    def of(cls, messages: Sequence[Message]) -> Reading:
        """Return what was read by whoever read these messages of a day."""
        return cls(len(messages), max((message.time for message in messages), default=None))

    def unread(self, messages: Sequence[Message]) -> list[Message]:
        """Return those of a day's messages that were said since; all, where some came in between (an import)."""
        if self.until is None:
            return list(messages[self.count :])
        later = [message for message in messages if message.time > self.until]
        return list(messages) if len(messages) - len(later) > self.count else later


class DreamtDays:
    """What the dreams of one persona have read."""

    def __init__(self, paths: PersonaPaths, log: ConversationLog) -> None:
        self._days = paths.memory / ".dreamt_days"
        self._corrections = paths.memory / ".dreamt_corrections"
        self._log = log
        self._read: tuple[bytes, Mapping[date, Reading]] | None = None

    def readings(self) -> Mapping[date, Reading]:
        """Return every day that was ever dreamt of, and how much of it was read."""
        data = read_bytes(self._days) or b""
        if self._read is None or self._read[0] != data:
            self._read = data, self._parsed(data)
        return self._read[1]

    @staticmethod
    def _parsed(data: bytes) -> dict[date, Reading]:
        found: dict[date, Reading] = {}
        for line in data.decode("ascii", "replace").splitlines():
            try:
                day, count, *until = line.split()
                found[date.fromisoformat(day)] = Reading(int(count), *map(datetime.fromisoformat, until[:1]))
            except ValueError:  # cut short by a crash, or by hand: the others stand
                continue
        return found

    def corrected(self) -> dict[date, dict[str, str]]:
        """Return the messages that read otherwise than when a dream last looked, by day, with a mark of how.

        They were deleted, reworded, set aside, or stand in the conversation again.
        """
        data = read_bytes(self._corrections)
        if data is None:  # no dream has looked yet: each reads its day as it stands then
            return {}
        known = dict(line.split() for line in data.decode("ascii", "replace").splitlines() if len(line.split()) == 2)  # noqa: PLR2004  # a key and its mark
        marks = {_key(one): (one, _mark(text)) for one, text in self._log.corrections().items()}
        new = {one: mark for key, (one, mark) in marks.items() if known.get(key, _AS_WRITTEN) != mark}
        back = {key for key, mark in known.items() if mark != _AS_WRITTEN and key not in marks}
        if back:
            new |= {one: _AS_WRITTEN for one in self._log.ids() if _key(one) in back}
        found: dict[date, dict[str, str]] = {}
        for message_id, message in self._log.originals(new).items() if new else ():
            found.setdefault(message.time.date(), {})[message_id] = new[message_id]
        return found

    def note(self, readings: Mapping[date, Reading], corrections: Mapping[str, str]) -> None:
        """Note what a dream has read, and which changed messages it knows; the first one knows all there are."""
        lines = [
            f"{day:%Y-%m-%d} {reading.count}" + (f" {reading.until.isoformat()}" if reading.until else "")
            for day, reading in sorted(readings.items())
        ]
        if lines:
            append_durably(self._days, "".join(f"{line}\n" for line in lines).encode())
        if read_bytes(self._corrections) is None:
            corrections = {one: _mark(text) for one, text in self._log.corrections().items()}
            append_durably(self._corrections, b"# id, reading\n")
        if corrections:
            marks = "".join(f"{_key(one)} {mark}\n" for one, mark in corrections.items())
            append_durably(self._corrections, marks.encode())


@contextmanager
def dreaming(paths: PersonaPaths) -> Iterator[None]:
    """Hold the persona's dream: one at a time, also across processes. The chat does not wait for it.

    Raises:
        DreamingAlreadyError: somebody else holds it.
    """
    with ExitStack() as stack:
        try:
            stack.enter_context(
                holding(paths.memory / ".dream.lock", paths.name, wait=0, is_reentrant=False, within=paths.folder)
            )
        except BusyError as error:
            raise DreamingAlreadyError(name=paths.name) from error
        yield


def _key(message_id: str) -> str:
    """Return what stands for a message: an imported one may have any id."""
    return hashlib.sha256(message_id.encode()).hexdigest()[:16]


def _mark(text: str | None) -> str:
    return _DELETED if text is None else hashlib.sha256(text.encode()).hexdigest()[:16]
