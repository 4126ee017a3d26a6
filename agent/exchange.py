"""What is to be answered anew: a message of the user, and the answer that stands there."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import dropwhile, islice

from agent.errors import NothingToAnswerError
from managers.memory.errors import MessageNotFoundError
from managers.memory.log.reader import LogReader
from managers.memory.messages import Message
from managers.sleep.autonomy import is_deed

_LOOKED_AT = 200
"""So many messages back the user's is looked for; between it and its answer stand announcements at most."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A message of the user's.

    Attributes:
        message: as it reads now.
        answer: what the persona answered, as it reads now; None if it did not.
        after: all that stands after the message in its thread; empty where that was not asked for.
    """

    message: Message
    answer: Message | None
    after: tuple[Message, ...] = ()


def last_exchange(log: LogReader) -> Exchange:
    """Return the last message of the user in this topic, with what came after it.

    Raises:
        NothingToAnswerError: there is none.
    """
    thread = log.thread(_LOOKED_AT)
    for at in range(len(thread) - 1, -1, -1):
        if thread[at].role == "user":
            after = tuple(thread[at + 1 :])
            return Exchange(thread[at], _answer(after), after)
    raise NothingToAnswerError


def exchange_of(log: LogReader, message_id: str) -> Exchange:
    """Return the exchange that a message belongs to: the user's, or the persona's answer.

    Raises:
        MessageNotFoundError: the message does not stand in the conversation.
        NothingToAnswerError: it is no answer, or it has none and more was said since.
    """
    message = log.get(message_id)
    if message is None:
        raise MessageNotFoundError(message_id=message_id)
    return _of_user(log, message) if message.role == "user" else _of_answer(log, message)


def _of_user(log: LogReader, message: Message) -> Exchange:
    later = dropwhile(lambda one: one.id != message.id, log.messages(message.time.date()))
    answer = _answer(islice(later, 1, None))
    if answer is None and last_exchange(log).message.id != message.id:
        raise NothingToAnswerError
    return Exchange(message, answer)


def _of_answer(log: LogReader, answer: Message) -> Exchange:
    before = log.thread(_LOOKED_AT, answer.id)
    said = next((one for one in reversed(before) if one.role == "user"), None)
    if answer.role != "persona" or said is None or is_deed(before[-1]):
        raise NothingToAnswerError
    return Exchange(said, answer)


def _answer(later: Iterable[Message]) -> Message | None:
    """Return the last words of the persona before the user speaks again, but for those that came of its own accord."""
    answer: Message | None = None
    before: Message | None = None
    for message in later:
        if message.role == "user":
            break
        if message.role == "persona" and not (before and is_deed(before)):
            answer = message
        before = message
    return answer
