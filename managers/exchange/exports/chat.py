"""A conversation, whole or of some days, as lines of the project's transcript form.

What was forgotten or deleted, and what stands aside on another branch, is not in it: it is the conversation as it reads.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from pathlib import PurePosixPath

from managers.exchange.errors import DaysReversedError
from managers.memory.audience import NOTHING_KEPT, Kept
from managers.memory.log.reader import LogReader
from managers.memory.messages import Message
from managers.storage.errors import Lang

Hide = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class ChatDays:
    """Which part of a conversation: from one day to another, both inclusive; None: from the beginning, to the end."""

    since: date | None = None
    until: date | None = None

    def __post_init__(self) -> None:
        """Refuse days in which nothing can lie.

        Raises:
            DaysReversedError: the last day comes before the first.
        """
        if self.since and self.until and self.until < self.since:
            raise DaysReversedError


@dataclass(frozen=True, slots=True)
class Chat:
    """What the forms of a conversation are made of.

    Attributes:
        messages: what was said, in order; can be gone through once.
    """

    persona: str
    lang: Lang
    messages: Iterator[Message]
    avatar: bytes | None = None


def said_in(log: LogReader, days: ChatDays, hide: Hide | None = None, kept: Kept = NOTHING_KEPT) -> Iterator[Message]:
    """Yield what the user and the persona said; not what the program noted between, nor what is `kept` here."""
    for message in log.messages(days.since, days.until):
        if message.role == "system" or kept.holds([message.id], message.id):
            continue
        yield message if hide is None else _hidden(message, hide)


def _hidden(message: Message, hide: Hide) -> Message:
    names = message.attachment_names or tuple(PurePosixPath(path).name for path in message.attachments)
    text, speaker, origins = hide(message.text), hide(message.speaker), tuple(map(hide, message.origins))
    return replace(message, text=text, speaker=speaker, attachment_names=tuple(map(hide, names)), origins=origins)


def as_transcript(messages: Iterable[Message]) -> Iterator[str]:
    """Yield a line for each message, with its id and time, as `import transcript` reads them."""
    for message in messages:
        yield line_of(message) + "\n"


def line_of(message: Message) -> str:
    """Return a message as a JSON object without a line end."""
    told = {"id": message.id, "time": message.time.isoformat(), "role": message.role}
    origins = {"from": message.origins} if message.origins else {}
    return json.dumps({**told, "speaker": message.speaker, "text": message.text, **origins}, ensure_ascii=False)
