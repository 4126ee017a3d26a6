"""A turn under way: its events, for as many readers as there are, and the way to stop it."""

from __future__ import annotations

import itertools
import logging
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from agent.events import Failed, Received, TurnEvent
from managers.mind import Cancel
from managers.storage.edges import said, told
from managers.storage.errors import UtataneError

logger = logging.getLogger(__name__)

Publish = Callable[[TurnEvent], None]

_NUMBERS = itertools.count(1)
_LOOK_SECONDS = 1.0
"""How often whoever waits for a silent mind looks whether anybody is still interested."""


class Turn:
    """A turn in a thread of its own: it goes on when the page that asked for it closes."""

    def __init__(
        self,
        live: Callable[[Cancel, Publish], None],
        *,
        answers: str = "",
        replaces: str = "",
        off_record: bool = False,
    ) -> None:
        self.number = next(_NUMBERS)
        """No other turn of this process has it."""
        self.answers = answers
        """The id of the message that is answered anew; empty where a new one is said."""
        self.replaces = replaces
        """The id of the answer that is made anew, which the new one will have too; empty where there is none yet."""
        self.off_record = off_record
        self._live: Callable[[Cancel, Publish], None] | None = live
        self._cancel = Cancel()
        self._events: list[TurnEvent] = []
        self._over = False
        self._grown = threading.Condition()
        self._listeners: list[Callable[[], object]] = []
        self._thread = threading.Thread(target=self._run, name="turn", daemon=True)

    def start(self) -> Turn:
        """Begin, and return at once."""
        self._thread.start()
        return self

    def events(self) -> Iterator[TurnEvent]:
        """Yield all events from the first on, waiting for new ones until the turn is over."""
        for fresh in self.batches():
            yield from fresh

    def batches(self, goes_on: Callable[[], bool] = lambda: True) -> Iterator[Sequence[TurnEvent]]:
        """Yield what has happened so far, at once, and then again and again all that is new, until the turn is over.

        Args:
            goes_on: tells whether anybody still listens; a thread that waited for a silent mind in vain would be missed
                elsewhere.
        """
        fresh: Sequence[TurnEvent] = self.so_far
        seen = 0
        while goes_on():
            yield fresh
            seen += len(fresh)
            fresh = self._after(seen, goes_on)
            if not fresh:
                return

    def when_grown(self, listener: Callable[[], object]) -> Callable[[], None]:
        """Have a function called, by the turn's thread, after each event and when the turn is over.

        Returns:
            what ends that.
        """
        with self._grown:
            self._listeners.append(listener)
        return partial(self._leave, listener)

    def _leave(self, listener: Callable[[], object]) -> None:
        with self._grown:
            self._listeners.remove(listener)

    def stop(self) -> None:
        """Let the person stop the mind; what was said so far is kept and marked as stopped."""
        self._cancel.by_person = True
        self._cancel.set()

    def break_off(self) -> None:
        """Ask the mind to stop because the program ends; what was said so far is kept and marked as broken off."""
        self._cancel.set()

    def forget(self) -> None:
        """Let go of all that happened in it."""
        with self._grown:
            self._events.clear()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until the turn is over; return whether it is."""
        with self._grown:
            return self._grown.wait_for(lambda: self._over, seconds)

    def wait_until_heard(self) -> None:
        """Wait until the user's message is on disk (or off the record taken in), or the turn has failed of that."""
        with self._grown:
            self._grown.wait_for(lambda: self._over or any(isinstance(event, Received) for event in self._events))

    @property
    def is_over(self) -> bool:
        return self._over

    @property
    def so_far(self) -> Sequence[TurnEvent]:
        """Its events up to now."""
        with self._grown:
            return tuple(self._events)

    def _after(self, seen: int, goes_on: Callable[[], bool]) -> list[TurnEvent]:
        """Wait for what comes after the first `seen` events; empty when the turn is over, or it does not go on."""
        with self._grown:
            while not self._grown.wait_for(lambda: len(self._events) > seen or self._over, _LOOK_SECONDS):
                if not goes_on():
                    return []
            return self._events[seen:]

    def _publish(self, event: TurnEvent) -> None:
        with self._grown:
            self._events.append(event)
            self._tell()

    def _tell(self) -> None:
        """Tell whoever waits or listens; the condition is held."""
        self._grown.notify_all()
        for listener in self._listeners:
            listener()

    def _run(self) -> None:
        live, self._live = self._live, None  # it holds all that was sent along, and a turn may be kept for long
        assert live is not None
        try:
            live(self._cancel, self._publish)
        except UtataneError as error:
            self._publish(Failed(error))
        except Exception as error:  # noqa: BLE001  # the edge: whatever else happens is logged and said, and the app goes on
            if self.off_record:  # an error's own words may be those that were said: where it happened must do
                frames = "".join(traceback.format_tb(error.__traceback__))
                logger.error("a turn off the record failed: %s\n%s", type(error).__name__, frames)  # noqa: TRY400  # see above
                self._publish(Failed(told(error)))
            else:
                self._publish(Failed(said(error, "a turn")))
        finally:
            with self._grown:
                self._over = True
                self._tell()
