"""Stand-ins at our own seams: a clock that is moved by hand, a mind that says what it is told to."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta

from managers.mind import Cancel, ReplyPiece, ReplyRequest, TextPiece


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


Script = Sequence[ReplyPiece | Exception | Callable[[ReplyRequest], ReplyPiece]]


class ScriptedMind:
    """A mind that answers from a queue; what it was asked stands in `requests`."""

    name = "scripted"
    can_see = True

    def __init__(self, *answers: str | Script, context_tokens: int = 32_000) -> None:
        self.context_tokens = context_tokens
        self.requests: list[ReplyRequest] = []
        self._answers: deque[Script] = deque([TextPiece(a)] if isinstance(a, str) else a for a in answers)

    def enqueue(self, *answers: str | Script) -> None:
        """Add answers."""
        self._answers.extend([TextPiece(a)] if isinstance(a, str) else a for a in answers)

    def count_tokens(self, text: str) -> int:
        return len(text)

    def reply(self, request: ReplyRequest, cancel: Cancel) -> Iterator[ReplyPiece]:
        self.requests.append(request)
        for step in self._answers.popleft():
            if cancel.is_set():
                return
            if isinstance(step, Exception):
                raise step
            yield step(request) if callable(step) else step
