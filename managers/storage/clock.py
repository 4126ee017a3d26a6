"""Where the time and randomness come from; tests and simulations hand in their own."""

import time
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Final, Protocol

AHEAD: Final = timedelta(hours=2)
"""What is stamped later than this after now was stamped by a clock that was ahead: it is not the newest."""


class Clock(Protocol):
    """A source of time."""

    def now(self) -> datetime:
        """Local wall-clock time, naive: what people read and what the files hold."""

    def utc(self) -> datetime:
        """Aware UTC time: for durations that must survive daylight saving and travel."""

    def monotonic(self) -> float:
        """Seconds that never run backwards, for measuring elapsed time."""


class SystemClock:
    """The computer's own clock."""

    def now(self) -> datetime:
        return datetime.now()

    def utc(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()


def local(moment: datetime) -> datetime:
    """Return a time of elsewhere as this computer's clock shows it: naive, as the files hold it.

    Where the clock shows an hour twice, the `fold` of the second time is 1.

    Raises:
        ValueError: here it is beyond all bounds.
    """
    if moment.tzinfo is None:
        return moment
    try:
        shown = moment.astimezone().replace(tzinfo=None)
        return shown.replace(fold=int(shown.timestamp() < moment.timestamp()))
    except (OverflowError, OSError) as error:
        raise ValueError(str(error)) from error


def instant(shown: datetime) -> datetime:
    """Return when this computer's clock shows a time, in UTC; as it is, where that is beyond all bounds."""
    try:
        return shown.astimezone(UTC)
    except (OverflowError, OSError, ValueError):
        return shown.replace(tzinfo=UTC)


def is_shown_twice(shown: datetime) -> bool:
    """Whether this computer's clock shows a time twice, as at the end of summer time."""
    return instant(shown.replace(fold=0)) < instant(shown.replace(fold=1))


_CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz"


def new_id(clock: Clock, rng: Random) -> str:
    """Return a sortable id such as ``20260102T220000-7k2m9qx4``: local second plus 40 random bits.

    People meet ids in their log files, so the time in them is readable.
    """
    bits = rng.getrandbits(40)
    tail = "".join(_CROCKFORD[(bits >> shift) & 31] for shift in range(35, -1, -5))
    return f"{clock.now():%Y%m%dT%H%M%S}-{tail}"
