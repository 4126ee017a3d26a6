"""What was said when a memory was made: the messages that it rests on, and what the user said just before and after.

A fact in a memory has lost its day, and "No, it's on Friday" shares no word with what it puts right. Whoever
answers in words of their own needs both.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

from managers.memory.log import ConversationLog
from managers.memory.messages import Message
from managers.recall.hits import Hit

_MOST_MESSAGES, _MOST_DAYS = 30, 12
_BEFORE, _AFTER = 1, 3
_PAUSE = timedelta(minutes=20)
"""What is said after a longer silence does not go on with what was said before it."""


def witnesses(log: ConversationLog, hits: Sequence[Hit]) -> tuple[Message, ...]:
    """Return the user's messages behind some memories, with their neighbours, in order; none that was taken back."""
    wanted = list(dict.fromkeys(one for hit in hits for one in hit.message_ids))[:_MOST_MESSAGES]
    days = dict.fromkeys(message.time.date() for message in log.originals(wanted).values())
    return tuple(message for day in sorted([*days][:_MOST_DAYS]) for message in _of_day(log, day, frozenset(wanted)))


def _of_day(log: ConversationLog, day: date, wanted: frozenset[str]) -> list[Message]:
    said = [message for message in log.messages(day, day) if message.role == "user" or message.id in wanted]
    near: set[int] = set()
    for at, message in enumerate(said):
        if message.id in wanted:
            near |= _run(said, at, -1, _BEFORE) | _run(said, at, 1, _AFTER) | {at}
    return [said[at] for at in sorted(near) if said[at].role == "user"]


def _run(said: Sequence[Message], at: int, step: int, count: int) -> set[int]:
    """Return the places of so many neighbours that follow each other without a long pause."""
    found: set[int] = set()
    while len(found) < count and 0 <= at + step < len(said):
        if abs(said[at + step].time - said[at].time) > _PAUSE:
            break
        at += step
        found.add(at)
    return found
