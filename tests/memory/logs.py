"""What the tests of the log share: talk over many days, and another process that reads it."""

from datetime import datetime, timedelta
from random import Random

from managers.memory.log import ConversationLog
from managers.memory.messages import Message
from tests.fakes import HandClock

DAY = datetime(2026, 11, 21, 12, 0, 0)


def texts(messages: list[Message]) -> list[str]:
    return [message.text for message in messages]


def everything(log: ConversationLog) -> list[str]:
    return [message.text for message in log.messages()]


def another(log: ConversationLog, now: datetime = DAY) -> ConversationLog:
    """The same log as another process sees it."""
    return ConversationLog(log.paths, HandClock(now), Random(99))


def talk_for(log: ConversationLog, clock: HandClock, days: int) -> None:
    """Say `0`, `1` ... one a day, the last one today."""
    for number in range(days):
        log.append("user", "Sara", str(number), time=DAY - timedelta(days=days - 1 - number))
    clock.set(DAY)
