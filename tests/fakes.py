"""A clock that is moved by hand."""

from datetime import UTC, datetime, timedelta


class HandClock:
    """A clock that stands still until it is moved."""

    def __init__(self, now: datetime = datetime(2026, 11, 21, 12, 0, 0)) -> None:
        self._now = now
        self._elapsed = 0.0

    def now(self) -> datetime:
        return self._now

    def utc(self) -> datetime:
        return self._now.replace(tzinfo=UTC)

    def monotonic(self) -> float:
        return self._elapsed

    def move(self, **distance: float) -> None:
        """Let time pass: `move(hours=2)`."""
        step = timedelta(**distance)
        self._now += step
        self._elapsed += max(step.total_seconds(), 0)

    def set(self, now: datetime) -> None:
        """Set the wall clock, as a person or a time server does; no time passes."""
        self._now = now
