"""A model joins the talk: it comes from wherever it is, is tried when all of it is there, and speaks only then.

One at a time in this process, whoever asks for it, and while it comes the talk goes on as before. What has come stays
where it was put, so whoever stops here, or asks again after a failure, goes on from there.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal, Protocol

from agent.minds.errors import StillPullingError
from agent.minds.trial import Trial
from managers.storage.edges import said
from managers.storage.errors import UtataneError

_STOP_SECONDS: Final = 2.0

State = Literal["running", "trying", "done", "stopped", "failed"]


class Wanted(Protocol):
    """A model that is to join; two that are equal are the same one."""

    @property
    def name(self) -> str: ...  # what people call it

    def fetch(self, cancel: threading.Event) -> Iterator[tuple[int, int]]:
        """Have it come; yield how many bytes have, and of how many. Ends early when `cancel` is set."""


@dataclass(frozen=True, slots=True)
class Joining:
    """A model that is joining, or was the last one: `trying` once it has come whole; a `total` of 0 bytes is not known yet."""

    wanted: Wanted
    state: State = "running"
    completed: int = 0
    total: int = 0
    error: UtataneError | None = None
    trial: Trial | None = None

    @property
    def name(self) -> str:
        return self.wanted.name

    @property
    def is_going_on(self) -> bool:
        return self.state in {"running", "trying"}

    @property
    def percent(self) -> int:
        return 100 * self.completed // max(self.total, 1)


class Joinings:
    """What joins in this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._cancel = threading.Event()
        self._thread: threading.Thread | None = None
        self._current: Joining | None = None

    @property
    def current(self) -> Joining | None:
        """The model that is joining, or was the last one; None before the first."""
        return self._current

    @property
    def mark(self) -> str:
        """What changes whenever a page would show it in another way."""
        return "" if (one := self._current) is None else f"{one.name}-{one.state}-{one.percent}"

    def start(self, wanted: Wanted, use: Callable[[], Trial | None] = lambda: None) -> None:
        """Begin, or go on with what was broken off; asked again for the same meanwhile, nothing more is done.

        Args:
            wanted: which model.
            use: tries the model and makes it speak from now on; called in a thread, when all of it is there. A model that
                does not speak needs none.

        Raises:
            StillPullingError: another one is under way.
        """
        with self._lock:
            current = self._current
            if current is not None and current.is_going_on:
                if current.wanted != wanted:
                    raise StillPullingError(model=current.name)
                return
            self._current = Joining(wanted)
            self._cancel = threading.Event()
            told = self._current, self._cancel, use
            self._thread = threading.Thread(target=self._run, args=told, name="model-joining", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Stop what comes, which takes a moment; what has come is kept. A trial is not stopped: it has its own limits."""
        self._cancel.set()
        if self._current is not None and self._current.state == "running":
            self.settle(_STOP_SECONDS)

    def forget(self) -> None:
        """Show nothing more of the last one, where it is over."""
        with self._lock:
            if self._current is not None and not self._current.is_going_on:
                self._current = None

    def settle(self, seconds: float | None = None) -> None:
        """Wait for what is under way, so many seconds at most."""
        if self._thread is not None:
            self._thread.join(seconds)

    def _run(self, joining: Joining, cancel: threading.Event, use: Callable[[], Trial | None]) -> None:
        try:
            for completed, total in joining.wanted.fetch(cancel):
                self._current = joining = replace(joining, completed=completed, total=total)
            if cancel.is_set():
                self._current = replace(joining, state="stopped")
                return
            self._current = joining = replace(joining, state="trying")
            self._current = replace(joining, state="done", trial=use())
        except Exception as error:  # noqa: BLE001  # the edge of a thread: whatever it is, it is shown
            self._current = replace(joining, state="failed", error=said(error, f"fetching {joining.name}"))
